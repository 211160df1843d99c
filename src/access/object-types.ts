import type { InstallationRef } from '../registry/installations.ts'
import type { ScopedAction } from './catalogue.ts'
import type { Grants } from './permission.ts'
import { decide, grantsOf, may, opensSomewhere, type Principal } from './principal.ts'

export type ObjectResource = 'functionx' | 'devicex'
export type ObjectVerb = 'view' | 'add' | 'edit' | 'delete'

/** The types of objects something holds for; an empty set is none. */
export type Types = 'all' | ReadonlySet<string>

const actions: Record<ObjectVerb, 'list' | 'create_delete' | 'update'> = {
  view: 'list',
  add: 'create_delete',
  edit: 'update',
  delete: 'create_delete'
}

/** The names by type call a device `device`. */
const byType: Record<ObjectResource, string> = { functionx: 'functionx', devicex: 'device' }

export const actionOf = (resource: ObjectResource, verb: ObjectVerb): ScopedAction =>
  `${resource}/${actions[verb]}`

/** Every name that allows it, as the documents write them. */
export const namesOfVerb = (resource: ObjectResource, verb: ObjectVerb): string[] => [
  `${actionOf(resource, verb)}/all`,
  `${actionOf(resource, verb)}/assigned`,
  `${byType[resource]}/<type>/${verb}`
]

/**
 * For which types of objects the caller may do it on the installation: by scope for all of them, by
 * type (`functionx/zwave/view`) in every installation the caller can see.
 */
export function typesAllowed(
  principal: Principal,
  resource: ObjectResource,
  verb: ObjectVerb,
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

/** Whether any grant allows it for any type, on whatever installation; which ones may still be none. */
export const opensSome = (
  principal: Principal,
  resource: ObjectResource,
  verb: ObjectVerb
): boolean =>
  grantsOf(principal).every(
    (grants) =>
      opensSomewhere(grants, `${resource}/${actions[verb]}`) ||
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
