import { type Holding, inInstallation, inOrganization, noOwner } from '../../holding.ts'
import { recordChange } from '../../registry/changes.ts'

export const mappingHolding: Holding = {
  tables: [
    {
      table: 'mappings',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade',
      copied: true
    },
    {
      table: 'mappings',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'cascade'
    },
    {
      table: 'mapped_functions',
      owner: 'installation',
      column: 'installation_id',
      onDelete: 'cascade'
    }
  ],
  // Times without a zone are local times.
  zoneChanged: (registry, installationId, now) =>
    recordChange(registry, 'installation_mapping', installationId, now),
  traced: {
    object: 'mapping',
    async ownerOf({ registry, directory }, id) {
      const row = await registry
        .selectFrom('mappings')
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
