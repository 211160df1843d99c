import { type Holding, inOrganization } from '../../holding.ts'
import { findPolicy } from '../../registry/registrations.ts'
import { deletePolicy, listPolicies } from './policies.ts'

export const registrationHolding: Holding = {
  tables: [
    {
      table: 'registration_policies',
      owner: 'organization',
      column: 'organization_id',
      onDelete: 'cascade'
    },
    {
      table: 'registration_policies',
      owner: 'organization',
      column: 'parent_organization',
      onDelete: 'cascade'
    }
  ],
  blocks: {
    what: 'registration policies',
    right: 'registration/policy/create_delete',
    has: async (registry, ids) => (await listPolicies(registry, ids)).length > 0
  },
  // The database would delete them too, but only after the roles that they refer to.
  async leaveOrganizations(registry, ids) {
    for (const { id } of await listPolicies(registry, ids)) await deletePolicy(registry, id)
  },
  traced: {
    object: 'user_registration_policy',
    async ownerOf({ registry }, id) {
      const policy = await findPolicy(registry, id)
      return inOrganization(policy?.organization_id ?? policy?.parent_organization)
    }
  }
}
