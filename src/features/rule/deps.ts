import type { AlarmEvents } from '../../notify/alarm-events.ts'

export type RuleDeps = {
  alarmEvents: AlarmEvents
  /** False with ACK=history: there is no spool whose values rules could judge. */
  hasRules: boolean
  /** A query of history that takes this long is logged. */
  slowQueryMs: number
}
