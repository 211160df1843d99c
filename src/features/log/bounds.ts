import { badRequest } from '../../http/errors.ts'
import { type Interval, lengthOf } from '../../lib/aggregation.ts'
import { DAY, HOUR, MINUTE, SECOND, type UnixMs, unixMs } from '../../lib/unix-time.ts'

type Window = { from: UnixMs; to: UnixMs }

/** [ADR-0009] Topics times buckets that one query may look at, the topics counted as ten at least. */
export const MAX_BUCKETS = 5_000_000
const MIN_TOPICS = 10

const bucketsIn = ({ from, to }: Window, length: number, topics: number): number =>
  ((to - from) / length) * Math.max(topics, MIN_TOPICS)

/**
 * The window with what cannot hold samples left out: nothing is newer than a day ahead, and nothing
 * is older than history, which is asked only when it matters: for many buckets, and for those of the
 * calendar, whose borders all are computed. What is still too much is refused.
 */
export async function boundWindow(
  asked: Window,
  { interval, topics, now }: { interval: Interval; topics: number; now: UnixMs },
  oldest: () => Promise<UnixMs | undefined>
): Promise<Window> {
  const length = lengthOf(interval)
  const window = { ...asked, to: unixMs(Math.max(asked.from, Math.min(asked.to, now + DAY))) }
  if ('ms' in interval && bucketsIn(window, length, topics) <= MAX_BUCKETS) return window
  const begin = (await oldest()) ?? window.to
  window.from = unixMs(Math.min(Math.max(asked.from, begin), window.to))
  if (bucketsIn(window, length, topics) <= MAX_BUCKETS) return window
  const smallest = bucketsIn(window, MAX_BUCKETS, topics)
  const longest = (MAX_BUCKETS * length) / Math.max(topics, MIN_TOPICS)
  throw badRequest(
    `aggr_interval must be at least ${durationText(smallest)} for ${topics} topics and this time, or the time at most ${Math.floor(longest / SECOND)} s`
  )
}

/** Rounded up, in a form that `aggr_interval` takes. */
function durationText(ms: number): string {
  const units = { d: DAY, h: HOUR, m: MINUTE, s: SECOND }
  const [unit, length] = Object.entries(units).find(([, length]) => ms > 2 * length) ?? [
    's',
    SECOND
  ]
  return `${Math.max(1, Math.ceil(ms / length))}${unit}`
}
