import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, systemClock } from '../lib/clock.ts'
import { newcomerLimits } from '../lib/newcomers.ts'
import { hasWildcard } from '../lib/topic.ts'
import { Broker, type BrokerOptions } from './broker.ts'
import type { Bus, DiskRoom, Session } from './bus.ts'
import type { Charged } from './charges.ts'
import type { Counts, Limits } from './limits.ts'
import { keepDefaults } from './store/store.ts'
import { type AddressOf, serveWebSocket } from './websocket.ts'

export type EmbeddedBusOptions<S extends Session> = Omit<
  BrokerOptions<S>,
  'limits' | 'clock' | 'disk'
> & {
  host: string
  /** Undefined: connections come from other listeners only. */
  port: number | undefined
  clock?: Clock
  disk?: DiskRoom
  limits?: Partial<Limits>
}

const MIB = 1024 * 1024
const defaults: Limits = {
  packetBytes: MIB,
  connectTimeoutMs: 10_000,
  newcomers: newcomerLimits,
  drainMs: 4000,
  inFlightBytes: 64 * MIB,
  inFlightBytesPerTenant: 8 * MIB,
  ...keepDefaults,
  filtersPerSubscribe: 200,
  connectionsPerOwner: 1000,
  retainedMessages: 10_000,
  retainedBytes: 16 * MIB
}
const endlessDisk: DiskRoom = { isEnough: true, whenEnough: () => Promise.resolve() }

/** Aedes in process; ready to take connections when the promise resolves. Closes its store. */
export async function openEmbeddedBus<S extends Session>({
  host,
  port,
  limits,
  clock = systemClock,
  disk = endlessDisk,
  ...options
}: EmbeddedBusOptions<S>): Promise<EmbeddedBus<S>> {
  const broker = new Broker({ ...options, clock, disk, limits: { ...defaults, ...limits } })
  try {
    await broker.start()
    const bus = new EmbeddedBus(broker)
    if (port !== undefined) await bus.listen(host, port)
    void broker.sendLeftWills()
    return bus
  } catch (error) {
    await broker.close()
    throw error
  }
}

export class EmbeddedBus<S extends Session> implements Bus {
  readonly #broker: Broker<S>
  readonly #server: Server
  #accepting = true
  #closed: Promise<void> | undefined

  constructor(broker: Broker<S>) {
    this.#broker = broker
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

  /** What a payer of the rules is charged for. */
  charged(what: Charged, payer: string): number {
    return this.#broker.charges.of(what, payer)
  }

  /** Of messages that are read and not yet stored. */
  get inFlightBytes(): number {
    return this.#broker.inFlightBytes
  }

  /** Why nothing more can be kept; undefined when all is well. */
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
  accept(conn: Duplex & { remoteAddress?: string }, address = conn.remoteAddress ?? ''): void {
    if (this.#accepting) this.#broker.accept(conn, address)
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
    { qos = 0, retain = false }: { qos?: 0 | 1 | 2; retain?: boolean } = {}
  ): Promise<void> {
    if (topic === '' || hasWildcard(topic)) {
      return Promise.reject(new Error(`not a topic to publish to: ${topic}`))
    }
    return this.#broker.publish({ topic, payload: Buffer.from(payload), qos, retain })
  }

  /** Every session is asked about again: after a token, user, key, role or grant changed. */
  recheck(): Promise<void> {
    return this.#broker.recheck()
  }

  /** Kept sessions that no client used since then go, with their queues; returns how many. */
  endSessionsUnusedSince(time: number): number {
    return this.#broker.endSessionsUnusedSince(time)
  }

  /** Retained messages of what is gone, by the first level of their topics; returns how many. */
  dropRetained(isGone: (level: string) => boolean): Promise<number> {
    return this.#broker.dropRetained(isGone)
  }

  /** What is kept for later. */
  state(): ReturnType<Broker<S>['state']> {
    return this.#broker.state()
  }

  stopAccepting(): void {
    if (!this.#accepting) return
    this.#accepting = false
    this.#server.close()
  }

  /** What was read is handled and acknowledged first, for a bounded time. */
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
