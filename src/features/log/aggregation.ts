import { badRequest } from '../../http/errors.ts'
import {
  type Buckets,
  DEFAULT_METHOD,
  defaultInterval,
  type Interval,
  isNoInterval,
  MAX_METHODS,
  type Method,
  type NamedMethod,
  parseInterval,
  parseMethods
} from '../../lib/aggregation.ts'
import { calendarBorders, isTimeZone } from '../../lib/calendar.ts'
import type { UnixMs } from '../../lib/unix-time.ts'

type Window = { from: UnixMs; to: UnixMs }
export type Aggregation = {
  method: Method
  several: readonly NamedMethod[] | undefined
  interval: Interval
  zone: string
}

/**
 * The aggregation of a query; undefined means the samples as they are. [contract: Log] Clients send
 * both parameters empty, or the interval as `0s`, when they want no aggregation.
 */
export function aggregationOf(
  given: { aggr_method?: string; aggr_interval?: string; tz?: string },
  { from, to }: Window
): Aggregation | undefined {
  const { aggr_method = '', aggr_interval = '', tz: zone = 'UTC' } = given
  if (!isTimeZone(zone)) throw badRequest('tz must be an IANA time zone such as Europe/Stockholm')
  if (aggr_method === '' && isNoInterval(aggr_interval)) return undefined
  const methods =
    aggr_method === '' ? [{ text: '', method: DEFAULT_METHOD }] : parseMethods(aggr_method)
  const [first] = methods ?? []
  if (!first) {
    throw badRequest(
      `aggr_method must be count, first, last, avg, mean, spread, max, min, sum, stddev, median, percentile(0 to 100) or integral(seconds), or up to ${MAX_METHODS} different ones with commas between`
    )
  }
  const interval = isNoInterval(aggr_interval)
    ? defaultInterval(to - from)
    : parseInterval(aggr_interval)
  if (!interval) {
    throw badRequest('aggr_interval must be a number and s, m, h, d, w or mo, up to ten years')
  }
  const several = methods && methods.length > 1 ? methods : undefined
  return { method: first.method, several, interval, zone }
}

export const bucketsOf = ({ interval, zone }: Aggregation, window: Window): Buckets =>
  'ms' in interval ? interval : { borders: calendarBorders(interval, zone, window) }
