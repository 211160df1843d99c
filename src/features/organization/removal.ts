import { mayHandOut } from '../../access/delegation.ts'
import { holds, holdsName, type Principal } from '../../access/principal.ts'
import type { Deps } from '../../deps.ts'
import { badRequest, forbidden } from '../../http/errors.ts'
import { tellRemoved } from '../../notify/removed.ts'
import { moveEdgeApps } from '../../registry/edge-apps.ts'
import { holdFiles } from '../../registry/files.ts'
import { readInstallationRefs, removeInstallations } from '../../registry/installations.ts'
import { listExecutors, removeExecutors } from '../../registry/notification-executors.ts'
import {
  contentsOf,
  deleteOrganizations,
  findOrganization,
  installationsIn,
  organizationsBelow,
  usersOnlyIn
} from '../../registry/organizations.ts'
import { deletePolicy, listPolicies } from '../../registry/registrations.ts'
import { deleteRole, rolesMadeIn, rolesOf } from '../../registry/roles.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { deleteUser, otherAdministrators } from '../../registry/users.ts'

/**
 * Without force an organization must be empty. With it everything below goes along: organizations,
 * installations with their history, and members who belong nowhere else. [ADR-0008]
 */
export async function removeOrganization(
  deps: Deps,
  principal: Principal,
  id: number,
  force: boolean
): Promise<void> {
  const { registry, directory, clock } = deps
  const installations = await inTransaction(registry, async (registry) => {
    if (!force) {
      const { children, installations, users, executors, files, policies, roles } =
        await contentsOf(registry, id)
      if (children > 0) throw badRequest('the organization has children')
      if (installations > 0) throw badRequest('the organization has installations')
      if (users > 0) throw badRequest('the organization has users')
      if (executors > 0) throw badRequest('the organization has notification executors')
      if (files > 0) throw badRequest('the organization has files')
      if (policies > 0) throw badRequest('the organization has registration policies')
      if (roles > 0) throw badRequest('the organization has roles')
    }
    const ids = await organizationsBelow(registry, [id])
    if (principal.organizationIds.some((own) => ids.includes(own))) {
      throw badRequest('the organization is your own, or above it')
    }
    const members = await usersOnlyIn(registry, ids)
    const roles = await rolesOf(registry, members)
    if (!roles.every((role) => mayHandOut(principal, directory, role))) throw forbidden()
    if (
      members.length > 0 &&
      (await otherAdministrators(registry, { without: members, now: clock() })) === 0
    ) {
      throw badRequest('the last administrator stays')
    }
    const gone = await readInstallationRefs(registry, await installationsIn(registry, ids))
    // With force or without, everybody needs the right for what they delete.
    if (gone.length > 0 && !holdsName(principal, 'installation/delete/all')) throw forbidden()
    if (members.length > 0 && !holds(principal, 'user/create/delete')) throw forbidden()
    const executors = await listExecutors(registry, ids)
    if (executors.length > 0 && !holds(principal, 'notification/executor/manage')) throw forbidden()
    const hasFiles = await holdFiles(registry, ids)
    if (hasFiles && !holds(principal, 'file/update/organization')) throw forbidden()
    const policies = await listPolicies(registry, ids)
    if (policies.length > 0 && !holds(principal, 'registration/policy/create_delete')) {
      throw forbidden()
    }
    const made = await rolesMadeIn(registry, ids)
    if (made.length > 0 && !holds(principal, 'role/create_delete')) throw forbidden()
    if (!made.every((role) => mayHandOut(principal, directory, role))) throw forbidden()
    const goneIds = gone.map((one) => one.id)
    await removeInstallations(registry, goneIds, clock())
    for (const member of members) await deleteUser(registry, member, clock())
    const root = await findOrganization(registry, id)
    await removeExecutors(registry, ids)
    for (const policy of policies) await deletePolicy(registry, policy.id)
    for (const { id, name } of made) {
      if (!(await deleteRole(registry, id)))
        throw badRequest(`the role "${name}" is used elsewhere`)
    }
    if (root?.parent_id) await moveEdgeApps(registry, ids, root.parent_id)
    await deleteOrganizations(registry, ids, clock())
    return gone
  })
  await tellRemoved(deps, installations)
}
