import type { Static } from 'typebox'
import { toSeconds, unixMs } from '../../lib/unix-time.ts'
import type { AlarmRow } from './alarms.ts'
import { stateOf } from './list.ts'
import type { Alarm } from './schema.ts'

const secondsOf = (ms: number | null): number | null => (ms === null ? null : toSeconds(unixMs(ms)))

export const shownAlarm = (row: AlarmRow): Static<typeof Alarm> => ({
  id: row.id,
  rule_id: row.rule_id === 0 ? null : row.rule_id,
  installation_id: row.installation_id,
  topic: row.topic,
  severity: row.severity,
  state: stateOf(row),
  raised_at: toSeconds(unixMs(row.raised_at)),
  acknowledged_at: secondsOf(row.acknowledged_at),
  acknowledged_by: row.acknowledged_by,
  note: row.note,
  cleared_at: secondsOf(row.cleared_at),
  value: row.value,
  message: row.message
})
