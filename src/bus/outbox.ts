import type { Client } from 'aedes'
import type { QueuedMessage, SentMessage } from './store/changes.ts'
import type { Store } from './store/store.ts'

type Qos = 0 | 1 | 2
/** `seq` 0: a retained message, which is sent without being queued. */
type InFlight = { seq: number; bytes: number }
type Due = { messageId: number; qos: Qos }
type Numbered = { brokerId?: string; brokerCounter: number }

const maxMessageId = 65_535
/** So much is sent ahead of its acknowledgement; the rest waits on disk. */
const windowMessages = 1000
const windowBytes = 2 * 1024 * 1024
const pageMessages = 250
/** In place of Aedes' own id: the same message may come by both ways and must go out once. */
const fromQueue = 'queue'

/**
 * The way out of a connected kept session. First what was sent before, then page by page what was
 * queued, and when nothing is left what arrives, straight away: so the order of the queue is kept.
 */
export class Outbox {
  readonly client: Client
  readonly #key: number
  readonly #store: Store
  readonly #sent: SentMessage[]
  /** By the id on the wire. */
  readonly #inFlight = new Map<number, InFlight>()
  /** By `seq`: has its id and was not yet written; as it comes, or out of the queue. */
  readonly #live = new Map<number, Due>()
  readonly #paged = new Map<number, Due>()
  #bytes = 0
  #lastSeq = 0
  #lastId = 0
  #isLive = false
  /** Something was queued since the last page was asked for. */
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

  /** [MQTT 4.4.0-1] again under their own ids and in their order. */
  *sentBefore(): Generator<object> {
    for (const { seq, messageId, isReleased, ...message } of this.#sent.splice(0)) {
      if (isReleased) yield { cmd: 'pubrel', messageId, brokerCounter: seq }
      // [MQTT 3.3.1-1]
      else yield { ...asPacket(message), cmd: 'publish', messageId, brokerCounter: seq, dup: true }
    }
  }

  /** What was sent before is sent again. */
  start(): void {
    this.#isStarted = true
    void this.#pump()
  }

  end(): void {
    this.#isEnded = true
    this.#isLive = false
  }

  /** The id of a message that can go out at once; undefined when it has to wait in the queue. */
  reserve(seq: number, qos: Qos, bytes: number): number | undefined {
    if (!this.#isLive || !this.#hasRoom()) {
      this.#isLive = false
      this.#isBehind = true
      return undefined
    }
    return this.#number(this.#live, seq, qos, bytes)
  }

  /** Once for each message; undefined: it went out or will go out by the other way. */
  claim({ brokerId, brokerCounter: seq }: Numbered): Due | undefined {
    const dues = brokerId === fromQueue ? this.#paged : this.#live
    const due = dues.get(seq)
    if (dues.delete(seq)) this.#goOn()
    return due
  }

  /** It went to all who listen. This client, if it is still there and did not claim it, does not. */
  pass(seq: number): void {
    if (!this.client.closed) this.refuse({ brokerCounter: seq })
  }

  /** An id for what is not queued. */
  borrow(): number | undefined {
    if (this.#inFlight.size >= maxMessageId - 1) return undefined
    const messageId = this.#nextId()
    this.#inFlight.set(messageId, { seq: 0, bytes: 0 })
    return messageId
  }

  /** It must not be sent. */
  refuse(packet: Numbered): void {
    const due = this.claim(packet)
    if (due) this.acknowledge(due.messageId)
  }

  /** It was not queued after all. */
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

  /** [MQTT 4.3.3] on disk before PUBREL goes out: behind it the message would be a second one. */
  release(messageId: number): Promise<void> {
    const seq = this.#inFlight.get(messageId)?.seq ?? 0
    // Unknown ids are answered all the same.
    if (seq === 0) return Promise.resolve()
    return this.#store.write({ kind: 'pubrel', key: this.#key, seq })
  }

  /** Not past what has its number and is on its way: that came before. */
  #goOn(): void {
    if (this.#isLive || this.#live.size > 0 || this.#inFlight.size > windowMessages / 2) return
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
          count: Math.min(pageMessages, windowMessages - this.#inFlight.size),
          bytes: Math.max(0, windowBytes - this.#bytes)
        })
        if (this.#isEnded) return
        if (page.length > 0) await this.#send(page)
        else if (!this.#isBehind) {
          this.#isLive = true
          return
        }
      }
    } catch (error) {
      // Cut off: it is all read again when the client comes back.
      this.client.conn.destroy(error as Error)
    } finally {
      this.#isPumping = false
    }
  }

  /** An id is on disk before it is used, so that after kill -9 the message goes out under it again. */
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
    return this.#inFlight.size < windowMessages && this.#bytes < windowBytes
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
    do this.#lastId = (this.#lastId % maxMessageId) + 1
    while (this.#inFlight.has(this.#lastId))
    return this.#lastId
  }

  #free(messageId: number): InFlight | undefined {
    const sent = this.#inFlight.get(messageId)
    if (!sent) return undefined
    this.#inFlight.delete(messageId)
    this.#bytes -= sent.bytes
    return sent
  }
}

const asPacket = ({ topic, payload, qos, retain }: Omit<QueuedMessage, 'seq'>) => ({
  topic,
  // Aedes asks for a Buffer.
  payload: Buffer.from(payload.buffer, payload.byteOffset, payload.length),
  qos,
  retain
})
