import type { FastifyRequest, FastifySchema } from 'fastify'

/** The parts of JSON Schema that parameters use. */
type ParameterSchema = {
  type?: string
  items?: ParameterSchema
  anyOf?: ParameterSchema[]
  /** A list whose values may contain commas, so it is not split here. */
  'x-repeated'?: boolean
}
type Values = Record<string, unknown>

/**
 * Converts query and path to the form of their schemas, before validation. An empty value counts as
 * missing. Lists may be repeated or comma-separated. Booleans come as 1, true or True, numbers as
 * text. When a scalar is given twice, the last one counts. Unknown parameters stay as they are.
 * Values that do not fit also stay, so that validation can name them.
 */
export function tolerateParameters({ routeOptions, query, params }: FastifyRequest): void {
  const { querystring, params: pathSchema }: FastifySchema = routeOptions.schema ?? {}
  convert(query as Values, querystring)
  convert(params as Values, pathSchema)
}

type Parameters = readonly (readonly [name: string, schema: ParameterSchema])[]

/** By the schema of a route, which lives as long as the program. */
const known = new WeakMap<object, Parameters>()

function parametersOf(schema: object): Parameters {
  let parameters = known.get(schema)
  if (!parameters) {
    const { properties = {} } = schema as { properties?: Record<string, ParameterSchema> }
    parameters = Object.entries(properties)
    known.set(schema, parameters)
  }
  return parameters
}

function convert(values: Values, schema: unknown): void {
  if (!schema) return
  for (const [name, parameter] of parametersOf(schema)) {
    if (!Object.hasOwn(values, name)) continue
    const raw = values[name]
    const isPlain = typeof raw === 'string' && raw !== '' && parameter.type !== 'array'
    const value = isPlain ? scalarOf(raw, parameter) : convertedOf([raw].flat(), parameter)
    if (value === undefined) delete values[name]
    else values[name] = value
  }
}

function convertedOf(raw: unknown[], parameter: ParameterSchema): unknown {
  const given = raw.filter((value) => value !== '')
  return parameter.type === 'array' ? listOf(given, parameter) : scalarOf(given.at(-1), parameter)
}

function listOf(given: unknown[], schema: ParameterSchema): unknown[] | undefined {
  const { items = {}, 'x-repeated': isRepeated } = schema
  const parts = given
    .flatMap((value) => (isRepeated ? String(value) : String(value).split(',')))
    .filter((part) => part !== '')
  if (given.length === 0) return undefined
  // Only commas: keep the text for validation. As a missing value it would be a filter without
  // effect.
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
