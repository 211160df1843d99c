import type { PublishPacket } from 'aedes'
import type { Logger } from 'pino'
import { isWithinTopicLimits } from '../lib/topic.ts'
import type { BrokerRules, Message, MessageHandler, Publish, Session } from './bus.ts'
import type { Connection, Turn } from './connection.ts'
import type { Kept, Receipt } from './kept.ts'
import type { Counts } from './limits.ts'
import type { Slices } from './slices.ts'
import type { KeptWill } from './store/changes.ts'

type Done = (error?: Error | null) => void

/** A message that was acknowledged and must go nowhere. Nobody can subscribe to `$`. */
const nowhere = '$dropped'
const nothing = Buffer.alloc(0)
/** Sessions that a message may be queued for without a look at how long it takes. */
const fewReceivers = 32

/** What clients send: to the handler, to the queues, acknowledged, then to the subscribers. */
export class Inbound<S extends Session> {
  readonly #rules: BrokerRules<S>
  readonly #onMessage: MessageHandler
  readonly #log: Pick<Logger, 'error'>
  readonly #kept: Kept
  readonly #counts: Counts
  readonly #slices: Slices
  readonly #publish: (packet: PublishPacket, done: () => void) => void
  /** Of messages whose topics were too long. */
  readonly #longTopics = new WeakMap<object, string>()

  constructor(options: {
    rules: BrokerRules<S>
    onMessage: MessageHandler
    log: Pick<Logger, 'error'>
    kept: Kept
    counts: Counts
    slices: Slices
    publish: (packet: PublishPacket, done: () => void) => void
  }) {
    this.#rules = options.rules
    this.#onMessage = options.onMessage
    this.#log = options.log
    this.#kept = options.kept
    this.#counts = options.counts
    this.#slices = options.slices
    this.#publish = options.publish
  }

  /** Aedes ends the connection at a topic with very many levels; a refusal is answered. */
  shorten(packet: { topic: string }): void {
    if (isWithinTopicLimits(packet.topic)) return
    this.#longTopics.set(packet, packet.topic)
    packet.topic = nowhere
  }

  /** Aedes acknowledges when `done` is called, and closes the connection for an error. */
  take(connection: Connection<S>, packet: PublishPacket, done: Done): void {
    // The will comes back as the very object that CONNECT brought.
    if (connection.will === packet) {
      connection.sendWill(this.#sendWill(connection, packet).then(() => done(), done))
      return
    }
    const { session, client } = connection
    // [MQTT 1.5.3-2]
    if (!session || packet.topic.includes('\0')) {
      done(new Error(session ? 'malformed topic' : 'no session'))
      return
    }
    this.#counts.received++
    packet.dup = false // [MQTT 3.3.1-3]
    if (connection.isBridge) Object.assign(packet, { clientId: client.id })

    const turn = connection.take((outcome, error) => {
      if (!client.closed && outcome !== 'failed') done()
      else this.#finishWithoutClient(connection, packet, { outcome, error, done })
    })
    const { messageId = 0 } = packet
    if (packet.qos === 2 && !this.#kept.receipts.receive(client.id, messageId, packet)) {
      connection.settle(turn, 'repeated')
      return
    }
    const message = toMessage(packet)
    message.topic = this.#longTopics.get(packet) ?? message.topic
    if (!this.#mayPublish(session, packet.topic)) {
      this.#counts.dropped.forbidden++
      this.#rules.refused(message, session)
      packet.topic = nowhere
      packet.payload = nothing
      packet.retain = false
      connection.settle(turn, 'refused')
      return
    }
    const stored = () => connection.settle(turn, 'stored')
    const failed = (error: Error) => {
      this.#log.error({ err: error, topic: message.topic }, 'MQTT message not taken')
      if (packet.qos === 2) this.#kept.receipts.unreceive(client.id, messageId, packet)
      connection.settle(turn, 'failed', error)
    }
    const keep = () => {
      // Behind the handler: a QoS 2 message with a receipt is not handled a second time.
      const kept = this.#kept.keep(packet as Publish, this.#receiptOf(connection, packet))
      if (kept) kept.then(stored, failed)
      else stored()
    }
    this.#onMessage(message, session.owner).then(() => this.#inSlices(connection, keep), failed)
  }

  /** Many messages for many sessions are much work; they keep their order. */
  #inSlices(connection: Connection<S>, keep: () => void): void {
    const work = () => {
      keep()
      const { lastReceivers } = this.#kept
      return lastReceivers < fewReceivers ? undefined : this.#slices.pause(lastReceivers)
    }
    const keeping = connection.keeping ? connection.keeping.then(work) : work()
    connection.keeping = keeping
    void keeping?.then(() => {
      if (connection.keeping === keeping) connection.keeping = undefined
    })
  }

  #receiptOf(
    { client }: Connection<S>,
    { qos, messageId = 0 }: PublishPacket
  ): Receipt | undefined {
    if (qos !== 2 || client.clean) return undefined
    const key = this.#kept.sessions.find(client)?.key
    return key === undefined ? undefined : { key, messageId }
  }

  #finishWithoutClient(
    { client }: Connection<S>,
    packet: PublishPacket,
    { outcome, error, done }: Pick<Turn, 'outcome' | 'error'> & { done: Done }
  ): void {
    const ended = () => done(error ?? new Error('the connection ended'))
    if (outcome !== 'stored') ended()
    // Aedes goes on by itself for QoS 0, and for QoS 2 of a stored session.
    else if (packet.qos === 0 || (packet.qos === 2 && !client.clean)) done()
    // What is stored is told, though the sender will send it again.
    else this.#publish(packet, ended)
  }

  /** The will of a connection that was open when the process before this one ended. */
  async sendLeftWill({ name: _, sealed, ...will }: KeptWill): Promise<void> {
    const session = await this.#rules.unseal(sealed)
    const packet = {
      cmd: 'publish',
      dup: false,
      ...will,
      payload: Buffer.from(will.payload)
    } as const
    if (!this.#mayLeave(session, packet)) return
    await this.#store(session, packet)
    await new Promise<void>((resolve) => this.#publish(packet, resolve))
  }

  /** Rejects when the will must not go out. */
  async #sendWill({ session, owner, client }: Connection<S>, will: PublishPacket): Promise<void> {
    if (this.#kept.wills.areWithheld) throw new Error('the broker stops')
    if (!this.#mayLeave(session, will)) throw new Error(`will of ${owner} refused`)
    await this.#store(session, will)
    void this.#kept.wills.remove(client.id)
  }

  #mayLeave(session: S | undefined, will: PublishPacket): session is S {
    if (session && this.#mayPublish(session, will.topic)) return true
    this.#counts.dropped.forbidden++
    if (session) this.#rules.refused(toMessage(will), session)
    return false
  }

  async #store(session: S, will: PublishPacket): Promise<void> {
    try {
      await this.#onMessage(toMessage(will), session.owner)
      await this.#kept.keep(will as Publish)
    } catch (error) {
      this.#log.error({ err: error, topic: will.topic }, 'MQTT will not taken')
      throw error
    }
  }

  #mayPublish(session: S, topic: string): boolean {
    // Aedes obeys what it is told under $SYS.
    return (
      !topic.startsWith('$') && isWithinTopicLimits(topic) && this.#rules.mayPublish(session, topic)
    )
  }
}

function toMessage({ topic, payload, qos, retain }: PublishPacket): Message {
  return { topic, payload: payload as Buffer, qos, retain }
}
