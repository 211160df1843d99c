import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** A part of a request, the description it is held against, and its name in messages. */
export type Part = { name: string; schema: TSchema | undefined; value: unknown }

/** What descriptions of requests are made of. */
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

const MAX_NAMED = 10
/** Nobody reads more, and a caller may send any number of them. */
const MAX_COUNTED = 110
/** Entries of lists and maps. Looking through all of a large body would hold up the others. */
const MAX_ENTRIES = 10_000
const MAX_NAME_LENGTH = 60

/** Every wrong field by its name and what it must be, in the order of the descriptions. */
export function faultText(parts: readonly Part[]): string {
  const search: Search = { found: [], entriesLeft: MAX_ENTRIES }
  for (const { name, schema, value } of parts) {
    if (schema) look(schema as Schema, value, { key: name }, search)
  }
  const { found } = search
  if (found.length === 0) return `something is wrong behind the first ${MAX_ENTRIES} entries`
  const rest = found.length - MAX_NAMED
  const atLeast = isOver(search) ? 'at least ' : ''
  const named = found.slice(0, MAX_NAMED)
  return [...named, ...(rest > 0 ? [`and ${atLeast}${rest} more`] : [])].join('; ')
}

type Search = { readonly found: string[]; entriesLeft: number }

const isOver = ({ found, entriesLeft }: Search): boolean =>
  found.length >= MAX_COUNTED || entriesLeft <= 0

/** Where a value is: a field of what is above it; the part itself is below nothing. */
type Place = { key: string | number; above?: Place }

/** Fields of a part go by their own names, entries of a list by the name of the list. */
function pathOf({ key, above }: Place): string {
  if (!above) return String(key)
  return above.above || typeof key === 'number' ? `${pathOf(above)}.${key}` : key
}

function note({ found }: Search, place: Place, what: string): void {
  if (found.length >= MAX_COUNTED) return
  const path = pathOf(place)
  const name = path.length > MAX_NAME_LENGTH ? `${path.slice(0, MAX_NAME_LENGTH)}...` : path
  found.push(`${name} ${what}`)
}

/** Goes through the value and notes what does not fit. */
function look(schema: Schema, value: unknown, place: Place, search: Search): void {
  if (schema.anyOf) lookAtChoices(schema, value, place, search)
  else if (!isOfKind(schema, value)) note(search, place, `must be ${kindOf(schema)}`)
  else if (Array.isArray(value)) lookAtList(schema, value, place, search)
  else if (isObject(value)) lookAtObject(schema, value, place, search)
  else if (!fits(schema, value)) note(search, place, `must be ${wordsFor(schema)}`)
}

/** Null is one of the choices where a field may be left out, and nobody needs to be told. */
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
    // A key of a map may be as long as the body, so it is not repeated.
    if (maps.length > 0) note(search, place, `must be ${wordsFor(schema)}`)
    else note(search, { key, above: place }, 'is not known here')
  }
}

/** Which keys a map may have, and which values. */
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
      // Text, numbers and booleans have the names that JavaScript gives them.
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

/** What is allowed. A pattern is for machines: its description says the same in words. */
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

/** As validation has it, so that the two never differ. */
function fits(schema: TSchema, value: unknown): boolean {
  let check = validators.get(schema)
  if (!check) {
    const validator = Compile(schema)
    check = (value) => validator.Check(value)
    validators.set(schema, check)
  }
  return check(value)
}
