import type { Buckets } from '../../lib/aggregation.ts'
import type { UnixMs } from '../../lib/unix-time.ts'

/** The buckets of a window, by number. */
export interface Grid {
  readonly count: number
  /** The number of the bucket with this time. */
  indexOf(time: number): number
  startOf(index: number): UnixMs
  /** The first moment after the bucket. */
  stopOf(index: number): number
}

export const gridOf = (buckets: Buckets, from: UnixMs, to: UnixMs): Grid =>
  'ms' in buckets ? evenGrid(buckets.ms, from, to) : borderGrid(buckets.borders)

function evenGrid(ms: number, from: UnixMs, to: UnixMs): Grid {
  const first = Math.floor(from / ms)
  return {
    count: Math.floor(to / ms) - first + 1,
    indexOf: (time) => Math.floor(time / ms) - first,
    startOf: (index) => ((first + index) * ms) as UnixMs,
    stopOf: (index) => (first + index + 1) * ms
  }
}

function borderGrid(borders: readonly UnixMs[]): Grid {
  let known = 0
  const isIn = (index: number, time: number) =>
    time >= (borders[index] as number) && time < (borders[index + 1] as number)
  return {
    count: borders.length - 1,
    indexOf(time) {
      // Times mostly rise, so the last bucket or the next one is often right.
      if (isIn(known, time)) return known
      if (isIn(known + 1, time)) return ++known
      let [low, high] = [0, borders.length - 1]
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((borders[middle] as number) <= time) low = middle
        else high = middle
      }
      known = low
      return low
    },
    startOf: (index) => borders[index] as UnixMs,
    stopOf: (index) => borders[index + 1] as number
  }
}
