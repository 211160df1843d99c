import type { Duplex } from 'node:stream'
import { setImmediate as nextRound } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { Newcomers } from '../../lib/newcomers.ts'
import { endsWithin } from '../../lib/within.ts'
import type { BrokerRules, ClientCertificate, ConnectedClient, Hearer, Session } from '../bus.ts'
import type { BrokerOptions } from './broker-options.ts'
import { BrokerCharges } from './charges.ts'
import { clientIdIn } from './client-name.ts'
import { Connection } from './connection.ts'
import { Deliveries } from './deliveries.ts'
import { Excesses } from './excesses.ts'
import { FanOut } from './fan-out.ts'
import { Handshakes } from './handshakes.ts'
import { Flow, InFlight } from './in-flight.ts'
import { Inbound } from './inbound.ts'
import { KeptState } from './kept.ts'
import { type BrokerLimits, type Counts, noCounts } from './limits.ts'
import type { Publish } from './publish.ts'
import { Renewals } from './renewals.ts'
import { SignIn } from './sign-in.ts'
import { Slices } from './slices.ts'
import type { KeptWill } from './store/changes.ts'
import { Subscriptions } from './subscriptions.ts'
import { TenantTurns } from './tenant-turns.ts'
import { VersionRefusals } from './versions.ts'
import { eachOf } from './waiting.ts'
import { decode } from './wire/decode.ts'
import { pingresp } from './wire/encode.ts'
import type {
  AckPacket,
  ConnectPacket,
  DisconnectPacket,
  Packet,
  PublishPacket
} from './wire/packets.ts'
import { protocolError, reasons } from './wire/reasons.ts'

/** How long `close` waits for the end of the connections. */
const LEAVE_MS = 500
/** How long it waits until the clients hang up. */
const GOODBYE_MS = 200

