import type { CalendarUnit } from './calendar.ts'
import { DAY, HOUR, MINUTE, SECOND, type UnixMs } from './unix-time.ts'

const plainMethods = [
  'count',
  'first',
  'last',
  'avg',
  'spread',
  'max',
  'min',
  'sum',
  'stddev',
  'median'
] as const

/** `x`: for percentile the rank in percent, for integral the unit in seconds. */
export type Method =
  | { name: (typeof plainMethods)[number] }
  | { name: 'percentile'; x: number }
  | { name: 'integral'; x: number }

/**
 * Below a day: a fixed length, aligned to the epoch. Whole days, weeks and months follow the
 * calendar.
 */
export type Interval = { ms: number } | { unit: CalendarUnit; count: number }

/** [contract: Log] */
export const DEFAULT_METHOD: Method = { name: 'median' }

/** `avg`, `percentile(95)`, `integral`; undefined when the text is no method. */
export function parseMethod(text: string): Method | undefined {
  const [, word, argument = ''] = /^([a-z]+)(?:\((.*)\))?$/.exec(text) ?? []
  if (word === 'percentile') return withNumber(word, argument, { default: 50, max: 100 })
  if (word === 'integral') {
    const method = withNumber(word, argument, { default: 1, max: Number.MAX_SAFE_INTEGER })
    return method?.x === 0 ? undefined : method
  }
  const plain = plainMethods.find((name) => name === (word === 'mean' ? 'avg' : word))
  return plain && !text.endsWith(')') ? { name: plain } : undefined
}

/** A median or percentile of one bucket would need too much memory. */
export class TooManyValues extends Error {}

/** A method with the name that the caller gave it: `mean` is `avg`. */
export type NamedMethod = { text: string; method: Method }

export const MAX_METHODS = 4

/** `mean,min,max`; undefined when a part is no method, or there twice, or there are too many. */
export function parseMethods(text: string): NamedMethod[] | undefined {
  const texts = text.split(',', MAX_METHODS + 1).map((part) => part.trim())
  const methods = texts.flatMap((text) => {
    const method = parseMethod(text)
    return method ? [{ text, method }] : []
  })
  const isComplete = methods.length === texts.length && texts.length <= MAX_METHODS
  return isComplete && new Set(texts).size === texts.length ? methods : undefined
}

function withNumber<Name extends string>(
  name: Name,
  argument: string,
  given: { default: number; max: number }
): { name: Name; x: number } | undefined {
  const text = argument.trim()
  if (text === '') return { name, x: given.default }
  const x = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  return x <= given.max ? { name, x } : undefined
}

const lengths: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY]
])

/** Ten years. Borders of the calendar are computed for a few intervals around the window. */
const MAX_INTERVAL_MS = 3653 * DAY

/**
 * `10m`, `1d`, `3mo`, and Go durations such as `1h0m0s`; undefined when the text is no interval.
 */
export function parseInterval(text: string): Interval | undefined {
  const [, digits, unit] = /^(\d{1,4})(d|w|mo)$/.exec(text) ?? []
  if (digits !== undefined && isCalendarUnit(unit)) return calendarInterval(Number(digits), unit)
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  if (parts.map(([part]) => part).join('') !== text) return undefined
  const ms = parts.reduce((sum, [, n, unit = '']) => sum + Number(n) * (lengths.get(unit) ?? 0), 0)
  return Number.isSafeInteger(ms) && ms > 0 && ms <= MAX_INTERVAL_MS ? { ms } : undefined
}

const calendarInterval = (count: number, unit: CalendarUnit): Interval | undefined =>
  count > 0 && count * typicalLength[unit] <= MAX_INTERVAL_MS ? { unit, count } : undefined

const isCalendarUnit = (unit: string | undefined): unit is CalendarUnit =>
  unit === 'd' || unit === 'w' || unit === 'mo'

/** `0s`, `0`, `0h0m0s`: clients send these when they want no interval. */
export const isNoInterval = (text: string): boolean => /^(0[0.smhd]*)?$/.test(text)

/** [contract: Log] */
export function defaultInterval(span: number): Interval {
  if (span > 364 * DAY) return { ms: 6 * HOUR }
  if (span > 27 * DAY) return { ms: HOUR }
  if (span > 2 * DAY) return { ms: 10 * MINUTE }
  return { ms: MINUTE }
}

const typicalLength: Readonly<Record<CalendarUnit, number>> = {
  d: DAY,
  w: 7 * DAY,
  mo: 30 * DAY
}

/** The approximate length, which is enough to count buckets. */
export const lengthOf = (interval: Interval): number =>
  'ms' in interval ? interval.ms : interval.count * typicalLength[interval.unit]

/**
 * The buckets of a window. They have one length and are aligned to the epoch, or they go from each
 * border to the next. The first border is at or before the window, the last one after it.
 */
export type Buckets = { ms: number } | { borders: readonly UnixMs[] }
