import { type Description, plainSchema, type Schema, typesOf } from './description.ts'

/** JSON text that no value of JavaScript gives, such as 1e400. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes JSON, with raw text in it. */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}:${jsonText(one)}`)
    .join()}}`
}

export const MISSING = Symbol('missing')

/** A wrong value and the reason why it is wrong. */
export type Breakage = {
  what: string
  value: () => unknown
  /** The description forbids it, and no route may accept it. */
  isForbidden?: boolean
  /** Too large to send many of them together. */
  isLarge?: boolean
}

const b = (what: string, value: unknown): Breakage => ({ what, value: () => value })
const large = (what: string, value: () => unknown): Breakage => ({ what, value, isLarge: true })

const hostileTexts: readonly Breakage[] = [
  b('NUL', 'a\0b'),
  b('a lone surrogate', 'a\ud800b'),
  b('a low surrogate', '\udc00'),
  b('path traversal', '../../../../etc/passwd'),
  b('a line break', 'a\r\nX-Injected: 1'),
  b('SQL', "' OR 1=1; drop table users; --"),
  b('wildcards', '%_*?#+'),
  b('a template', '{{range 9999999}}{{end}}'),
  b('markup', '<script>alert(1)</script>'),
  b('control characters', '\u0001\u001b[31m\u007f\u0085\u2028'),
  b('text from right to left', '\u202e\u200f\ufeff'),
  b('many accents', `a${'\u0301'.repeat(200)}`),
  b('a name of a prototype', '__proto__'),
  b('the text null', 'null'),
  b('an empty text', ''),
  b('spaces', '   '),
  b('a text that grows as capitals', 'ß'.repeat(50))
]

const numbers: readonly Breakage[] = [
  b('zero', 0),
  b('negative', -1),
  b('a fraction', 1.5),
  b('negative zero', new RawJson('-0')),
  b('just over the safe integers', new RawJson('9007199254740993')),
  b('more than 64 bits', new RawJson('99999999999999999999999')),
  b('beyond the largest number', new RawJson('1e400')),
  b('beyond the smallest number', new RawJson('-1e400')),
  b('a tiny number', 5e-324),
  b('a large number', 1e300)
]

const otherTypes: readonly Breakage[] = [
  b('missing', MISSING),
  b('null', null),
  b('a boolean', true),
  b('a number', 987_654_321),
  b('a text', 'text'),
  b('a number as text', '987654321'),
  b('an empty list', []),
  b('a list', [1, 'two', null]),
  b('a list in a list', [[['x']]]),
  b('an empty object', {}),
  b('an object', { a: { b: 1 } }),
  b('an object with names of prototypes', new RawJson('{"__proto__":{"x":1},"constructor":1}'))
]

const over = (what: string, value: unknown): Breakage => ({ ...b(what, value), isForbidden: true })
const farOver = (what: string, value: () => unknown): Breakage => ({
  ...large(what, value),
  isForbidden: true
})

function beyondBounds(schema: Schema, sample: unknown): Breakage[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = schema
  const { maxLength: maxKey } = schema.propertyNames ?? {}
  const types = typesOf(schema)
  const found: Breakage[] = []
  if (minimum !== undefined) found.push(over('below the minimum', minimum - 1))
  if (maximum !== undefined) {
    const more = maximum < Number.MAX_SAFE_INTEGER ? maximum + 1 : new RawJson('9007199254740993')
    found.push(over('above the maximum', more))
  }
  if (minLength) found.push(over('too short', 'x'.repeat(minLength - 1)))
  if (maxLength !== undefined) {
    found.push(farOver('too long', () => 'x'.repeat(maxLength + 1)))
    found.push(large('too long with emoji', () => '😀'.repeat(Math.ceil(maxLength / 2) + 1)))
  } else if (types.includes('string')) found.push(large('very long', () => 'x'.repeat(70_000)))
  if (minItems) found.push(over('too few entries', []))
  const entry = Array.isArray(sample) && sample.length > 0 ? sample[0] : 'x'
  const entries = (count: number) => Array(count).fill(entry)
  if (maxItems !== undefined) {
    found.push(farOver('too many entries', () => entries(maxItems + 1)))
  }
  if (types.includes('array')) found.push(b('the same entry often', entries(50)))
  if (maxProperties !== undefined) {
    found.push(farOver('too many keys', () => keys(maxProperties + 1)))
  }
  if (schema.enum) found.push(over('not in the list', 'something else'))
  if (maxKey !== undefined) {
    found.push(over('a key too long', { ['k'.repeat(maxKey + 1)]: 'v' }))
    found.push(over('an empty key', { '': 'v' }))
    found.push(large('many keys', () => keys(2500)))
    found.push(b('hostile keys', { 'a\0b': 'v', '\ud800': 'v', 'a.b/c#+': 'v' }))
    found.push(b('keys of prototypes', new RawJson('{"__proto__":"v","constructor":"v"}')))
  }
  return found
}

const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))

/** Wrong values for a schema. `sample` is a value that fits. */
export function breakagesOf(
  given: Schema,
  description: Description,
  sample: unknown
): readonly Breakage[] {
  const schema = plainSchema(given, description)
  // Another choice may allow what the first one forbids.
  const isOnly = given.anyOf === undefined
  const types = typesOf(schema)
  const isText = types.includes('string')
  const isNumber = types.includes('integer') || types.includes('number')
  return [
    ...beyondBounds(schema, sample).map((one) => (isOnly ? one : { ...one, isForbidden: false })),
    ...otherTypes,
    ...(isText ? hostileTexts : []),
    ...(isNumber ? numbers : []),
    ...(types.includes('object')
      ? [b('a field more', { ...asObject(sample), unknown_one: 1 })]
      : [])
  ]
}

const asObject = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** A place in a body: the keys that lead to it, and the schema there. */
export type Site = { keys: (string | number)[]; schema: Schema }

const MAX_SITE_DEPTH = 4

/** Every field of a body, and the body itself. */
export function sitesOf(schema: Schema, description: Description): Site[] {
  const walk = (given: Schema, at: (string | number)[]): Site[] => {
    const plain = plainSchema(given, description)
    const { properties = {}, items, additionalProperties: free } = plain
    if (at.length >= MAX_SITE_DEPTH) return [{ keys: at, schema: given }]
    return [
      { keys: at, schema: given },
      ...Object.entries(properties).flatMap(([key, one]) => walk(one, [...at, key])),
      ...(items ? walk(items, [...at, 0]) : []),
      ...(typeof free === 'object' ? walk(free, [...at, 'k']) : [])
    ]
  }
  return walk(schema, [])
}

/** A copy of the body with another value at a place. */
export function withValue(body: unknown, [key, ...rest]: Site['keys'], value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const list = Array.isArray(body) ? [...body] : []
    if (value === MISSING && rest.length === 0) return []
    list[key] = withValue(list[key], rest, value)
    return list
  }
  const { [key]: old, ...others } = asObject(body) as Record<string, unknown>
  if (value === MISSING && rest.length === 0) return others
  // `fromEntries` makes a field of `__proto__` too.
  return Object.fromEntries([...Object.entries(others), [key, withValue(old, rest, value)]])
}

export const valueAt = (body: unknown, keys: Site['keys']): unknown =>
  keys.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body)
