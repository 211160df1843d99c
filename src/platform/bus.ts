import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { Logger } from 'pino'
import type { BrokerRules, Bus, ConnectedClient } from '../bus/bus.ts'
import { openEmbeddedBus } from '../bus/embedded/embedded.ts'
import { Store } from '../bus/embedded/store/store.ts'
import type { AddressOf } from '../bus/embedded/websocket.ts'
import { ExternalBus } from '../bus/external/external.ts'
import { type Config, ConfigError } from '../config.ts'
import type { BrokerAccess, CutOff } from '../features/broker/broker-access.ts'
import type { Clock } from '../lib/clock.ts'
import { payerName } from '../lib/quota.ts'
import { Rounds } from '../lib/rounds.ts'
import { DAY, SECOND } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import type { MqttSession } from '../permission/mqtt-rules.ts'
import type { Quotas } from '../quota/quotas.ts'
import type { Claims } from '../registry/claims.ts'
import { readPlatformId } from '../registry/platform.ts'
import type { Registry } from '../registry/tables.ts'
import type { Ingest } from '../samples/ingest.ts'
import type { SharedBus } from '../samples/peers.ts'
import { describeEmbedded, describeExternal } from './bus-metrics.ts'
import type { DiskSpace } from './disk-space.ts'
import type { Tls } from './tls.ts'

/** The bus of the platform: the embedded broker or an external broker. */
export interface PlatformBus extends Bus {
  /** Why messages do not get through; undefined when all is well. */
  readonly failure: Error | undefined
  /** True when messages that are sent now will be stored, sooner or later. */
  readonly isRead: boolean
  /** Open MQTT connections that this node knows of. */
  readonly connections: number
  /** Messages received since the start. */
  readonly received: number
  /** Who is connected; undefined with an external broker, which alone knows. */
  clients(): ConnectedClient[] | undefined
  /** The text for health when all is well. */
  readonly detail: string
  /** The way to other nodes; undefined when there can be none. */
  readonly shared: SharedBus | undefined
  /** Where devices connect; undefined: not listening. */
  readonly port: number | undefined
  readonly tlsPort: number | undefined
  describe(metrics: Metrics): void
  /** Serves MQTT on the server of the API. Call it before the server listens. */
  attach(server: HttpServer, tls: Tls | undefined, addressOf: AddressOf): Promise<void>
  /** Call it when the API listens, because an external broker may ask the API who we are. */
  connect(): Promise<void>
  /** Messages below these levels after the client id are read too, besides values. */
  readAlso(levels: readonly string[]): void
  /** Leaves the messages of an external broker to other nodes. */
  stopReading(): Promise<void>
  stopAccepting(): void
  /** Checks the credential of every open connection again. */
  recheck(): Promise<void>
  /** Answers how many sessions ended. */
  endSessionsUnusedSince(time: number): number | Promise<number>
  /** Drops retained messages whose first topic level is gone; answers how many. */
  dropRetained(isGone: (level: string) => boolean): Promise<number>
}

export type BusParts = {
  registry: Registry
  claims: Claims
  rules: BrokerRules<MqttSession>
  ingest: Ingest
  /** For an external broker. */
  brokerAccess: BrokerAccess
  /** For the embedded broker. */
  store: Store | undefined
  quotas: Quotas
  disk: DiskSpace
  clock: Clock
  log: Logger
}

/** Starts the thread of the embedded broker's store; undefined with an external broker. */
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
      connectionsPerOwner: config.MQTT_CONNECTIONS_PER_OWNER,
      sessionExpiry: (config.MQTT_SESSION_DAYS * DAY) / SECOND,
      keepAlive: config.MQTT_KEEP_ALIVE_SECONDS
    },
    onMessage: (message, sender) => ingest.accept(message, sender)
  }).catch(explainPort('CARACAL_MQTT_PORT', host, port))
  for (const what of ['connections', 'filters'] as const) {
    quotas.countBy(what, (payer) => bus.charged(what, payerName(payer)))
  }
  let overTls: Server | undefined
  return {
    publish: (...message) => bus.publish(...message),
    isHeard: (topic) => bus.isHeard(topic),
    hear: (topic, hearer) => bus.hear(topic, hearer),
    close: () => bus.close(),
    get failure() {
      return bus.failure
    },
    isRead: true,
    get connections() {
      return bus.counts.connections
    },
    get received() {
      return bus.counts.received
    },
    clients: () => bus.clients(),
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
      overTls = tls.createServer((socket, certificate) =>
        bus.accept(socket, socket.remoteAddress, certificate)
      )
      overTls.listen(MQTTS_PORT, host)
      await once(overTls, 'listening').catch(explainPort('CARACAL_MQTTS_PORT', host, MQTTS_PORT))
    },
    connect: () => Promise.resolve(),
    // All messages pass the embedded broker.
    readAlso: () => {},
    stopReading: () => Promise.resolve(),
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
    hear: (topic, hearer) => bus.hear(topic, hearer),
    close: () => bus.close(),
    get failure() {
      return bus.failure
    },
    get isRead() {
      return bus.isRead
    },
    get connections() {
      return bus.counts.connections
    },
    get received() {
      return bus.counts.received
    },
    clients: () => undefined,
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
    readAlso: (levels) => bus.readAlso(levels),
    stopReading: () => bus.stopReading(),
    stopAccepting() {},
    recheck: () => rechecks.ask(),
    // Another owner may get the client id, so no kept messages may be left.
    async endSessionsUnusedSince(time) {
      if (!bus.isFirst || bus.failure) return 0
      return brokerAccess.freeUnused(time, cutOff)
    },
    // An external broker has its own rules for retained messages.
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
    if (error.code === 'EADDRINUSE')
      throw new Error(`${setting} ${port} on ${host} is already in use`)
    if (error.code === 'EACCES') throw new Error(`${setting} ${port} on ${host} is not allowed`)
    throw new Error(`${setting}: cannot listen on ${host}:${port} (${error.message})`)
  }
