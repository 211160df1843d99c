import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { IPublishPacket } from 'mqtt-packet'
import { Rounds } from '../../lib/rounds.ts'
import type { MessageHandler } from '../bus.ts'
import { LastingLink } from './lasting-link.ts'
import { Link, type LinkOptions } from './link.ts'

export type SlotOptions = Pick<LinkOptions, 'address' | 'clientId' | 'expirySeconds'> & {
  filter: string
  /** The filter of the same session if the number of slots was different. */
  formerFilter: string
  /** What is read in addition; it may change. */
  alsoFilters: () => readonly string[]
  onMessage: MessageHandler
  /** Such a message is acknowledged, and not given to `onMessage`. */
  isStored: (packet: IPublishPacket) => boolean
  onReceived: () => void
  onChange: () => void
  /** The broker keeps the session for a shorter time than it was asked to. */
  onShort: (seconds: number) => void
  /** The broker refuses a filter of `alsoFilters`. */
  onRefused: (error: Error, filter: string) => void
}

type PendingAck = { messageId: number; isStored: boolean }
type Storing = { content: string; stored: Promise<void> }
/**
 * [MQTT5 2.2.1] Messages that are not acknowledged, by packet id. The broker uses such an id for no
 * other message, also over a later connection of the session.
 */
type Unacknowledged = Map<number, Storing>

/** For one session. Further messages wait at the broker. */
const RECEIVE_MAXIMUM = 1000
/** Nothing else limits messages of QoS 0. */
const MAX_UNSTORED_MESSAGES = 2 * RECEIVE_MAXIMUM
/** For one session. A platform has at most 16 sessions, together 64 MiB. */
const MAX_UNSTORED_BYTES = 4 * 1024 * 1024
const DRAIN_LIMIT_MS = 3000
/** Larger messages are remembered by their digest. */
const MAX_CONTENT_BYTES = 1024
/** An external broker does not say who sent a message. */
const SENDER = 'broker'

/**
 * One kept session at the broker. A message is acknowledged when the handler has stored it. Many
 * messages are stored at the same time.
 */
export class Slot {
  readonly #options: SlotOptions
  readonly #lasting: LastingLink
  #reader: Reader | undefined
  readonly #unacknowledged: Unacknowledged = new Map()
  /** The filters of `alsoFilters` that the link has. */
  #also: { link: Link; filters: Set<string> } | undefined
  readonly #rounds = new Rounds(() => this.#readAlso())

  /** Unsubscribes, reads the messages that wait, and ends the session for good. */
  static async finish(options: SlotOptions, signal: AbortSignal): Promise<void> {
    const reader = new Reader(options, new Map())
    const link = await openLink(options, reader, signal)
    try {
      if (link.isResumed) await reader.finish(link)
      await link.end({ endsSession: true })
    } catch (error) {
      link.destroy(error as Error)
      throw error
    }
  }

  constructor(options: SlotOptions) {
    this.#options = options
    this.#lasting = new LastingLink({
      open: (signal) => this.#open(signal),
      onChange: options.onChange
    })
    this.#lasting.start()
  }

  get isUp(): boolean {
    return this.#lasting.link !== undefined
  }

  get failure(): Error | undefined {
    return this.#lasting.failure
  }

  /** Called when `alsoFilters` has changed. */
  readAlso(): void {
    void this.#rounds.ask()
  }

  /** First stores and acknowledges what was read. The session stays for the next reader. */
  letGo(): Promise<void> {
    return this.#lasting.stop(async (link) => {
      await this.#reader?.drain(link)
      await link.end()
    })
  }

  /** Ends the connection at once, because the session belongs to another node now. */
  drop(): Promise<void> {
    return this.#lasting.stop(async (link) => link.destroy(new Error('given up')))
  }

  /** Values are read without these, so a refused filter does not end the connection. */
  async #readAlso(): Promise<void> {
    const { alsoFilters, onRefused } = this.#options
    const also = this.#also
    if (!also?.link.isUp) return
    const { link, filters } = also
    const wanted = new Set(alsoFilters())
    const gone = [...filters].filter((filter) => !wanted.has(filter))
    if (gone.length > 0) await link.unsubscribe(gone).catch(() => {})
    for (const filter of gone) filters.delete(filter)
    for (const filter of wanted) {
      if (filters.has(filter)) continue
      try {
        await link.subscribe(filter, { isOthersOnly: false })
        filters.add(filter)
      } catch (error) {
        if (!link.isUp) return
        onRefused(error as Error, filter)
      }
    }
  }

  async #open(signal: AbortSignal): Promise<Link> {
    const reader = new Reader(this.#options, this.#unacknowledged)
    this.#reader = reader
    const link = await openLink(this.#options, reader, signal)
    // A new session begins with new packet ids. It has no filter yet, so no message has come.
    if (!link.isResumed) this.#unacknowledged.clear()
    const { filter, formerFilter, expirySeconds, onShort } = this.#options
    if (link.keptSeconds < expirySeconds) onShort(link.keptSeconds)
    try {
      if (link.isResumed) await link.unsubscribe([formerFilter])
      await link.subscribe(filter, { isOthersOnly: false })
      this.#also = { link, filters: new Set() }
      await this.#rounds.ask()
      return link
    } catch (error) {
      link.destroy(error as Error)
      throw error
    }
  }
}

