import { MAX_PAGE_CHARACTERS } from '../../lib/page-limit.ts'
import { type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { AggregateQuery, Page } from '../history.ts'
import { gridOf } from './grid.ts'

/** What a reader answers. */
export type Aggregated = Page | 'too large' | 'too many values'
type Ask = (query: AggregateQuery) => Promise<Aggregated>
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
  // An integral needs the neighbours of the samples. After an offset, rows of both halves are counted.
  if (query.offset > 0 || methods.some(({ name }) => name === 'integral')) return undefined
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
  const bytes = rows.reduce((sum, { length }) => sum + length, 0)
  // A text has fewer characters than bytes.
  if (bytes > MAX_PAGE_CHARACTERS) return undefined
  const [older, newer] = first.order === 'asc' ? [page, rest] : [rest, page]
  return {
    total: page.total + rest.total,
    count: page.count + rest.count,
    oldest: older.oldest ?? newer.oldest,
    rows
  }
}
