import type { Duplex } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import {
  Aedes,
  type AedesPublishPacket,
  type AuthenticateError,
  type Client,
  type ConnectPacket,
  type PublishPacket,
  type Subscription
} from 'aedes'
import type { Logger } from 'pino'
import { hasWildcard, isTopicFilter } from '../lib/topic.ts'
import type { BrokerRules, Message, MessageHandler, Session } from './bus.ts'
import { Connection, type Turn } from './connection.ts'
import { FanOut } from './fan-out.ts'
import { PacketGate } from './packet-gate.ts'
import { Sessions } from './sessions.ts'

export type Limits = { packetBytes: number; connectTimeoutMs: number; drainMs: number }
/** `dropped`: refused by the rules, a stored session's queue was full, or a receiver too slow. */
export type Counts = { connections: number; received: number; delivered: number; dropped: number }

// CONNACK return codes, [MQTT 3.2.2.3].
const identifierRejected = 2
const serverUnavailable = 3
const badCredentials = 4

const maxFilters = 10_000
const renewAtOnce = 16
/** A receiver with more than this unsent loses QoS 0 messages, then its connection. */
const slowBytes = 1024 * 1024
const stuckBytes = 8 * 1024 * 1024

/** A message that was acknowledged and must go nowhere. Nobody can subscribe to `$`. */
const nowhere = '$dropped'
const nothing = Buffer.alloc(0)

/** Aedes under our rules: who comes in, what is acknowledged when, who receives what. */
export class Broker<S extends Session> {
  readonly limits: Limits
  readonly counts: Counts = { connections: 0, received: 0, delivered: 0, dropped: 0 }
  readonly #rules: BrokerRules<S>
  readonly #onMessage: MessageHandler
  readonly #log: Pick<Logger, 'debug' | 'error'>
  readonly #aedes: Aedes
  readonly #sessions: Sessions
  readonly #open = new Set<Connection<S>>()
  readonly #byClient = new WeakMap<object, Connection<S>>()
  /** Who has a client id; it stays until nothing of that connection is on its way. */
  readonly #holders = new Map<string, Connection<S>>()
  #closing = false
  #rounds = 0
  #round: Promise<void> | undefined
  #nextRound: Promise<void> | undefined

