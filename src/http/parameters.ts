import type { FastifyRequest, FastifySchema } from 'fastify'

/** The kinds of JSON Schema that a parameter is described with. */
type ParameterSchema = {
  type?: string
  items?: ParameterSchema
  anyOf?: ParameterSchema[]
  /** A list whose values may hold commas: it is not taken apart here. */
  'x-repeated'?: boolean
}
type Values = Record<string, unknown>

/**
 * Brings query and path into the form their schemas describe, before validation: an empty value is
 * no value, lists may be repeated or comma-separated, booleans come as 1, true or True, numbers as
 * text, and of a scalar that is given twice the last one counts. What the schema does not name stays
 * as it came, and what does not fit stays too, for validation to refuse by its name.
 */
export function tolerateParameters({ routeOptions, query, params }: FastifyRequest): void {
  const { querystring, params: pathSchema }: FastifySchema = routeOptions.schema ?? {}
  convert(query as Values, querystring)
  convert(params as Values, pathSchema)
}

function convert(values: Values, schema: unknown): void {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, ParameterSchema> }
  for (const [name, parameter] of Object.entries(properties)) {
    if (!Object.hasOwn(values, name)) continue
    const given = [values[name]].flat().filter((value) => value !== '')
    const value =
      parameter.type === 'array' ? listOf(given, parameter) : scalarOf(given.at(-1), parameter)
    if (value === undefined) delete values[name]
    else values[name] = value
  }
}

function listOf(given: unknown[], schema: ParameterSchema): unknown[] | undefined {
  const { items = {}, 'x-repeated': isRepeated } = schema
  const parts = given
    .flatMap((value) => (isRepeated ? String(value) : String(value).split(',')))
    .filter((part) => part !== '')
  if (given.length === 0) return undefined
  // Commas alone are not empty: as no value they would be a filter that filters nothing.
  return parts.length > 0 ? parts.map((part) => scalarOf(part, items)) : given
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false]
])

function scalarOf(value: unknown, { type, anyOf }: ParameterSchema): unknown {
  if (typeof value !== 'string') return value
  if (anyOf) return anyOf.reduce((given: unknown, one) => scalarOf(given, one), value)
  if (type === 'boolean') return booleans.get(value.toLowerCase()) ?? value
  const isNumber = (type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(value)
  return isNumber ? Number(value) : value
}
