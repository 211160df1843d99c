import type { Buckets, Method } from '../lib/aggregation.ts'
import type { Params } from './clickhouse-server.ts'

/** The expressions of a query's buckets: the begin of a timestamp's one, and the end by its begin. */
type BucketSql = { startOf(timestamp: string): string; stopOf(start: string): string }

const fixed: BucketSql = {
  startOf: (timestamp) => `intDiv(${timestamp}, {ms:Int64}) * {ms:Int64}`,
  stopOf: (start) => `${start} + {ms:Int64}`
}
const calendar: BucketSql = {
  startOf: (timestamp) => `roundDown(${timestamp}, {borders:Array(Int64)})`,
  stopOf: (start) =>
    `transform(${start}, arrayPopBack({borders:Array(Int64)}), arrayPopFront({borders:Array(Int64)}))`
}

const bucketSql = (buckets: Buckets): BucketSql => ('ms' in buckets ? fixed : calendar)

export const bucketParams = (buckets: Buckets): Params =>
  'ms' in buckets ? { ms: buckets.ms } : { borders: buckets.borders }

/** The begin of a sample's bucket. */
export const startSql = (buckets: Buckets): string =>
  bucketSql(buckets).startOf('samples.timestamp')

/** How many topics and buckets have samples; `matching` is everything from FROM on. */
export const totalSql = (buckets: Buckets, matching: string): string =>
  `SELECT uniqExact(topic, ${startSql(buckets)}) AS total ${matching}`

/** One row per topic and bucket: client_id, topic, start, result. */
export function groupsSql(method: Method, buckets: Buckets, matching: string): string {
  if (method.name === 'integral') return integralSql(bucketSql(buckets), matching)
  return `
    SELECT any(client_id) AS client_id, topic, ${startSql(buckets)} AS start,
      toFloat64(${valueSql(method)}) AS result
    ${matching}
    GROUP BY topic, start`
}

function valueSql(method: Exclude<Method, { name: 'integral' }>): string {
  switch (method.name) {
    case 'count':
      return 'count()'
    case 'first':
      return 'argMin(value, (samples.timestamp, id))'
    case 'last':
      return 'argMax(value, (samples.timestamp, id))'
    case 'spread':
      return 'max(value) - min(value)'
    case 'sum':
      return 'sumKahan(value)'
    case 'stddev':
      return 'if(count() = 1, 0, stddevSampStable(value))'
    case 'median':
      return 'quantileExactInclusive(0.5)(value)'
    case 'percentile':
      return `arraySort(groupArray(value))[
        toUInt64(greatest(1, floor(count() * {x:Float64} / 100 + 0.5)))]`
    default:
      return `${method.name}(value)`
  }
}

/**
 * Twice the area between a sample and the one before it, in value times milliseconds. When that lies
 * in another bucket, the part up to the end of that bucket is its own.
 */
const integralSql = ({ startOf, stopOf }: BucketSql, matching: string): string => `
  SELECT any(client_id) AS client_id, topic, part.1 AS start,
    sumKahan(part.2) / (2000 * {x:Float64}) AS result
  FROM (
    SELECT client_id, topic, ${stopOf('previous_start')} AS cut,
      previous_v + (v - previous_v) * (cut - previous_t) / (t - previous_t) AS cut_v,
      arrayJoin(multiIf(
        place = 1, [(start, 0.)],
        start = previous_start, [(start, (v + previous_v) * (t - previous_t))],
        [(previous_start, (previous_v + cut_v) * (cut - previous_t)),
          (start, (cut_v + v) * (t - cut))])) AS part
    FROM (
      SELECT client_id, topic, samples.timestamp AS t, value AS v,
        ${startOf('samples.timestamp')} AS start,
        row_number() OVER arrivals AS place,
        lagInFrame(t) OVER arrivals AS previous_t,
        lagInFrame(v) OVER arrivals AS previous_v,
        lagInFrame(start) OVER arrivals AS previous_start
      ${matching}
      WINDOW arrivals AS (PARTITION BY topic ORDER BY samples.timestamp, id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
  )
  GROUP BY topic, start`
