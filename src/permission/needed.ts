import type { FastifyRequest } from 'fastify'
import type { Needed } from '../http/errors.ts'
import { namesOfVerb } from './modelx-types.ts'
import type { RouteAccess } from './route-access.ts'

/** The permissions of which a caller of the route needs one. None: no permission opens it. */
export function permissionsOf(access: RouteAccess): string[] {
  switch (access.kind) {
    case 'permission':
    case 'platform':
    case 'organization':
    case 'user':
      return [...access.permissions]
    case 'installation':
    case 'bucket':
      return access.actions.flatMap(scoped)
    case 'assigned':
      return scoped(access.action)
    case 'modelx':
      return namesOfVerb(access.resource, access.verb)
    case 'within':
      return [...scoped(access.action), ...access.permissions]
    default:
      return []
  }
}

const scoped = (action: string): string[] => [`${action}/all`, `${action}/assigned`]

/** [ADR-0070] What the route asked for. It says nothing about whether the object exists. */
export function neededBy({ routeOptions, params, query }: FastifyRequest): Needed {
  const { access } = routeOptions.config
  if (!access) return { permissions: [] }
  const permissions = permissionsOf(access)
  const object = objectOf(access.kind, { ...(query as object), ...(params as object) })
  return object ? { permissions, object } : { permissions }
}

function objectOf(kind: RouteAccess['kind'], named: Record<string, unknown>): Needed['object'] {
  switch (kind) {
    case 'installation':
    case 'modelx':
    case 'assigned':
      return { kind: 'installation', id: named['installation_id'] }
    case 'bucket':
      return { kind: 'installation', id: named['bucket'] }
    case 'organization':
    case 'within':
      return { kind: 'organization', id: named['organization_id'] }
    case 'user':
      return { kind: 'user', id: named['user_id'] }
    default:
      return undefined
  }
}
