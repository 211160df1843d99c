import { topicMatches } from '../lib/topic.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { type ScopedAction, scopedActions } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { actionOf, allows, type ModelxVerb, typesAllowed } from './modelx-types.ts'
import { holdsName, may, type Principal } from './principal.ts'

export type Explanation = { granted: boolean; grant: string | null; reason: string }

const no = (reason: string): Explanation => ({ granted: false, grant: null, reason })

/** Explains in words why the caller has a permission or not, on one installation if it is given. */
export function explain(
  principal: Principal,
  directory: Directory,
  permission: string,
  installationId?: number
): Explanation {
  const grant = principal.grants.patterns.find((pattern) => topicMatches(pattern, permission))
  if (installationId === undefined) {
    if (holdsName(principal, permission) && grant)
      return { granted: true, grant, reason: 'granted' }
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
  return way
    ? { granted: true, grant: way.grant, reason: way.reason }
    : no('no grant of the caller covers it on that installation')
}

function explainType(
  principal: Principal,
  permission: string,
  [, resource, type = '', verb]: RegExpExecArray,
  installation: InstallationRef | undefined
): Explanation {
  const kind = resource === 'device' ? 'devicex' : 'functionx'
  const types = installation && typesAllowed(principal, kind, verb as ModelxVerb, installation)
  if (!types || !allows(types, type))
    return no('no grant of the caller covers it on that installation')
  const names = [permission, `${installation.id}/${permission}`]
  const grant = principal.grants.patterns.find((pattern) =>
    names.some((name) => topicMatches(pattern, name))
  )
  if (grant) return { granted: true, grant, reason: 'the grant covers the type' }
  const [way] = waysOf(principal, actionOf(kind, verb as ModelxVerb), installation)
  return { granted: true, grant: way?.grant ?? null, reason: way?.reason ?? 'granted' }
}

type Way = { scope: 'all' | 'assigned'; grant: string; reason: string }

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
      grant ? { scope, grant, reason: why } : false,
      byId ? { scope, grant: byId, reason: 'the grant names the installation' } : false
    ]
  })
  return ways.filter((way) => way !== false)
}
