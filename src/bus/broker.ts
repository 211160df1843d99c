import type { Duplex } from 'node:stream'
import { setImmediate as nextRound, setTimeout as wait } from 'node:timers/promises'
import { Aedes, type AuthenticateError, type Client, type ConnectPacket } from 'aedes'
import type { Logger } from 'pino'
import { hasWildcard } from '../lib/topic.ts'
import type { BrokerRules, Message, MessageHandler, Session } from './bus.ts'
import { Connection } from './connection.ts'
import { FanOut } from './fan-out.ts'
import { Inbound } from './inbound.ts'
import { Outbound } from './outbound.ts'
import { PacketGate } from './packet-gate.ts'
import { Rounds } from './rounds.ts'
import { Sessions } from './sessions.ts'

export type Limits = { packetBytes: number; connectTimeoutMs: number; drainMs: number }
/** `dropped`: refused by the rules, a stored session's queue was full, or a receiver too slow. */
export type Counts = { connections: number; received: number; delivered: number; dropped: number }

// CONNACK return codes, [MQTT 3.2.2.3].
const identifierRejected = 2
const serverUnavailable = 3
const badCredentials = 4

const renewAtOnce = 16
/** How long a newcomer waits until what the connection before it sent is handled. */
const takeOverMs = 5000

/** Aedes under our rules, and who holds which client id. */
export class Broker<S extends Session> {
  readonly limits: Limits
  readonly counts: Counts = { connections: 0, received: 0, delivered: 0, dropped: 0 }
  readonly #rules: BrokerRules<S>
  readonly #log: Pick<Logger, 'debug' | 'error'>
  readonly #aedes: Aedes
  readonly #sessions: Sessions
  readonly #inbound: Inbound<S>
  readonly #outbound: Outbound<S>
  readonly #renewals = new Rounds(() => this.#renewAll())
  readonly #open = new Set<Connection<S>>()
  readonly #byClient = new WeakMap<object, Connection<S>>()
  /** Who has a client id; it stays until nothing of that connection is on its way. */
  readonly #holders = new Map<string, Connection<S>>()

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
    this.#log = log
    const { counts } = this
    const sessions = new Sessions({
      isGranted: (client, filter) => this.#byClient.get(client)?.filters.has(filter) ?? false,
      unsubscribed: (client, filters) => this.#unsubscribed(client, filters),
      overflowed: () => {
        counts.dropped++
      }
    })
    this.#sessions = sessions
    this.#outbound = new Outbound({ rules, sessions, counts })
    const publish: Aedes['publish'] = (packet, done) => this.#aedes.publish(packet, done)
    this.#inbound = new Inbound({ rules, onMessage, log, sessions, counts, publish })
    this.#aedes = new Aedes({
      mq: new FanOut(),
      persistence: sessions,
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
      authorizePublish: (client, packet, done) => {
        const connection = client && this.#byClient.get(client)
        if (connection) this.#inbound.take(connection, packet, done)
        else done(new Error('no connection'))
      },
      authorizeSubscribe: (client, subscription, done) => {
        const connection = this.#byClient.get(client)
        done(null, connection ? this.#outbound.subscribe(connection, subscription) : null)
      },
      authorizeForward: (client, packet) => {
        const connection = this.#byClient.get(client)
        return connection ? this.#outbound.forward(connection, packet) : null
      }
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
      // What was queued after the last of the queue had been taken.
      for (const packet of this.#sessions.unsent(client.id)) client.publish(packet, () => {})
    })
    this.#aedes.on('unsubscribe', (filters, client) => {
      if (client.clean) this.#unsubscribed(client, filters)
    })
    await this.#aedes.listen()
  }

  accept(conn: Duplex, address: string): void {
    const gate = new PacketGate(conn, this.limits.packetBytes)
    const client = this.#aedes.handle(conn)
    keepDuplicates(client, this.#aedes.id)
    const connection = new Connection<S>(client, { conn, gate, address })
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

  recheck(): Promise<void> {
    return this.#renewals.ask()
  }

  holdReads(): void {
    for (const { gate } of this.#open) gate.hold()
  }

  /** Something was read and is not yet handled, or an answer is not yet written. */
  isBusy(): boolean {
    for (const { isBusy } of this.#open) if (isBusy) return true
    return false
  }

  async close(): Promise<void> {
    // PUBREC goes out some rounds after the message was handled.
    await nextRound()
    await nextRound()
    this.#inbound.withholdWills()
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
    let round = this.#renewals.count
    const answer = await this.#rules.signIn({ username, password, address: connection.address })
    if (answer === 'refused') return badCredentials
    if (answer === 'throttled') return serverUnavailable
    let session: S | undefined = answer
    // What ended while we asked must not slip in behind the recheck.
    while (session && round !== this.#renewals.count) {
      round = this.#renewals.count
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
    if (before && !(await endsWithin(before.ended, takeOverMs))) return serverUnavailable
    connection.before = undefined
    return connection.session ? 0 : badCredentials
  }

  async #leave(connection: Connection<S>): Promise<void> {
    if (connection.isReady) this.counts.connections--
    // Aedes needs a round to take back the subscriptions and fire the will.
    await nextRound()
    await nextRound()
    await connection.whenIdle()
    await connection.before?.ended
    this.#open.delete(connection)
    const { id } = connection.client
    if (this.#holders.get(id) === connection) this.#holders.delete(id)
  }

  #unsubscribed(client: object, filters: string[]): void {
    const connection = this.#byClient.get(client)
    for (const filter of filters) connection?.filters.delete(filter)
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
    this.#outbound.dropLost(connection)
  }
}

/**
 * Aedes takes a message for a duplicate when a later one was delivered first, as QoS 0 is before
 * a QoS 1 that is being queued. Duplicates are told apart in `Outbound`.
 */
function keepDuplicates(client: Client & { duplicates?: object }, brokerId: string): void {
  Object.defineProperty(client.duplicates ?? {}, brokerId, { get: () => 0, set: () => {} })
}

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error(`sign-in refused, code ${returnCode}`), { returnCode })
}

async function endsWithin(ended: Promise<void>, ms: number): Promise<boolean> {
  const timeout = new AbortController()
  const late = wait(ms, false, { signal: timeout.signal }).catch(() => false)
  const isInTime = await Promise.race([ended.then(() => true), late])
  timeout.abort()
  return isInTime
}

/** [MQTT 4.7.3] */
const isTopic = (text: string): boolean => text !== '' && !hasWildcard(text) && !text.includes('\0')
