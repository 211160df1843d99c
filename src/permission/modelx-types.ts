import type { InstallationRef } from '../registry/installations.ts'
import type { ScopedAction } from './catalogue.ts'
import type { Grants } from './grants.ts'
import { decide, grantsOf, may, opensSomewhere, type Principal } from './principal.ts'

export type ModelxResource = 'functionx' | 'devicex'
export type ModelxVerb = 'view' | 'add' | 'edit' | 'delete'

/** The types of objects that a right applies to; an empty set means none. */
export type Types = 'all' | ReadonlySet<string>

const actionsOf = <Resource extends ModelxResource>(resource: Resource) =>
  ({
    view: `${resource}/list`,
    add: `${resource}/create_delete`,
    edit: `${resource}/update`,
    delete: `${resource}/create_delete`
  }) as const

const actions: Record<ModelxResource, Record<ModelxVerb, ScopedAction>> = {
  functionx: actionsOf('functionx'),
  devicex: actionsOf('devicex')
}

/** Permission names by type use the word `device` for devicex. */
const byType: Record<ModelxResource, string> = { functionx: 'functionx', devicex: 'device' }

export const actionOf = (resource: ModelxResource, verb: ModelxVerb): ScopedAction =>
  actions[resource][verb]

/** Every permission name that allows the verb, as the documentation writes them. */
export const namesOfVerb = (resource: ModelxResource, verb: ModelxVerb): string[] => [
  `${actionOf(resource, verb)}/all`,
  `${actionOf(resource, verb)}/assigned`,
  `${byType[resource]}/<type>/${verb}`
]

/**
 * The types of objects that the caller may use the verb on. A scoped action allows all types. A
 * name by type (`functionx/zwave/view`) applies to every installation that the caller can see.
 */
export function typesAllowed(
  principal: Principal,
  resource: ModelxResource,
  verb: ModelxVerb,
  installation: InstallationRef
): Types {
  const action = actionOf(resource, verb)
  const by = (grants: Grants): Types => {
    if (decide(principal, grants, action, installation)) return 'all'
    const sees = may(principal, 'installation/list', installation)
    return grants.types(byType[resource], verb, { id: installation.id, isVisible: sees })
  }
  const own = by(principal.grants)
  return principal.limit === undefined ? own : both(own, by(principal.limit))
}

/** Whether a grant allows the verb for some type somewhere. There may be no such installation. */
export const opensSome = (
  principal: Principal,
  resource: ModelxResource,
  verb: ModelxVerb
): boolean =>
  grantsOf(principal).every(
    (grants) =>
      opensSomewhere(grants, actionOf(resource, verb)) ||
      [0, ...grants.installationIds].some(
        (id) => !isNone(grants.types(byType[resource], verb, { id, isVisible: true }))
      )
  )

export const allows = (types: Types, type: string): boolean => types === 'all' || types.has(type)

export const isNone = (types: Types): boolean => types !== 'all' && types.size === 0

function both(a: Types, b: Types): Types {
  if (a === 'all') return b
  return b === 'all' ? a : new Set([...a].filter((type) => b.has(type)))
}
