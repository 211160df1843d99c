import type { Principal } from '../permission/principal.ts'

/** The ids of changed records that decide about permissions. */
export type IdentityChange = Readonly<
  /** `assignments` and `gateways` have ids of installations. */
  Record<
    'users' | 'roles' | 'organizations' | 'trees' | 'assignments' | 'gateways',
    ReadonlySet<number>
  >
>

/** Whether the principal may have changed and must be read again. [ADR-0038] */
export function concerns(
  { users, roles, organizations, trees, assignments, gateways }: IdentityChange,
  { kind, userId, roleId, organizationsBelow, organizationsAbove, assigned }: Principal
): boolean {
  if (kind === 'gateway') return hasAny(gateways, assigned)
  if (users.has(userId) || roles.has(roleId) || hasAny(assignments, assigned)) return true
  if (hasAny(trees, organizationsBelow)) return true
  return hasAny(organizations, organizationsBelow) || hasAny(organizations, organizationsAbove)
}

const hasAny = (some: ReadonlySet<number>, all: ReadonlySet<number>): boolean => {
  for (const one of some) if (all.has(one)) return true
  return false
}
