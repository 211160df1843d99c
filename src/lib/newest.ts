import type { Sample } from './sample.ts'
import { HOUR, MINUTE, type UnixMs } from './unix-time.ts'

type Moment = Pick<Sample, 'timestamp' | 'id'>

/** Clocks of devices differ by as much. */
const AHEAD = MINUTE
/** What is older than this is late, and shows nothing about the state of now. */
const LATE = HOUR

/** From when on a timestamp lies in the future, and from when to when it is of now. */
export const bordersOf = (now: UnixMs) => ({ future: now + AHEAD, from: now - LATE })

/**
 * Whether a sample that arrives is the latest value in place of another: the greater timestamp, on a
 * tie the later arrival. A timestamp in the future, of a clock that ran ahead, hides nothing of now.
 */
export function isNewer(sample: Moment, held: Moment, now: UnixMs): boolean {
  const { future, from } = bordersOf(now)
  if (held.timestamp > future && sample.timestamp <= future) return sample.timestamp >= from
  return sample.timestamp === held.timestamp
    ? sample.id > held.id
    : sample.timestamp > held.timestamp
}
