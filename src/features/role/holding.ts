import { type Holding, inOrganization } from '../../holding.ts'
import { badRequest } from '../../http/errors.ts'
import { topOrganization } from '../../registry/organizations.ts'
import { deleteRole, findRole, rolesMadeIn } from '../../registry/roles.ts'

export const roleHolding: Holding = {
  tables: [{ table: 'roles', owner: 'organization', column: 'organization_id', onDelete: 'leave' }],
  blocks: {
    what: 'roles',
    right: 'role/create_delete',
    has: async (registry, ids) => (await rolesMadeIn(registry, ids)).length > 0
  },
  async leaveOrganizations(registry, ids) {
    for (const { id, name } of await rolesMadeIn(registry, ids)) {
      if (!(await deleteRole(registry, id))) {
        throw badRequest(`the role "${name}" is used elsewhere`)
      }
    }
  },
  traced: {
    object: 'role',
    // Entries about platform roles are shown only to callers who reach the top organization.
    ownerOf: async ({ registry }, id) =>
      inOrganization(
        (await findRole(registry, id))?.organization_id ?? (await topOrganization(registry))
      )
  }
}
