import type { Method } from '../../lib/aggregation.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { AggregateQuery } from '../history.ts'
import { BucketSums } from './bucket-sums.ts'
import { type Grid, gridOf } from './grid.ts'
import { type ResultPage, Results } from './results.ts'
import { inStoredOrder, type Stored, type StoredTopic } from './stored.ts'

/** So many results are computed at once. With more, the buckets of the page are searched first. */
const MAX_RESULTS = 1_000_000

/** A page of the buckets of these topics. `throwIfCancelled` is called often. */
export function aggregateRows(
  stored: Stored,
  query: AggregateQuery,
  topics: readonly StoredTopic[],
  throwIfCancelled: () => void
): { total: number; page: ResultPage } {
  const { from, to, order, offset, limit } = query
  const methods = query.several?.map(({ method }) => method) ?? [query.method]
  const grid = gridOf(query.buckets, from, to)
  const source = { stored, topics, grid, throwIfCancelled }
  if (grid.count * topics.length <= MAX_RESULTS) {
    const results = resultsOf(source, query, methods)
    return { total: results.count, page: results.page(order, offset, limit) }
  }
  const range = bucketsOfPage(countsOf(source, query), query)
  const { total, before } = range
  const results =
    range.first > range.last
      ? emptyResults(source, methods)
      : resultsOf(source, query, methods, range)
  return { total, page: results.page(order, offset - before, limit) }
}

/** The number of results of each bucket. Few samples are read for it. */
export function countResults(
  stored: Stored,
  { from, to, buckets }: Pick<AggregateQuery, 'from' | 'to' | 'buckets'>,
  topics: readonly StoredTopic[],
  throwIfCancelled: () => void
): Uint32Array {
  const grid = gridOf(buckets, from, to)
  return countsOf({ stored, topics, grid, throwIfCancelled }, { from, to })
}

function countsOf(source: Source, window: Window): Uint32Array {
  const counts = new Uint32Array(source.grid.count)
  eachBucket(source, window, [], (bucket) => {
    counts[bucket] = (counts[bucket] as number) + 1
  })
  return counts
}

type Source = {
  stored: Stored
  topics: readonly StoredTopic[]
  grid: Grid
  throwIfCancelled: () => void
}
type Window = Pick<AggregateQuery, 'from' | 'to'>
type Range = { first: number; last: number }

const emptyResults = ({ grid, topics }: Source, methods: readonly Method[]): Results =>
  new Results(grid, { topics: topics.length, methods: methods.length })

/** All buckets with samples, or those from `first` to `last`. */
function resultsOf(
  source: Source,
  { from, to }: Window,
  methods: readonly Method[],
  range?: Range
): Results {
  const { grid } = source
  const results = emptyResults(source, methods)
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
export function bucketsOfPage(
  counts: Uint32Array,
  { order, offset, limit }: Pick<AggregateQuery, 'order' | 'offset' | 'limit'>
): Range & { total: number; before: number } {
  let total = 0
  for (const count of counts) total += count
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
