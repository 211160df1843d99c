import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Blacklist } from './access/blacklist.ts'
import type { BrokerAccess } from './access/broker-access.ts'
import type { Directory } from './access/directory.ts'
import type { Identity } from './access/identity.ts'
import type { Quotas } from './access/quotas.ts'
import type { Throttle } from './access/throttle.ts'
import type { TraceRecorder } from './access/trace-recorder.ts'
import type { Bus } from './bus/bus.ts'
import type { FileStore } from './file-store.ts'
import type { History } from './history/history.ts'
import type { Latest } from './history/latest.ts'
import type { SampleIds } from './history/sample-ids.ts'
import type { Spool } from './history/spool.ts'
import type { TopicQuota } from './history/topic-quota.ts'
import type { Clock } from './lib/clock.ts'
import type { Tally } from './lib/tally.ts'
import type { Metrics } from './metrics.ts'
import type { Executors } from './outbound/executors.ts'
import type { Sender } from './outbound/sender.ts'
import type { Searcher } from './registry/searcher.ts'
import type { Registry } from './registry/tables.ts'

/** Everything a route may ask for; built once in platform.ts. */
export type Deps = {
  clock: Clock
  log: FastifyBaseLogger
  registry: Registry
  searcher: Searcher
  searchTimeoutMs: number
  history: History
  latest: Latest
  topicQuota: TopicQuota
  spool: Spool
  ids: SampleIds
  /** Awaited before a write and before its answer: an id is known outside the registry first [ADR-0030]. */
  lineage: { ahead(): Promise<void>; note(): Promise<void> }
  /** How long the body of a request may stand still. */
  bodyTimeoutMs: number
  /** What a compressed import may unfold to. */
  importLimits: { bytes: number; lines: number }
  /** Above the disk reserve. */
  hasRoom: () => boolean
  files: FileStore
  /** Bytes that the files of one installation or organization may have together. */
  filesQuota: number
  /** Uploads under way, whichever path they came by: how many each caller has, and how much each owner gets. */
  uploading: { callers: Tally; bytes: Tally }
  bus: Bus
  directory: Directory
  blacklist: Blacklist
  quotas: Quotas
  /** Name and password of those who may read push tokens. */
  systemAccounts: ReadonlyMap<string, string>
  identity: Identity
  /** How often somebody may try to register. */
  registering: Throttle
  trace: TraceRecorder
  /** What an external broker asks, and the key it asks with; empty: nobody may. */
  brokerAccess: BrokerAccess
  brokerKey: string
  /** Whether samples that reach the bus now are read. */
  isBusRead: () => boolean
  health: Health
  metrics: Metrics
  /** Where people reach the API, without a slash at the end. */
  publicUrl: () => string
  /** What the credential of a gateway says: the API for such clients [ADR-0017], and the broker. */
  gatewayAddresses: (request: { host: string; protocol: string }) => {
    api: string
    mqtt_broker: string
  }
  /** From which time on a query of history is logged. */
  slowQueryMs: number
  /** Of schedules where the installation has none. */
  timezone: string
  mail: Sender
  sms: Sender
  executors: Executors
  /** Removes the history of installations that were deleted, in the background. */
  eraseHistory: () => void
}

export type EngineHealth = { ok: boolean; detail: string }
export type Health = () => Promise<Record<string, EngineHealth>>

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
export type Routes = (app: App, deps: Deps) => Promise<void> | void
