import { type Static, Type } from 'typebox'
import { LastBackups } from '../../backup/last.ts'
import { DAY, MINUTE, SECOND } from '../../lib/unix-time.ts'

const Engine = Type.Object({ ok: Type.Boolean(), detail: Type.String() })

/** What `status` shows. Sizes are in bytes, times in Unix seconds. */
export const Status = Type.Object({
  running: Type.Boolean(),
  version: Type.String(),
  pid: Type.Union([Type.Integer(), Type.Null()]),
  started: Type.Union([Type.Integer(), Type.Null()]),
  data_dir: Type.String(),
  addresses: Type.Array(Type.String()),
  engines: Type.Record(Type.String(), Engine),
  disk: Type.Object({ free: Type.Integer(), reserve: Type.Integer() }),
  spool: Type.Union([
    Type.Object({
      samples: Type.Integer(),
      bytes: Type.Integer(),
      oldest_seconds: Type.Integer({ description: 'How long the oldest sample has waited' })
    }),
    Type.Null()
  ]),
  connections: Type.Union([
    Type.Object({ http: Type.Integer(), mqtt: Type.Integer() }),
    Type.Null()
  ]),
  certificate_expires: Type.Union([Type.Integer(), Type.Null()]),
  backup: LastBackups,
  backup_every: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Seconds from one backup to the next; null: nobody set CARACAL_BACKUP_DIR'
  }),
  problems: Type.Array(Type.String(), { description: 'What is wrong, in words; empty: nothing' })
})
export type Status = Static<typeof Status>

/** As the alerts in deploy/grafana/alerts.yaml. */
const MAX_WAIT_MS = 5 * MINUTE
const CERTIFICATE_WARNING_MS = 14 * DAY

/** Everything of the status that an operator has to do something about. */
export function problemsOf(status: Omit<Status, 'problems'>, now: number): string[] {
  const problems: string[] = []
  if (!status.running) problems.push('Caracal is not running on this data directory')
  for (const [name, { ok, detail }] of Object.entries(status.engines)) {
    if (!ok) problems.push(`the ${name} does not work: ${detail}`)
  }
  const full = diskProblem(status.disk)
  if (full) problems.push(full)
  const { spool } = status
  if (status.running && spool && spool.oldest_seconds * SECOND > MAX_WAIT_MS) {
    const minutes = Math.floor((spool.oldest_seconds * SECOND) / MINUTE)
    problems.push(
      `${spool.samples} stored values have waited up to ${minutes} minutes for history: it is too slow or does not answer`
    )
  }
  const ending = certificateProblem(status.certificate_expires, now)
  if (ending) problems.push(ending)
  const { backup } = status
  if (backup.failed) problems.push(`the last backup failed: ${backup.failed.error}`)
  else if (status.running && isBackupLate(status, now))
    problems.push(
      backup.made
        ? `the last backup is from ${dateOf(backup.made.ended)}, but CARACAL_BACKUP_EVERY wants a newer one`
        : 'no backup was made yet, but CARACAL_BACKUP_DIR is set'
    )
  return problems
}

/** A backup may take as long as the time between two of them. */
function isBackupLate(
  { backup, backup_every, started }: Pick<Status, 'backup' | 'backup_every' | 'started'>,
  now: number
): boolean {
  if (backup_every === null) return false
  const last = Math.max(backup.made?.ended ?? 0, started ?? 0)
  return now / SECOND - last > 2 * backup_every
}

export function diskProblem({ free, reserve }: Status['disk']): string | undefined {
  if (free < reserve) {
    return `the disk has ${megabytes(free)} free, less than CARACAL_DISK_RESERVE_MB (${megabytes(reserve)}): no values are acknowledged until there is more`
  }
  if (free < 2 * reserve) {
    return `the disk is nearly full: ${megabytes(free)} free, and at ${megabytes(reserve)} no more values are acknowledged`
  }
  return undefined
}

export function certificateProblem(expires: number | null, now: number): string | undefined {
  if (expires === null) return undefined
  const left = expires * SECOND - now
  if (left <= 0) return `the TLS certificate ended on ${dateOf(expires)}: renew it`
  if (left > CERTIFICATE_WARNING_MS) return undefined
  return `the TLS certificate ends on ${dateOf(expires)}: renew it`
}

export const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`

export const dateOf = (seconds: number): string =>
  new Date(seconds * SECOND).toISOString().slice(0, 10)
