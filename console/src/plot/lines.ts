import type { Span } from './range.ts'

/** One place of a line: a sample (`count` 1), or what an interval from `time` on has. */
export type Point = { time: number; value: number; min: number; max: number; count: number }
export type Sample = { time: number; value: number }

export const pointOf = ({ time, value }: Sample): Point => ({
  time,
  value,
  min: value,
  max: value,
  count: 1
})

/** Adds samples that arrived after the points were read. `seconds` is 0 for raw points. */
export function extended(
  points: readonly Point[],
  samples: readonly Sample[],
  seconds: number
): readonly Point[] {
  const begin = points.at(-1)?.time ?? Number.NEGATIVE_INFINITY
  const newer = samples.filter(({ time }) => time >= begin)
  if (newer.length === 0) return points
  if (seconds === 0) return [...points, ...newer.map(pointOf)]
  const all = [...points]
  for (const sample of newer) {
    const last = all.at(-1)
    if (last && sample.time < last.time + seconds) all[all.length - 1] = merged(last, sample)
    else all.push({ ...pointOf(sample), time: Math.floor(sample.time / seconds) * seconds })
  }
  return all
}

function merged(point: Point, { value }: Sample): Point {
  const count = point.count + 1
  return {
    time: point.time,
    value: point.value + (value - point.value) / count,
    min: Math.min(point.min, value),
    max: Math.max(point.max, value),
    count
  }
}

/** A pause of more than so many usual distances is a gap. */
const GAP_DISTANCES = 3
/** The usual distance is the median of so many distances before, or after the pause. */
const NEIGHBOURS = 5
/** A state holds until the next value: it may be sent only when it changes. */
const STATE_HOLDS_S = 3600

/** A line is broken before the points in `gaps`. After `reach` seconds its last value is old. */
export type Line = { points: readonly Point[]; gaps: ReadonlySet<number>; reach: number }

/** Finds the gaps. `seconds` is the length of an interval, 0 for raw points. */
export function lineOf(points: readonly Point[], seconds: number, isState: boolean): Line {
  const distances = points.map(({ time }, i) => time - (points[i - 1]?.time ?? time))
  const usual = Math.max(seconds, median(distances.slice(1)))
  const holds = Math.max(GAP_DISTANCES * seconds, isState ? STATE_HOLDS_S : 0)
  const reach = Math.max(GAP_DISTANCES * usual, holds)
  const gaps = new Set<number>()
  for (const [i, distance] of distances.entries()) {
    if (i === 0 || distance <= holds) continue
    // A device may send more often at one time than at another.
    const before = median(distances.slice(Math.max(1, i - NEIGHBOURS), i))
    const after = median(distances.slice(i + 1, i + 1 + NEIGHBOURS))
    if (distance > GAP_DISTANCES * Math.max(before, after)) gaps.add(i)
  }
  return { points, gaps, reach }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** `undefined`: nothing at this time, the line goes on; `null`: the line is broken. */
export type Cell = number | null | undefined
type Columns = { value: Cell[]; min: Cell[]; max: Cell[] }

/** All lines on one list of times, as uPlot wants them. */
export function joined(lines: readonly Line[]): { times: number[]; columns: Columns[] } {
  const gaps = lines.map(gapTimes)
  const all = lines.flatMap(({ points }, i) => [
    ...points.map(({ time }) => time),
    ...(gaps[i] ?? [])
  ])
  const times = [...new Float64Array(all).sort()].filter((time, i, list) => time !== list[i - 1])
  const at = new Map(times.map((time, i) => [time, i]))
  const columns = lines.map(({ points }, i) => {
    const empty = (): Cell[] => new Array(times.length).fill(undefined)
    const column = { value: empty(), min: empty(), max: empty() }
    for (const time of gaps[i] ?? []) {
      const row = at.get(time) ?? 0
      column.value[row] = column.min[row] = column.max[row] = null
    }
    for (const { time, value, min, max } of points) {
      const row = at.get(time) ?? 0
      column.value[row] = value
      column.min[row] = min
      column.max[row] = max
    }
    return column
  })
  return { times, columns }
}

/** The middle of each gap of a line. */
export const gapTimes = ({ points, gaps }: Line): number[] =>
  [...gaps].map((i) => ((points[i - 1]?.time ?? 0) + (points[i]?.time ?? 0)) / 2)

export type Statistics = {
  count: number
  mean: number
  min: Sample
  max: Sample
  last: Sample
}

/** Of what is visible; undefined if that is nothing. `seconds` is the length of an interval. */
export function statisticsOf(
  points: readonly Point[],
  { from, to }: Span,
  seconds: number
): Statistics | undefined {
  const isAfter = (time: number) => (seconds === 0 ? time >= from : time + seconds > from)
  const seen = points.filter(({ time }) => isAfter(time) && time <= to)
  const [first] = seen
  const end = seen.at(-1)
  if (!first || !end) return undefined
  const count = seen.reduce((sum, point) => sum + point.count, 0)
  const least = seen.reduce((a, b) => (b.min < a.min ? b : a))
  const most = seen.reduce((a, b) => (b.max > a.max ? b : a))
  return {
    count,
    mean: seen.reduce((sum, point) => sum + point.value * point.count, 0) / count,
    min: { time: least.time, value: least.min },
    max: { time: most.time, value: most.max },
    last: { time: end.time, value: end.value }
  }
}

/** The point that a cursor at `time` means; undefined in a gap and far from the ends. */
export function pointAt({ points, gaps, reach }: Line, time: number): Point | undefined {
  let [low, high] = [0, points.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.time ?? 0) <= time) low = middle + 1
    else high = middle
  }
  const [before, after] = [points[low - 1], points[low]]
  const isAfter = before === undefined || (after && after.time - time < time - before.time)
  const nearest = isAfter ? after : before
  const isOpen = gaps.has(low) || before === undefined || after === undefined
  return nearest && isOpen && Math.abs(nearest.time - time) > reach ? undefined : nearest
}
