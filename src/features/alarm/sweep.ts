import { setImmediate as nextTurn } from 'node:timers/promises'
import { DAY } from '../../lib/unix-time.ts'
import { forgetAlarms } from '../../registry/alarms.ts'
import type { Registry } from '../../registry/tables.ts'

const KEPT_DAYS = 366
/** Deletes in small groups, so that other requests do not wait long for the registry. */
const ALARMS_PER_ROUND = 500

/** Deletes alarms that were raised more than a year ago. An open alarm stays. */
export async function sweepAlarms(registry: Registry, now: number): Promise<void> {
  const before = now - KEPT_DAYS * DAY
  while ((await forgetAlarms(registry, before, ALARMS_PER_ROUND)) === ALARMS_PER_ROUND)
    await nextTurn()
}