  constructor({
    rules,
    onMessage,
    log,
    limits
  }: {
    rules: BrokerRules<S>
    onMessage: MessageHandler
    log: Pick<Logger, 'debug' | 'error'>
    limits: Limits
  }) {
    this.limits = limits
    this.#rules = rules
    this.#onMessage = onMessage
    this.#log = log
    this.#sessions = new Sessions({
      isGranted: (client, filter) => this.#byClient.get(client)?.filters.has(filter) ?? false,
      overflowed: () => {
        this.counts.dropped++
      }
    })
    this.#aedes = new Aedes({
      mq: new FanOut(),
      persistence: this.#sessions,
      connectTimeout: limits.connectTimeoutMs,
      preConnect: (client, packet, done) => this.#greet(client, packet, done),
      authenticate: (client, username = '', password, done) => {
        this.#signIn(client, username, password?.toString() ?? '').then(
          (code) => (code === 0 ? done(null, true) : done(refusal(code), null)),
          (error) => {
            this.#log.error({ err: error }, 'MQTT sign-in failed')
            done(refusal(serverUnavailable), null)
          }
        )
      },
      authorizePublish: (client, packet, done) => this.#publishFrom(client, packet, done),
      authorizeSubscribe: (client, subscription, done) =>
        done(null, this.#subscribe(client, subscription)),
      authorizeForward: (client, packet) => this.#forward(client, packet)
    })
  }

  async start(): Promise<void> {
    this.#aedes.addListener('error', (error: Error) =>
      this.#log.error({ err: error }, 'MQTT broker')
    )
    const report = (client: Client, error: Error) =>
      this.#log.debug({ err: error, client: client.id }, 'MQTT connection failed')
    this.#aedes.on('clientError', report)
    this.#aedes.on('connectionError', report)
    this.#aedes.on('clientReady', (client) => {
      const connection = this.#byClient.get(client)
      if (!connection || client.closed) return
      connection.isReady = true
      connection.gate.open()
      this.counts.connections++
    })
    this.#aedes.on('unsubscribe', (filters, client) => {
      const connection = this.#byClient.get(client)
      for (const filter of filters) connection?.filters.delete(filter)
    })
    await this.#aedes.listen()
  }

  accept(conn: Duplex, address: string): void {
    const gate = new PacketGate(conn, this.limits.packetBytes)
    const connection = new Connection<S>(this.#aedes.handle(conn), { conn, gate, address })
    this.#byClient.set(connection.client, connection)
    this.#open.add(connection)
    const closed = new Promise((resolve) => conn.once('close', resolve))
    connection.ended = closed.then(() => this.#leave(connection))
  }

  publish(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#aedes.publish({ cmd: 'publish', dup: false, ...message }, (error) =>
        error ? reject(error) : resolve()
      )
    })
  }

  /** Whoever asks during a round needs one that begins after the question. */
  recheck(): Promise<void> {
    if (this.#round) {
      this.#nextRound ??= this.#round.then(() => {
        this.#nextRound = undefined
        return this.recheck()
      })
      return this.#nextRound
    }
    this.#rounds++
    this.#round = this.#renewAll().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  holdReads(): void {
    for (const { gate } of this.#open) gate.hold()
  }

  /** Something was read and is not yet handled, or an answer is not yet written. */
  isBusy(): boolean {
    for (const { inFlight, conn } of this.#open) {
      if (inFlight > 0 || (!conn.destroyed && conn.writableLength > 0)) return true
    }
    return false
  }

  async close(): Promise<void> {
    // PUBREC goes out some rounds after the message was handled.
    await nextRound()
    await nextRound()
    this.#closing = true
    await new Promise<void>((resolve) => this.#aedes.close(resolve))
    for (const { conn } of this.#open) conn.destroy()
  }

  #greet(
    client: Client,
    { will, clientId, clean, ...packet }: ConnectPacket & { bridgeMode?: boolean },
    done: (error: Error | null, success: boolean) => void
  ): void {
    const connection = this.#byClient.get(client)
    // Aedes would pass these on to subscribers, and end their connections by it.
    if (will && (!isTopic(will.topic) || (will.qos ?? 0) > 2)) {
      done(new Error('malformed will'), false)
      return
    }
    if (connection) {
      connection.will = will
      connection.isBridge = packet.bridgeMode === true
      connection.isNameless = clientId === '' && !clean
    }
    done(null, true)
  }

  async #signIn(client: Client, username: string, password: string): Promise<number> {
    const connection = this.#byClient.get(client)
    if (!connection) return serverUnavailable
    if (connection.isNameless) return identifierRejected
    let round = this.#rounds
    const answer = await this.#rules.signIn({ username, password, address: connection.address })
    if (answer === 'refused') return badCredentials
    if (answer === 'throttled') return serverUnavailable
    let session: S | undefined = answer
    // What ended while we asked must not slip in behind the recheck.
    while (session && round !== this.#rounds) {
      round = this.#rounds
      session = await this.#rules.renew(session)
    }
    if (!session) return badCredentials
    if (client.closed) return serverUnavailable

    const before = this.#holders.get(client.id)
    const owner = before?.owner ?? this.#sessions.ownerOf(client.id)
    if (owner !== undefined && owner !== session.owner) return identifierRejected
    connection.session = session
    connection.owner = session.owner
    connection.before = before
    this.#holders.set(client.id, connection)
    if (!client.clean) this.#sessions.keep(client.id, session.owner)
    // [MQTT 3.1.4-2] The old will must be out before the newcomer says it is back; and Aedes
    // mixes the two up when they overlap.
    before?.client.close()
    await before?.ended
    connection.before = undefined
    return connection.session ? 0 : badCredentials
  }

  async #leave(connection: Connection<S>): Promise<void> {
    if (connection.isReady) this.counts.connections--
    // Aedes needs a round to take back the subscriptions and fire the will.
    await nextRound()
    await nextRound()
    await connection.willSent
    await connection.whenIdle()
    await connection.before?.ended
    this.#open.delete(connection)
    const { id } = connection.client
    if (this.#holders.get(id) === connection) this.#holders.delete(id)
  }

  /** [MQTT 4.3.2, 4.3.3] Aedes acknowledges when `done` is called, so `done` waits for the handler. */
  #publishFrom(
    client: Client | null,
    packet: PublishPacket,
    done: (error?: Error | null) => void
  ): void {
    const connection = client ? this.#byClient.get(client) : undefined
    if (client && connection?.will === packet) {
      connection.willSent = this.#sendWill(connection, packet).then(() => done(), done)
      return
    }
    const session = connection?.session
    // [MQTT 1.5.3-2]
    if (!client || !session || packet.topic.includes('\0')) {
      done(new Error(session ? 'malformed topic' : 'no session'))
      return
    }
    this.counts.received++
    packet.dup = false // [MQTT 3.3.1-3]
    if (connection.isBridge) Object.assign(packet, { clientId: client.id })

    const turn: Turn = {
      packet,
      answer: (outcome, error) => {
        if (!client.closed && outcome !== 'failed') return done()
        if (outcome === 'stored') {
          // Aedes goes on without the client for QoS 0, and for QoS 2 of a stored session.
          if (packet.qos === 0 || (packet.qos === 2 && !client.clean)) return done()
          // What is stored is told, though the sender will send it again.
          this.#aedes.publish(packet, () => done(new Error('the connection ended')))
        } else done(error ?? new Error('the connection ended'))
      }
    }
    connection.take(turn)
    const { messageId = 0 } = packet
    if (packet.qos === 2 && !this.#sessions.receive(client.id, messageId, packet)) {
      connection.settle(turn, 'repeated')
      return
    }
    const message = toMessage(packet)
    if (!this.#mayPublish(session, packet.topic)) {
      this.counts.dropped++
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

  /** Rejects when the will must not go out. */
  async #sendWill({ session, owner }: Connection<S>, will: PublishPacket): Promise<void> {
    // [MQTT 3.1.2.5] the device did not die, we did; it connects again and gives its will again.
    if (this.#closing) throw new Error('the broker stops')
    if (!session || !this.#mayPublish(session, will.topic)) {
      this.counts.dropped++
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

  /** Null is 128 in the SUBACK; for a restored session it leaves the filter out. */
  #subscribe(client: Client, subscription: Subscription): Subscription | null {
    const connection = this.#byClient.get(client)
    const { topic, qos } = subscription
    if (connection?.session && this.#maySubscribe(connection, connection.session, topic)) {
      connection.grant(topic, qos)
      return subscription
    }
    this.#unsubscribe(client, [topic])
    return null
  }

  #maySubscribe({ filters }: Connection<S>, session: S, filter: string): boolean {
    if (filters.size >= maxFilters && !filters.has(filter)) return false
    // Neither $SYS nor $share is served.
    if (filter.startsWith('$') || !isTopicFilter(filter)) return false
    return this.#rules.maySubscribe(session, filter)
  }

  #unsubscribe(client: Client, filters: string[]): void {
    const connection = this.#byClient.get(client)
    const had = filters.filter((filter) => connection?.filters.delete(filter))
    if (had.length > 0) client.unsubscribe({ cmd: 'unsubscribe', unsubscriptions: had }, () => {})
    void this.#sessions.removeSubscriptions(client, filters)
  }

  #forward(client: Client, packet: AedesPublishPacket): AedesPublishPacket | null {
    const connection = this.#byClient.get(client)
    if (!connection?.session || !this.#rules.mayReceive(connection.session, packet.topic))
      return null
    const qos = connection.grantedQos(packet.topic, packet.qos)
    const unsent = connection.conn.writableLength
    if (unsent > slowBytes && qos === 0) {
      this.counts.dropped++
      return null
    }
    // A stored session has the message in its queue and gets it when it comes back.
    if (unsent > stuckBytes) connection.conn.destroy(new Error('the receiver does not read'))
    // What comes out of the queue has its id, and went in with the QoS it must have.
    if (packet.messageId === undefined) packet.qos = qos
    this.counts.delivered++
    return packet
  }

  async #renewAll(): Promise<void> {
    const waiting = this.#holders.values()
    const renewNext = async () => {
      for (const connection of waiting) await this.#renew(connection)
    }
    await Promise.all(Array.from({ length: renewAtOnce }, renewNext))
  }

  async #renew(connection: Connection<S>): Promise<void> {
    const { session, client } = connection
    if (!session) return
    let renewed: S | undefined
    try {
      renewed = await this.#rules.renew(session)
    } catch (error) {
      // Not known to have ended; the next round asks again.
      this.#log.error({ err: error, client: client.id }, 'MQTT session not renewed')
      return
    }
    if (renewed?.owner !== session.owner) {
      // Without a session nothing more goes in or out, its will included.
      connection.session = undefined
      client.close()
      return
    }
    connection.session = renewed
    const { filters } = connection
    const lost = [...filters.keys()].filter((filter) => !this.#rules.maySubscribe(renewed, filter))
    if (lost.length > 0) this.#unsubscribe(client, lost)
  }
}

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error(`sign-in refused, code ${returnCode}`), { returnCode })
}

function toMessage({ topic, payload, qos, retain }: PublishPacket): Message {
  return { topic, payload: payload as Buffer, qos, retain }
}

/** [MQTT 4.7.3] */
const isTopic = (text: string): boolean => text !== '' && !hasWildcard(text) && !text.includes('\0')
