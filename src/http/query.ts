import type { FastifyRequest } from 'fastify'

/** The kinds of JSON Schema that a query parameter is described with. */
type ParameterSchema = {
  type?: string
  items?: { type?: string }
}

/**
 * Brings a query into the form its schema describes, before validation: an empty value is no value,
 * lists may be repeated or comma-separated, booleans come as 1, true or True, and of a scalar that
 * is given twice the last one counts. Parameters the schema does not name stay as they came.
 */
export function tolerateQuery(request: FastifyRequest): void {
  const schema = request.routeOptions.schema?.querystring as
    | { properties?: Record<string, ParameterSchema> }
    | undefined
  const query = request.query as Record<string, unknown>
  for (const [name, parameter] of Object.entries(schema?.properties ?? {})) {
    if (!Object.hasOwn(query, name)) continue
    const values = [query[name]].flat().filter((value) => value !== '')
    const value = parameter.type === 'array' ? listOf(values) : scalarOf(values.at(-1), parameter)
    if (value === undefined) delete query[name]
    else query[name] = value
  }
}

const listOf = (values: unknown[]): unknown[] | undefined => {
  const items = values.flatMap((value) => String(value).split(',')).filter((item) => item !== '')
  return items.length > 0 ? items : undefined
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false]
])

const scalarOf = (value: unknown, { type }: ParameterSchema): unknown =>
  type === 'boolean' ? (booleans.get(String(value).toLowerCase()) ?? value) : value
