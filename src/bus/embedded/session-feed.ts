import type { Client } from 'aedes'
import type { QueuedMessage, SentMessage } from './store/changes.ts'
import type { Store } from './store/store.ts'

type Qos = 0 | 1 | 2
/**
 * A message that was sent and not yet acknowledged. `seq` 0 is a retained message, which is not in
 * the queue.
 */
type SentEntry = { seq: number; bytes: number }
/** A message that has a packet id and was not yet written to the client. */
type Due = { messageId: number; qos: Qos }
type Numbered = { brokerId?: string; brokerCounter: number }

const MAX_MESSAGE_ID = 65_535
/** So much may be sent and not acknowledged. The rest waits on disk. */
const WINDOW_MESSAGES = 1000
const WINDOW_BYTES = 2 * 1024 * 1024
const PAGE_MESSAGES = 250
/**
 * In place of the broker id. A message may come from the queue and directly; it must be sent once.
 */
const fromQueue = 'queue'

/**
 * Sends messages to the connected client of a kept session. First it repeats what was sent before,
 * then it sends the queue page by page. When the queue is empty, it sends new messages directly. So
 * the order of the queue is kept.
 */
export class SessionFeed {
  readonly client: Client
  readonly #key: number
  readonly #store: Store
  readonly #sent: SentMessage[]
  /** By packet id. */
  readonly #inFlight = new Map<number, SentEntry>()
  /** By `seq`: messages that are sent directly. */
  readonly #live = new Map<number, Due>()
  /** By `seq`: messages from the queue. */
  readonly #paged = new Map<number, Due>()
  #bytes = 0
  #lastSeq = 0
  #lastId = 0
  #isLive = false
  /** Something was queued after the last page was asked for. */
  #isBehind = false
  #isStarted = false
  #isPumping = false
  #isEnded = false

  constructor(
    client: Client,
    { key, store, sent }: { key: number; store: Store; sent: SentMessage[] }
  ) {
    this.client = client
    this.#key = key
    this.#store = store
    this.#sent = sent
    for (const { seq, messageId, payload } of sent) {
      this.#inFlight.set(messageId, { seq, bytes: payload.length })
      this.#bytes += payload.length
      this.#lastSeq = seq
      this.#lastId = messageId
    }
  }

  /** [MQTT 4.4.0-1] Repeats messages with their old packet ids and in their order. */
  *sentBefore(): Generator<object> {
    for (const { seq, messageId, isReleased, ...message } of this.#sent.splice(0)) {
      if (isReleased) yield { cmd: 'pubrel', messageId, brokerCounter: seq }
      // [MQTT 3.3.1-1]
      else yield { ...asPacket(message), cmd: 'publish', messageId, brokerCounter: seq, dup: true }
    }
  }

  /** Call this when the messages of `sentBefore` are repeated. */
  start(): void {
    this.#isStarted = true
    void this.#pump()
  }

  end(): void {
    this.#isEnded = true
    this.#isLive = false
  }

  /**
   * The packet id of a message that can be sent directly; undefined if it must wait in the queue.
   */
  reserve(seq: number, qos: Qos, bytes: number): number | undefined {
    if (!this.#isLive || !this.#hasRoom()) {
      this.#isLive = false
      this.#isBehind = true
      return undefined
    }
    return this.#number(this.#live, seq, qos, bytes)
  }

  /** Gives each message out once. Undefined: it was or will be sent the other way. */
  claim({ brokerId, brokerCounter: seq }: Numbered): Due | undefined {
    const dues = brokerId === fromQueue ? this.#paged : this.#live
    const due = dues.get(seq)
    if (dues.delete(seq)) this.#goOn()
    return due
  }

  /**
   * The message went to all receivers. If this client is connected and did not claim it, it does
   * not get it.
   */
  pass(seq: number): void {
    if (!this.client.closed) this.refuse({ brokerCounter: seq })
  }

