import { badRequest } from '../../http/errors.ts'
import { type Interval, lengthOf } from '../../lib/aggregation.ts'
import { DAY, HOUR, MINUTE, SECOND, type UnixMs, unixMs } from '../../lib/unix-time.ts'

type Window = { from: UnixMs; to: UnixMs }

/**
 * [ADR-0009] The limit for topics times buckets times methods of one query; fewer than ten topics
 * count as ten.
 */
export const MAX_BUCKETS = 5_000_000
const MIN_TOPICS = 10
/** Above this the borders cost more than a look for the oldest sample. */
const MANY_BUCKETS = MAX_BUCKETS / 10

const bucketsIn = ({ from, to }: Window, length: number, weight: number): number =>
  ((to - from) / length) * weight

/**
 * Cuts off parts of the window that cannot have samples: more than a day in the future, and before
 * the oldest sample. The oldest sample is read only for many buckets and for calendar buckets,
 * whose borders are all computed. A window that still has too many buckets is refused.
 */
export async function boundWindow(
  asked: Window,
  {
    interval,
    topics,
    methods,
    now
  }: { interval: Interval; topics: number; methods: number; now: UnixMs },
  oldest: () => Promise<UnixMs | undefined>
): Promise<Window> {
  const length = lengthOf(interval)
  const weight = Math.max(topics, MIN_TOPICS) * methods
  const window = { ...asked, to: unixMs(Math.max(asked.from, Math.min(asked.to, now + DAY))) }
  if ('ms' in interval && bucketsIn(window, length, weight) <= MANY_BUCKETS) return window
  const begin = (await oldest()) ?? window.to
  window.from = unixMs(Math.min(Math.max(asked.from, begin), window.to))
  if (bucketsIn(window, length, weight) <= MAX_BUCKETS) return window
  const smallest = bucketsIn(window, MAX_BUCKETS, weight)
  const longest = (MAX_BUCKETS * length) / weight
  const many = methods > 1 ? `${topics} topics, ${methods} methods` : `${topics} topics`
  throw badRequest(
    `aggr_interval must be at least ${durationText(smallest)} for ${many} and this time span, or the time span at most ${Math.floor(longest / SECOND)} s`
  )
}

/** Rounded up, in a form that `aggr_interval` accepts. */
function durationText(ms: number): string {
  const units = { d: DAY, h: HOUR, m: MINUTE, s: SECOND }
  const [unit, length] = Object.entries(units).find(([, length]) => ms > 2 * length) ?? [
    's',
    SECOND
  ]
  return `${Math.max(1, Math.ceil(ms / length))}${unit}`
}
