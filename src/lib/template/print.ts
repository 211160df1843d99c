import type { Budget } from './budget.ts'
import { checkLength } from './fault.ts'
import { isList, isMap, type Value } from './values.ts'

/** [Go] The output of an action: `<no value>` for a missing value. */
export const printed = (value: Value, budget: Budget): string =>
  value === undefined || value === null ? '<no value>' : plain(value, budget)

/** [Go fmt] `%v` */
export function plain(value: Value, budget: Budget): string {
  budget.spendOnShowing(value)
  if (value === undefined || value === null) return '<nil>'
  if (typeof value === 'number') return shortest(value)
  if (isList(value)) return `[${value.map((one) => plain(one, budget)).join(' ')}]`
  if (isMap(value)) {
    const texts = Array.from(value, ([key, one]) => `${plain(key, budget)}:${plain(one, budget)}`)
    return `map[${texts.join(' ')}]`
  }
  return String(value)
}

/** [Go fmt] `Sprint`: a space between two operands if neither is a text. */
export function sprint(values: readonly Value[], budget: Budget): string {
  let text = ''
  for (const [i, value] of values.entries()) {
    const isApart = i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string'
    text += (isApart ? ' ' : '') + plain(value, budget)
    checkLength(text.length)
  }
  return text
}

/** [Go fmt] `Sprintln` */
export function sprintln(values: readonly Value[], budget: Budget): string {
  let text = ''
  for (const [i, value] of values.entries()) {
    text += (i > 0 ? ' ' : '') + plain(value, budget)
    checkLength(text.length)
  }
  return `${text}\n`
}

/** [ADR-0021] Writes exponents from 1e+21 on; Go does it from 1e+06, which is harder to read. */
export function shortest(value: number, firstExponent = 21): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const text = value.toExponential()
  const exponent = value === 0 ? 0 : Number(text.slice(text.indexOf('e') + 1))
  return exponent < -4 || exponent >= firstExponent ? exponential(text) : String(value)
}

/** Go writes exponents with at least two digits. */
export const exponential = (text: string): string =>
  text.replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`)
