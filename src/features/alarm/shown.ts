import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import type { AlarmRow } from './alarms.ts'

const seconds = (at: number | null): number | null => (at === null ? null : toSeconds(unixMs(at)))

/** An alarm as in answers. */
export const shownAlarm = (alarm: Omit<AlarmRow, 'is_told' | 'told'>) => ({
  id: alarm.id,
  rule_id: alarm.rule_id === 0 ? null : alarm.rule_id,
  installation_id: alarm.installation_id,
  topic: alarm.topic,
  severity: alarm.severity,
  state: stateOf(alarm),
  raised_at: toSeconds(unixMs(alarm.raised_at)),
  acknowledged_at: seconds(alarm.acknowledged_at),
  acknowledged_by: alarm.acknowledged_by,
  note: alarm.note,
  cleared_at: seconds(alarm.cleared_at),
  value: alarm.value,
  message: alarm.message
})

/** A cleared alarm keeps its acknowledgement. */
export function stateOf({
  cleared_at,
  acknowledged_at
}: Pick<AlarmRow, 'cleared_at' | 'acknowledged_at'>): 'raised' | 'acknowledged' | 'cleared' {
  if (cleared_at !== null) return 'cleared'
  return acknowledged_at === null ? 'raised' : 'acknowledged'
}
