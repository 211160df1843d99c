import { DAY_S, HOUR_S, lengthOf, type Span } from './range.ts'

/** `text` is what `aggr_interval` takes. Days, weeks and months follow the calendar of the zone. */
export type Interval = { seconds: number; text: string }

const fixed = (seconds: number): Interval => ({
  seconds,
  text: seconds < 1 ? `${Math.round(seconds * 1000)}ms` : `${seconds}s`
})

const intervals: readonly Interval[] = [
  ...[0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5].map(fixed),
  ...[1, 2, 5, 10, 15, 20, 30].map(fixed),
  ...[1, 2, 3, 5, 10, 15, 20, 30].map((minutes) => fixed(minutes * 60)),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => fixed(hours * HOUR_S)),
  { seconds: DAY_S, text: '1d' },
  { seconds: 2 * DAY_S, text: '2d' },
  { seconds: 7 * DAY_S, text: '1w' },
  { seconds: 30 * DAY_S, text: '1mo' }
]

const longest: Interval = { seconds: 365 * DAY_S, text: '12mo' }
const PIXELS_PER_POINT = 1.5

/** The finest round interval whose points are at least 1.5 pixels apart. */
export function intervalFor(span: Span, width: number): Interval {
  const points = Math.max(100, width / PIXELS_PER_POINT)
  return intervals.find(({ seconds }) => lengthOf(span) / seconds <= points) ?? longest
}

/** What is asked for: a little more than is seen, so that lines reach the edges. */
export function askedSpan(span: Span, { seconds }: Interval): Span {
  const margin = Math.max(seconds, lengthOf(span) / 20)
  const from = Math.floor((span.from - margin) / seconds) * seconds
  return { from: Math.max(0, from), to: Math.ceil((span.to + margin) / seconds) * seconds }
}
