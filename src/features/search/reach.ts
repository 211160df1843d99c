import type { ScopedAction } from '../../permission/catalogue.ts'
import type { Directory } from '../../permission/directory.ts'
import {
  isNone,
  type ModelxResource,
  opensSome,
  type Types,
  typesAllowed
} from '../../permission/modelx-types.ts'
import {
  holdsName,
  holdsSomewhere,
  may,
  type Principal,
  scopeOf
} from '../../permission/principal.ts'
import type { InstallationRef } from '../../registry/installations.ts'
import { searchKinds } from '../../registry/search-marks.ts'
import type { SearchKind } from '../../registry/tables.ts'
import type { KindReach, Reach, SearchReach } from './query.ts'

const resources = { device: 'devicex', function: 'functionx' } as const

/** What the caller may find; undefined if no grant allows a requested kind, or any kind at all. */
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

/** Installations where only grants by type show objects to the caller. */
function typesBeyond(principal: Principal, directory: Directory, resource: ModelxResource) {
  const found = new Map<number, Types>()
  for (const installation of possibleInstallations(principal, directory, resource)) {
    if (may(principal, `${resource}/list`, installation)) continue
    const types = typesAllowed(principal, resource, 'view', installation)
    if (!isNone(types)) found.set(installation.id, types)
  }
  return found
}

/**
 * Installations where grants by type may show more. Organizations that `list/all` shows are
 * skipped.
 */
function* possibleInstallations(
  principal: Principal,
  directory: Directory,
  resource: ModelxResource
): Generator<InstallationRef> {
  if (!holdsName(principal, `${resource}/list/all`)) {
    yield* directory.inOrganizations(principal.organizationsBelow)
  }
  for (const id of [...principal.assigned, ...principal.grants.installationIds]) {
    const installation = directory.installation(id)
    if (installation) yield installation
  }
}
