import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { newcomerLimits } from '../../lib/newcomers.ts'
import { hasWildcard } from '../../lib/topic.ts'
import { SECOND } from '../../lib/unix-time.ts'
import type {
  Bus,
  ClientCertificate,
  ConnectedClient,
  DiskRoom,
  Hearer,
  PublishOptions,
  Session
} from '../bus.ts'
import { Broker } from './broker.ts'
import type { BrokerOptions } from './broker-options.ts'
import type { Charged } from './charges.ts'
import type { BrokerLimits, Counts } from './limits.ts'
import type { Publish } from './publish.ts'
import { sessionDefaults } from './store/store.ts'
import { type AddressOf, serveWebSocket } from './websocket.ts'
import { writeProperties } from './wire/properties.ts'

export type EmbeddedBusOptions<S extends Session> = Omit<
  BrokerOptions<S>,
  'limits' | 'clock' | 'disk'
> & {
  host: string
  /** Undefined: connections come only from other listeners. */
  port: number | undefined
  clock?: Clock
  disk?: DiskRoom
  limits?: Partial<BrokerLimits>
}

const MIB = 1024 * 1024
const defaults: BrokerLimits = {
  packetBytes: MIB,
  connectTimeoutMs: 10_000,
  newcomers: newcomerLimits,
  drainMs: 4000,
  sessionExpiry: 0xffff_ffff,
  keepAlive: 65_535,
  inFlightBytes: 64 * MIB,
  inFlightBytesPerTenant: 8 * MIB,
  ...sessionDefaults,
  filtersPerSubscribe: 200,
  connectionsPerOwner: 1000,
  retainedMessages: 10_000,
  retainedBytes: 16 * MIB
}
const endlessDisk: DiskRoom = { isEnough: true, whenEnough: () => Promise.resolve() }

/**
 * Starts the broker in this process. It takes connections when the promise resolves, and closes
 * its store.
 */
export async function openEmbeddedBus<S extends Session>({
  host,
  port,
  limits,
  clock = systemClock,
  disk = endlessDisk,
  ...options
}: EmbeddedBusOptions<S>): Promise<EmbeddedBus> {
  const broker = new Broker({ ...options, clock, disk, limits: { ...defaults, ...limits } })
  try {
    await broker.start()
    const bus = new EmbeddedBus(broker, clock)
    if (port !== undefined) await bus.listen(host, port)
    void broker.sendLeftWills()
    return bus
  } catch (error) {
    await broker.close()
    throw error
  }
}

export class EmbeddedBus implements Bus {
  readonly #broker: Broker<Session>
  readonly #clock: Clock
  readonly #server: Server
  #accepting = true
  #closed: Promise<void> | undefined

  constructor(broker: Broker<Session>, clock: Clock) {
    this.#broker = broker
    this.#clock = clock
    const keepAlive = { keepAlive: true, keepAliveInitialDelay: 60_000 }
    this.#server = createServer({ noDelay: true, ...keepAlive }, (socket) => this.accept(socket))
  }

  /** Undefined: it does not listen. */
  get port(): number | undefined {
    const address = this.#server.address()
    return address && typeof address === 'object' ? address.port : undefined
  }

  get counts(): Readonly<Counts> {
    return this.#broker.counts
  }

  /** How much a payer is charged for. */
  charged(what: Charged, payer: string): number {
    return this.#broker.charges.of(what, payer)
  }

  /** Those that are connected now, in the order in which they came. */
  clients(): ConnectedClient[] {
    return this.#broker.clients()
  }

  /** Of messages that were read and are not yet handled. */
  get inFlightBytes(): number {
    return this.#broker.inFlightBytes
  }

  /** Why nothing can be stored; undefined if all is well. */
  get failure(): Error | undefined {
    return this.#broker.failure
  }

  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
  }

  /** A connection from another listener, such as MQTT over TLS. */
  accept(
    conn: Duplex & { remoteAddress?: string },
    address = conn.remoteAddress ?? '',
    certificate?: ClientCertificate
  ): void {
    if (this.#accepting) this.#broker.accept(conn, address, certificate)
    else conn.destroy()
  }

  /** MQTT over WebSocket at `/mqtt` of a server that listens elsewhere. */
  attach(server: HttpServer | HttpsServer, addressOf: AddressOf): void {
    serveWebSocket(server, {
      path: '/mqtt',
      maxPayload: this.#broker.limits.packetBytes * 2,
      isAccepting: () => this.#accepting,
      addressOf,
      accept: (conn, address) => this.accept(conn, address)
    })
  }

  publish(
    topic: string,
    payload: string,
    { qos = 0, retain = false, tenant, ...more }: PublishOptions = {}
  ): Promise<void> {
    if (topic === '' || hasWildcard(topic)) {
      return Promise.reject(new Error(`not a topic to publish to: ${topic}`))
    }
    const message: Publish = { topic, payload: Buffer.from(payload), qos, retain }
    const { contentType, responseTopic, correlationData, expirySeconds } = more
    const properties = writeProperties({ contentType, responseTopic, correlationData })
    if (properties.length > 0) message.properties = properties
    if (expirySeconds !== undefined) message.expires = this.#clock() + expirySeconds * SECOND
    return this.#broker.publish(message, tenant)
  }

  /** Every message passes this process. */
  async hear(topic: string, hearer: Hearer): Promise<() => void> {
    return this.#broker.hear(topic, hearer)
  }

  isHeard(topic: string): boolean {
    return this.#broker.isHeard(topic)
  }

  /** Checks every session again, after a token, user, key, role or grant has changed. */
  recheck(): Promise<void> {
    return this.#broker.recheck()
  }

  /** Ends kept sessions that no client has used since then, with their queues; returns how many. */
  endSessionsUnusedSince(time: number): number {
    return this.#broker.endSessionsUnusedSince(time)
  }

  /** Removes the retained messages whose first topic level is gone; returns how many. */
  dropRetained(isGone: (level: string) => boolean): Promise<number> {
    return this.#broker.dropRetained(isGone)
  }

  /** How much the broker stores. */
  state(): ReturnType<Broker<Session>['state']> {
    return this.#broker.state()
  }

  stopAccepting(): void {
    if (!this.#accepting) return
    this.#accepting = false
    this.#server.close()
  }

  /** First handles and acknowledges what was read, for a limited time. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.stopAccepting()
    this.#broker.holdReads()
    const end = Date.now() + this.#broker.limits.drainMs
    while (this.#broker.isBusy() && Date.now() < end) await wait(5)
    await this.#broker.close()
  }
}
