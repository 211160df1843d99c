import type { Logger } from 'pino'
import type { Backups } from '../backup/backups.ts'
import type { BrokerRules } from '../bus/bus.ts'
import type { Store } from '../bus/embedded/store/store.ts'
import type { Config } from '../config.ts'
import type { App } from '../deps.ts'
import type { Teller } from '../features/alarm/tell/teller.ts'
import type { Watcher } from '../features/alarm/watcher.ts'
import type { Blacklist } from '../features/blacklist/blacklist.ts'
import type { BrokerAccess } from '../features/broker/broker-access.ts'
import type { Authority } from '../features/certificate/authority.ts'
import type { CertificateThread } from '../features/certificate/thread.ts'
import type { FileStore } from '../features/file/store.ts'
import type { Eraser } from '../features/installation/eraser.ts'
import type { Derivation } from '../features/mapping/derivation.ts'
import type { LastMessages } from '../features/mapping/last-messages.ts'
import type { Mappings } from '../features/mapping/mappings.ts'
import type { Scheduler } from '../features/schedule/scheduler.ts'
import type { Indexer } from '../features/search/indexer.ts'
import type { Searcher } from '../features/search/searcher.ts'
import type { ReadHealth } from '../features/system/deps.ts'
import type { Recorder } from '../features/system/recorder.ts'
import type { TraceRecorder } from '../features/trace/recorder.ts'
import type { History } from '../history/history.ts'
import type { Latest } from '../history/latest/latest.ts'
import type { SampleIds } from '../history/sample-ids.ts'
import type { Spool } from '../history/spool/spool.ts'
import type { Connections } from '../http/connections.ts'
import type { Trust } from '../http/proxies.ts'
import type { FailedSignIns } from '../identity/failed-sign-ins.ts'
import type { FirstLogin } from '../identity/first-administrator.ts'
import type { GatewayPresence } from '../identity/gateway-presence.ts'
import type { Identity } from '../identity/identity.ts'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../metrics.ts'
import type { AlarmEvents } from '../notify/alarm-events.ts'
import type { Directory } from '../permission/directory.ts'
import type { MqttSession } from '../permission/mqtt-rules.ts'
import type { Accounts } from '../quota/accounts.ts'
import type { Bookkeeper } from '../quota/bookkeeper.ts'
import type { Meter } from '../quota/meter.ts'
import type { Quotas } from '../quota/quotas.ts'
import type { Shares } from '../quota/shares.ts'
import type { CertificateCounts } from '../registry/certificates.ts'
import type { Claims } from '../registry/claims.ts'
import type { Registry } from '../registry/tables.ts'
import type { RoomDeps } from '../routes.ts'
import type { DirectWriter } from '../samples/direct-writer.ts'
import type { Ingest } from '../samples/ingest.ts'
import type { Mover } from '../samples/mover.ts'
import type { OwnRetention } from '../samples/own-retention.ts'
import type { Peers } from '../samples/peers.ts'
import type { Removals } from '../samples/removals.ts'
import type { Retention } from '../samples/retention.ts'
import type { PublicAddress } from './address.ts'
import type { PlatformBus } from './bus.ts'
import type { ControlServer } from './control/server.ts'
import type { DataDirLock } from './data-dir.ts'
import type { DiskSpace } from './disk-space.ts'
import type { Housekeeping } from './housekeeping.ts'
import type { LastRun } from './last-run.ts'
import type { LineageKeeper, LineageParts } from './lineage.ts'
import type { Tls } from './tls.ts'

export type Given = {
  config: Config
  log: Logger
  clock: Clock
  /** No other node may run beside this one. */
  isAlone: boolean
}

/** What is given to a start of the whole platform. */
export type GivenToStart = Given & {
  /**
   * Called as soon as the first administrator exists, because its password is shown nowhere else.
   */
  onFirstLogin: (login: FirstLogin) => void
}

/** The parts that keep data. They are open and locked for this process. */
export type Storage = {
  lock: DataDirLock
  claims: Claims
  /** Whether this start has changed the schema of the registry. */
  upgrade: { hasMigrated: boolean }
  registry: Registry
  /** Of the embedded broker; undefined with an external broker. */
  store: Store | undefined
  spoolThread: { ready: Promise<Spool> }
  history: History
  spool: Spool
  filesDisk: DiskSpace
  files: FileStore
  /** The name of each place in messages, without users and passwords. */
  names: LineageParts['names']
}

/** The parts that know callers, their permissions and their quotas. */
export type AccessParts = {
  lineage: LineageKeeper
  firstLogin: FirstLogin | undefined
  searcher: Searcher
  directory: Directory
  identity: Identity
  blacklist: Blacklist
  quotas: Quotas
  shares: Shares
}

/** The parts that a sample passes. */
export type Samples = {
  /** `id` tells this node from others. It is the id of its spool. */
  node: { id: string; ids: SampleIds }
  latest: Latest
  metrics: Metrics
  disk: DiskSpace
  /** True while the disk has more space than its reserve. */
  hasRoom: () => boolean
  trace: TraceRecorder
  /** Resolves when the samples that were taken so far are stored. */
  settled: () => Promise<void>
  accounts: Accounts
  meter: Meter
  bookkeeper: Bookkeeper
  /** With ACK=history; else samples go to the spool. */
  direct: DirectWriter | undefined
  ingest: Ingest
  mappings: Mappings
  lastMessages: LastMessages
  derivation: Derivation
  mover: Mover
  removals: Removals
  eraser: Eraser
  retention: Retention
  ownRetention: OwnRetention
  backups: Backups
}

/** The parts that clients connect to. */
export type Serving = {
  tls: Tls | undefined
  failedSignIns: FailedSignIns
  gateways: GatewayPresence
  rules: BrokerRules<MqttSession>
  brokerAccess: BrokerAccess
  certificateThread: CertificateThread
  certificateAuthority: Authority
  certificateCounts: () => Promise<CertificateCounts>
  bus: PlatformBus
  /** Whose X-Forwarded-For is believed. */
  trust: Trust
  address: PublicAddress
  state: RunState
  health: ReadHealth
  alarmEvents: AlarmEvents
  watcher: Watcher
  deps: RoomDeps
  app: App
  connections: Connections
  listening: boolean
  connected: boolean
  peers: Peers | undefined
}

/** The parts that work in the background. */
export type Workers = {
  housekeeping: Housekeeping
  timers: readonly NodeJS.Timeout[]
  indexer: Indexer
  scheduler: Scheduler
  teller: Teller
  recorder: Recorder
  /** True when all parts are open and the workers have started. */
  working: boolean
}

/** How the last run ended, and whether this one has started. */
export type Run = { lastRun: LastRun }

/** What has changed since the start. */
export type RunState = { isDraining: boolean }

/** What a stop does before any part is closed. */
export type Drain = { drained: boolean }

/** How operators reach the running platform. */
export type Control = { control: ControlServer | undefined }

export type Parts = GivenToStart &
  Run &
  Storage &
  AccessParts &
  Samples &
  Serving &
  Workers &
  Control &
  Drain
