import type { Scope } from '../lib/scope.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import type { Grants } from './permission.ts'

/** Whoever the guard let in. */
export type Principal = {
  kind: 'user' | 'gateway' | 'system'
  /** The same for every connection and request of the same account. */
  owner: string
  /** 0 for a system account and a gateway, which are nobody's user. */
  userId: number
  /** The token that was shown, when it was one. */
  tokenId: number | undefined
  priority: number
  /** 0 for those without one. */
  roleId: number
  /** When the account ends, Unix milliseconds; 0 = never. */
  expireAt: number
  grants: Grants
  /** A restricted key may do only what both its owner and its own list may. */
  limit: Grants | undefined
  /** As the user record lists them. */
  organizationIds: readonly number[]
  /** The caller's organizations and all below. */
  organizationsBelow: ReadonlySet<number>
  /** The caller's organizations and all above: their second factor holds for the caller. */
  organizationsAbove: ReadonlySet<number>
  /** One of those below is the top of all. */
  reachesTop: boolean
  assigned: ReadonlySet<number>
}

/** Any name of the catalogue, or of a type: `functionx/zwave/add`. */
export const holdsName = ({ grants, limit }: Principal, name: string): boolean =>
  grants.covers(name) && (limit === undefined || limit.covers(name))

export const holds = (principal: Principal, permission: PlainPermission): boolean =>
  holdsName(principal, permission)

/** The only decision about an action on an installation, for HTTP and MQTT alike. */
export function may(
  principal: Principal,
  action: ScopedAction,
  installation: InstallationRef
): boolean {
  const { grants, limit } = principal
  return (
    decide(principal, grants, action, installation) &&
    (limit === undefined || decide(principal, limit, action, installation))
  )
}

/** By these grants of the principal: its own, or the list of a restricted key. */
export const decide = (
  { organizationsBelow, assigned }: Principal,
  grants: Grants,
  action: ScopedAction,
  { id, organization_id }: InstallationRef
): boolean =>
  (organizationsBelow.has(organization_id) && grants.covers(`${action}/all`)) ||
  (assigned.has(id) && grants.covers(`${action}/assigned`)) ||
  grants.coversIn(id, action)

/** The installations on which a principal may do something: the same decision, for lists. */
export function scopeOf(principal: Principal, action: ScopedAction): Scope {
  const { grants, limit } = principal
  const scope = scopeBy(principal, grants, action)
  return limit === undefined ? scope : { ...scope, within: scopeBy(principal, limit, action) }
}

function scopeBy(
  { organizationsBelow, assigned }: Principal,
  grants: Grants,
  action: ScopedAction
): Scope {
  const named = [...grants.installationIds].filter((id) => grants.coversIn(id, action))
  return {
    organizationIds: grants.covers(`${action}/all`) ? [...organizationsBelow] : [],
    installationIds: grants.covers(`${action}/assigned`) ? [...assigned, ...named] : named
  }
}

/**
 * The organizations on whose own things a principal may do something: with `.../all` its own and
 * below, with `.../assigned` those it belongs to itself.
 */
export const organizationsWhere = (principal: Principal, action: ScopedAction): Set<number> =>
  new Set(
    [...principal.organizationsBelow].filter((id) =>
      grantsOf(principal).every(
        (grants) =>
          grants.covers(`${action}/all`) ||
          (principal.organizationIds.includes(id) && grants.covers(`${action}/assigned`))
      )
    )
  )

/** Whether any grant opens the action, on whatever installation; which ones may still be none. */
export const holdsSomewhere = (principal: Principal, action: ScopedAction): boolean =>
  grantsOf(principal).every((grants) => opensSomewhere(grants, action))

/** All of them must allow a thing. */
export const grantsOf = ({ grants, limit }: Principal): Grants[] =>
  limit === undefined ? [grants] : [grants, limit]

export const opensSomewhere = (grants: Grants, action: ScopedAction): boolean =>
  grants.covers(`${action}/all`) ||
  grants.covers(`${action}/assigned`) ||
  [...grants.installationIds].some((id) => grants.coversIn(id, action))
