import type { Holding } from '../../holding.ts'

export const mobileHolding: Holding = {
  tables: [{ table: 'mobile_devices', owner: 'user', column: 'user_id', onDelete: 'cascade' }]
}
