import { organizationsAbove } from '../registry/organizations.ts'
import { findRole, isRoleOf, listRolesWithin, type Role } from '../registry/roles.ts'
import type { Registry } from '../registry/tables.ts'
import type { Principal } from './principal.ts'
import { reachesEverything } from './visibility.ts'

/** A role is visible in its organization, in those below it and in those above it. [ADR-0035] */
async function organizationsSeen(registry: Registry, principal: Principal): Promise<number[]> {
  const above = await organizationsAbove(registry, principal.organizationIds)
  return [...new Set([...above, ...principal.organizationsBelow])]
}

export const rolesVisibleTo = async (registry: Registry, principal: Principal): Promise<Role[]> =>
  listRolesWithin(registry, await organizationsSeen(registry, principal))

/** Undefined for both a missing and an invisible role. */
export async function visibleRole(
  registry: Registry,
  principal: Principal,
  id: number
): Promise<Role | undefined> {
  const role = await findRole(registry, id)
  if (!role || role.organization_id === null) return role
  const seen = await organizationsSeen(registry, principal)
  return seen.includes(role.organization_id) ? role : undefined
}

/** Roles without an organization are for the whole platform: the caller must reach all of it. */
export const mayWriteRolesOf = (principal: Principal, organizationId: number | null): boolean =>
  organizationId === null
    ? reachesEverything(principal)
    : principal.organizationsBelow.has(organizationId)

/** Whether a member of these organizations may have the role. */
export async function isRoleFor(
  registry: Registry,
  roleId: number,
  organizationIds: readonly number[]
): Promise<boolean> {
  const role = await findRole(registry, roleId)
  return role !== undefined && isRoleOf(registry, role, organizationIds)
}
