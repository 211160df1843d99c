import { type Holding, inOrganization } from '../../holding.ts'
import { hasChildren } from '../../registry/organizations.ts'

export const organizationHolding: Holding = {
  tables: [
    { table: 'organizations', owner: 'organization', column: 'parent_id', onDelete: 'blocks' },
    {
      table: 'organization_meta',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'cascade'
    }
  ],
  blocks: { what: 'children', has: hasChildren },
  traced: { object: 'organization', ownerOf: async (_places, id) => inOrganization(id) }
}
