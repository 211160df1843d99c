import type { AlarmEvents } from '../../notify/alarm-events.ts'

export type AlarmDeps = { alarmEvents: AlarmEvents }
