import type { Holding } from '../../holding.ts'

/** There may be many alarms, so the eraser removes them after the installation. */
export const alarmHolding: Holding = {
  tables: [
    { table: 'alarms', owner: 'installation', column: 'installation_id', onDelete: 'later' },
    { table: 'alarm_states', owner: 'installation', column: 'installation_id', onDelete: 'cascade' }
  ]
}
