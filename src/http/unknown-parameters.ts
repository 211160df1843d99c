import type { FastifyRequest } from 'fastify'
import { type ApiError, badRequest } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Query parameters that clients send although the route does not use them [ADR-0031]. 'all': the
     * query is for the page that is sent.
     */
    tolerates?: readonly string[] | 'all'
  }
}

/** What the schema of a query says about parameter names. */
type QuerySchema = {
  properties?: object
  /** true: every other name is a metadata filter. */
  additionalProperties?: unknown
  /** Names with this prefix are metadata filters. */
  'x-prefix'?: string
}

/** Bounds of one message. */
const MAX_NAMES = 5
const MAX_NAME_CHARACTERS = 50

/**
 * [ADR-0031] A parameter that the route does not know would be a filter without effect. This runs
 * after the guard, so that only permitted callers learn which parameters the route knows.
 */
export function unknownParameters(request: FastifyRequest): ApiError | undefined {
  const names = Object.keys(request.query as object)
  if (names.length === 0) return undefined
  const { routeOptions } = request
  // A path without a route is 404, with any query.
  if (routeOptions.url === undefined) return undefined
  const schema = (routeOptions.schema?.querystring ?? {}) as QuerySchema
  if (schema.additionalProperties === true) return undefined
  const { properties = {}, 'x-prefix': prefix } = schema
  const { tolerates = [] } = routeOptions.config
  if (tolerates === 'all') return undefined
  const unknown = names.filter(
    (name) =>
      !Object.hasOwn(properties, name) &&
      !tolerates.includes(name) &&
      !(prefix !== undefined && name.startsWith(prefix))
  )
  if (unknown.length === 0) return undefined
  const known = [...Object.keys(properties), ...(prefix === undefined ? [] : [`${prefix}<key>`])]
  return badRequest(
    `unknown parameter${unknown.length > 1 ? 's' : ''} ${listed(unknown)}; ` +
      `this route knows ${known.join(', ') || 'none'}`
  )
}

function listed(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) =>
      name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}...` : name
    )
    .join(', ')
  const rest = names.length - MAX_NAMES
  return rest > 0 ? `${shown} and ${rest} more` : shown
}
