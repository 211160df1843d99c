import type { Holding } from '../../holding.ts'
import { bequeath } from './entries.ts'

/** Entries stay after their objects are deleted. */
export const traceHolding: Holding = {
  tables: [
    { table: 'trace', owner: 'organization', column: 'organization_id', onDelete: 'stays' },
    { table: 'trace', owner: 'installation', column: 'installation_id', onDelete: 'stays' },
    { table: 'trace', owner: 'user', column: 'user_id', onDelete: 'stays' },
    {
      table: 'organization_heirs',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'stays'
    },
    { table: 'organization_heirs', owner: 'organization', column: 'heir_id', onDelete: 'stays' }
  ],
  leaveOrganizations: (registry, ids) => bequeath(registry, ids)
}
