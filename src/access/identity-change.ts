import type { Principal } from './principal.ts'

/** Ids of what decides who may do what, and has changed. */
export type IdentityChange = Readonly<
  /** `assignments` and `gateways` of installations. */
  Record<
    'users' | 'roles' | 'organizations' | 'trees' | 'assignments' | 'gateways',
    ReadonlySet<number>
  >
>

/** Whether what is known of the principal may no longer hold. [ADR-0038] */
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
