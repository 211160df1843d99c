import type { Scope } from '../lib/scope.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { PlainPermission, ScopedAction } from './catalogue.ts'
import type { Grants } from './permission.ts'

/** Whoever the guard let in. */
export type Principal = {
  /** The same for every connection and request of the same account. */
  owner: string
  userId: number
  /** The token that was shown, when it was one. */
  tokenId: number | undefined
  priority: number
  grants: Grants
  /** As the user record lists them. */
  organizationIds: readonly number[]
  /** The caller's organizations and all below. */
  organizationsBelow: ReadonlySet<number>
  assigned: ReadonlySet<number>
}

export const holds = (principal: Principal, permission: PlainPermission): boolean =>
  principal.grants.covers(permission)

/** The only decision about an action on an installation, for HTTP and MQTT alike. */
export function may(
  principal: Principal,
  action: ScopedAction,
  installation: InstallationRef
): boolean {
  const { grants, organizationsBelow, assigned } = principal
  return (
    (organizationsBelow.has(installation.organization_id) && grants.covers(`${action}/all`)) ||
    (assigned.has(installation.id) && grants.covers(`${action}/assigned`)) ||
    grants.coversIn(installation.id, action)
  )
}

/** The installations on which a principal may do something: the same decision, for lists. */
export function scopeOf(principal: Principal, action: ScopedAction): Scope {
  const { grants, organizationsBelow, assigned } = principal
  const named = [...grants.installationIds].filter((id) => grants.coversIn(id, action))
  return {
    organizationIds: grants.covers(`${action}/all`) ? [...organizationsBelow] : [],
    installationIds: grants.covers(`${action}/assigned`) ? [...assigned, ...named] : named
  }
}