/** Takes connections, and gives each packet to the part that handles it. */
export class Broker<S extends Session> {
  readonly limits: BrokerLimits
  readonly counts: Counts = noCounts()
  readonly charges: BrokerCharges
  readonly #rules: BrokerRules<S>
  readonly #log: BrokerOptions<S>['log']
  readonly #kept: KeptState
  readonly #inbound: Inbound<S>
  readonly #subscriptions: Subscriptions<S>
  readonly #handshakes: Handshakes
  readonly #signIn: SignIn<S>
  readonly #fanOut: FanOut<Connection<S>>
  readonly #turns = new TenantTurns()
  readonly #versions: VersionRefusals
  readonly #renewals: Renewals<S>
  readonly #open = new Set<Connection<S>>()
  readonly #inFlight: InFlight
  readonly #newcomers: Newcomers
  readonly #excesses: Excesses
  readonly #clock: Clock
  #lastId = 0

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
    const { sessions, retained, shares } = kept
    const slices = new Slices()
    const turns = this.#turns
    const { clock } = options
    this.#clock = clock
    const deliveries = new Deliveries({ rules, retained, slices, counts, clock })
    const fanOut = new FanOut<Connection<S>>({
      turns,
      nextSeq: () => kept.nextSeq(),
      deliveries
    })
    this.#fanOut = fanOut
    const excesses = new Excesses(counts.refused, log)
    this.#excesses = excesses
    const subscriptions = new Subscriptions({
      ...{ rules, sessions, fanOut, shares, deliveries, slices, limits, excesses, charges }
    })
    this.#subscriptions = subscriptions
    const holders = new Map<string, Connection<S>>()
    const renewals = new Renewals({ rules, log, sessions, subscriptions, holders })
    this.#renewals = renewals
    const inbound = new Inbound({ rules, onMessage, log, kept, counts, turns, fanOut, clock })
    this.#inbound = inbound
    this.#handshakes = new Handshakes(kept.receipts)
    this.#signIn = new SignIn({
      ...{ rules, log, kept, limits, charges, excesses, holders },
      ...{ renewals, subscriptions, deliveries, inbound }
    })
  }

  async start(): Promise<void> {
    await this.#kept.open()
    const { cut } = await this.#kept.store.contents
    if (Object.values(cut).some((count) => count > 0)) {
      this.#log.warn(cut, 'MQTT sessions were over the limits; what was too much is removed')
    }
  }

  accept(conn: Duplex, address: string, certificate?: ClientCertificate): void {
    const arrived = this.#newcomers.enter(address)
    if (!arrived) {
      this.#excesses.turnAway(conn, address)
      return
    }
    const { packetBytes, connectTimeoutMs } = this.limits
    const connection = new Connection<S>(conn, {
      ...{ address, certificate, arrived, packetBytes, connectTimeoutMs },
      take: (from, header, body, handled) => this.#take(from, { header, body }, handled),
      refuse: (from, level) => {
        this.counts.refusedVersions++
        from.closeWith(this.#versions.refuse(level, address))
      },
      failed: ({ name }, error) =>
        this.#log.debug({ err: error, client: clientIdIn(name) }, 'MQTT connection failed')
    })
    this.#open.add(connection)
    connection.ended = connection.whenClosed.then(() => this.#leave(connection))
  }

  publish(message: Publish, tenant?: string): Promise<void> {
    const send = () => this.#fanOut.sent(message, tenant)
    return this.#kept.keep(message)?.then(send) ?? send()
  }

  isHeard(topic: string): boolean {
    const { sessions, shares } = this.#kept
    return this.#fanOut.isHeard(topic) || sessions.isHeard(topic) || shares.isHeard(topic)
  }

  /** Returns how to stop. */
  hear(topic: string, hearer: Hearer): () => void {
    return this.#fanOut.hear(topic, hearer)
  }

  /** Sends the wills of connections that were open when the last process ended. */
  async sendLeftWills(): Promise<void> {
    await eachOf(this.#kept.wills.leftBehind(), (will) =>
      this.#sendLeftWill(will).catch((err) => this.#notSent(err, will.name))
    )
  }

  /** Returns how many were ended. */
  endSessionsUnusedSince(time: number): number {
    return this.#kept.sessions.endUnusedSince(time)
  }

  dropRetained(isGone: (level: string) => boolean): Promise<number> {
    return this.#kept.retained.drop(isGone)
  }

  /** Those that are connected now, in the order in which they came. */
  clients(): ConnectedClient[] {
    return [...this.#open]
      .flatMap(({ entered, isClosed, name, owner = '', mount, level, address }) =>
        entered && !isClosed
          ? [
              {
                ...entered,
                clientId: clientIdIn(name),
                owner,
                mountedAt: mount?.clientId,
                level,
                address
              }
            ]
          : []
      )
      .sort((a, b) => a.id - b.id)
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
    // Acknowledgements are written behind the message that was handled.
    await nextRound()
    this.#kept.wills.withhold()
    this.#fanOut.close()
    const open = [...this.#open]
    const closed = open.map(({ conn }) => new Promise((resolve) => conn.once('close', resolve)))
    for (const connection of open) connection.close(reasons.shuttingDown, 'the broker stops')
    await endsWithin(LEAVE_MS, Promise.all(open.map(({ ended }) => ended)))
    // Clients of MQTT 5 hang up when they have read why.
    await endsWithin(GOODBYE_MS, Promise.all(closed))
    for (const { conn } of open) conn.destroy()
    await this.#kept.store.close()
  }

  #take(
    connection: Connection<S>,
    { header, body }: { header: number; body: Buffer },
    handled: () => void
  ): void {
    try {
      connection.heard()
      this.#handle(connection, decode(header, body, connection), handled)
    } catch (error) {
      connection.fail(error as Error)
      handled()
    }
  }

  /** `handled` is called once, unless it throws. */
  #handle(connection: Connection<S>, packet: Packet, handled: () => void): void {
    switch (packet.cmd) {
      case 'publish':
        this.#inbound.take(connection, packet, handled)
        return
      case 'puback':
      case 'pubrec':
      case 'pubrel':
      case 'pubcomp':
        this.#handshakes.take(connection, packet, handled)
        return
      default:
        this.#work(connection, packet)
          .catch((error) => connection.fail(error))
          .finally(handled)
    }
  }

  #work(
    connection: Connection<S>,
    packet: Exclude<Packet, PublishPacket | AckPacket>
  ): Promise<void> {
    switch (packet.cmd) {
      case 'subscribe':
        return this.#subscriptions.subscribe(connection, packet)
      case 'unsubscribe':
        return this.#subscriptions.unsubscribe(connection, packet)
      case 'connect':
        // [MQTT-3.1.0-2]
        if (connection.isSigningIn) throw protocolError('a second CONNECT')
        connection.isSigningIn = true
        connection.signedIn = this.#connect(connection, packet)
        return connection.signedIn
      case 'pingreq':
        connection.write(pingresp)
        return Promise.resolve()
      case 'disconnect':
        return this.#disconnect(connection, packet)
      case 'auth':
        throw protocolError('no authentication was agreed on')
    }
  }

  async #connect(connection: Connection<S>, packet: ConnectPacket): Promise<void> {
    if (!(await this.#signIn.take(connection, packet))) return
    connection.arrived()
    const { tenant, gate, kept, name, session } = connection
    const flow = new Flow(this.#inFlight, tenant, () => gate.ask())
    // Before a long queue is sent: on a slow line the client sends PINGREQ and acknowledgements in
    // the meantime.
    gate.open({ flow, tenant, turns: this.#turns })
    await kept?.feed?.repeat()
    if (connection.isClosed) return
    connection.isReady = true
    connection.left = session && this.#rules.connected(session, clientIdIn(name))
    this.counts.connections++
    connection.entered = { id: ++this.#lastId, since: this.#clock() }
    this.#log.debug(nameIn(connection), 'an MQTT client connected')
    kept?.feed?.start()
  }

  #disconnect(connection: Connection<S>, packet: DisconnectPacket): Promise<void> {
    const { will, name, terms } = connection
    const { reason, sessionExpiry } = packet
    if (sessionExpiry !== undefined) terms?.changeExpiry(sessionExpiry, this.limits.sessionExpiry)
    // [MQTT-3.14.4-3] Only a client that leaves without an error does not want its will sent.
    const isWilling = reason !== reasons.success
    if (!isWilling) connection.will = undefined
    connection.close()
    return will && !isWilling ? this.#kept.wills.remove(name) : Promise.resolve()
  }

  async #leave(connection: Connection<S>): Promise<void> {
    connection.arrived()
    if (connection.isReady) {
      this.counts.connections--
      connection.left?.()
      this.#log.debug(nameIn(connection), 'an MQTT client disconnected')
    }
    await connection.signedIn.catch(() => {})
    this.#leaveWill(connection)
    await connection.whenIdle()
    await connection.before?.ended
    this.#open.delete(connection)
    this.#subscriptions.leave(connection)
    connection.gate.end()
    this.#signIn.leave(connection)
  }

  /** Sends the will of a connection that was lost, or lets it wait for the client. */
  #leaveWill(connection: Connection<S>): void {
    const { will, name, terms, session } = connection
    if (!will) return
    const delay = Math.min(will.delay ?? 0, terms?.sessionExpiry ?? 0)
    if (delay === 0 || !session) {
      connection.sendWill(this.#inbound.sendWill(connection, will).catch(() => {}))
      return
    }
    const { wills } = this.#kept
    // The credential is checked again when the will is sent.
    const sealed = this.#rules.seal(session)
    wills.delay(name, delay, () =>
      this.#inbound.sendLeftWill({ ...will, name, sealed }).then(
        () => wills.remove(name),
        (err) => this.#notSent(err, name)
      )
    )
  }

  #sendLeftWill({ name, delay = 0 }: KeptWill): Promise<void> {
    const { wills, sessions } = this.#kept
    const send = () => wills.sendLeft(name, (will) => this.#inbound.sendLeftWill(will))
    const wait = Math.min(delay, sessions.secondsLeft(name))
    if (wait === 0) return send()
    wills.delay(name, wait, () => send().catch((err) => this.#notSent(err, name)))
    return Promise.resolve()
  }

  #notSent(err: Error, client: string): void {
    this.#log.error({ err, client }, 'MQTT will not sent; the next start tries again')
  }
}

const nameIn = ({ name, owner, address }: Connection<Session>) => ({
  client: clientIdIn(name),
  owner,
  address
})
