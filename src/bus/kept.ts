import type { Clock } from '../lib/clock.ts'
import type { DiskRoom, Publish } from './bus.ts'
import type { Charges } from './charges.ts'
import { Receipts } from './receipts.ts'
import { Retained } from './retained.ts'
import { Sessions } from './sessions.ts'
import type { Change } from './store/changes.ts'
import type { Store } from './store/store.ts'
import { Wills } from './wills.ts'

export type KeptLimits = {
  sessionsPerOwner: number
  /** Of one installation. */
  retainedMessages: number
  retainedBytes: number
}
type Loss = 'queue full' | 'retained full' | 'disk reserve'
/** The id of a QoS 2 message, where its sender has a kept session. */
export type Receipt = { key: number; messageId: number }

/** What the broker keeps its word about, over restarts and kill -9. */
export class Kept {
  readonly store: Store
  readonly sessions: Sessions
  readonly receipts: Receipts
  readonly retained: Retained
  readonly wills: Wills
  readonly #disk: DiskRoom
  readonly #lost: (reason: Loss, messages: number) => void
  /** How many sessions the last message was queued for. */
  lastReceivers = 0
  #lastSeq = 0

  constructor(options: {
    store: Store
    limits: KeptLimits
    clock: Clock
    disk: DiskRoom
    charges: Charges
    /** Messages that were acknowledged, or never are, and do not reach someone. */
    lost: (reason: Loss, messages: number) => void
  }) {
    const { store, limits, clock } = options
    this.#disk = options.disk
    this.#lost = options.lost
    store.onDropped = (messages) => this.#lost('queue full', messages)
    this.store = store
    this.receipts = new Receipts(store)
    const maxPerOwner = limits.sessionsPerOwner
    const { charges } = options
    this.sessions = new Sessions({ store, receipts: this.receipts, clock, maxPerOwner, charges })
    this.retained = new Retained(store, {
      messages: limits.retainedMessages,
      bytes: limits.retainedBytes
    })
    this.wills = new Wills(store)
  }

  async open(): Promise<void> {
    const contents = await this.store.contents
    this.sessions.restore(contents)
    this.retained.restore(contents.retained)
    this.wills.restore(contents.wills)
    this.#lastSeq = contents.lastSeq
  }

  /** Of a message; the order in which they are kept. */
  nextSeq(): number {
    return ++this.#lastSeq
  }

  /**
   * Resolves when everyone who has to get the message later will get it, kill -9 or not; undefined
   * when there is nobody like that, which costs nothing.
   */
  keep(packet: Publish, receipt?: Receipt): Promise<void> | undefined {
    const receivers = this.sessions.receiversOf(packet)
    this.lastReceivers = receivers.length
    if (receivers.length === 0 && !packet.retain && !receipt) return undefined
    if (this.#disk.isEnough) return this.#keep(packet, receivers, receipt)
    if (packet.qos > 0) return this.#keepLater(packet, receipt)
    // It was promised nothing.
    this.#lost('disk reserve', 1)
    return undefined
  }

  async #keepLater(packet: Publish, receipt: Receipt | undefined): Promise<void> {
    await this.#disk.whenEnough()
    await this.#keep(packet, this.sessions.receiversOf(packet), receipt)
  }

  /** All of it or nothing is on disk. */
  #keep(
    packet: Publish,
    receivers: ReturnType<Sessions['receiversOf']>,
    receipt: Receipt | undefined
  ): Promise<void> | undefined {
    packet.brokerCounter = this.nextSeq()
    const changes: Change[] = []
    if (packet.retain) {
      const retained = this.retained.put(packet)
      if (retained) changes.push(...retained)
      else this.#lost('retained full', 1)
    }
    if (receivers.length > 0) changes.push(this.sessions.enqueue(packet, receivers))
    if (receipt) changes.push({ kind: 'receive', ...receipt })
    if (changes.length === 0) return undefined
    const written = this.store.write(...changes)
    if (receivers.length > 0) written.catch(() => this.sessions.unqueue(packet, receivers))
    return written
  }
}
