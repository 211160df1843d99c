import type { Duplex } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import { Aedes, type Client, type ConnectPacket } from 'aedes'
import { Newcomers } from '../../lib/newcomers.ts'
import { Tally } from '../../lib/tally.ts'
import { isTopicName } from '../../lib/topic.ts'
import { endsWithin } from '../../lib/within.ts'
import type { BrokerRules, Message, Publish, Session } from '../bus.ts'
import { Arrivals } from './arrivals.ts'
import type { BrokerOptions } from './broker-options.ts'
import { BrokerCharges } from './charges.ts'
import { clientIdIn, nameOf } from './client-name.ts'
import { badCredentials, identifierRejected, refusal, serverUnavailable } from './connack.ts'
import { Connection, keepDuplicates, parse } from './connection.ts'
import { Deliveries } from './deliveries.ts'
import { Excesses } from './excesses.ts'
import { brokerId, FanOut } from './fan-out.ts'
import { Flow, InFlight } from './in-flight.ts'
import { Inbound } from './inbound.ts'
import { KeptState } from './kept.ts'
import { type BrokerLimits, type Counts, noCounts } from './limits.ts'
import { PacketGate } from './packet-gate.ts'
import { Persistence } from './persistence.ts'
import { Renewals } from './renewals.ts'
import { Slices } from './slices.ts'
import { TenantTurns } from './tenant-turns.ts'
import { VersionRefusals } from './versions.ts'
import { eachOf } from './waiting.ts'

/** How long a new connection waits until the messages of the one that it replaces are handled. */
const TAKE_OVER_MS = 5000
/** How long `close` waits for the end of the connections. */
const LEAVE_MS = 500

/** Aedes under our rules. It knows which connection holds which name (an owner and a client id). */
export class Broker<S extends Session> {
  readonly limits: BrokerLimits
  readonly counts: Counts = noCounts()
  readonly charges: BrokerCharges
  readonly #rules: BrokerRules<S>
  readonly #log: BrokerOptions<S>['log']
  readonly #aedes: Aedes
  readonly #kept: KeptState
  readonly #arrivals: Arrivals
  readonly #inbound: Inbound<S>
  readonly #deliveries: Deliveries<S>
  readonly #fanOut: FanOut<Connection<Session>>
  readonly #turns = new TenantTurns()
  readonly #versions: VersionRefusals
  readonly #renewals: Renewals<S>
  readonly #open = new Set<Connection<S>>()
  readonly #inFlight: InFlight
  readonly #perOwner = new Tally()
  readonly #newcomers: Newcomers
  readonly #excesses: Excesses
  readonly #byClient = new WeakMap<object, Connection<S>>()
  /** By client name. A connection stays here until all of its messages are handled. */
  readonly #holders = new Map<string, Connection<S>>()

