import type { BackupHealth, CertificateHealth, ReadHealth } from '../features/system/deps.ts'
import { historyEngineAt } from '../history/open.ts'
import { MINUTE, SECOND } from '../lib/unix-time.ts'
import { within } from '../lib/within.ts'
import { quarantineText } from './broken-files.ts'
import type { Parts } from './parts.ts'

/** The answer of `GET /health/ready` for each engine. */
export const healthOf =
  (
    parts: Pick<
      Parts,
      | 'config'
      | 'claims'
      | 'directory'
      | 'mover'
      | 'direct'
      | 'history'
      | 'bus'
      | 'disk'
      | 'watcher'
    >
  ) =>
  async (): ReturnType<ReadHealth> => {
    const { config, claims, directory, mover, direct, history, bus, disk, watcher } = parts
    const notTaken = mover.failure ?? direct?.failure
    const historyDetail = () => {
      const missing = quarantineText(history.files)
      const engine = historyEngineAt(config.HISTORY_URL)
      return missing ? `${engine}; ${missing}` : engine
    }
    const registryEngine = config.REGISTRY_URL === '' ? 'sqlite' : 'postgresql'
    return {
      registry: claims.failure
        ? failed(claims.failure)
        : await directory.catchUp().then(ok(registryEngine), failed),
      history:
        notTaken === undefined
          ? await history.check().then(ok(historyDetail()), failed)
          : failed(notTaken),
      bus: bus.failure ? failed(bus.failure) : { ok: true, detail: bus.detail },
      ...(watcher.isUsed && { alarms: watchedWell(watcher) }),
      disk: { ok: disk.isEnough, detail: `${Math.floor(disk.free / 1024 / 1024)} MB free` }
    }
  }

/** Values wait in the spool, and nothing is lost; but nobody is told of what they mean. */
function watchedWell({ behindMs }: Parts['watcher']) {
  const seconds = Math.round(behindMs / SECOND)
  if (behindMs <= MINUTE) return { ok: true, detail: 'values are judged' }
  return failed(`the rules are ${seconds} seconds behind the values`)
}

const ok = (detail: string) => () => ({ ok: true, detail })
const failed = (why: unknown) => ({
  ok: false,
  detail: why instanceof Error ? why.message : String(why)
})

/** Everybody can read it, so it names no places. The log says more. */
export function backupHealthOf({
  backups,
  config
}: Pick<Parts, 'backups' | 'config'>): BackupHealth | undefined {
  const { last } = backups
  const made = last.made?.ended ?? null
  if (last.failed) return { ok: false, made, detail: 'the last backup failed: see the log' }
  if (made === null)
    return config.BACKUP_DIR === '' ? undefined : { ok: true, made, detail: 'none was made yet' }
  return { ok: true, made, detail: `made at ${new Date(made * SECOND).toISOString()}` }
}

/** Longer than this health does not wait. */
const COUNT_LIMIT_MS = 2 * SECOND

/** A certificate that ends is a warning: everything else works. [ADR-0068] */
export async function certificateHealthOf({
  certificateCounts
}: Pick<Parts, 'certificateCounts'>): Promise<CertificateHealth | undefined> {
  const slow = () => new Error('the certificates are not counted yet')
  const counts = await within(COUNT_LIMIT_MS, certificateCounts(), slow).catch(() => undefined)
  if (!counts || counts.valid + counts.expiring + counts.expired === 0) return undefined
  const { expiring, expired, next } = counts
  const ends = next === undefined ? '' : `; the next one ends at ${new Date(next).toISOString()}`
  return {
    ok: expiring + expired === 0,
    ...{ expiring, expired },
    next: next === undefined ? null : Math.floor(next / SECOND),
    detail: `${expired} expired, ${expiring} end within 30 days${ends}`
  }
}
