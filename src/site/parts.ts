import type { FastifyBaseLogger } from 'fastify'
import type { FileStore } from '../features/file/store.ts'
import type { Eraser } from '../features/installation/eraser.ts'
import type { TraceRecorder } from '../features/trace/recorder.ts'
import type { History } from '../history/history.ts'
import type { Latest } from '../history/latest/latest.ts'
import type { SampleIds } from '../history/sample-ids.ts'
import type { Spool } from '../history/spool/spool.ts'
import type { Clock } from '../lib/clock.ts'
import type { ObjectChange } from '../notify/change.ts'
import type { Directory } from '../permission/directory.ts'
import type { Accounts } from '../quota/accounts.ts'
import type { Quotas } from '../quota/quotas.ts'
import type { Registry } from '../registry/tables.ts'
import type { Removals } from '../samples/removals.ts'

/** What moving a site needs, on a running and on a stopped platform. */
export type SiteParts = {
  registry: Registry
  dataDir: string
  history: History
  spool: Spool
  ids: SampleIds
  latest: Latest
  files: FileStore
  directory: Directory
  quotas: Quotas
  accounts: Accounts
  removals: Removals
  eraser: Eraser
  trace: TraceRecorder
  lineage: { ahead(): Promise<void>; note(): Promise<void> }
  hasRoom: () => boolean
  /** The time zone of installations that have none. */
  timezone: string
  clock: Clock
  log: FastifyBaseLogger
  /** Tells listeners on MQTT; does nothing on a stopped platform. */
  tell: (change: ObjectChange) => Promise<void>
}

/** How a long command goes on and ends. */
export type Going = {
  signal: AbortSignal
  /** Takes the finished part, 0 to 1. */
  onProgress: (done: number) => void
}
