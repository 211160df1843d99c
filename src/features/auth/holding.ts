import type { Holding } from '../../holding.ts'

export const authHolding: Holding = {
  tables: [
    { table: 'tokens', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'sms_log', owner: 'user', column: 'user_id', onDelete: 'cascade' }
  ]
}
