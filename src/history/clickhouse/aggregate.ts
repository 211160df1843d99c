import type { Buckets, Method } from '../../lib/aggregation.ts'
import type { Params } from './server.ts'

/**
 * SQL expressions for the buckets of a query: the start of a timestamp's bucket, and the end of the
 * bucket with a given start.
 */
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

/** The start of a sample's bucket. */
export const startSql = (buckets: Buckets): string =>
  bucketSql(buckets).startOf('samples.timestamp')

/**
 * Counts the pairs of topic and bucket that have samples; `matching` is everything from FROM on.
 */
export const totalSql = (buckets: Buckets, matching: string): string =>
  `SELECT uniqExact(topic, ${startSql(buckets)}) AS total ${matching}`

/** `x_0` for the first method, if it has a number, and so on. */
export const methodParams = (methods: readonly Method[]): Params =>
  Object.fromEntries(methods.flatMap((method, i) => ('x' in method ? [[`x_${i}`, method.x]] : [])))

/**
 * One row per topic and bucket: client_id, topic, start, and the results as result_0, result_1 ...
 * An integral looks at pairs of samples, so the area is a query of its own.
 */
export function groupsSql(methods: readonly Method[], buckets: Buckets, matching: string): string {
  const results = methods.map((method, i) =>
    method.name === 'integral'
      ? `area / (2000 * {x_${i}:Float64}) AS result_${i}`
      : `toFloat64(${valueSql(method, i)}) AS result_${i}`
  )
  const [plain, integrals] = [false, true].map((isIntegral) =>
    results.filter((_, i) => (methods[i]?.name === 'integral') === isIntegral)
  ) as [string[], string[]]
  const grouped = `
    SELECT any(client_id) AS client_id, topic, ${startSql(buckets)} AS start, ${plain.join()}
    ${matching}
    GROUP BY topic, start`
  if (integrals.length === 0) return grouped
  const area = areaSql(bucketSql(buckets), matching)
  if (plain.length === 0)
    return `SELECT client_id, topic, start, ${integrals.join()} FROM (${area})`
  return `
    SELECT grouped.*, areas.* EXCEPT (topic, start)
    FROM (${grouped}) AS grouped
    JOIN (SELECT topic, start, ${integrals.join()} FROM (${area})) AS areas USING (topic, start)`
}

function valueSql(method: Exclude<Method, { name: 'integral' }>, i: number): string {
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
        toUInt64(greatest(1, floor(count() * {x_${i}:Float64} / 100 + 0.5)))]`
    default:
      return `${method.name}(value)`
  }
}

/**
 * Twice the area between a sample and the previous one, in value times milliseconds. When the
 * previous sample lies in another bucket, the area is cut at the end of that bucket.
 */
const areaSql = ({ startOf, stopOf }: BucketSql, matching: string): string => `
  SELECT any(client_id) AS client_id, topic, part.1 AS start,
    sumKahan(part.2) AS area
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
