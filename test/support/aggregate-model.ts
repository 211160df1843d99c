import assert from 'node:assert/strict'
import type { AggregateQuery } from '../../src/history/history.ts'
import type { Buckets, Method } from '../../src/lib/aggregation.ts'
import type { Sample } from '../../src/lib/sample.ts'
import type { UnixMs } from '../../src/lib/unix-time.ts'

/** A row, and the allowed rounding error. */
type Expected = { topic: string; start: UnixMs; value: number; slack: number }

const bytes = (text: string) => Buffer.from(text)
const byTopic = (a: string, b: string) => Buffer.compare(bytes(a), bytes(b))

/** Computes an aggregated log in the simplest way: all rows, without limit and offset. */
export function expectedRows(stored: readonly Sample[], query: AggregateQuery): Expected[] {
  const { from, to, method, order } = query
  const borders = bordersOf(query.buckets, from, to)
  const rows: Expected[] = []
  for (const topic of new Set(stored.map(({ topic }) => topic))) {
    if (query.topics && !query.topics.includes(topic)) continue
    const samples = stored
      .filter((sample) => sample.topic === topic)
      .filter(({ timestamp }) => timestamp >= from && timestamp <= to)
      .sort((a, b) => a.timestamp - b.timestamp || a.id - b.id)
    for (const [i, start] of borders.entries()) {
      const stop = borders[i + 1] ?? start
      const own = samples.filter(({ timestamp }) => timestamp >= start && timestamp < stop)
      if (own.length === 0) continue
      const result = method.name === 'integral' ? area(samples, borders, start) : of(method, own)
      const { value, slack } = typeof result === 'number' ? { value: result, slack: 0 } : result
      const x = method.name === 'integral' ? method.x : 1
      rows.push({ topic, start, value: value / x, slack: slack / x })
    }
  }
  rows.sort((a, b) => a.start - b.start || byTopic(a.topic, b.topic))
  return order === 'asc' ? rows : rows.reverse()
}

/** Values of single samples and counts are exact; sums may be rounded. */
function of(method: Method, samples: readonly Sample[]): number | { value: number; slack: number } {
  const values = samples.map(({ value }) => value)
  const sorted = values.toSorted((a, b) => a - b)
  const n = values.length
  const at = (i: number) => sorted[i] ?? Number.NaN
  const sum = (of: readonly number[]) => of.reduce((a, b) => a + b, 0)
  const slack = 1e-13 * sum(values.map(Math.abs))
  const mean = sum(values) / n
  switch (method.name) {
    case 'count':
      return n
    case 'first':
      return values[0] ?? Number.NaN
    case 'last':
      return values[n - 1] ?? Number.NaN
    case 'max':
      return at(n - 1)
    case 'min':
      return at(0)
    case 'percentile':
      return at(Math.max(1, Math.floor((n * method.x) / 100 + 0.5)) - 1)
    case 'spread':
      return { value: at(n - 1) - at(0), slack }
    case 'avg':
      return { value: mean, slack }
    case 'sum':
      return { value: sum(values), slack }
    case 'median':
      return { value: (at(Math.floor((n - 1) / 2)) + at(Math.floor(n / 2))) / 2, slack }
    case 'stddev':
      if (n === 1) return 0
      return {
        value: Math.sqrt(sum(values.map((v) => (v - mean) ** 2)) / (n - 1)),
        // The square of a smaller deviation is subnormal.
        slack: slack + 1e-150
      }
    case 'integral':
      throw new Error('needs the neighbours')
  }
}

/** The part of the area between each two neighbours that belongs to the bucket at `start`. */
function area(samples: readonly Sample[], borders: readonly UnixMs[], start: UnixMs) {
  const bucketOf = (at: number) => borders.findLastIndex((border) => border <= at)
  let [value, slack] = [0, 0]
  for (const [i, later] of samples.entries()) {
    const earlier = samples[i - 1]
    if (!earlier) continue
    const [a, b] = [bucketOf(earlier.timestamp), bucketOf(later.timestamp)]
    // The end of the earlier sample's bucket divides the area; without a border there is one part.
    const cut = a === b ? later.timestamp : (borders[a + 1] ?? 0)
    const slope = (later.value - earlier.value) / (later.timestamp - earlier.timestamp || 1)
    const at = (t: number) => earlier.value + slope * (t - earlier.timestamp)
    const trapezoid = (from: number, to: number) => ((at(from) + at(to)) / 2) * ((to - from) / 1000)
    if (borders[a] === start) value += trapezoid(earlier.timestamp, cut)
    if (borders[b] === start) value += trapezoid(cut, later.timestamp)
    const width = (later.timestamp - earlier.timestamp) / 1000
    slack += 1e-11 * width * (Math.abs(earlier.value) + Math.abs(later.value))
  }
  return { value, slack }
}

export function assertNear(actual: number, { value, slack }: Expected, what: string): void {
  // Subnormal numbers have too few digits to compare.
  const least = 1e-300
  const isNear = Math.abs(actual - value) <= least + slack + (slack && 1e-9 * Math.abs(value))
  assert(isNear, `${what}: ${actual} is not ${value} (within ${slack})`)
}

/** The borders of any kind of buckets. */
function bordersOf(buckets: Buckets, from: UnixMs, to: UnixMs): readonly UnixMs[] {
  if ('borders' in buckets) return buckets.borders
  const first = Math.floor(from / buckets.ms)
  const count = Math.floor(to / buckets.ms) - first + 2
  return Array.from({ length: count }, (_, i) => ((first + i) * buckets.ms) as UnixMs)
}
