/** A schema of the description: JSON Schema 2020-12. */
export type DocumentSchema = {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  maxProperties?: number
  format?: string
  anyOf?: DocumentSchema[]
  items?: DocumentSchema
  properties?: Record<string, DocumentSchema>
  required?: string[]
  propertyNames?: DocumentSchema
  examples?: unknown[]
  additionalProperties?: boolean | DocumentSchema
}

export const mapValues = <T, U>(
  map: Record<string, T>,
  change: (value: T) => U
): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))

/** Other languages do not know `[^]`. */
const portable = (pattern: string): string => pattern.replaceAll('[^]', '[\\s\\S]')

/** With the marks of `src/http/described.ts`. */
type Marked = DocumentSchema & {
  'x-checked-later'?: DocumentSchema
  'x-defaults'?: Readonly<Record<string, unknown>>
}

/** Writes a schema without our own marks, and with keywords that generators know. */
export function plain(given: Marked): DocumentSchema {
  const schema: DocumentSchema = {
    ...Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith('x-'))),
    ...given['x-checked-later']
  }
  for (const [name, value] of Object.entries(given['x-defaults'] ?? {})) {
    schema.properties = {
      ...schema.properties,
      [name]: { ...schema.properties?.[name], default: value }
    }
  }
  if (schema.pattern !== undefined) schema.pattern = portable(schema.pattern)
  // A body and an answer may have the same schema, and only that of the body has an empty list.
  if (schema.required?.length === 0) delete schema.required
  // Generators for other languages take 32 bits for an integer without a format.
  const isLong = (schema.maximum ?? Number.MAX_SAFE_INTEGER) >= 2 ** 31
  if (schema.type === 'integer' && isLong) schema.format = 'int64'
  return schema
}

/** Few generators know `patternProperties`; ours have one pattern for all keys. */
export function withPlainKeys<T>(given: T): T {
  if (Array.isArray(given)) return given.map(withPlainKeys) as T
  if (typeof given !== 'object' || given === null) return given
  const { patternProperties, ...others } = mapValues(
    given as Record<string, unknown>,
    withPlainKeys
  )
  const [pattern] = Object.entries(patternProperties ?? {})
  if (!pattern) return others as T
  const propertyNames = keysOf(pattern[0])
  return {
    ...others,
    additionalProperties: pattern[1],
    ...(propertyNames && { propertyNames })
  } as T
}

function keysOf(pattern: string): DocumentSchema | undefined {
  if (pattern === '^[^]*$' || pattern === '^.*$') return undefined
  const [, least, most] = /^\^\[\^\]\{(\d+),(\d+)\}\$$/.exec(pattern) ?? []
  if (least === undefined) return { pattern: portable(pattern) }
  return { minLength: Number(least), maxLength: Number(most) }
}

/** A choice of constants becomes an `enum`, and "or null" a second type. */
export function simplified(schema: DocumentSchema): DocumentSchema {
  const { anyOf: choices, description, ...others } = schema
  const anyOf = choices?.flatMap((one) => (Object.keys(one).join() === 'anyOf' && one.anyOf) || one)
  if (!anyOf) return schema
  const about = description === undefined ? {} : { description }
  if (anyOf.every((one) => typeof one.const === 'string')) {
    return { ...about, ...others, type: 'string', enum: anyOf.map((one) => one.const) }
  }
  const [first, second, ...more] = anyOf
  if (!first || second?.type !== 'null' || more.length > 0) return { ...schema, anyOf }
  const { description: inner, ...rest } = first
  const text = inner ?? description
  const kept = text === undefined ? {} : { description: text }
  if (typeof rest.type !== 'string' || rest.const !== undefined) {
    return { ...kept, ...others, anyOf: [rest, second] }
  }
  const values = rest.enum && { enum: [...rest.enum, null] }
  return { ...kept, ...others, ...rest, type: [rest.type, 'null'], ...values }
}
