import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import type { BrokerAccess, CutOff } from './access/broker-access.ts'
import type { MqttSession } from './access/mqtt-rules.ts'
import type { Quotas } from './access/quotas.ts'
import type { BrokerRules, Bus } from './bus/bus.ts'
import { type EmbeddedBus, openEmbeddedBus } from './bus/embedded.ts'
import { ExternalBus, type ExternalCounts } from './bus/external.ts'
import { Rounds } from './bus/rounds.ts'
import { Store } from './bus/store/store.ts'
import type { AddressOf } from './bus/websocket.ts'
import { type Config, ConfigError } from './config.ts'
import type { Clock } from './lib/clock.ts'
import { payerName } from './lib/quota.ts'
import type { Metrics } from './metrics.ts'
import type { Claims } from './registry/claims.ts'
import { readPlatformId } from './registry/platform.ts'
import type { Registry } from './registry/tables.ts'
import type { Tls } from './tls.ts'
import type { DiskSpace } from './workers/disk-space.ts'
import type { Ingest } from './workers/ingest.ts'
import type { SharedBus } from './workers/peers.ts'

/** The bus as the platform runs it: the embedded broker, or one that is a server of its own. */
export interface PlatformBus extends Bus {
  /** Why nothing gets through; undefined when all is well. */
  readonly failure: Error | undefined
  /** What is sent now is stored, sooner or later. */
  readonly isRead: boolean
  /** What health says when all is well. */
  readonly detail: string
  /** Where other nodes can be spoken to; undefined where there can be none. */
  readonly shared: SharedBus | undefined
  /** Where devices connect; undefined: nothing listens there. */
  readonly port: number | undefined
  readonly tlsPort: number | undefined
  describe(metrics: Metrics): void
  /** Serves MQTT beside the API, which does not listen yet. */
  attach(server: HttpServer, tls: Tls | undefined, addressOf: AddressOf): Promise<void>
  /** When the API listens: a broker of its own may ask it who we are. */
  connect(): Promise<void>
  stopAccepting(): void
  /** Every open connection is asked about again. */
  recheck(): Promise<void>
  /** Returns how many went. */
  endSessionsUnusedSince(time: number): number | Promise<number>
  /** Retained messages of what is gone, by the first level of their topics; returns how many went. */
  dropRetained(isGone: (level: string) => boolean): Promise<number>
}

export type BusParts = {
  registry: Registry
  claims: Claims
  rules: BrokerRules<MqttSession>
  ingest: Ingest
  /** Of an external broker. */
  brokerAccess: BrokerAccess
  /** Of the embedded broker. */
  store: Store | undefined
  quotas: Quotas
  disk: DiskSpace
  clock: Clock
  log: Logger
}

/** Starts the thread of the embedded broker's store; undefined with an external one. */
export const openStore = (config: Config, now: number): Store | undefined =>
  config.BUS_URL === ''
    ? new Store(config.DATA_DIR, {
        now,
        limits: { messages: config.MQTT_QUEUE_LIMIT, ...ownerLimits(config) }
      })
    : undefined

const ownerLimits = (config: Config) => ({
  sessionsPerOwner: config.MQTT_SESSIONS_PER_OWNER,
  filtersPerOwner: config.MQTT_FILTERS_PER_OWNER
})

export const openBus = (config: Config, parts: BusParts): Promise<PlatformBus> =>
  parts.store ? openEmbedded(config, { ...parts, store: parts.store }) : openExternal(config, parts)

async function openEmbedded(
  config: Config,
  { rules, quotas, ingest, store, disk, clock, log }: BusParts & { store: Store }
): Promise<PlatformBus> {
  const { HOST: host, MQTT_PORT, MQTTS_PORT } = config
  await store.contents
  const port = MQTT_PORT === 'off' ? undefined : MQTT_PORT
  const bus = await openEmbeddedBus({
    ...{ host, port, rules, log, store, clock, disk },
    limits: {
      ...ownerLimits(config),
      connectionsPerOwner: config.MQTT_CONNECTIONS_PER_OWNER
    },
    onMessage: (message, sender) => ingest.accept(message, sender)
  }).catch(explainPort('CARACAL_MQTT_PORT', host, port))
  for (const what of ['connections', 'filters'] as const) {
    quotas.countBy(what, (payer) => bus.charged(what, payerName(payer)))
  }
  let overTls: TlsServer | undefined
  return {
    publish: (...message) => bus.publish(...message),
    close: () => bus.close(),
    get failure() {
      return bus.failure
    },
    isRead: true,
    get detail() {
      return `${bus.counts.connections} connections`
    },
    shared: undefined,
    port: bus.port,
    get tlsPort() {
      return overTls && (overTls.address() as AddressInfo | null)?.port
    },
    describe: (metrics) => describeEmbedded(metrics, bus),
    async attach(server, tls, addressOf) {
      bus.attach(server, addressOf)
      if (!tls) return
      overTls = tls.createServer((socket) => bus.accept(socket))
      overTls.listen(MQTTS_PORT, host)
      await once(overTls, 'listening').catch(explainPort('CARACAL_MQTTS_PORT', host, MQTTS_PORT))
    },
    connect: () => Promise.resolve(),
    stopAccepting() {
      bus.stopAccepting()
      overTls?.close()
    },
    recheck: () => bus.recheck(),
    endSessionsUnusedSince: (time) => bus.endSessionsUnusedSince(time),
    dropRetained: (isGone) => bus.dropRetained(isGone)
  }
}