  /** A packet id for a message that is not in the queue. */
  borrow(): number | undefined {
    if (this.#inFlight.size >= MAX_MESSAGE_ID - 1) return undefined
    const messageId = this.#nextId()
    this.#inFlight.set(messageId, { seq: 0, bytes: 0 })
    return messageId
  }

  /** The client must not get the message. */
  refuse(packet: Numbered): void {
    const due = this.claim(packet)
    if (due) this.acknowledge(due.messageId)
  }

  /** The message could not be queued. */
  forget(seq: number): void {
    const due = this.claim({ brokerCounter: seq })
    if (due) this.#free(due.messageId)
  }

  acknowledge(messageId: number): void {
    const sent = this.#free(messageId)
    if (!sent) return
    if (sent.seq > 0) void this.#store.write({ kind: 'done', key: this.#key, seq: sent.seq })
    this.#goOn()
  }

  /**
   * [MQTT 4.3.3] This is on disk before PUBREL is sent. After PUBREL the receiver would take the
   * message for a new one.
   */
  release(messageId: number): Promise<void> {
    const seq = this.#inFlight.get(messageId)?.seq ?? 0
    // PUBREL is also sent for an unknown id.
    if (seq === 0) return Promise.resolve()
    return this.#store.write({ kind: 'pubrel', key: this.#key, seq })
  }

  /** Reads no page while direct messages are on their way, because they come before the queue. */
  #goOn(): void {
    if (this.#isLive || this.#live.size > 0 || this.#inFlight.size > WINDOW_MESSAGES / 2) return
    void this.#pump()
  }

  async #pump(): Promise<void> {
    if (!this.#isStarted || this.#isPumping || this.#isLive) return
    this.#isPumping = true
    try {
      while (!this.#isEnded && this.#hasRoom()) {
        this.#isBehind = false
        const page = await this.#store.read('page', {
          key: this.#key,
          after: this.#lastSeq,
          count: Math.min(PAGE_MESSAGES, WINDOW_MESSAGES - this.#inFlight.size),
          bytes: Math.max(0, WINDOW_BYTES - this.#bytes)
        })
        if (this.#isEnded) return
        if (page.length > 0) await this.#send(page)
        else if (!this.#isBehind) {
          this.#isLive = true
          return
        }
      }
    } catch (error) {
      // Close the connection. When the client connects again, everything is read again.
      this.client.conn.destroy(error as Error)
    } finally {
      this.#isPumping = false
    }
  }

  /**
   * A packet id is on disk before it is used. So after kill -9 the message is repeated with the
   * same id.
   */
  async #send(page: QueuedMessage[]): Promise<void> {
    const ids = page.map(({ seq, qos, payload }) => {
      return { seq, messageId: this.#number(this.#paged, seq, qos, payload.length) }
    })
    await this.#store.write({ kind: 'numbered', key: this.#key, ids })
    const written = page.map(({ seq, ...message }) => {
      if (this.client.closed) return undefined
      const packet = { ...asPacket(message), cmd: 'publish' as const, dup: false }
      const { promise, resolve } = Promise.withResolvers<void>()
      const numbers = { brokerId: fromQueue, brokerCounter: seq }
      this.client.publish(Object.assign(packet, numbers), () => resolve())
      return promise
    })
    await Promise.all(written)
  }

  #hasRoom(): boolean {
    return this.#inFlight.size < WINDOW_MESSAGES && this.#bytes < WINDOW_BYTES
  }

  #number(dues: Map<number, Due>, seq: number, qos: Qos, bytes: number): number {
    const messageId = this.#nextId()
    this.#inFlight.set(messageId, { seq, bytes })
    dues.set(seq, { messageId, qos })
    this.#bytes += bytes
    this.#lastSeq = seq
    return messageId
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % MAX_MESSAGE_ID) + 1
    while (this.#inFlight.has(this.#lastId))
    return this.#lastId
  }

  #free(messageId: number): SentEntry | undefined {
    const sent = this.#inFlight.get(messageId)
    if (!sent) return undefined
    this.#inFlight.delete(messageId)
    this.#bytes -= sent.bytes
    return sent
  }
}

const asPacket = ({ topic, payload, qos, retain }: Omit<QueuedMessage, 'seq'>) => ({
  topic,
  // Aedes needs a Buffer.
  payload: Buffer.from(payload.buffer, payload.byteOffset, payload.length),
  qos,
  retain
})
