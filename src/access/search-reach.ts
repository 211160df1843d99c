import {
  type KindReach,
  type Reach,
  type SearchKind,
  type SearchReach,
  searchKinds
} from '../lib/search-query.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { ScopedAction } from './catalogue.ts'
import type { Directory } from './directory.ts'
import { isNone, type ObjectResource, opensSome, type Types, typesAllowed } from './object-types.ts'
import { holdsName, holdsSomewhere, may, type Principal, scopeOf } from './principal.ts'

const resources = { device: 'devicex', function: 'functionx' } as const

/** What the caller may find; undefined when a kind was asked for that no grant opens, or none is open. */
export function searchReach(
  principal: Principal,
  directory: Directory,
  asked: readonly SearchKind[] | undefined
): SearchReach | undefined {
  const open = searchKinds.filter((kind) => isOpen(principal, kind))
  if (open.length === 0) return undefined
  if (asked && !asked.every((kind) => open.includes(kind))) return undefined
  const kinds = asked ? searchKinds.filter((kind) => asked.includes(kind)) : open
  return Object.fromEntries(kinds.map((kind) => [kind, kindReach(principal, directory, kind)]))
}

const isOpen = (principal: Principal, kind: SearchKind): boolean =>
  kind === 'installation'
    ? holdsSomewhere(principal, 'installation/list')
    : opensSome(principal, resources[kind], 'view')

function kindReach(principal: Principal, directory: Directory, kind: SearchKind): KindReach {
  const resource = kind === 'installation' ? kind : resources[kind]
  const reach = (action: ScopedAction) => reachOf(principal, directory, action)
  const visible = reach(`${resource}/list`)
  return {
    visible,
    types:
      visible === 'everything' || resource === 'installation'
        ? new Map()
        : typesBeyond(principal, directory, resource),
    seesProtected: reach(`${resource}/view/protected_meta`)
  }
}

function reachOf(principal: Principal, directory: Directory, action: ScopedAction): Reach {
  const seesAll = holdsName(principal, `${action}/all`)
  return seesAll && directory.isWithin(principal.organizationsBelow)
    ? 'everything'
    : scopeOf(principal, action)
}

/** Where the caller sees objects by their type alone. */
function typesBeyond(principal: Principal, directory: Directory, resource: ObjectResource) {
  const found = new Map<number, Types>()
  for (const installation of possibleInstallations(principal, directory, resource)) {
    if (may(principal, `${resource}/list`, installation)) continue
    const types = typesAllowed(principal, resource, 'view', installation)
    if (!isNone(types)) found.set(installation.id, types)
  }
  return found
}

/** Where there may be more than the scope shows; not a whole organization that it shows anyway. */
function* possibleInstallations(
  principal: Principal,
  directory: Directory,
  resource: ObjectResource
): Generator<InstallationRef> {
  if (!holdsName(principal, `${resource}/list/all`)) {
    yield* directory.inOrganizations(principal.organizationsBelow)
  }
  for (const id of [...principal.assigned, ...principal.grants.installationIds]) {
    const installation = directory.installation(id)
    if (installation) yield installation
  }
}
