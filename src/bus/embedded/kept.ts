import type { Clock } from '../../lib/clock.ts'
import type { DiskRoom } from '../bus.ts'
import type { BrokerCharges } from './charges.ts'
import type { Listening, Receiver } from './fan-out.ts'
import type { Publish } from './publish.ts'
import { Receipts } from './receipts.ts'
import { Retained } from './retained.ts'
import { type KeptSubscription, Sessions } from './sessions.ts'
import { Shares } from './shares.ts'
import type { Change } from './store/changes.ts'
import type { Store } from './store/store.ts'
import { Wills } from './wills.ts'

export type KeptLimits = {
  sessionsPerOwner: number
  /** Retained messages, and their bytes, of one installation. */
  retainedMessages: number
  retainedBytes: number
}
type Loss = 'queue full' | 'retained full' | 'disk reserve'
/** The id of a QoS 2 message whose sender has a kept session. */
export type Receipt = { key: number; messageId: number }

/**
 * Everything that the broker keeps over restarts and kill -9: sessions with their queues, receipts
 * of QoS 2 messages, retained messages and wills.
 */
export class KeptState {
  readonly store: Store
  readonly sessions: Sessions
  readonly receipts: Receipts
  readonly retained: Retained
  readonly wills: Wills
  readonly shares = new Shares<Listening<Receiver>, KeptSubscription>()
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
    charges: BrokerCharges
    /** Called for messages that are dropped. */
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
    const { receipts, shares } = this
    this.sessions = new Sessions({ store, receipts, clock, maxPerOwner, charges, shares })
    this.retained = new Retained(store, {
      messages: limits.retainedMessages,
      bytes: limits.retainedBytes
    })
    this.wills = new Wills(store, clock)
  }

  async open(): Promise<void> {
    const contents = await this.store.contents
    this.sessions.restore(contents)
    this.retained.restore(contents.retained)
    this.wills.restore(contents.wills)
    this.#lastSeq = contents.lastSeq
  }

  /** The number of the next message. It gives the order of the queues. */
  nextSeq(): number {
    return ++this.#lastSeq
  }

  /**
   * Resolves when the message is on disk for all who must get it later. Undefined: nothing has to be
   * written.
   */
  keep(message: Publish, receipt?: Receipt): Promise<void> | undefined {
    message.chosen = this.shares.choose(message.topic, message.qos)
    const receivers = this.sessions.receiversOf(message)
    this.lastReceivers = receivers.length
    if (receivers.length === 0 && !message.retain && !receipt) return undefined
    if (this.#disk.isEnough) return this.#keep(message, receivers, receipt)
    if (message.qos > 0) return this.#keepLater(message, receipt)
    // QoS 0 promises nothing.
    this.#lost('disk reserve', 1)
    return undefined
  }

  async #keepLater(message: Publish, receipt: Receipt | undefined): Promise<void> {
    await this.#disk.whenEnough()
    await this.#keep(message, this.sessions.receiversOf(message), receipt)
  }

  /** Writes everything or nothing. */
  #keep(
    message: Publish,
    receivers: ReturnType<Sessions['receiversOf']>,
    receipt: Receipt | undefined
  ): Promise<void> | undefined {
    const numbered = Object.assign(message, { seq: this.nextSeq() })
    const changes: Change[] = []
    if (message.retain) {
      const retained = this.retained.put(message)
      if (retained) changes.push(...retained)
      else this.#lost('retained full', 1)
    }
    if (receivers.length > 0) changes.push(this.sessions.enqueue(numbered, receivers))
    if (receipt) changes.push({ kind: 'receive', ...receipt })
    if (changes.length === 0) return undefined
    const written = this.store.write(...changes)
    if (receivers.length > 0) written.catch(() => this.sessions.unqueue(numbered, receivers))
    return written
  }
}
