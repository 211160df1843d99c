import type { Sample } from '../lib/sample.ts'
import { HOUR, MINUTE, type UnixMs } from '../lib/unix-time.ts'

type Moment = Pick<Sample, 'timestamp' | 'id'>

/** The clocks of devices may differ by so much. */
const MAX_CLOCK_AHEAD_MS = MINUTE
/** An older sample is late. It says nothing about the current state. */
const LATE_MS = HOUR

/**
 * Timestamps after `future` lie in the future. Timestamps from `from` to `future` count as current.
 */
export const currentTimes = (now: UnixMs) => ({
  future: now + MAX_CLOCK_AHEAD_MS,
  from: now - LATE_MS
})

/**
 * Whether a sample replaces the latest value: it has a greater timestamp, or the same timestamp and
 * a later arrival. A value with a future timestamp (a wrong clock) never hides a current sample.
 */
export function isNewer(sample: Moment, held: Moment, now: UnixMs): boolean {
  const { future, from } = currentTimes(now)
  if (held.timestamp > future && sample.timestamp <= future) return sample.timestamp >= from
  return sample.timestamp === held.timestamp
    ? sample.id > held.id
    : sample.timestamp > held.timestamp
}