const openLink = (
  { address, clientId, expirySeconds }: SlotOptions,
  reader: Reader,
  signal: AbortSignal
): Promise<Link> =>
  Link.open({
    ...{ address, clientId, expirySeconds, signal },
    receiveMaximum: RECEIVE_MAXIMUM,
    onPublish: (packet, link) => reader.take(packet, link)
  })

/** Reads what comes through one connection of a session. */
class Reader {
  readonly #options: SlotOptions
  readonly #unacknowledged: Unacknowledged
  /** [MQTT5 4.6] PUBACKs go out in the order in which the messages came. */
  readonly #pending: PendingAck[] = []
  #taken = 0
  #unstored = 0
  #bytes = 0
  #isLeaving = false

  constructor(options: SlotOptions, unacknowledged: Unacknowledged) {
    this.#options = options
    this.#unacknowledged = unacknowledged
  }

  take(packet: IPublishPacket, link: Link): void {
    // It is not acknowledged, so the broker sends it again to the next reader.
    if (this.#isLeaving || !link.isUp) return
    this.#taken++
    const { qos, retain, messageId = 0 } = packet
    const payload = packet.payload as Buffer
    const pending = { messageId, isStored: retain || this.#options.isStored(packet) }
    if (qos > 0) this.#pending.push(pending)
    if (pending.isStored) {
      this.#acknowledge(link)
      return
    }
    this.#options.onReceived()
    this.#unstored++
    this.#bytes += payload.length
    if (this.#isFull) link.pause()
    this.#store(packet).then(
      () => {
        pending.isStored = true
        this.#settle(link, payload.length)
        this.#acknowledge(link)
      },
      (error: Error) => {
        this.#unacknowledged.delete(messageId)
        this.#settle(link, payload.length)
        // The broker sends the message again over the next connection.
        link.destroy(error)
      }
    )
  }

  /** A message that comes again while it is being stored is not stored twice. */
  #store({ topic, payload, qos, retain, dup, messageId = 0 }: IPublishPacket): Promise<void> {
    const message = { topic, payload: payload as Buffer, qos, retain }
    if (qos === 0) return this.#options.onMessage(message, SENDER)
    const content = contentOf(topic, message.payload)
    const before = dup ? this.#unacknowledged.get(messageId) : undefined
    if (before?.content === content) return before.stored
    const stored = this.#options.onMessage(message, SENDER)
    this.#unacknowledged.set(messageId, { content, stored })
    return stored
  }

  async drain(link: Link): Promise<void> {
    this.#isLeaving = true
    const end = performance.now() + DRAIN_LIMIT_MS
    while (this.#pending.length > 0 && link.isUp && performance.now() < end) await wait(5)
  }

  /** A broker answers in order. If no message came before the answer, no message waits. */
  async finish(link: Link): Promise<void> {
    for (let taken = -1; taken !== this.#taken; ) {
      taken = this.#taken
      const { filter, formerFilter, alsoFilters } = this.#options
      await link.unsubscribe([filter, formerFilter, ...alsoFilters()])
      do await wait(5)
      while (this.#unstored > 0 && link.isUp)
    }
  }

  get #isFull(): boolean {
    return this.#unstored > MAX_UNSTORED_MESSAGES || this.#bytes > MAX_UNSTORED_BYTES
  }

  #settle(link: Link, bytes: number): void {
    const wasFull = this.#isFull
    this.#unstored--
    this.#bytes -= bytes
    if (wasFull && !this.#isFull) link.resume()
  }

  #acknowledge(link: Link): void {
    for (let pending = this.#pending[0]; pending?.isStored; pending = this.#pending[0]) {
      this.#pending.shift()
      // Without a connection the broker does not hear it, and sends the message again.
      if (link.isUp) this.#unacknowledged.delete(pending.messageId)
      link.acknowledge(pending.messageId)
    }
  }
}

/** Equal for equal messages. It is a text of its own, so it keeps no memory of the connection. */
const contentOf = (topic: string, payload: Buffer): string =>
  topic.length + payload.length > MAX_CONTENT_BYTES
    ? hash('sha256', Buffer.concat([Buffer.from(`${topic}\0`), payload]))
    : `${topic}\0${payload.toString('latin1')}`
