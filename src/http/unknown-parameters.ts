import type { FastifyRequest } from 'fastify'
import { type ApiError, badRequest } from './errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Query parameters that clients send though the route has no use for them [ADR-0031]. */
    tolerates?: readonly string[]
  }
}

/** What the schema of a query says about the names it takes. */
type QuerySchema = {
  properties?: object
  /** true: every other name is a metadata filter. */
  additionalProperties?: unknown
  /** Names that begin so are metadata filters. */
  'x-prefix'?: string
}

/** Of one message, whatever was sent. */
const MAX_NAMES = 5
const MAX_NAME_LENGTH = 50

/**
 * [ADR-0031] A parameter that the route does not know would be a filter that filters nothing. Asked
 * after the guard, so that only those who may call the route learn what it knows.
 */
export function unknownParameters({ query, routeOptions }: FastifyRequest): ApiError | undefined {
  const names = Object.keys(query as object)
  // An address without a route is 404, whatever its query.
  if (names.length === 0 || routeOptions.url === undefined) return undefined
  const schema = (routeOptions.schema?.querystring ?? {}) as QuerySchema
  if (schema.additionalProperties === true) return undefined
  const { properties = {}, 'x-prefix': prefix } = schema
  const { tolerates = [] } = routeOptions.config
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
    .map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}...` : name))
    .join(', ')
  const rest = names.length - MAX_NAMES
  return rest > 0 ? `${shown} and ${rest} more` : shown
}
