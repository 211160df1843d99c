import type { Method } from '../lib/aggregation.ts'
import type { Month } from './sqlite-file.ts'

/** Buckets that lie in the same months, oldest first; `all` are the months of the whole query. */
export type Stretch = { months: readonly Month[]; all: readonly Month[] }
type Ends = readonly [low: string, high: string]

const OWN: Ends = ['low', 'high']

/**
 * Rank, begin and value of each topic and bucket that has samples, in order. From the beginning the
 * value itself shows whether there are any; rows to skip are only looked for, not computed.
 */
export function pageSql(method: Method, stretch: Stretch, way: 'ASC' | 'DESC', skips: boolean) {
  const order = `ORDER BY start ${way}, rank ${way}`
  const page = `LIMIT $limit OFFSET $offset`
  if (method.name === 'integral')
    return integralSql(stretch, `${keysSql(stretch)} ${order} ${page}`)
  const value = valueSql(method, stretch)
  if (skips)
    return `SELECT rank, start, ${value} FROM (${keysSql(stretch)} ${order} ${page}) AS key`
  // The inner LIMIT keeps SQLite from computing a value once to look at and once more to answer.
  return `
    SELECT rank, start, value
    FROM (SELECT rank, start, ${value} AS value ${pairsSql} ${order} LIMIT -1)
    WHERE value IS NOT NULL ${page}`
}

const pairsSql = `
  FROM temp.buckets CROSS JOIN temp.chosen AS key
  WHERE start BETWEEN $first AND $last`

export const countSql = (stretch: Stretch): string =>
  `SELECT count(*) AS n FROM (${keysSql(stretch)})`

// Looking for one sample per topic and bucket is cheaper than grouping all of them, and a page then
// computes its own buckets only.
const keysSql = ({ months }: Stretch): string => `
  SELECT rank, topic_id, start, stop, low, high ${pairsSql}
    AND (${months.map((month) => `EXISTS (SELECT 1 ${rangeSql(month, OWN)})`).join(' OR ')})`

const rangeSql = ({ table }: Month, [low, high]: Ends): string =>
  `FROM ${table} AS s
   WHERE s.topic_id = key.topic_id AND s.timestamp >= ${low} AND s.timestamp < ${high}`

/** All samples of a key. */
const samplesSql = (columns: string, { months }: Stretch): string =>
  `(${months.map((month) => `SELECT ${columns} ${rangeSql(month, OWN)}`).join(' UNION ALL ')})`

function valueSql(method: Exclude<Method, { name: 'integral' }>, stretch: Stretch): string {
  const values = samplesSql('value', stretch)
  switch (method.name) {
    case 'first':
    case 'last':
      return endSql(method.name, 'value', stretch.months, OWN)
    case 'count':
      return `(SELECT nullif(count(*), 0) FROM ${values})`
    case 'spread':
      return `(SELECT max(value) - min(value) FROM ${values})`
    case 'stddev':
      // Shifted by one of its own values, so that a large offset takes no digits away.
      return `(
        SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN 0 ELSE
          coalesce(sqrt(max(0, (sum(d * d) - sum(d) * sum(d) / count(*)) / (count(*) - 1))), 9e999)
          END
        FROM (SELECT value - shift AS d
          FROM (SELECT value AS shift FROM ${values} LIMIT 1) CROSS JOIN ${values}))`
    case 'percentile':
      // percentile_disc takes the value at floor(place * (n - 1)), counted from 0.
      return `(
        SELECT percentile_disc(value, place)
        FROM (SELECT min(1.0, (max(1, floor(n * $x / 100.0 + 0.5)) - 0.75) / max(n - 1, 1)) AS place
          FROM (SELECT count(*) AS n FROM ${values})) CROSS JOIN ${values})`
    default:
      return `(SELECT ${method.name}(value) FROM ${values})`
  }
}

/** A column of the first or last sample between two moments, by time, then arrival. */
function endSql(
  end: 'first' | 'last',
  column: string,
  months: readonly Month[],
  ends: Ends
): string {
  const [way, inOrder] =
    end === 'first' ? (['ASC', months] as const) : (['DESC', months.toReversed()] as const)
  const found = inOrder.map(
    (month) =>
      `(SELECT ${column} ${rangeSql(month, ends)} ORDER BY s.timestamp ${way}, s.id ${way} LIMIT 1)`
  )
  return `coalesce(${found.join(', ')}, NULL)`
}

/**
 * Twice the area, in value times milliseconds: between the bucket's own samples; on to its end, if a
 * sample follows; and to its first sample from the end of the bucket of the sample before.
 */
function integralSql({ months, all }: Stretch, keys: string): string {
  const before: Ends = ['$from', 'low']
  const after: Ends = ['high', '$end']
  return `
    WITH edges AS MATERIALIZED (
      SELECT key.*,
        ${endSql('first', 'timestamp', months, OWN)} AS first_t,
        ${endSql('first', 'value', months, OWN)} AS first_v,
        ${endSql('last', 'timestamp', months, OWN)} AS last_t,
        ${endSql('last', 'value', months, OWN)} AS last_v,
        ${endSql('last', 'timestamp', all, before)} AS before_t,
        ${endSql('last', 'value', all, before)} AS before_v,
        ${endSql('first', 'timestamp', all, after)} AS after_t,
        ${endSql('first', 'value', all, after)} AS after_v
      FROM (${keys}) AS key
    ), cuts AS MATERIALIZED (
      SELECT *,
        (SELECT stop FROM temp.buckets WHERE start <= before_t ORDER BY start DESC LIMIT 1) AS cut
      FROM edges
    )
    SELECT rank, start, (
      coalesce((
        SELECT sum((value + previous_v) * (timestamp - previous_t))
        FROM (SELECT timestamp, value,
            lag(timestamp) OVER arrivals AS previous_t,
            lag(value) OVER arrivals AS previous_v
          FROM ${samplesSql('timestamp, value, id', { months, all })}
          WINDOW arrivals AS (ORDER BY timestamp, id))), 0)
      + coalesce((first_t - cut) * (first_v + before_v
          + (first_v - before_v) * (cut - before_t) / (first_t - before_t)), 0)
      + coalesce((stop - last_t) * (last_v + last_v
          + (after_v - last_v) * (stop - last_t) / (after_t - last_t)), 0)
    ) / (2000 * $x)
    FROM cuts AS key`
}
