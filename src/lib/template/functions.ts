import { fromSeconds } from '../unix-time.ts'
import { type Budget, STEPS_PER_TIME } from './budget.ts'
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts'
import { TemplateError } from './fault.ts'
import { sprintf } from './format.ts'
import { GoTime } from './go-time.ts'
import { sprint, sprintln } from './print.ts'
import { isList, isMap, isTrue, typeName, type Value } from './values.ts'

export type Surroundings = {
  /** Times are shown in this time zone. */
  zone: string
  budget: Budget
}

type Call = (args: readonly Value[], surroundings: Surroundings) => Value
type Builtin = { least: number; most?: number; call: Call }

const fail = (what: string): never => {
  throw new TemplateError(what)
}

const escaped =
  (escapeText: (text: string) => string): Call =>
  (args, { budget }) => {
    const text = sprint(args, budget)
    budget.spendOnText(text.length)
    return escapeText(text)
  }

/**
 * [Go text/template] The predefined functions, and `toTime`. The evaluator stops `and` and `or`
 * early.
 */
export const functions: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['and', { least: 1, call: (args) => args.at(-1) }],
  ['or', { least: 1, call: (args) => args.at(-1) }],
  ['not', { least: 1, most: 1, call: ([value]) => !isTrue(value) }],
  ['len', { least: 1, most: 1, call: ([value]) => lengthOf(value) }],
  ['index', { least: 1, call: ([value, ...keys]) => keys.reduce(elementOf, value) }],
  ['print', { least: 0, call: (args, { budget }) => sprint(args, budget) }],
  ['println', { least: 0, call: (args, { budget }) => sprintln(args, budget) }],
  [
    'printf',
    {
      least: 1,
      call: ([layout, ...args], { budget }) => sprintf(textOf(layout, 'printf'), args, budget)
    }
  ],
  ['html', { least: 0, call: escaped(escapeHtml) }],
  ['js', { least: 0, call: escaped(escapeJs) }],
  ['urlquery', { least: 0, call: escaped(escapeQuery) }],
  ['eq', { least: 2, call: ([first, ...more]) => more.some((one) => isSame(first, one)) }],
  ['ne', { least: 2, most: 2, call: ([a, b]) => !isSame(a, b) }],
  ['lt', { least: 2, most: 2, call: ([a, b]) => order(a, b) < 0 }],
  ['le', { least: 2, most: 2, call: ([a, b]) => order(a, b) <= 0 }],
  ['gt', { least: 2, most: 2, call: ([a, b]) => order(a, b) > 0 }],
  ['ge', { least: 2, most: 2, call: ([a, b]) => order(a, b) >= 0 }],
  ['toTime', { least: 1, most: 1, call: ([value], around) => timeOf(value, around) }]
])

export const functionNames: ReadonlySet<string> = new Set(functions.keys())

export const textOf = (value: Value, name: string): string =>
  typeof value === 'string' ? value : fail(`${name}: ${typeName(value)} where text is wanted`)

/** [Go] The length of a text is its number of bytes. */
function lengthOf(value: Value): bigint {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value))
  if (isList(value)) return BigInt(value.length)
  if (isMap(value)) return BigInt(value.size)
  return fail(`len: ${typeName(value)} has no length`)
}

function elementOf(value: Value, key: Value): Value {
  if (value === undefined || value === null) return value
  if (isMap(value)) return value.get(textOf(key, 'index'))
  if (!isList(value)) return fail(`index: ${typeName(value)} has no elements`)
  const at = typeof key === 'bigint' || typeof key === 'number' ? Number(key) : Number.NaN
  if (!Number.isInteger(at)) return fail(`index: ${typeName(key)} where a number is wanted`)
  return at >= 0 && at < value.length ? value[at] : fail(`index: there is no element ${at}`)
}

const isNumber = (value: Value): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number'

/**
 * Values of different types are not equal; Go stops with an error. Ints and floats are compared as
 * numbers.
 */
function isSame(a: Value, b: Value): boolean {
  for (const value of [a, b]) {
    if (isList(value) || isMap(value)) fail(`eq: ${typeName(value)} cannot be compared`)
  }
  if (a instanceof GoTime && b instanceof GoTime) return a.ms === b.ms
  return isNumber(a) && isNumber(b) ? order(a, b) === 0 : (a ?? null) === (b ?? null)
}

function order(a: Value, b: Value): number {
  const areTexts = typeof a === 'string' && typeof b === 'string'
  if ((isNumber(a) && isNumber(b)) || areTexts) return a < b ? -1 : a > b ? 1 : 0
  return fail(`${typeName(a)} and ${typeName(b)} have no order`)
}

/** Accepts Unix seconds, also as text. No value gives no time. */
function timeOf(value: Value, { zone, budget }: Surroundings): Value {
  if (value === undefined || value === null || value instanceof GoTime) return value
  budget.spend(STEPS_PER_TIME)
  const isWritten = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
  if (!isNumber(value) && !isWritten) return fail(`toTime: ${typeName(value)} is not a number`)
  return GoTime.at(fromSeconds(Number(value)), zone) ?? fail('toTime: there is no such time')
}
