import type { UnixMs } from '../../lib/unix-time.ts'
import { type CronTexts, nextRun, parseCron } from './cron.ts'

type Planned = CronTexts & { active: 0 | 1; executor: string }

/** The platform runs the schedules of these two executors; others run their own. */
const isOurs = (executor: string): boolean => executor === 'server' || executor === 'gateway'

/** When the platform must handle the schedule next; null = never. */
export const planOf = (
  schedule: Planned,
  zone: string,
  after: UnixMs
): { next_run: UnixMs | null; zone: string } => ({
  zone,
  next_run:
    schedule.active === 1 && isOurs(schedule.executor)
      ? (nextRun(parseCron(schedule), zone, after) ?? null)
      : null
})

/**
 * [contract: Events] A gateway that reports the capability runs its own schedules; else we do it.
 */
export const runsHere = (executor: string, capabilities: readonly string[]): boolean =>
  executor === 'server' || (executor === 'gateway' && !capabilities.includes('schedule'))
