import type { PublishPacket } from 'aedes'
import type { Logger } from 'pino'
import { isWithinTopicLimits } from '../../lib/topic.ts'
import type { BrokerRules, Message, MessageHandler, Publish, Session } from '../bus.ts'
import type { Connection } from './connection.ts'
import type { FanOut } from './fan-out.ts'
import type { KeptState, Receipt } from './kept.ts'
import type { Counts } from './limits.ts'
import type { KeptWill } from './store/changes.ts'
import type { TenantTurns } from './tenant-turns.ts'

type Done = (error?: Error | null) => void

/** The topic of a message that is acknowledged and not delivered. Nobody can subscribe to `$`. */
const nowhere = '$dropped'
const nothing = Buffer.alloc(0)
const connectionEnded = new Error('the connection ended')
/** A message is queued for so many sessions in one step. */
const SESSIONS_PER_STEP = 10

/**
 * A message of a client goes to the handler and to the queues. Then it is acknowledged, and goes to
 * the subscribers.
 */
export class Inbound<S extends Session> {
  readonly #rules: BrokerRules<S>
  readonly #onMessage: MessageHandler
  readonly #log: Pick<Logger, 'error'>
  readonly #kept: KeptState
  readonly #counts: Counts
  readonly #turns: TenantTurns
  readonly #fanOut: FanOut<Connection<Session>>
  /** The topics that were too long, by message. */
  readonly #longTopics = new WeakMap<object, string>()

  constructor(options: {
    rules: BrokerRules<S>
    onMessage: MessageHandler
    log: Pick<Logger, 'error'>
    kept: KeptState
    counts: Counts
    turns: TenantTurns
    fanOut: FanOut<Connection<Session>>
  }) {
    this.#rules = options.rules
    this.#onMessage = options.onMessage
    this.#log = options.log
    this.#kept = options.kept
    this.#counts = options.counts
    this.#turns = options.turns
    this.#fanOut = options.fanOut
  }

  /**
   * Aedes would end the connection at a topic with too many levels. This way the message is refused
   * and acknowledged.
   */
  shorten(packet: { topic: string }): void {
    if (isWithinTopicLimits(packet.topic)) return
    this.#longTopics.set(packet, packet.topic)
    packet.topic = nowhere
  }

  /** Aedes acknowledges when `done` is called, and closes the connection if it gets an error. */
  take(connection: Connection<S>, packet: PublishPacket, done: Done): void {
    // Aedes publishes a will with the same object that CONNECT brought.
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

    const { tenant, gate } = connection
    const { messageId = 0 } = packet
    const pending = connection.take((outcome, error) => {
      // The sender pays for the memory until the message is delivered.
      if (outcome === 'stored') {
        this.#fanOut.send(packet, { tenant, sender: client.id }, () => gate.settled())
      } else gate.settled()
      if (outcome === 'failed') done(error)
      // Aedes still has to note a QoS 2 message of a kept session.
      else if (client.closed && (packet.qos < 2 || client.clean)) done(connectionEnded)
      else if (packet.qos === 1) {
        // Aedes would write each acknowledgement separately. It sends none for QoS 0.
        packet.qos = 0
        connection.pubacks.add(messageId, done)
      } else done()
    })
    if (packet.qos === 2 && !this.#kept.receipts.receive(client.id, messageId, packet)) {
      connection.settle(pending, 'repeated')
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
      connection.settle(pending, 'refused')
      return
    }
    const failed = (error: Error) => {
      this.#log.error({ err: error, topic: message.topic }, 'an MQTT message could not be handled')
      if (packet.qos === 2) this.#kept.receipts.unreceive(client.id, messageId, packet)
      connection.settle(pending, 'failed', error)
    }
    const stored = () => {
      connection.settle(pending, 'stored')
      return 1
    }
    const keep = () => {
      // After the handler, because a QoS 2 message with a receipt is not handled again.
      const kept = this.#kept.keep(packet as Publish, this.#receiptOf(connection, packet))
      if (kept) kept.then(() => this.#turns.take(tenant, stored), failed)
      else stored()
      return 1 + Math.floor(this.#kept.lastReceivers / SESSIONS_PER_STEP)
    }
    this.#onMessage(message, session.owner).then(() => this.#turns.take(tenant, keep), failed)
  }

  #receiptOf(
    { client }: Connection<Session>,
    { qos, messageId = 0 }: PublishPacket
  ): Receipt | undefined {
    if (qos !== 2 || client.clean) return undefined
    const key = this.#kept.sessions.find(client)?.key
    return key === undefined ? undefined : { key, messageId }
  }

  /** Sends the will of a connection that was open when the last process ended. */
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
    const tenant = this.#rules.tenantOf(session)
    await this.#fanOut.sent(packet, { tenant })
  }

  /** Rejects if the will must not be sent. */
  async #sendWill(connection: Connection<S>, will: PublishPacket): Promise<void> {
    const { session, owner, client, tenant } = connection
    if (this.#kept.wills.areWithheld) throw new Error('the broker stops')
    if (!this.#mayLeave(session, will)) throw new Error(`will of ${owner} refused`)
    await this.#store(session, will)
    await this.#fanOut.sent(will, { tenant, sender: client.id })
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
      this.#log.error({ err: error, topic: will.topic }, 'an MQTT will could not be handled')
      throw error
    }
  }

  #mayPublish(session: S, topic: string): boolean {
    // Aedes obeys messages under $SYS.
    return (
      !topic.startsWith('$') && isWithinTopicLimits(topic) && this.#rules.mayPublish(session, topic)
    )
  }
}

function toMessage({ topic, payload, qos, retain }: PublishPacket): Message {
  return { topic, payload: payload as Buffer, qos, retain }
}
