import type { UserScope } from '../registry/users.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import { holds, holdsName, organizationsWhere, type Principal } from './principal.ts'

/** What holds for the whole platform belongs to those who reach all of it. */
export const reachesEverything = ({ reachesTop }: Principal): boolean => reachesTop

/** Whom the caller can see: with `user/list` its organizations' members (from the top also those without any), with `.../assigned` its neighbours, itself always. */
export const usersVisibleTo = (principal: Principal): UserScope => ({
  userId: principal.userId,
  organizationIds: holds(principal, 'user/list') ? [...principal.organizationsBelow] : [],
  installationIds: holds(principal, 'user/list/assigned') ? [...principal.assigned] : [],
  lostToo: holds(principal, 'user/list') && principal.reachesTop
})

type ProtectedAction = 'view' | 'edit'

/** Whose protected metadata the caller may see or set; `assigned` means its neighbours and itself. */
export function usersProtected(principal: Principal, action: ProtectedAction): UserScope {
  const has = (scope: string) => holdsName(principal, `user/${action}/protected_meta/${scope}`)
  const isNeighbour = has('assigned')
  return {
    userId: has('all') || isNeighbour ? principal.userId : 0,
    organizationIds: has('all') ? [...principal.organizationsBelow] : [],
    installationIds: isNeighbour ? [...principal.assigned] : [],
    lostToo: has('all') && principal.reachesTop
  }
}

/** `assigned` means the organizations the caller belongs to itself. */
export function organizationsProtected(
  principal: Principal,
  action: ProtectedAction
): readonly number[] {
  const has = (scope: string) =>
    holdsName(principal, `organization/${action}/protected_meta/${scope}`)
  if (has('all')) return [...principal.organizationsBelow]
  return has('assigned') ? principal.organizationIds : []
}

/** Where the caller may do something with what an organization holds itself, such as files. */
export const organizationsWithin = (
  principal: Principal,
  { action, permissions }: { action: ScopedAction; permissions: readonly PlainPermission[] }
): ReadonlySet<number> =>
  permissions.some((name) => holds(principal, name))
    ? principal.organizationsBelow
    : organizationsWhere(principal, action)
