import type { Holding } from '../../holding.ts'
import { replanSchedules } from './schedules.ts'

/** `timezone` applies to installations without a time zone. */
export const scheduleHolding = (timezone: string): Holding => ({
  tables: [
    {
      table: 'schedules',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    }
  ],
  zoneChanged: (registry, installationId, now) =>
    replanSchedules(registry, timezone, now, installationId)
})
