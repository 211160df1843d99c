import { isJsonNumber } from '../json-number.ts'
import { HOUR, SECOND, type UnixMs } from '../unix-time.ts'
import { silenceOf, silenceWithin } from './duration.ts'
import type { Bound, When } from './rule.ts'

export type Reading = { timestamp: UnixMs; value: number }

/** It meets nothing: no comparison with NaN is true. */
export const NO_READING: Reading = { timestamp: Number.NaN as UnixMs, value: Number.NaN }

/** A `when` with all numbers known. */
export type Condition = {
  /**
   * How long silence must last until the condition is met. 0: the reading meets it. Infinity: only
   * another reading can. Silence ends only by a reading, so this one number says all. Hysteresis
   * counts while the alarm is open.
   */
  silenceNeeded(reading: Reading, before: Reading, isOpen: boolean): number
  /** The shortest silence in it. Infinity: it does not need the clock. */
  shortestSilence: number
  /** It needs the reading before. */
  hasBefore: boolean
}

/** The metadata of the function. Undefined: it has no such key, or there is no function. */
export type MetaOf = (key: string) => string | undefined

export function resolve(when: When, hysteresis: number, metaOf: MetaOf): Condition {
  const number = (bound: Bound) => numberOf(bound, metaOf)
  if ('above' in when) return above(number(when.above), hysteresis)
  if ('below' in when) return below(number(when.below), hysteresis)
  if ('outside' in when) {
    return outside(number(when.outside[0]), number(when.outside[1]), hysteresis)
  }
  if ('equals' in when) {
    const bound = number(when.equals)
    return comparison(({ value }) => (value === bound ? MET : UNMET))
  }
  if ('changed_by' in when) return changed(number(when.changed_by))
  if ('rate_per_hour' in when) return rate(number(when.rate_per_hour))
  if ('silent_for' in when) return silent(silence(when.silent_for, metaOf))
  const partsOf = (list: readonly When[]) => list.map((one) => resolve(one, hysteresis, metaOf))
  return 'all' in when ? all(partsOf(when.all)) : any(partsOf(when.any))
}

/** Whether a number or a duration comes from metadata. */
export function needsMeta(when: When): boolean {
  if ('all' in when) return when.all.some(needsMeta)
  if ('any' in when) return when.any.some(needsMeta)
  return Object.values(when)
    .flat()
    .some((bound) => typeof bound === 'object')
}

/** NaN: the metadata does not have it, so nothing meets the comparison. */
function numberOf(bound: Bound, metaOf: MetaOf): number {
  if (typeof bound === 'number') return bound
  const text = metaOf(bound.meta)?.trim() ?? ''
  const number = isJsonNumber(text) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : Number.NaN
}

/** Existing clients write `max_age` as a number of seconds. */
function silence(given: string | { meta: string }, metaOf: MetaOf): number | undefined {
  if (typeof given === 'string') return silenceOf(given)
  const seconds = numberOf(given, metaOf)
  if (Number.isNaN(seconds)) return silenceOf(metaOf(given.meta)?.trim() ?? '')
  return silenceWithin(Math.round(seconds * SECOND))
}

const MET = 0
const UNMET = Infinity

/** `silenceNeeded` answers MET or UNMET itself: one more call for each part is dear. */
const comparison = (silenceNeeded: Condition['silenceNeeded'], hasBefore = false): Condition => ({
  silenceNeeded,
  shortestSilence: Infinity,
  hasBefore
})

const never = comparison(() => UNMET)

function above(bound: number, hysteresis: number): Condition {
  const clear = Math.min(bound, sum(bound, -hysteresis))
  return comparison(({ value }, _before, isOpen) =>
    value > (isOpen ? clear : bound) ? MET : UNMET
  )
}

function below(bound: number, hysteresis: number): Condition {
  const clear = Math.max(bound, sum(bound, hysteresis))
  return comparison(({ value }, _before, isOpen) =>
    value < (isOpen ? clear : bound) ? MET : UNMET
  )
}

/** A hysteresis of more than half the width could never be reached. It ends in the middle. */
function outside(low: number, high: number, hysteresis: number): Condition {
  if (!(low < high)) return never
  const middle = low / 2 + high / 2
  const clearLow = Math.min(middle, Math.max(low, sum(low, hysteresis)))
  const clearHigh = Math.max(middle, Math.min(high, sum(high, -hysteresis)))
  return comparison(({ value }, _before, isOpen) => {
    const [from, to] = isOpen ? [clearLow, clearHigh] : [low, high]
    return value < from || value > to ? MET : UNMET
  })
}

/** As people add decimals: 0.3 - 0.1 is 0.2. Rounding may go over the bound itself. */
const sum = (a: number, b: number): number =>
  b === 0 ? a : Number((a + b).toPrecision(DECIMAL_DIGITS))
const DECIMAL_DIGITS = 15

const changed = (by: number): Condition =>
  by > 0
    ? comparison(({ value }, before) => (beyond(before.value, value, by) >= 0 ? MET : UNMET), true)
    : never

function rate(perHour: number): Condition {
  if (!(perHour >= 0)) return never
  return comparison(({ timestamp, value }, before) => {
    const hours = (timestamp - before.timestamp) / HOUR
    return hours > 0 && beyond(before.value, value, perHour * hours) > 0 ? MET : UNMET
  }, true)
}

/**
 * 1: the values differ by more than the step; 0: by the step; -1: by less; NaN: one is missing.
 * 20.2 and 20.1 differ by 0.1, although their binary forms differ by less.
 */
function beyond(a: number, b: number, step: number): number {
  const more = Math.abs(a - b) - step
  const unsure = Math.abs(a) * Number.EPSILON + Math.abs(b) * Number.EPSILON + step * Number.EPSILON
  return Math.abs(more) <= unsure ? 0 : Math.sign(more)
}

const silent = (ms: number | undefined): Condition =>
  ms === undefined ? never : { silenceNeeded: () => ms, shortestSilence: ms, hasBefore: false }

const all = (parts: readonly Condition[]): Condition => ({
  ...togetherOf(parts),
  silenceNeeded(reading, before, isOpen) {
    let longest = 0
    for (const part of parts) {
      const needed = part.silenceNeeded(reading, before, isOpen)
      if (needed === Infinity) return Infinity
      if (needed > longest) longest = needed
    }
    return longest
  }
})

const any = (parts: readonly Condition[]): Condition => ({
  ...togetherOf(parts),
  silenceNeeded(reading, before, isOpen) {
    let shortest = Infinity
    for (const part of parts) {
      const needed = part.silenceNeeded(reading, before, isOpen)
      if (needed === 0) return 0
      if (needed < shortest) shortest = needed
    }
    return shortest
  }
})

const togetherOf = (parts: readonly Condition[]) => ({
  shortestSilence: Math.min(...parts.map((part) => part.shortestSilence)),
  hasBefore: parts.some((part) => part.hasBefore)
})
