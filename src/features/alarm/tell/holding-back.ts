import { OpenHours, timeOfDay } from '../../../lib/alarm/hours.ts'
import { localClock, zoneOffset } from '../../../lib/calendar.ts'
import { DAY, MINUTE, type UnixMs, unixMs } from '../../../lib/unix-time.ts'
import type { AlarmSettings } from './settings.ts'

const everyDay = [0, 1, 2, 3, 4, 5, 6]

type Times = Pick<AlarmSettings, 'quiet' | 'digest'>

/**
 * Until when a message is held; 0: it is not. Quiet hours hold it until they end, or until the
 * digest after that. Without quiet hours the digest holds everything. An escalation does not wait
 * for a digest.
 */
export function heldUntil(
  { quiet, digest }: Times,
  zone: string,
  now: UnixMs,
  { isEscalation = false } = {}
): number {
  const waits = digest !== '' && !isEscalation
  if (quiet === null) return waits ? nextDigest(digest, zone, unixMs(now + 1)) : 0
  const { from, to } = quiet
  if (!new OpenHours({ days: everyDay, from, to }, zone).has(now)) return 0
  const end = new OpenHours({ days: everyDay, from: to, to: from }, zone).next(now)
  return waits ? nextDigest(digest, zone, end) : end
}

/** The first time from `at` on at which the clocks of the zone reach the time of the digest. */
function nextDigest(digest: string, zone: string, at: UnixMs): UnixMs {
  const ofDay = (timeOfDay(digest) ?? 0) * MINUTE
  const today = Math.floor((at + zoneOffset(zone, at)) / DAY) * DAY
  for (let midnight = today - DAY; ; midnight += DAY) {
    const moment = localClock(zone, midnight)(midnight + ofDay)
    if (moment >= at) return moment
  }
}

/** Whether a time of a day lies in hours of every day. */
export function isWithinHours(time: string, { from, to }: { from: string; to: string }): boolean {
  const [at, begin, end] = [timeOfDay(time), timeOfDay(from), timeOfDay(to)].map((one) => one ?? 0)
  if (at === undefined || begin === undefined || end === undefined) return false
  return begin < end ? at >= begin && at < end : at >= begin || at < end
}
