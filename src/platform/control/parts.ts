import type { FastifyBaseLogger } from 'fastify'
import type { Backups } from '../../backup/backups.ts'
import type { App } from '../../deps.ts'
import type { TraceRecorder } from '../../features/trace/recorder.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Registry } from '../../registry/tables.ts'
import type { SiteParts } from '../../site/parts.ts'
import type { QuarantineWork } from './quarantine.ts'
import type { Status } from './status.ts'

/** What the questions of operators need, on a running and on a stopped platform. */
export type ControlParts = {
  registry: Registry
  trace: TraceRecorder
  clock: Clock
  log: FastifyBaseLogger
  /** `ahead` runs before a write. `written` runs after it: then this node works by what is new. */
  ahead(): Promise<void>
  written(): Promise<void>
  status(): Promise<Status>
  backup: Backups['make']
  /** Undefined if history has no files here. */
  quarantine: QuarantineWork | undefined
  /** Only where history and files are open. */
  site?: SiteParts
}

export type ControlRoutes = (app: App, parts: ControlParts) => Promise<void> | void
