import type { PublishPacket } from 'aedes'
import type { Logger } from 'pino'
import type { Counts } from './broker.ts'
import type { BrokerRules, Message, MessageHandler, Session } from './bus.ts'
import type { Connection, Turn } from './connection.ts'
import type { Sessions } from './sessions.ts'

type Done = (error?: Error | null) => void

/** A message that was acknowledged and must go nowhere. Nobody can subscribe to `$`. */
const nowhere = '$dropped'
const nothing = Buffer.alloc(0)

/** What clients send: first to the handler, then acknowledged, then to the subscribers. */
export class Inbound<S extends Session> {
  readonly #rules: BrokerRules<S>
  readonly #onMessage: MessageHandler
  readonly #log: Pick<Logger, 'error'>
  readonly #sessions: Sessions
  readonly #counts: Counts
  readonly #publish: (packet: PublishPacket, done: () => void) => void
  #isStopping = false

  constructor(options: {
    rules: BrokerRules<S>
    onMessage: MessageHandler
    log: Pick<Logger, 'error'>
    sessions: Sessions
    counts: Counts
    publish: (packet: PublishPacket, done: () => void) => void
  }) {
    this.#rules = options.rules
    this.#onMessage = options.onMessage
    this.#log = options.log
    this.#sessions = options.sessions
    this.#counts = options.counts
    this.#publish = options.publish
  }

  /**
   * [MQTT 3.1.2.5] From now on a connection ends because we do, not because the device died: it
   * connects again and brings its will again.
   */
  withholdWills(): void {
    this.#isStopping = true
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
    if (packet.qos === 2 && !this.#sessions.receive(client.id, messageId, packet)) {
      connection.settle(turn, 'repeated')
      return
    }
    const message = toMessage(packet)
    if (!this.#mayPublish(session, packet.topic)) {
      this.#counts.dropped++
      this.#rules.refused(message, session)
      packet.topic = nowhere
      packet.payload = nothing
      packet.retain = false
      connection.settle(turn, 'refused')
      return
    }
    this.#onMessage(message, session.owner).then(
      () => connection.settle(turn, 'stored'),
      (error: Error) => {
        this.#log.error({ err: error, topic: message.topic }, 'MQTT message not taken')
        if (packet.qos === 2) this.#sessions.unreceive(client.id, messageId, packet)
        connection.settle(turn, 'failed', error)
      }
    )
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

  /** Rejects when the will must not go out. */
  async #sendWill({ session, owner }: Connection<S>, will: PublishPacket): Promise<void> {
    if (this.#isStopping) throw new Error('the broker stops')
    if (!session || !this.#mayPublish(session, will.topic)) {
      this.#counts.dropped++
      if (session) this.#rules.refused(toMessage(will), session)
      throw new Error(`will of ${owner} refused`)
    }
    try {
      await this.#onMessage(toMessage(will), session.owner)
    } catch (error) {
      this.#log.error({ err: error, topic: will.topic }, 'MQTT will not taken')
      throw error
    }
  }

  #mayPublish(session: S, topic: string): boolean {
    // Aedes obeys what it is told under $SYS.
    return !topic.startsWith('$') && this.#rules.mayPublish(session, topic)
  }
}

function toMessage({ topic, payload, qos, retain }: PublishPacket): Message {
  return { topic, payload: payload as Buffer, qos, retain }
}
