import type { MountPlace } from '../lib/mount.ts'
import type { Scope } from '../lib/scope.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { type PlainPermission, type ScopedAction, scopedActions } from './catalogue.ts'
import type { Grants } from './grants.ts'

/** The caller that the guard let in. */
export type Principal = {
  kind: 'user' | 'gateway' | 'system'
  /** The same name for every connection and request of an account. */
  owner: string
  /** 0 for a system account and a gateway, which have no user. */
  userId: number
  /** The token that the caller signed in with; undefined after a password. */
  tokenId: number | undefined
  priority: number
  /** 0 for a caller without a role. */
  roleId: number
  /** When the account ends, in Unix milliseconds; 0 = never. */
  expireAt: number
  grants: Grants
  /** The list of a restricted key. Both the owner's grants and this list must allow an action. */
  limit: Grants | undefined
  /** Where the topics of a mounted key are. Such a key is for MQTT only. [ADR-0062] */
  mount: MountPlace | undefined
  /** The organizations in the user record. */
  organizationIds: readonly number[]
  /** The caller's organizations and all below. */
  organizationsBelow: ReadonlySet<number>
  /** The caller's organizations and all above. If one forces SMS login, the caller needs it. */
  organizationsAbove: ReadonlySet<number>
  /** Whether `organizationsBelow` has the top organization of the platform. */
  reachesTop: boolean
  assigned: ReadonlySet<number>
}

/** Takes any name of the catalogue, or a name by type: `functionx/zwave/add`. */
export const holdsName = ({ grants, limit }: Principal, name: string): boolean =>
  grants.covers(name) && (limit === undefined || limit.covers(name))

export const holds = (principal: Principal, permission: PlainPermission): boolean =>
  holdsName(principal, permission)

/** Decides about an action on an installation. HTTP and MQTT use only this function. */
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

/** Whether the installation is assigned to the caller, or in the caller's organizations or below. */
export const belongsTo = (
  { organizationsBelow, assigned }: Principal,
  { id, organization_id }: InstallationRef
): boolean => assigned.has(id) || organizationsBelow.has(organization_id)

/** Made once: a name is looked up for each message. */
const namesOfAll = new Map<string, string>(scopedActions.map((name) => [name, `${name}/all`]))
const onAll = (action: ScopedAction): string => namesOfAll.get(action) ?? `${action}/all`

/** Decides with one set of grants: the principal's own, or the list of a restricted key. */
export const decide = (
  { organizationsBelow, assigned }: Principal,
  grants: Grants,
  action: ScopedAction,
  { id, organization_id }: InstallationRef
): boolean =>
  (organizationsBelow.has(organization_id) && grants.covers(onAll(action))) ||
  (assigned.has(id) && grants.covers(`${action}/assigned`)) ||
  grants.coversIn(id, action)

/** The installations on which `may` allows the action, for lists. */
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
 * The organizations whose own things, such as files, the action is allowed on. `.../all` means the
 * caller's organizations and those below, `.../assigned` only the organizations of the caller.
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

/** Whether a grant allows the action somewhere. There may be no such installation. */
export const holdsSomewhere = (principal: Principal, action: ScopedAction): boolean =>
  grantsOf(principal).every((grants) => opensSomewhere(grants, action))

/** The grants of the caller and of the key; all of them must allow an action. */
export const grantsOf = ({ grants, limit }: Principal): Grants[] =>
  limit === undefined ? [grants] : [grants, limit]

export const opensSomewhere = (grants: Grants, action: ScopedAction): boolean =>
  grants.covers(`${action}/all`) ||
  grants.covers(`${action}/assigned`) ||
  [...grants.installationIds].some((id) => grants.coversIn(id, action))
