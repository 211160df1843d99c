import type { Holding } from '../holding.ts'
import { deleteQuotas } from './overrides.ts'
import { deleteUsage } from './usage.ts'

/** `quotas` and `usage` name their owner by `kind` and `id`. */
export const quotaHolding: Holding = {
  tables: [
    { table: 'quotas', owner: 'organization', column: 'id', onDelete: 'leave' },
    { table: 'quotas', owner: 'installation', column: 'id', onDelete: 'leave', copied: true },
    { table: 'usage', owner: 'organization', column: 'id', onDelete: 'leave' },
    { table: 'usage', owner: 'installation', column: 'id', onDelete: 'leave' },
    { table: 'usage_months', owner: 'installation', column: 'installation_id', onDelete: 'leave' }
  ],
  async leaveOrganizations(registry, ids) {
    await deleteQuotas(registry, 'organization', ids)
    await deleteUsage(registry, 'organization', ids)
  },
  async leaveInstallations(registry, ids) {
    await deleteQuotas(registry, 'installation', ids)
    await deleteUsage(registry, 'installation', ids)
  }
}
