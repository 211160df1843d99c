import { MAX_PAGE_CHARACTERS } from '../../lib/page-limit.ts'
import { type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { AggregateQuery, Page } from '../history.ts'
import { bucketsOfPage } from './aggregate.ts'
import { type Grid, gridOf } from './grid.ts'

/** What a reader answers. */
export type Aggregated = Page | 'too large' | 'too many values'
type Ask = (query: AggregateQuery) => Promise<Aggregated>
/** The number of rows of each bucket of a query. */
type Count = (query: AggregateQuery) => Promise<Uint32Array>
/** The one whose rows come first on the page is the first one. */
export type Halves = readonly [AggregateQuery, AggregateQuery]

/**
 * The same question about two parts of the time, with all of each bucket in one of them. `held` is
 * the time that has samples. Undefined when one half cannot be answered without the other.
 */
export function halvesOf(
  query: AggregateQuery,
  held: { from: UnixMs; to: UnixMs }
): Halves | undefined {
  const methods = query.several?.map(({ method }) => method) ?? [query.method]
  // An integral needs the neighbours of the samples.
  if (methods.some(({ name }) => name === 'integral')) return undefined
  const [from, to] = [Math.max(query.from, held.from), Math.min(query.to, held.to)]
  if (from > to) return undefined
  const grid = gridOf(query.buckets, query.from, query.to)
  const border = grid.startOf(grid.indexOf((from + to) / 2))
  if (border <= from || border > to) return undefined
  const older = { ...query, to: unixMs(border - 1) }
  const newer = { ...query, from: border }
  return query.order === 'asc' ? [older, newer] : [newer, older]
}

/**
 * One page of both halves, which are asked at the same time. Their snapshots are of two moments
 * close to each other. Undefined when only the whole query can tell whether its text is too long.
 */
export async function answerHalves(
  [first, second]: Halves,
  ask: Ask
): Promise<Aggregated | undefined> {
  const [page, answer] = await Promise.all([ask(first), ask(second)])
  if (page === 'too large' || page === 'too many values') return page
  const limit = first.limit - page.count
  const fits = typeof answer !== 'string' && answer.count <= limit
  const rest = fits || answer === 'too many values' ? answer : await ask({ ...second, limit })
  if (typeof rest === 'string') return rest
  const rows = [...page.rows, ...rest.rows]
  return pageOf(first, { rows, pages: [page, rest], total: page.total + rest.total })
}

/**
 * A page after an offset. Both halves are counted, and nothing before the page is summed up. Then
 * each thread answers half of its rows. Undefined as above, and when rows came or went meanwhile.
 */
export async function answerCounted(
  query: AggregateQuery,
  halves: Halves,
  { ask, count }: { ask: Ask; count: Count }
): Promise<Aggregated | undefined> {
  const grid = gridOf(query.buckets, query.from, query.to)
  const counts = new Uint32Array(grid.count)
  const parts = await Promise.all(halves.map(count))
  for (const [half, part] of parts.entries()) {
    // Borders are those of the whole query.
    const begin = 'ms' in query.buckets ? grid.indexOf((halves[half] as AggregateQuery).from) : 0
    for (let i = 0; i < part.length; i++)
      counts[begin + i] = (counts[begin + i] as number) + (part[i] as number)
  }
  const range = bucketsOfPage(counts, query)
  const { total } = range
  const pages = await Promise.all(piecesOf(query, grid, counts, range).map(ask))
  const answered: Page[] = []
  for (const page of pages) {
    if (typeof page === 'string') return page
    answered.push(page)
  }
  const rows = answered.flatMap((page) => page.rows)
  const found = answered.reduce((sum, page) => sum + page.count, 0)
  if (found !== Math.max(Math.min(query.limit, total - query.offset), 0)) return undefined
  return pageOf(query, { rows, pages: answered, total })
}

/** The rows of a page, as one or two queries that touch no other bucket. */
function piecesOf(
  query: AggregateQuery,
  grid: Grid,
  counts: Uint32Array,
  { first, last, before }: ReturnType<typeof bucketsOfPage>
): AggregateQuery[] {
  if (first > last) return []
  const from = unixMs(Math.max(query.from, grid.startOf(first)))
  const to = unixMs(Math.min(query.to, grid.stopOf(last) - 1))
  const whole = { ...query, from, to, offset: query.offset - before }
  const all = rowsIn(counts, first, last + 1)
  let border = first
  let inOlder = 0
  while (2 * inOlder < all) inOlder += counts[border++] as number
  if (border > last) return [whole]
  const older = { ...whole, to: unixMs(grid.startOf(border) - 1) }
  const newer = { ...whole, from: grid.startOf(border) }
  const [one, two, inOne] =
    query.order === 'asc' ? [older, newer, inOlder] : [newer, older, all - inOlder]
  const ofOne = Math.min(query.limit, inOne - whole.offset)
  if (ofOne <= 0 || ofOne === query.limit) return [whole]
  return [
    { ...one, limit: ofOne },
    { ...two, offset: 0, limit: query.limit - ofOne }
  ]
}

function rowsIn(counts: Uint32Array, begin: number, end: number): number {
  let rows = 0
  for (let bucket = begin; bucket < end; bucket++) rows += counts[bucket] as number
  return rows
}

/** Undefined when the text may be too long. The pages are in the order of their rows. */
function pageOf(
  { order }: AggregateQuery,
  { rows, pages, total }: { rows: readonly Uint8Array[]; pages: readonly Page[]; total: number }
): Page | undefined {
  const bytes = rows.reduce((sum, { length }) => sum + length, 0)
  // A text has fewer characters than bytes.
  if (bytes > MAX_PAGE_CHARACTERS) return undefined
  const rising = order === 'asc' ? pages : pages.toReversed()
  return {
    total,
    count: pages.reduce((sum, { count }) => sum + count, 0),
    oldest: rising.find(({ oldest }) => oldest !== undefined)?.oldest,
    rows
  }
}
