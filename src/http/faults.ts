import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** A part of a request, its schema, and its name in messages. */
export type RequestPart = { name: string; schema: TSchema | undefined; value: unknown }

/** The keywords that our request schemas use. */
type Schema = TSchema & {
  type?: string
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  items?: Schema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  pattern?: string
  description?: string
}

const MAX_NAMED_FAULTS = 10
/** Nobody reads more, and a caller may send any number of faults. */
const MAX_COUNTED_FAULTS = 110
/** Entries of lists and maps. Checking all of a large body would block other requests. */
const MAX_CHECKED_ENTRIES = 10_000
const MAX_NAME_CHARACTERS = 60

/** Names every wrong field and says what it must be, in the order of the schemas. */
export function faultText(parts: readonly RequestPart[]): string {
  const search: Search = { found: [], entriesLeft: MAX_CHECKED_ENTRIES }
  for (const { name, schema, value } of parts) {
    if (schema) look(schema as Schema, value, { key: name }, search)
  }
  const { found } = search
  if (found.length === 0) return `something is wrong after the first ${MAX_CHECKED_ENTRIES} entries`
  const rest = found.length - MAX_NAMED_FAULTS
  const atLeast = isOver(search) ? 'at least ' : ''
  const named = found.slice(0, MAX_NAMED_FAULTS)
  return [...named, ...(rest > 0 ? [`and ${atLeast}${rest} more`] : [])].join('; ')
}

type Search = { readonly found: string[]; entriesLeft: number }

const isOver = ({ found, entriesLeft }: Search): boolean =>
  found.length >= MAX_COUNTED_FAULTS || entriesLeft <= 0

/** The place of a value: a field of the value above. The part itself has nothing above. */
type Place = { key: string | number; above?: Place }

/** A field of a part has its own name. An entry of a list has the name of the list before it. */
function pathOf({ key, above }: Place): string {
  if (!above) return String(key)
  return above.above || typeof key === 'number' ? `${pathOf(above)}.${key}` : key
}

function note({ found }: Search, place: Place, what: string): void {
  if (found.length >= MAX_COUNTED_FAULTS) return
  const path = pathOf(place)
  const name = path.length > MAX_NAME_CHARACTERS ? `${path.slice(0, MAX_NAME_CHARACTERS)}...` : path
  found.push(`${name} ${what}`)
}

/** Walks through the value and notes what does not fit. */
function look(schema: Schema, value: unknown, place: Place, search: Search): void {
  if (schema.anyOf) lookAtChoices(schema, value, place, search)
  else if (!isOfKind(schema, value)) note(search, place, `must be ${kindOf(schema)}`)
  else if (Array.isArray(value)) lookAtList(schema, value, place, search)
  else if (isObject(value)) lookAtObject(schema, value, place, search)
  else if (!fits(schema, value)) note(search, place, `must be ${wordsFor(schema)}`)
}

/** Null is one of the choices when a field may be left out. Messages do not mention it. */
function lookAtChoices(schema: Schema, value: unknown, place: Place, search: Search): void {
  const { anyOf = [] } = schema
  const wanted = anyOf.filter(({ type }) => type !== 'null')
  if (value === null && wanted.length < anyOf.length) return
  if (wanted.length > 1 && fits(schema, value)) return
  const alike = wanted.find((one) => one.const === undefined && isOfKind(one, value))
  const only = wanted.length === 1 ? wanted[0] : alike
  if (only) look(only, value, place, search)
  else note(search, place, `must be ${wanted.map(wordsFor).join(' or ')}`)
}

function lookAtList(schema: Schema, list: unknown[], place: Place, search: Search): void {
  const { items, minItems = 0, maxItems = list.length } = schema
  if (list.length < minItems || list.length > maxItems) {
    note(search, place, `must be ${wordsFor(schema)}`)
  }
  for (let i = 0; items && i < list.length && !isOver(search); i++) {
    search.entriesLeft--
    look(items, list[i], { key: i, above: place }, search)
  }
}