async function openExternal(
  { BUS_URL: url, BUS_CA_PATH: caPath, BUS_SLOTS: slots, MQTT_SESSION_DAYS: sessionDays }: Config,
  { registry, claims, ingest, brokerAccess, log }: BusParts
): Promise<PlatformBus> {
  const platformId = await readPlatformId(registry)
  const bus = new ExternalBus({
    ...{ url, ca: readCa(caPath), platformId, slots, claims, sessionDays, log },
    onMessage: (message, sender) => ingest.accept(message, sender)
  })
  const { host, port } = bus.address
  const failed = (err: Error) => {
    log.error({ err }, 'MQTT connections could not be cut off')
    return false
  }
  const cutOff: CutOff = (clientId, options) =>
    bus.cutOff(clientId, options).then(() => true, failed)
  const rechecks = new Rounds(async () => {
    if (!bus.isFirst || bus.failure) return
    await brokerAccess.cutOffEnded(cutOff).catch(failed)
  })
  return {
    publish: (...message) => bus.publish(...message),
    close: () => bus.close(),
    get failure() {
      return bus.failure
    },
    get isRead() {
      return bus.isRead
    },
    get detail() {
      return `${host}:${port}, ${bus.counts.slots} sessions`
    },
    shared: bus,
    port,
    tlsPort: undefined,
    describe: (metrics) => describeExternal(metrics, bus),
    attach: () => Promise.resolve(),
    connect: () =>
      bus.start().catch((error: Error) => {
        throw new Error(`CARACAL_BUS_URL: no connection to ${host}:${port} (${error.message})`)
      }),
    stopAccepting() {},
    recheck: () => rechecks.ask(),
    // Others get the client id, so nothing that was kept for it may be left.
    async endSessionsUnusedSince(time) {
      if (!bus.isFirst || bus.failure) return 0
      return brokerAccess.freeUnused(time, cutOff)
    },
    // A broker of its own has its own rules for them.
    dropRetained: () => Promise.resolve(0)
  }
}

function readCa(path: string): string | undefined {
  try {
    return path === '' ? undefined : readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`CARACAL_BUS_CA_PATH: cannot be used (${(error as Error).message})`)
  }
}

export const explainPort =
  (setting: string, host: string, port = 0) =>
  (error: NodeJS.ErrnoException): never => {
    if (error.code === 'EADDRINUSE') throw new Error(`${setting} ${port} on ${host} is taken`)
    if (error.code === 'EACCES') throw new Error(`${setting} ${port} on ${host} is not allowed`)
    throw new Error(`${setting}: cannot listen on ${host}:${port} (${error.message})`)
  }

function describeEmbedded(metrics: Metrics, bus: EmbeddedBus<MqttSession>): void {
  metrics.gauge('mqtt_connections', 'Open MQTT connections', () => bus.counts.connections)
  metrics.gauge('mqtt_received', 'Messages received since the start', () => bus.counts.received)
  metrics.gauge('mqtt_delivered', 'Messages delivered since the start', () => bus.counts.delivered)
  metrics.gauge(
    'mqtt_refused_versions',
    'Connections of MQTT versions that the broker does not speak, since the start',
    () => bus.counts.refusedVersions
  )
  metrics.gauges(
    'mqtt_dropped',
    'Messages that did not reach someone, since the start',
    'reason',
    () => bus.counts.dropped
  )
  metrics.gauges(
    'mqtt_refused',
    'What was refused beyond the limits of an owner or a connection, since the start',
    'what',
    () => bus.counts.refused
  )
  metrics.gauge('mqtt_in_flight_bytes', 'Messages read and not yet stored', () => bus.inFlightBytes)
  const kept = () => bus.state()
  metrics.gauge('mqtt_sessions', 'Kept MQTT sessions', async () => (await kept()).sessions)
  metrics.gauge('mqtt_retained', 'Retained messages', async () => (await kept()).retained)
  metrics.gauge('mqtt_queued', 'Messages that wait for sessions', async () => (await kept()).queued)
  metrics.gauge('mqtt_queued_bytes', 'Their size', async () => (await kept()).bytes)
}

function describeExternal(metrics: Metrics, bus: ExternalBus): void {
  const count = (name: string, help: string, of: keyof ExternalCounts) =>
    metrics.gauge(name, help, () => bus.counts[of])
  count('mqtt_connections', 'Open connections to the broker', 'connections')
  count('mqtt_slots', 'Sessions at the broker that this node reads', 'slots')
  count('mqtt_received', 'Messages read since the start', 'received')
  count('mqtt_published', 'Messages published since the start', 'published')
}
