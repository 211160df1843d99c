import { type CronTexts, nextRun, parseCron } from './cron.ts'
import type { UnixMs } from './unix-time.ts'

type Planned = CronTexts & { active: 0 | 1; executor: string }

/** Every executor but these two looks after its own schedules. */
const isOurs = (executor: string): boolean => executor === 'server' || executor === 'gateway'

/** When the platform has to look at a schedule next; null = never. */
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

/** [contract: Events] A gateway runs its own once it has said that it can; till then we stand in. */
export const runsHere = (executor: string, capabilities: readonly string[]): boolean =>
  executor === 'server' || (executor === 'gateway' && !capabilities.includes('schedule'))
