import { type Holding, inInstallation, inOrganization, noOwner } from '../../holding.ts'
import { recordChange } from '../../registry/changes.ts'

export const ruleHolding: Holding = {
  tables: [
    {
      table: 'rules',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    },
    { table: 'rules', owner: 'organization', column: 'organization_id', onDelete: 'cascade' }
  ],
  // Schedules are in the zone of the installation.
  zoneChanged: (registry, installationId, now) =>
    recordChange(registry, 'installation_rule', installationId, now),
  traced: {
    object: 'rule',
    async ownerOf({ registry, directory }, id) {
      const row = await registry
        .selectFrom('rules')
        .select(['installation_id', 'organization_id'])
        .where('id', '=', id)
        .executeTakeFirst()
      if (!row) return noOwner
      return row.installation_id === null
        ? inOrganization(row.organization_id)
        : inInstallation(row.installation_id, directory.installation(row.installation_id))
    }
  }
}
