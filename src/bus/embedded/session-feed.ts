import type { Publish } from './publish.ts'
import type { QueuedMessage, SentMessage } from './store/changes.ts'
import type { Store } from './store/store.ts'
import type { Qos } from './wire/packets.ts'

/** `ids` are the identifiers of the filters that matched. */
export type QueuedPublish = Publish & { ids: number[] | undefined }

/** The connection of the client. */
export type FeedLine = {
  readonly isClosed: boolean
  /** False: the client does not get the message. */
  send(message: QueuedPublish, id: number, isRepeated: boolean): boolean
  release(id: number): void
  /** Resolves when the client reads again. Undefined: it reads. */
  drained(): Promise<void> | undefined
  fail(error: Error): void
}
/**
 * A message that was sent and not yet acknowledged. `seq` 0 is a retained message, which is not in
 * the queue.
 */
type SentEntry = { seq: number; bytes: number }
/** A message that has a packet id and was not yet written to the client. */
type Due = { messageId: number; qos: Qos }

const MAX_MESSAGE_ID = 65_535
/** So much may be sent and not acknowledged. The rest waits on disk. */
const WINDOW_MESSAGES = 1000
const WINDOW_BYTES = 2 * 1024 * 1024
const PAGE_MESSAGES = 250

/**
 * Sends messages to the connected client of a kept session. First it repeats what was sent before,
 * then it sends the queue page by page. When the queue is empty, it sends new messages directly. So
 * the order of the queue is kept.
 */
export class SessionFeed {
  readonly line: FeedLine
  readonly #key: number
  readonly #store: Store
  readonly #sent: SentMessage[]
  /** So many messages may be sent and not acknowledged. */
  readonly #size: number
  /** By packet id. */
  readonly #inFlight = new Map<number, SentEntry>()
  /** By `seq`: messages that are sent directly. */
  readonly #live = new Map<number, Due>()
  /** Called when a message was acknowledged. */
  #borrowers: (() => void)[] = []
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
    line: FeedLine,
    {
      key,
      store,
      sent,
      receiveMaximum
    }: { key: number; store: Store; sent: SentMessage[]; receiveMaximum: number }
  ) {
    this.line = line
    this.#key = key
    this.#store = store
    this.#sent = sent
    this.#size = Math.min(receiveMaximum, WINDOW_MESSAGES)
    for (const { seq, messageId, payload } of sent) {
      this.#inFlight.set(messageId, { seq, bytes: payload.length })
      this.#bytes += payload.length
      this.#lastSeq = seq
      this.#lastId = messageId
    }
  }

  /** [MQTT 4.4.0-1] Repeats messages with their old packet ids and in their order. */
  async repeat(): Promise<void> {
    for (const { messageId, isReleased, ...message } of this.#sent.splice(0)) {
      if (this.line.isClosed) return
      if (isReleased) this.line.release(messageId)
      // [MQTT 3.3.1-1]
      else if (!this.line.send(asMessage(message), messageId, true)) this.acknowledge(messageId)
      await this.line.drained()
    }
  }

  /** Call this when the messages of before are repeated. */
  start(): void {
    this.#isStarted = true
    void this.#pump()
  }

  end(): void {
    this.#isEnded = true
    this.#isLive = false
    this.#wake()
  }

  has(messageId: number): boolean {
    return this.#inFlight.has(messageId)
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
    const messageId = this.#number(seq, bytes)
    this.#live.set(seq, { messageId, qos })
    return messageId
  }

  /** Gives each message out once. Undefined: it was or will be sent from the queue. */
  claim(seq: number): Due | undefined {
    const due = this.#live.get(seq)
    if (this.#live.delete(seq)) this.#goOn()
    return due
  }

  /**
   * The message went to all receivers. If this client is connected and did not claim it, it does
   * not get it.
   */
  pass(seq: number): void {
    if (!this.line.isClosed) this.refuse(seq)
  }

  /**
   * A packet id for a message that is not in the queue. Resolves when the client allows one more,
   * or is gone.
   */
  async borrow(): Promise<number> {
    while (this.#inFlight.size >= this.#size && !this.#isEnded) {
      await new Promise<void>((resolve) => this.#borrowers.push(resolve))
    }
    return this.#number(0, 0)
  }

  /** The client must not get the message. */
  refuse(seq: number): void {
    const due = this.claim(seq)
    if (due) this.acknowledge(due.messageId)
  }

  /** The message could not be queued. */
  forget(seq: number): void {
    const due = this.claim(seq)
    if (due) this.#free(due.messageId)
  }

  acknowledge(messageId: number): void {
    const sent = this.#free(messageId)
    if (!sent) return
    if (sent.seq > 0) void this.#store.write({ kind: 'done', key: this.#key, seq: sent.seq })
    this.#wake()
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

  #wake(): void {
    for (const goOn of this.#borrowers.splice(0)) goOn()
  }

  /** Reads no page while direct messages are on their way, because they come before the queue. */
  #goOn(): void {
    if (this.#isLive || this.#live.size > 0 || this.#inFlight.size > this.#size / 2) return
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
          count: Math.min(PAGE_MESSAGES, this.#size - this.#inFlight.size),
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
      this.line.fail(error as Error)
    } finally {
      this.#isPumping = false
    }
  }

  /**
   * A packet id is on disk before it is used. So after kill -9 the message is repeated with the
   * same id.
   */
  async #send(page: QueuedMessage[]): Promise<void> {
    const numbered = page.map(({ seq, ...message }) => {
      return { seq, message, messageId: this.#number(seq, message.payload.length) }
    })
    const ids = numbered.map(({ seq, messageId }) => ({ seq, messageId }))
    await this.#store.write({ kind: 'numbered', key: this.#key, ids })
    for (const { message, messageId } of numbered) {
      if (this.line.isClosed) return
      if (!this.line.send(asMessage(message), messageId, false)) this.acknowledge(messageId)
    }
    await this.line.drained()
  }

  #hasRoom(): boolean {
    return this.#inFlight.size < this.#size && this.#bytes < WINDOW_BYTES
  }

  #number(seq: number, bytes: number): number {
    const messageId = this.#nextId()
    this.#inFlight.set(messageId, { seq, bytes })
    this.#bytes += bytes
    if (seq > 0) this.#lastSeq = seq
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

const asMessage = (queued: Omit<QueuedMessage, 'seq'>): QueuedPublish => {
  const { topic, payload, qos, retain, properties, expires, ids } = queued
  const message = { topic, payload: asBuffer(payload), qos, retain, ids }
  return { ...message, expires, properties: properties && asBuffer(properties) }
}

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)
