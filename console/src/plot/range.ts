import { instantOf, offsetAt, wallOf } from './zone.ts'

/** What the address of a plot holds: the last seconds until now, or a fixed range in Unix time. */
export type Range = { last: number } | { from: number; to: number }
export type PlotSearch = {
  topics?: string[]
  last?: number
  from?: number
  to?: number
  compare?: true
}
/** A range at a certain time, in Unix time. */
export type Span = { from: number; to: number }

export const HOUR_S = 3600
export const DAY_S = 24 * HOUR_S
export const WEEK_S = 7 * DAY_S

export const presets = {
  hour: HOUR_S,
  hours6: 6 * HOUR_S,
  day: DAY_S,
  week: WEEK_S,
  month: 30 * DAY_S,
  year: 365 * DAY_S
} as const
export type Preset = keyof typeof presets

/** The platform takes more, but nobody can tell so many lines apart. */
export const MAX_TOPICS = 20
const MAX_TOPIC_LENGTH = 1000
export const MIN_SPAN_S = 1
/** Ten years, as a board takes. */
export const MAX_SPAN_S = 3653 * DAY_S
/** The years 1970 to 2100. */
const MAX_TIME_S = 4_102_444_800

/** Reads an address. What is wrong in it becomes undefined: the router keeps what is not named. */
export function readPlotSearch(search: Record<string, unknown>): PlotSearch {
  const topics = readTopics(search.topics)
  return {
    topics: topics.length > 0 ? topics : undefined,
    ...{ last: undefined, from: undefined, to: undefined },
    ...readRange(search),
    compare: search.compare === true ? true : undefined
  }
}

function readTopics(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : [given]
  return [...new Set(list.filter(isTopic))].slice(0, MAX_TOPICS)
}

/** A name, not a pattern: `+` and `#` would match others. */
const isTopic = (topic: unknown): topic is string =>
  typeof topic === 'string' &&
  topic !== '' &&
  topic.length <= MAX_TOPIC_LENGTH &&
  !/[+#\0]/.test(topic)

function readRange({ last, from, to }: Record<string, unknown>): Partial<PlotSearch> {
  if (isTime(from) && isTime(to) && isSpan(to - from)) return { from, to }
  return typeof last === 'number' && isSpan(last) ? { last } : {}
}

const isTime = (time: unknown): time is number =>
  typeof time === 'number' && time >= 0 && time <= MAX_TIME_S
const isSpan = (span: number): boolean => span >= MIN_SPAN_S && span <= MAX_SPAN_S

/** Without a range the last day is shown. */
export function rangeOf({ last, from, to }: Pick<PlotSearch, 'last' | 'from' | 'to'>): Range {
  if (from !== undefined && to !== undefined) return { from, to }
  return { last: last ?? presets.day }
}

export const spanAt = (range: Range, now: number): Span =>
  'last' in range ? { from: now - range.last, to: now } : range

export const lengthOf = ({ from, to }: Span): number => to - from

/** Moves by a part of the span; `zoom` below 1 goes nearer, around the middle. */
export function changed(span: Span, { move = 0, zoom = 1 }): Span {
  const length = lengthOf(span)
  const wanted = Math.min(MAX_SPAN_S, Math.max(MIN_SPAN_S, length * zoom))
  const middle = (span.from + span.to) / 2 + move * length
  return { from: middle - wanted / 2, to: middle + wanted / 2 }
}

/** What the address gets: a range that reaches the present follows it from then on. */
export function rangeAround(span: Span, now: number): Range {
  const length = lengthOf(span)
  if (span.to >= now) return { last: rounded(length, length) }
  const from = Math.max(0, rounded(span.from, length))
  return { from, to: Math.max(from + MIN_SPAN_S, rounded(span.to, length)) }
}

/** Whole seconds are enough for a span of more than some minutes. */
const rounded = (time: number, span: number): number =>
  span > 300 ? Math.round(time) : Math.round(time * 1000) / 1000

const WEEKS_OF_A_YEAR = 52

/** How many weeks earlier the range is that is compared: whole weeks keep the days of the week. */
export function weeksBefore(span: Span): number {
  const weeks = Math.max(1, Math.ceil(lengthOf(span) / WEEK_S - 0.01))
  if (weeks <= 5) return weeks
  return weeks <= WEEKS_OF_A_YEAR + 1 ? WEEKS_OF_A_YEAR : weeks
}

/** The same wall time so many weeks later, in Unix time. Negative weeks are earlier. */
export function weeksLater(zone: string, time: number, weeks: number): number {
  const instant = time * 1000
  const plain = instant + weeks * WEEK_S * 1000
  if (offsetAt(zone, plain) === offsetAt(zone, instant)) return plain / 1000
  return instantOf(zone, wallOf(zone, instant) + weeks * WEEK_S * 1000) / 1000
}