  constructor({ rules, onMessage, log, limits, ...options }: BrokerOptions<S>) {
    this.limits = limits
    this.#rules = rules
    this.#log = log
    this.#versions = new VersionRefusals(log, options.clock)
    this.#inFlight = new InFlight(limits, rules.rateOf)
    this.#newcomers = new Newcomers(limits.newcomers)
    const { counts } = this
    const charges = new BrokerCharges(rules.limitOf)
    this.charges = charges
    const kept = new KeptState({
      ...options,
      limits,
      charges,
      lost: (reason, messages) => {
        counts.dropped[reason] += messages
      }
    })
    this.#kept = kept
    const { sessions, retained } = kept
    const slices = new Slices()
    const turns = this.#turns
    const fanOut = new FanOut<Connection<Session>>({
      turns,
      nextSeq: () => kept.nextSeq(),
      deliver: (receiver, packet, delivery) => this.#deliveries.deliver(receiver, packet, delivery)
    })
    this.#fanOut = fanOut
    this.#excesses = new Excesses(counts.refused, log)
    const excesses = this.#excesses
    this.#deliveries = new Deliveries({
      ...{ rules, sessions, retained, fanOut, slices, counts, limits, excesses, charges }
    })
    this.#renewals = new Renewals({
      ...{ rules, log, sessions, deliveries: this.#deliveries, holders: this.#holders }
    })
    const inbound = new Inbound({ rules, onMessage, log, kept, counts, turns, fanOut })
    this.#inbound = inbound
    this.#arrivals = new Arrivals({
      filtersPerSubscribe: limits.filtersPerSubscribe,
      shorten: (packet) => inbound.shorten(packet),
      hasFilter: (connection, filter) => this.#deliveries.hasFilter(connection, filter)
    })
    this.#aedes = new Aedes({
      id: brokerId,
      mq: fanOut,
      persistence: new Persistence(kept, {
        seal: (client) => {
          const session = this.#byClient.get(client)?.session
          return session && rules.seal(session)
        },
        unsubscribed: (client, filters) => this.#unsubscribed(client, filters)
      }),
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
        done(null, connection ? this.#deliveries.subscribe(connection, subscription) : null)
      },
      authorizeForward: (client, packet) => {
        const connection = this.#byClient.get(client)
        return connection ? this.#deliveries.forward(connection, packet) : null
      }
    })
    // Aedes calls this for a message that it has acknowledged. `Inbound` delivers messages instead.
    const publish = (_: object, client: unknown, done = client as () => void) => done()
    Object.assign(this.#aedes, { publish })
  }

  async start(): Promise<void> {
    await this.#kept.open()
    const { cut } = await this.#kept.store.contents
    if (Object.values(cut).some((count) => count > 0)) {
      this.#log.warn(cut, 'MQTT sessions were over the limits; what was too much is removed')
    }
    this.#aedes.addListener('error', (error: Error) =>
      this.#log.error({ err: error }, 'the MQTT broker has an error')
    )
    const report = (client: Client, error: Error) =>
      this.#log.debug({ err: error, client: clientIdIn(client.id ?? '') }, 'MQTT connection failed')
    this.#aedes.on('clientError', report)
    this.#aedes.on('connectionError', report)
    // From now on Aedes handles packets in order. The gate opens before a long queue is sent: on a
    // slow line the client sends PINGREQ and acknowledgements in the meantime.
    this.#aedes.on('connackSent', ({ returnCode }, client) => {
      const connection = this.#byClient.get(client)
      if (returnCode !== 0 || !connection) return
      connection.arrived()
      const { tenant, gate } = connection
      const flow = new Flow(this.#inFlight, tenant, () => gate.ask())
      gate.open({ flow, tenant, turns: this.#turns, parse: (bytes) => parse(client, bytes) })
    })
    this.#aedes.on('clientReady', (client) => {
      const connection = this.#byClient.get(client)
      if (!connection || client.closed) return
      const { session } = connection
      connection.isReady = true
      connection.left = session && this.#rules.connected(session, clientIdIn(client.id))
      this.counts.connections++
      this.#log.debug(nameIn(connection), 'an MQTT client connected')
      if (!client.clean) this.#kept.sessions.find(client)?.feed?.start()
    })
    this.#aedes.on('subscribe', (subscriptions, client) => {
      const connection = this.#byClient.get(client)
      if (!connection) return
      const beyond = this.#arrivals.answer(connection, subscriptions)
      if (beyond > 0) this.#excesses.refuse('filters', connection, { count: beyond })
      void this.#deliveries.sendRetained(connection, subscriptions)
    })
    this.#aedes.on('unsubscribe', (filters, client) => {
      if (client.clean) this.#unsubscribed(client, filters)
    })
    await this.#aedes.listen()
  }

  accept(conn: Duplex, address: string): void {
    const arrived = this.#newcomers.enter(address)
    if (!arrived) {
      this.#excesses.turnAway(conn, address)
      return
    }
    const gate = new PacketGate(conn, {
      limit: this.limits.packetBytes,
      refuse: (level) => {
        this.counts.refusedVersions++
        this.#versions.refuse(conn, level, address)
      }
    })
    const client = this.#aedes.handle(conn)
    const connection = new Connection<S>(client, { conn, gate, address, arrived })
    keepDuplicates(client)
    this.#arrivals.watch(connection)
    this.#byClient.set(connection.client, connection)
    this.#open.add(connection)
    const closed = new Promise((resolve) => conn.once('close', resolve))
    connection.ended = closed.then(() => this.#leave(connection))
  }

  publish(message: Message, tenant?: string): Promise<void> {
    const packet = { cmd: 'publish' as const, dup: false, ...message }
    const send = () => this.#fanOut.sent(packet, tenant === undefined ? undefined : { tenant })
    return this.#kept.keep(packet as Publish)?.then(send) ?? send()
  }

  isHeard(topic: string): boolean {
    return this.#fanOut.isHeard(topic) || this.#kept.sessions.isHeard(topic)
  }

  /** Sends the wills of connections that were open when the last process ended. */
  async sendLeftWills(): Promise<void> {
    await eachOf(this.#kept.wills.leftBehind(), (id) =>
      this.#sendLeftWill(id).catch((err) => {
        this.#log.error({ err, client: id }, 'MQTT will not sent; the next start tries again')
      })
    )
  }

  /** Returns how many were ended. */
  endSessionsUnusedSince(time: number): number {
    return this.#kept.sessions.endUnusedSince(time)
  }

  dropRetained(isGone: (level: string) => boolean): Promise<number> {
    return this.#kept.retained.drop(isGone)
  }

  get inFlightBytes(): number {
    return this.#inFlight.bytes
  }

  /** Why nothing can be stored; undefined if all is well. */
  get failure(): Error | undefined {
    return this.#kept.store.failure
  }

  async state(): Promise<{ sessions: number; retained: number; queued: number; bytes: number }> {
    const { sessions, retained, store } = this.#kept
    return {
      sessions: sessions.size,
      retained: retained.size,
      ...(await store.read('totals', {}))
    }
  }

  recheck(): Promise<void> {
    return this.#renewals.ask()
  }

  holdReads(): void {
    for (const { gate } of this.#open) gate.hold()
  }

  /** A message was read and is not yet handled, or an answer is not yet written. */
  isBusy(): boolean {
    for (const { isBusy } of this.#open) if (isBusy) return true
    return this.#fanOut.isBusy
  }

  async close(): Promise<void> {
    // PUBREC is written some rounds of the event loop after the message was handled.
    await nextRound()
    await nextRound()
    this.#kept.wills.withhold()
    await new Promise<void>((resolve) => this.#aedes.close(resolve))
    const ended = Array.from(this.#open, (connection) => {
      connection.conn.destroy()
      return connection.ended
    })
    await endsWithin(LEAVE_MS, Promise.all(ended))
    await this.#kept.store.close()
  }

  #greet(
    client: Client,
    { will, clientId, clean, ...packet }: ConnectPacket & { bridgeMode?: boolean },
    done: (error: Error | null, success: boolean) => void
  ): void {
    const connection = this.#byClient.get(client)
    // Aedes would deliver such a will to subscribers, and that would end their connections.
    if (will && (!isTopicName(will.topic) || (will.qos ?? 0) > 2)) {
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

  async #signIn(
    client: Client & { id: string },
    username: string,
    password: string
  ): Promise<number> {
    const connection = this.#byClient.get(client)
    if (!connection) return serverUnavailable
    // [MQTT 1.5.3-2]
    if (connection.isNameless || client.id.includes('\0')) return identifierRejected
    let round = this.#renewals.count
    const answer = await this.#rules.signIn({ username, password, address: connection.address })
    if (answer === 'refused') return badCredentials
    if (answer === 'throttled') return serverUnavailable
    let session: S | undefined = answer
    // A recheck during the sign-in did not see this session, so it is checked here.
    while (session && round !== this.#renewals.count) {
      round = this.#renewals.count
      session = await this.#rules.renew(session)
    }
    if (!session) return badCredentials
    if (client.closed) return serverUnavailable

    if (this.#rules.mayUse(session, client.id) === 'never') return identifierRejected
    // From now on Aedes and the store know the client by this name. [ADR-0014]
    client.id = nameOf(session.owner, client.id)
    const before = this.#holders.get(client.id)
    // A connection that is replaced makes room for the new one.
    connection.signIn(session)
    const others = this.#perOwner.of(connection.account) - (before ? 1 : 0)
    connection.tenant = this.#rules.tenantOf(session)
    this.#perOwner.add(connection.account, 1)
    const payers = this.#rules.payersOf(session)
    const payer = this.charges.whoIsFull('connections', payers, before ? 1 : 0)
    connection.payers = payers
    this.charges.charge('connections', payers, 1)
    if (payer || others >= this.limits.connectionsPerOwner) {
      this.#excesses.refuse('connections', connection, { payer })
      return serverUnavailable
    }
    connection.before = before
    this.#holders.set(client.id, connection)
    // [MQTT 3.1.4-2] The will of the old connection is sent before the new client can say that it
    // is back. And Aedes confuses two connections that overlap.
    before?.client.close()
    if (before && !(await endsWithin(TAKE_OVER_MS, before.ended))) return serverUnavailable
    connection.before = undefined
    // [MQTT 3.1.2-8] The same for a will that the last process did not send.
    if (!(await endsWithin(TAKE_OVER_MS, this.#sendLeftWill(client.id)))) return serverUnavailable
    if (client.closed) return serverUnavailable
    const isOpen =
      client.clean || (await this.#kept.sessions.open(client, { owner: session.owner, payers }))
    if (!isOpen) {
      this.#excesses.refuse('sessions', connection)
      return serverUnavailable
    }
    return connection.session ? 0 : badCredentials
  }

  async #leave(connection: Connection<S>): Promise<void> {
    connection.arrived()
    if (connection.isReady) {
      this.counts.connections--
      connection.left?.()
      this.#log.debug(nameIn(connection), 'an MQTT client disconnected')
    }
    // Aedes needs a round of the event loop to remove the subscriptions and to send the will.
    await nextRound()
    await nextRound()
    await connection.whenIdle()
    await connection.before?.ended
    this.#open.delete(connection)
    this.#deliveries.leave(connection)
    connection.gate.end()
    const { client, owner, account } = connection
    if (owner !== undefined) this.#perOwner.add(account, -1)
    this.charges.charge('connections', connection.payers, -1)
    if (!client.clean) this.#kept.sessions.rest(client)
    if (this.#holders.get(client.id) === connection) this.#holders.delete(client.id)
  }

  #sendLeftWill(id: string): Promise<void> {
    return this.#kept.wills.sendLeft(id, (will) => this.#inbound.sendLeftWill(will))
  }

  #unsubscribed(client: object, filters: string[]): void {
    const connection = this.#byClient.get(client)
    if (connection) this.#deliveries.unsubscribed(connection, filters)
  }
}

const nameIn = ({ client, owner, address }: Connection<Session>) => ({
  client: clientIdIn(client.id),
  owner,
  address
})
