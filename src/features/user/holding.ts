import { type Holding, inOrganization } from '../../holding.ts'
import { hasMembers, organizationsOf } from '../../registry/users.ts'

export const userHolding: Holding = {
  tables: [
    {
      table: 'user_organizations',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'cascade'
    },
    { table: 'user_organizations', owner: 'user', column: 'user_id', onDelete: 'cascade' },
    { table: 'user_meta', owner: 'user', column: 'user_id', onDelete: 'cascade' }
  ],
  blocks: { what: 'users', has: hasMembers },
  traced: {
    object: 'user',
    ownerOf: async ({ registry }, id) => inOrganization((await organizationsOf(registry, id))[0])
  }
}
