import type { Deps } from '../../deps.ts'
import { removeInstallations, removeOrganizations } from '../../holding.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { removeAndTell } from '../../notify/removed.ts'
import { mayHandOut } from '../../permission/delegation.ts'
import { holds, holdsName, type Principal } from '../../permission/principal.ts'
import { readInstallationRefs } from '../../registry/installations.ts'
import {
  findOrganization,
  installationsIn,
  organizationsBelow,
  usersOnlyIn
} from '../../registry/organizations.ts'
import { rolesMadeIn, rolesOf } from '../../registry/roles.ts'
import { deleteUser, otherAdministrators } from '../../registry/users.ts'

/**
 * Without force an organization must be empty. With force everything below it is deleted too:
 * organizations, installations with their history, and members without another organization.
 * [ADR-0008]
 */
export async function removeOrganization(
  deps: Deps,
  principal: Principal,
  id: number,
  force: boolean
): Promise<void> {
  const { directory, holdings, clock } = deps
  await removeAndTell(deps, async (registry) => {
    if (!force) {
      for (const { blocks } of holdings) {
        if (await blocks?.has(registry, [id])) {
          throw badRequest(`the organization has ${blocks?.what}`)
        }
      }
    }
    const ids = await organizationsBelow(registry, [id])
    if (principal.organizationIds.some((own) => ids.includes(own))) {
      throw badRequest('the organization is your own or above your own')
    }
    const members = await usersOnlyIn(registry, ids)
    const roles = await rolesOf(registry, members)
    if (!roles.every((role) => mayHandOut(principal, directory, role))) throw forbidden()
    if (
      members.length > 0 &&
      (await otherAdministrators(registry, { without: members, now: clock() })) === 0
    ) {
      throw badRequest('the last administrator cannot be removed')
    }
    const gone = await readInstallationRefs(registry, await installationsIn(registry, ids))
    // With or without force, the caller needs the right for everything that is deleted.
    if (gone.length > 0 && !holdsName(principal, 'installation/delete/all')) throw forbidden()
    if (members.length > 0 && !holds(principal, 'user/create/delete')) throw forbidden()
    for (const { blocks } of holdings) {
      if (!blocks?.right || holds(principal, blocks.right)) continue
      if (await blocks.has(registry, ids)) throw forbidden()
    }
    const made = await rolesMadeIn(registry, ids)
    if (!made.every((role) => mayHandOut(principal, directory, role))) throw forbidden()
    const goneIds = gone.map((one) => one.id)
    await removeInstallations(holdings, registry, goneIds, clock())
    for (const member of members) await deleteUser(registry, member, clock())
    const root = await findOrganization(registry, id)
    const context = { heir: root?.parent_id ?? null, now: clock() }
    await removeOrganizations(holdings, registry, ids, context)
    return gone
  })
}
