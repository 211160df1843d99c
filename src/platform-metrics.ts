import { highestShares } from './access/quota-shares.ts'
import type { Deps } from './deps.ts'
import type { Metrics } from './metrics.ts'
import type { PlatformBus } from './platform-bus.ts'
import type { DiskSpace } from './workers/disk-space.ts'
import type { Retention } from './workers/retention.ts'

/** Figures that are read when someone asks. */
export function describeState(
  metrics: Metrics,
  parts: Pick<
    Deps,
    'spool' | 'trace' | 'history' | 'latest' | 'directory' | 'quotas' | 'accounts' | 'clock'
  > & {
    bus: PlatformBus
    disk: DiskSpace
    retention: Retention
  }
): void {
  const { spool, trace, history, latest, directory, bus, disk, retention } = parts
  const state = () => spool.state()
  const { quotas, accounts, clock } = parts
  metrics.gauge(
    'spool_samples',
    'Samples on their way to history',
    async () => (await state()).samples
  )
  metrics.gauge('spool_bytes', 'Their size on disk', async () => (await state()).bytes)
  metrics.gauge('history_bytes', 'History on disk', () =>
    // The other figures matter most when history does not answer.
    history.sizes().then(
      ({ bytes }) => bytes,
      () => Number.NaN
    )
  )
  metrics.gauge(
    'history_budget_excess_bytes',
    'History above CARACAL_HISTORY_BUDGET_MB that is too young to be dropped',
    () => retention.excess
  )
  metrics.gauge('topics', 'Topics with a latest value', () => latest.size)
  metrics.gauge('installations', 'Installations', () => directory.size)
  metrics.table(
    'quota_share',
    'What is used of a quota, 1 is all of it: the three owners that are nearest to it',
    ['quota', 'owner'],
    () =>
      highestShares(accounts, quotas, clock()).map(({ quota, owner, share }) => ({
        labels: { quota, owner },
        figure: share
      }))
  )
  bus.describe(metrics)
  metrics.gauge(
    'trace_dropped',
    'Refused writes and sign-ins that were too many to trace, since the start',
    () => trace.dropped
  )
  metrics.gauge('disk_free_bytes', 'Free space of the data directory', () => disk.free)
}
