import type { UserScope } from '../registry/users.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import { holds, holdsName, organizationsWhere, type Principal } from './principal.ts'

/** Settings of the whole platform belong to callers who reach the top organization. */
export const reachesEverything = ({ reachesTop }: Principal): boolean => reachesTop

/**
 * The users that the caller can see. `user/list` shows the members of the caller's organizations;
 * from the top organization also users without any. `user/list/assigned` shows users who share an
 * assigned installation. Callers always see themselves.
 */
export const usersVisibleTo = (principal: Principal): UserScope => ({
  userId: principal.userId,
  organizationIds: holds(principal, 'user/list') ? [...principal.organizationsBelow] : [],
  installationIds: holds(principal, 'user/list/assigned') ? [...principal.assigned] : [],
  lostToo: holds(principal, 'user/list') && principal.reachesTop
})

type ProtectedAction = 'view' | 'edit'

/**
 * The users whose protected metadata the caller may see or set. `assigned` means the caller and the
 * users who share an assigned installation.
 */
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

/** `assigned` means the organizations that the caller belongs to. */
export function organizationsProtected(
  principal: Principal,
  action: ProtectedAction
): readonly number[] {
  const has = (scope: string) =>
    holdsName(principal, `organization/${action}/protected_meta/${scope}`)
  if (has('all')) return [...principal.organizationsBelow]
  return has('assigned') ? principal.organizationIds : []
}

/** The organizations whose own things, such as files, the caller may use the action on. */
export const organizationsWithin = (
  principal: Principal,
  { action, permissions }: { action: ScopedAction; permissions: readonly PlainPermission[] }
): ReadonlySet<number> =>
  permissions.some((name) => holds(principal, name))
    ? principal.organizationsBelow
    : organizationsWhere(principal, action)
