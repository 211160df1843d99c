import type { DatabaseSync } from 'node:sqlite'
import { bordersOf } from '../lib/aggregation.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { AggregateQuery } from './history.ts'
import { countSql, pageSql, type Stretch } from './sqlite-aggregate-sql.ts'
import type { Month } from './sqlite-file.ts'

/** `rank`: the place of the topic in the list that was given. */
export type AggregatedRow = [rank: number, start: UnixMs, value: number | null]
type Placed = Stretch & { first: UnixMs; last: UnixMs }

export function createAggregateTables(file: DatabaseSync): void {
  file.exec(`
    PRAGMA temp_store = MEMORY;
    CREATE TEMP TABLE chosen (rank INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL);
    CREATE TEMP TABLE buckets (
      start INTEGER PRIMARY KEY,
      stop INTEGER NOT NULL,
      low INTEGER NOT NULL,
      high INTEGER NOT NULL
    );
  `)
}

/** A page of the buckets of these topics; `months` are those of the window, oldest first. */
export function aggregateRows(
  file: DatabaseSync,
  query: AggregateQuery,
  topicIds: readonly number[],
  months: readonly Month[]
): { total: number; rows: AggregatedRow[] } {
  const { method, order, limit, offset, from, to } = query
  const borders = bordersOf(query.buckets, from, to)
  fillTables(file, query, topicIds, borders)
  const stretches = stretchesOf(borders, months)
  if (order === 'desc') stretches.reverse()
  const x = 'x' in method ? method.x : 0
  const rows: AggregatedRow[] = []
  let total = 0
  for (const { first, last, ...stretch } of stretches) {
    const skip = Math.max(offset - total, 0)
    const wanted = limit - rows.length
    const page = file.prepare(pageSql(method, stretch, order === 'asc' ? 'ASC' : 'DESC', skip > 0))
    page.setReturnArrays(true)
    page.setAllowUnknownNamedParameters(true)
    const found = page.all({
      ...{ $first: first, $last: last, $from: from, $end: to + 1 },
      ...{ $x: x, $limit: wanted, $offset: skip }
    }) as unknown as AggregatedRow[]
    for (const row of found) rows.push(row)
    const isWhole = found.length < wanted && (found.length > 0 || skip === 0)
    const count = () =>
      Number(file.prepare(countSql(stretch)).get({ $first: first, $last: last })?.['n'])
    total += isWhole ? skip + found.length : count()
  }
  return { total, rows }
}

function fillTables(
  file: DatabaseSync,
  { from, to }: AggregateQuery,
  topicIds: readonly number[],
  borders: readonly UnixMs[]
): void {
  file.exec('DELETE FROM temp.chosen; DELETE FROM temp.buckets')
  file
    .prepare('INSERT INTO temp.chosen SELECT key, value FROM json_each(?)')
    .run(JSON.stringify(topicIds))
  file
    .prepare(
      `INSERT INTO temp.buckets
       SELECT start, stop, max(start, ?), min(stop, ?)
       FROM (SELECT value AS start, lead(value) OVER (ORDER BY key) AS stop FROM json_each(?))
       WHERE stop IS NOT NULL`
    )
    .run(from, to + 1, JSON.stringify(borders))
}

/** Neighbouring buckets that touch the same months; those that touch none have no samples. */
function stretchesOf(borders: readonly UnixMs[], months: readonly Month[]): Placed[] {
  const stretches: Placed[] = []
  let begin = 0
  for (let i = 0; i + 1 < borders.length; i++) {
    const start = borders[i] as UnixMs
    const stop = borders[i + 1] as UnixMs
    while ((months[begin]?.to ?? Infinity) < start) begin++
    let end = begin
    while ((months[end]?.from ?? Infinity) < stop) end++
    if (begin === end) continue
    const last = stretches.at(-1)
    if (last?.months[0] === months[begin] && last?.months.length === end - begin) last.last = start
    else
      stretches.push({ months: months.slice(begin, end), all: months, first: start, last: start })
  }
  return stretches
}
