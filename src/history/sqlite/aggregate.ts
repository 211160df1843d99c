import type { Method } from '../../lib/aggregation.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { AggregateQuery } from '../history.ts'
import { BucketSums } from './bucket-sums.ts'
import { type Grid, gridOf } from './grid.ts'
import { inStoredOrder, type Stored, type StoredTopic } from './stored.ts'

/** `rank`: the index of the topic in the given list. `results`: one for each method. */
export type AggregatedRow = { rank: number; start: UnixMs; results: Float64Array }

/** So many results are computed at once. With more, the buckets of the page are searched first. */
const MAX_RESULTS = 1_000_000

/** A page of the buckets of these topics. `throwIfCancelled` is called often. */
export function aggregateRows(
  stored: Stored,
  query: AggregateQuery,
  topics: readonly StoredTopic[],
  throwIfCancelled: () => void
): { total: number; rows: AggregatedRow[] } {
  const { from, to, order, offset, limit } = query
  const methods = query.several?.map(({ method }) => method) ?? [query.method]
  const grid = gridOf(query.buckets, from, to)
  const source = { stored, topics, grid, throwIfCancelled }
  if (grid.count * topics.length <= MAX_RESULTS) {
    const results = resultsOf(source, query, methods)
    return { total: results.count, rows: results.page(order, offset, limit) }
  }
  const counts = new Uint32Array(grid.count)
  eachBucket(source, query, [], (bucket) => {
    counts[bucket] = (counts[bucket] as number) + 1
  })
  const page = bucketsOfPage(counts, query)
  if (page.first > page.last) return { total: page.total, rows: [] }
  const results = resultsOf(source, query, methods, page)
  return { total: page.total, rows: results.page(order, offset - page.before, limit) }
}

type Source = {
  stored: Stored
  topics: readonly StoredTopic[]
  grid: Grid
  throwIfCancelled: () => void
}
type Window = Pick<AggregateQuery, 'from' | 'to'>
type Range = { first: number; last: number }

/** All buckets with samples, or those from `first` to `last`. */
function resultsOf(
  source: Source,
  { from, to }: Window,
  methods: readonly Method[],
  range?: Range
): Results {
  const { grid } = source
  const results = new Results(grid, methods.length)
  const { first, last } = range ?? { first: 0, last: grid.count - 1 }
  // An integral needs the neighbours of the samples, so all are read.
  const isNarrow = range !== undefined && !methods.some(({ name }) => name === 'integral')
  const window = isNarrow
    ? {
        from: Math.max(from, grid.startOf(first)) as UnixMs,
        to: Math.min(to, grid.stopOf(last) - 1) as UnixMs
      }
    : { from, to }
  eachBucket(source, window, methods, (bucket, values, rank) => {
    if (bucket >= first && bucket <= last) results.add(bucket, rank, values)
  })
  return results
}

function eachBucket(
  { stored, topics, grid, throwIfCancelled }: Source,
  window: Window,
  methods: readonly Method[],
  take: (bucket: number, results: readonly number[], rank: number) => void
): void {
  const span = stored.within(window)
  let rank = 0
  const sums = new BucketSums(grid, methods, (bucket, results) => take(bucket, results, rank))
  for (const topic of inStoredOrder(topics)) {
    rank = topic.rank
    for (const slice of span.samplesOf(topic.topic_id)) {
      throwIfCancelled()
      sums.add(slice)
      if (slice.end === slice.columns.count) slice.columns.release()
    }
    sums.end()
  }
}

/** The buckets that a page touches; `before`: the number of rows before them, in the order. */
function bucketsOfPage(
  counts: Uint32Array,
  { order, offset, limit }: Pick<AggregateQuery, 'order' | 'offset' | 'limit'>
): Range & { total: number; before: number } {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const [begin, end] =
    order === 'asc' ? [offset, offset + limit] : [total - offset - limit, total - offset]
  let [first, last, seen, beforeFirst, afterLast] = [counts.length, -1, 0, 0, 0]
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const next = seen + (counts[bucket] as number)
    if (next > begin && seen < end && next > seen) {
      if (last === -1) {
        first = bucket
        beforeFirst = seen
      }
      last = bucket
      afterLast = total - next
    }
    seen = next
  }
  return { first, last, total, before: order === 'asc' ? beforeFirst : afterLast }
}

const FIRST_RESULTS = 1024

/** Results in the order in which they are computed. */
class Results {
  readonly #grid: Grid
  readonly #methods: number
  #buckets = new Uint32Array(FIRST_RESULTS)
  #ranks = new Uint32Array(FIRST_RESULTS)
  #values: Float64Array
  #count = 0

  constructor(grid: Grid, methods: number) {
    this.#grid = grid
    this.#methods = methods
    this.#values = new Float64Array(FIRST_RESULTS * methods)
  }

  get count(): number {
    return this.#count
  }

  add(bucket: number, rank: number, results: readonly number[]): void {
    if (this.#count === this.#buckets.length) this.#grow()
    const at = this.#count++
    this.#buckets[at] = bucket
    this.#ranks[at] = rank
    for (let i = 0; i < this.#methods; i++)
      this.#values[at * this.#methods + i] = results[i] as number
  }

  /** By bucket, then by topic. */
  page(order: 'asc' | 'desc', offset: number, limit: number): AggregatedRow[] {
    const sorted = this.#sorted()
    if (order === 'desc') sorted.reverse()
    return Array.from(sorted.subarray(offset, offset + limit), (at) => ({
      rank: this.#ranks[at] as number,
      start: this.#grid.startOf(this.#buckets[at] as number),
      results: this.#values.subarray(at * this.#methods, (at + 1) * this.#methods)
    }))
  }

  #grow(): void {
    const doubled = <Column extends Uint32Array | Float64Array>(column: Column, larger: Column) => {
      larger.set(column)
      return larger
    }
    this.#buckets = doubled(this.#buckets, new Uint32Array(2 * this.#buckets.length))
    this.#ranks = doubled(this.#ranks, new Uint32Array(2 * this.#ranks.length))
    this.#values = doubled(this.#values, new Float64Array(2 * this.#values.length))
  }

  #sorted(): Uint32Array {
    const all = Uint32Array.from({ length: this.#count }, (_, at) => at)
    return sortedBy(this.#buckets, sortedBy(this.#ranks, all))
  }
}

/** Sorts places by their keys. Places with the same key stay in their order. */
function sortedBy(keys: Uint32Array, places: Uint32Array): Uint32Array {
  let greatest = 0
  for (const place of places) greatest = Math.max(greatest, keys[place] as number)
  const ends = new Uint32Array(greatest + 2)
  for (const place of places) {
    const key = keys[place] as number
    ends[key + 1] = (ends[key + 1] as number) + 1
  }
  for (let key = 1; key < ends.length; key++)
    ends[key] = (ends[key] as number) + (ends[key - 1] as number)
  const sorted = new Uint32Array(places.length)
  for (const place of places) {
    const key = keys[place] as number
    const at = ends[key] as number
    sorted[at] = place
    ends[key] = at + 1
  }
  return sorted
}
