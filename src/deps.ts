import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { Bus } from './bus/bus.ts'
import type { History } from './history/history.ts'
import type { Latest } from './history/latest/latest.ts'
import type { Spool } from './history/spool/spool.ts'
import type { Holding } from './holding.ts'
import type { FailedSignIns } from './identity/failed-sign-ins.ts'
import type { Identity } from './identity/identity.ts'
import type { Clock } from './lib/clock.ts'
import type { Metrics } from './metrics.ts'
import type { Sender } from './outbound/sender.ts'
import type { Directory } from './permission/directory.ts'
import type { Accounts } from './quota/accounts.ts'
import type { Meter } from './quota/meter.ts'
import type { Quotas } from './quota/quotas.ts'
import type { Shares } from './quota/shares.ts'
import type { Registry } from './registry/tables.ts'

/**
 * Engines and services that rooms share. A room that needs more declares it: `Routes<SearchDeps>`.
 */
export type Deps = {
  clock: Clock
  log: FastifyBaseLogger
  registry: Registry
  history: History
  latest: Latest
  spool: Spool
  bus: Bus
  mail: Sender
  sms: Sender
  metrics: Metrics
  identity: Identity
  failedSignIns: FailedSignIns
  directory: Directory
  /** Names and passwords of the accounts that may read push tokens. */
  systemAccounts: ReadonlyMap<string, string>
  /**
   * The key that an external broker sends with its questions. If it is empty, no broker may ask.
   */
  brokerKey: string
  /** False with an external broker, which does not know the mounts of keys. [ADR-0062] */
  hasMounts: boolean
  quotas: Quotas
  accounts: Accounts
  meter: Meter
  shares: Shares
  /** What each room keeps for an organization, an installation or a user. */
  holdings: readonly Holding[]
  /**
   * `ahead` runs before a write, `note` before its answer: other parts know each new id by then
   * [ADR-0030].
   */
  lineage: { ahead(): Promise<void>; note(): Promise<void> }
  /** How long a request may send no part of its body. */
  bodyTimeoutMs: number
  /** True while the disk has more space than its reserve. */
  hasRoom: () => boolean
  /** The public address of the API, without a slash at the end. */
  publicUrl: () => string
  /** The time zone of installations that have none. */
  timezone: string
  /** Removes the history of deleted installations in the background. */
  eraseHistory: () => void
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>
/** `Own` are the dependencies that only this room needs. */
export type Routes<Own = unknown> = (app: App, deps: Deps & Own) => Promise<void> | void
