import { TemplateError } from './fault.ts'
import { GoTime } from './go-time.ts'

/** A value in a template. Ints are bigint, floats are number, and a missing key is undefined. */
export type Value =
  | undefined
  | null
  | boolean
  | bigint
  | number
  | string
  | GoTime
  | readonly Value[]
  | ValueMap
/** [Go] A range over a map is sorted by key, so the keys are stored in order. */
export type ValueMap = ReadonlyMap<string, Value>

const MAX_DEPTH = 100

/** Converts JSON, in which ints may be bigint. Reads own properties only. */
export function valueFrom(json: unknown, depth = 0): Value {
  if (depth > MAX_DEPTH) throw new TemplateError(`data nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(json)) return json.map((one) => valueFrom(one, depth + 1))
  if (typeof json === 'object' && json !== null) {
    return new Map(
      Object.entries(json)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, one]) => [key, valueFrom(one, depth + 1)])
    )
  }
  return isScalar(json) ? json : null
}

const isScalar = (json: unknown): json is boolean | bigint | number | string =>
  ['boolean', 'bigint', 'number', 'string'].includes(typeof json)

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
export const isMap = (value: Value): value is ValueMap => value instanceof Map

/** [Go] Zero, empty and missing values are false. */
export function isTrue(value: Value): boolean {
  if (isList(value)) return value.length > 0
  return isMap(value) ? value.size > 0 : Boolean(value)
}

export function typeName(value: Value): string {
  if (value === undefined || value === null) return 'nil'
  if (value instanceof GoTime) return 'time.Time'
  if (isList(value)) return '[]interface {}'
  if (isMap(value)) return 'map[string]interface {}'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}
