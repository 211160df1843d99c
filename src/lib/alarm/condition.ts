import { isJsonNumber } from '../json-number.ts'
import { HOUR, SECOND, type UnixMs } from '../unix-time.ts'
import { silenceOf, silenceWithin } from './duration.ts'
import type { Bound, When } from './rule.ts'

/**
 * A `when` with all numbers known. `clear` bounds hold while the alarm is open: they have the
 * hysteresis in them.
 */
export type Condition =
  | { kind: 'above'; bound: number; clear: number }
  | { kind: 'below'; bound: number; clear: number }
  | { kind: 'outside'; low: number; high: number; clearLow: number; clearHigh: number }
  | { kind: 'equals'; bound: number }
  | { kind: 'changed'; by: number }
  | { kind: 'rate'; perHour: number }
  | { kind: 'silent'; ms: number }
  | { kind: 'all' | 'any'; parts: readonly Condition[] }
  /** A number that the metadata does not have. */
  | { kind: 'never' }

export type Reading = { timestamp: UnixMs; value: number }

/** The metadata of the function. Undefined: it has no such key, or there is no function. */
export type MetaOf = (key: string) => string | undefined

export function resolve(when: When, hysteresis: number, metaOf: MetaOf): Condition {
  if ('above' in when) {
    const bound = numberOf(when.above, metaOf)
    if (bound === undefined) return NEVER
    return { kind: 'above', bound, clear: Math.min(bound, sum(bound, -hysteresis)) }
  }
  if ('below' in when) {
    const bound = numberOf(when.below, metaOf)
    if (bound === undefined) return NEVER
    return { kind: 'below', bound, clear: Math.max(bound, sum(bound, hysteresis)) }
  }
  if ('outside' in when) return outside(when.outside, hysteresis, metaOf)
  if ('equals' in when) {
    const bound = numberOf(when.equals, metaOf)
    return bound === undefined ? NEVER : { kind: 'equals', bound }
  }
  if ('changed_by' in when) {
    const by = numberOf(when.changed_by, metaOf)
    return by === undefined || by <= 0 ? NEVER : { kind: 'changed', by }
  }
  if ('rate_per_hour' in when) {
    const perHour = numberOf(when.rate_per_hour, metaOf)
    return perHour === undefined || perHour < 0 ? NEVER : { kind: 'rate', perHour }
  }
  if ('silent_for' in when) {
    const ms = silence(when.silent_for, metaOf)
    return ms === undefined ? NEVER : { kind: 'silent', ms }
  }
  const isAll = 'all' in when
  const parts = isAll ? when.all : when.any
  return {
    kind: isAll ? 'all' : 'any',
    parts: parts.map((part) => resolve(part, hysteresis, metaOf))
  }
}

const NEVER: Condition = { kind: 'never' }

function numberOf(bound: Bound, metaOf: MetaOf): number | undefined {
  if (typeof bound === 'number') return bound
  const text = metaOf(bound.meta)?.trim()
  if (text === undefined || !isJsonNumber(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}

/** Existing clients write `max_age` as a number of seconds. */
function silence(given: string | { meta: string }, metaOf: MetaOf): number | undefined {
  if (typeof given === 'string') return silenceOf(given)
  const seconds = numberOf(given, metaOf)
  if (seconds === undefined) return silenceOf(metaOf(given.meta)?.trim() ?? '')
  return silenceWithin(Math.round(seconds * SECOND))
}

/** A hysteresis of more than half the width could never be reached. It ends in the middle. */
function outside(
  [lowBound, highBound]: readonly [Bound, Bound],
  hysteresis: number,
  metaOf: MetaOf
): Condition {
  const low = numberOf(lowBound, metaOf)
  const high = numberOf(highBound, metaOf)
  if (low === undefined || high === undefined || low >= high) return NEVER
  const clearLow = Math.max(low, sum(low, hysteresis))
  const clearHigh = Math.min(high, sum(high, -hysteresis))
  if (clearLow <= clearHigh) return { kind: 'outside', low, high, clearLow, clearHigh }
  const middle = low / 2 + high / 2
  return { kind: 'outside', low, high, clearLow: middle, clearHigh: middle }
}

/** As people add decimals: 0.3 - 0.1 is 0.2. Rounding may go over the bound itself. */
const sum = (a: number, b: number): number =>
  b === 0 ? a : Number((a + b).toPrecision(DECIMAL_DIGITS))
const DECIMAL_DIGITS = 15

/**
 * How long silence must last until the condition is met. 0: the reading meets it. Infinity: only
 * another reading can. Silence cannot become false without a reading, so this one number says all.
 */
export function silenceNeeded(
  condition: Condition,
  reading: Reading | undefined,
  before: Reading | undefined,
  isOpen: boolean
): number {
  switch (condition.kind) {
    case 'silent':
      return condition.ms
    case 'all': {
      let longest = 0
      for (const part of condition.parts) {
        longest = Math.max(longest, silenceNeeded(part, reading, before, isOpen))
      }
      return longest
    }
    case 'any': {
      let shortest = Infinity
      for (const part of condition.parts) {
        shortest = Math.min(shortest, silenceNeeded(part, reading, before, isOpen))
      }
      return shortest
    }
    default:
      return reading && isMetBy(condition, reading, before, isOpen) ? 0 : Infinity
  }
}

type Comparison = Exclude<Condition, { kind: 'silent' | 'all' | 'any' }>

function isMetBy(
  comparison: Comparison,
  { timestamp, value }: Reading,
  before: Reading | undefined,
  isOpen: boolean
): boolean {
  switch (comparison.kind) {
    case 'above':
      return value > (isOpen ? comparison.clear : comparison.bound)
    case 'below':
      return value < (isOpen ? comparison.clear : comparison.bound)
    case 'outside':
      return isOpen
        ? value < comparison.clearLow || value > comparison.clearHigh
        : value < comparison.low || value > comparison.high
    case 'equals':
      return value === comparison.bound
    case 'changed':
      return before !== undefined && beyond(before.value, value, comparison.by) !== -1
    case 'rate': {
      if (before === undefined || before.timestamp >= timestamp) return false
      const hours = (timestamp - before.timestamp) / HOUR
      return beyond(before.value, value, comparison.perHour * hours) === 1
    }
    case 'never':
      return false
  }
}

/**
 * 1: the difference is larger than the step; 0: equal; -1: smaller. 20.2 and 20.1 differ by 0.1,
 * although their binary forms differ by less.
 */
function beyond(a: number, b: number, step: number): -1 | 0 | 1 {
  const more = Math.abs(a - b) - step
  const unsure = Math.abs(a) * Number.EPSILON + Math.abs(b) * Number.EPSILON + step * Number.EPSILON
  if (more > unsure) return 1
  return more >= -unsure ? 0 : -1
}

/** Whether it needs the clock. */
export const hasSilence = (condition: Condition): boolean =>
  'parts' in condition ? condition.parts.some(hasSilence) : condition.kind === 'silent'

/** Whether it needs the reading before. */
export const hasBefore = (condition: Condition): boolean =>
  'parts' in condition
    ? condition.parts.some(hasBefore)
    : condition.kind === 'changed' || condition.kind === 'rate'

/** Whether a number or a duration comes from metadata. */
export function needsMeta(when: When): boolean {
  if ('all' in when) return when.all.some(needsMeta)
  if ('any' in when) return when.any.some(needsMeta)
  return Object.values(when)
    .flat()
    .some((bound) => typeof bound === 'object')
}