function lookAtObject(schema: Schema, fields: Fields, place: Place, search: Search): void {
  const { properties = {}, required = [], maxProperties } = schema
  const keys = Object.keys(fields)
  if (maxProperties !== undefined && keys.length > maxProperties) {
    note(search, place, `must be ${wordsFor(schema)}`)
  }
  for (const [key, property] of Object.entries(properties)) {
    if (Object.hasOwn(fields, key)) look(property, fields[key], { key, above: place }, search)
    else if (required.includes(key)) note(search, { key, above: place }, 'is required')
  }
  const maps = mapsOf(schema)
  for (const key of keys) {
    if (isOver(search)) return
    if (Object.hasOwn(properties, key)) continue
    search.entriesLeft--
    const rule = maps.find(({ keys }) => keys.test(key))?.values ?? schema.additionalProperties
    if (typeof rule === 'object') look(rule, fields[key], { key, above: place }, search)
    if (rule !== false) continue
    // A key of a map may be as long as the body, so the message does not repeat it.
    if (maps.length > 0) note(search, place, `must be ${wordsFor(schema)}`)
    else note(search, { key, above: place }, 'is not known here')
  }
}

/** The allowed keys and values of a map. */
const mapsOf = ({ patternProperties = {} }: Schema) =>
  Object.entries(patternProperties).map(([pattern, values]) => ({
    keys: new RegExp(pattern, 'u'),
    values
  }))

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOfKind({ type, const: constant }: Schema, value: unknown): boolean {
  if (constant !== undefined) return value === constant
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case undefined:
      return true
    default:
      // Texts, numbers and booleans have the names of JavaScript's types.
      return typeof value === type
  }
}

const kinds: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false'
}

const kindOf = ({ type = '', const: constant }: Schema): string =>
  constant === undefined ? (kinds[type] ?? 'something else') : String(constant) || 'empty'

/** What is allowed, in words. For a pattern, its description says the same in words. */
function wordsFor(schema: Schema): string {
  const { type = '', minimum, maximum, description } = schema
  if (schema.const !== undefined) return kindOf(schema)
  if (type === 'string') {
    const bounds = sizeWords(schema.minLength, schema.maxLength, 'character')
    if (!schema.pattern) return `text${bounds}`
    return `${description ?? 'text of another form'}${bounds && `,${bounds}`}`
  }
  if (type === 'array') return `a list${sizeWords(schema.minItems, schema.maxItems, 'entry')}`
  if (type === 'object') {
    const bounds = sizeWords(undefined, schema.maxProperties, 'entry')
    if (!schema.patternProperties) return `an object${bounds}`
    return `${description ?? 'an object with other keys'}${bounds && `,${bounds}`}`
  }
  if (minimum === undefined && maximum === undefined) return kindOf(schema)
  return `${kindOf(schema)}${rangeWords(minimum, maximum)}`
}

function rangeWords(minimum = -Infinity, maximum = Infinity): string {
  const hasEnd = maximum < Number.MAX_SAFE_INTEGER
  const hasStart = minimum > Number.MIN_SAFE_INTEGER
  if (hasStart && hasEnd) return ` from ${minimum} to ${maximum}`
  if (hasStart) return ` of at least ${minimum}`
  return hasEnd ? ` of at most ${maximum}` : ''
}

function sizeWords(least: number | undefined, most: number | undefined, unit: string): string {
  const counted = (count: number) =>
    count === 1 ? `1 ${unit}` : `${count} ${unit.replace(/y$/, 'ie')}s`
  if (least !== undefined && most !== undefined) return ` of ${least} to ${counted(most)}`
  if (least !== undefined) return ` of at least ${counted(least)}`
  return most === undefined ? '' : ` of at most ${counted(most)}`
}

const validators = new WeakMap<TSchema, (value: unknown) => boolean>()

/** Uses the same check as validation, so that the two never differ. */
function fits(schema: TSchema, value: unknown): boolean {
  let check = validators.get(schema)
  if (!check) {
    const validator = Compile(schema)
    check = (value) => validator.Check(value)
    validators.set(schema, check)
  }
  return check(value)
}
