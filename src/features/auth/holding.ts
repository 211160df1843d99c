import type { Holding } from '../../holding.ts'

export const authHolding: Holding = {
  tables: [
    { table: 'tokens', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    // A key with a mount is of no use without its installation.
    {
      table: 'tokens',
      owner: 'installation',
      column: 'mount_installation_id',
      onDelete: 'cascade'
    },
    { table: 'sms_log', owner: 'user', column: 'user_id', onDelete: 'cascade' }
  ]
}
