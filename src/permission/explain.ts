import { topicMatches } from '../lib/topic.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { type ScopedAction, scopedActions } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { actionOf, allows, type ModelxVerb, typesAllowed } from './modelx-types.ts'
import { holdsName, may, type Principal } from './principal.ts'

/** How a grant reaches the installation. */
type Through = 'organization' | 'assignment' | 'installation'
/** A grant that would allow it, if its holder reached the installation in this way. */
type Unreached = { grant: string; through: 'organization' | 'assignment' }

export type Explanation = {
  granted: boolean
  grant: string | null
  reason: string
  through: Through | null
  unreached: Unreached[]
}

const no = (reason: string, unreached: Unreached[] = []): Explanation => ({
  granted: false,
  grant: null,
  reason,
  through: null,
  unreached
})
const yes = (grant: string | null, reason: string, through: Through | null = null) => ({
  granted: true,
  grant,
  reason,
  through,
  unreached: []
})
const NOT_THERE = 'no grant of the caller covers it on that installation'

/** Explains in words why the caller has a permission or not, on one installation if it is given. */
export function explain(
  principal: Principal,
  directory: Directory,
  permission: string,
  installationId?: number
): Explanation {
  const grant = principal.grants.patterns.find((pattern) => topicMatches(pattern, permission))
  if (installationId === undefined) {
    if (holdsName(principal, permission) && grant) return yes(grant, 'granted')
    return no(grant ? 'the key is restricted and does not list it' : 'no grant covers it')
  }
  const [, scope] = /\/(all|assigned)$/.exec(permission) ?? []
  const bare = scope ? permission.slice(0, -scope.length - 1) : permission
  const installation = directory.installation(installationId)
  const typed = /^(functionx|device)\/([^/]+)\/(view|add|edit|delete)$/.exec(permission)
  if (typed) return explainType(principal, permission, typed, installation)
  const action = scopedActions.find((name) => name === bare)
  if (!action) return no('it is not about installations')
  // A missing installation and an invisible one get the same answer.
  const ways =
    installation && may(principal, action, installation)
      ? waysOf(principal, action, installation)
      : []
  const way = ways.find((one) => scope === undefined || one.scope === scope)
  if (way) return yes(way.grant, way.reason, way.through)
  return no(NOT_THERE, installation && unreachedBy(principal, action, installation, scope))
}

/** Grants for installations of another organization, or for assigned ones. */
function unreachedBy(
  { grants, organizationsBelow, assigned }: Principal,
  action: ScopedAction,
  { id, organization_id }: InstallationRef,
  scope: string | undefined
): Unreached[] {
  const isReached = {
    all: organizationsBelow.has(organization_id),
    assigned: assigned.has(id)
  }
  return (['all', 'assigned'] as const).flatMap((one) => {
    if (isReached[one] || (scope !== undefined && scope !== one)) return []
    const grant = grants.patterns.find((pattern) => topicMatches(pattern, `${action}/${one}`))
    return grant ? [{ grant, through: throughOf(one) }] : []
  })
}

function explainType(
  principal: Principal,
  permission: string,
  [, resource, type = '', verb]: RegExpExecArray,
  installation: InstallationRef | undefined
): Explanation {
  const kind = resource === 'device' ? 'devicex' : 'functionx'
  const types = installation && typesAllowed(principal, kind, verb as ModelxVerb, installation)
  if (!types || !allows(types, type)) return no(NOT_THERE)
  const names = [permission, `${installation.id}/${permission}`]
  const grant = principal.grants.patterns.find((pattern) =>
    names.some((name) => topicMatches(pattern, name))
  )
  if (grant) return yes(grant, 'the grant covers the type')
  const [way] = waysOf(principal, actionOf(kind, verb as ModelxVerb), installation)
  return yes(way?.grant ?? null, way?.reason ?? 'granted', way?.through)
}

type WayScope = 'all' | 'assigned'
type Way = { scope: WayScope; grant: string; reason: string; through: Through }

const throughOf = (scope: WayScope) => (scope === 'all' ? 'organization' : 'assignment')

function waysOf(
  { grants, organizationsBelow, assigned }: Principal,
  action: ScopedAction,
  { id, organization_id }: { id: number; organization_id: number }
): Way[] {
  const ways: (Way | false)[] = (['all', 'assigned'] as const).flatMap((scope) => {
    const find = (name: string) => grants.patterns.find((pattern) => topicMatches(pattern, name))
    const isReached = scope === 'all' ? organizationsBelow.has(organization_id) : assigned.has(id)
    const grant = isReached && find(`${action}/${scope}`)
    const byId = find(`${id}/${action}/${scope}`)
    const why =
      scope === 'all'
        ? 'it is in an organization of the caller or below'
        : 'it is assigned to the caller'
    return [
      grant ? { scope, grant, reason: why, through: throughOf(scope) } : false,
      byId
        ? {
            ...{ scope, grant: byId, through: 'installation' },
            reason: 'the grant names the installation'
          }
        : false
    ]
  })
  return ways.filter((way) => way !== false)
}
