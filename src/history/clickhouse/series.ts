import type { SeriesQuery } from '../history.ts'
import { SERIES_SAMPLES, type SeriesPage, type SeriesPlace } from '../series.ts'
import type { ServerConnection } from './server.ts'

/** The number of the topic in the list, from 1, then time and value. */
const ROW_BYTES = 4 + 8 + 8

/** Reads the samples after a place. */
export async function readSeriesPage(
  connection: ServerConnection,
  { topics, from, ...query }: SeriesQuery,
  { topic, timestamp, skip }: SeriesPlace,
  signal?: AbortSignal
): Promise<SeriesPage> {
  const params = { ...query, topics, begin: from, topic, timestamp, skip, limit: SERIES_SAMPLES }
  const rows = await connection.binary(sql, params, signal)
  return pageOf(rows, topics)
}

// Rows that differ only in their messages are the same here, so the order needs no more keys.
const sql = `
  SELECT
    toUInt32(transform(topic, {topics:Array(String)}, range(1, length({topics:Array(String)}) + 1), 0)),
    toFloat64(samples.timestamp), value
  FROM samples FINAL
  WHERE installation_id = {installation_id:UInt64} AND topic IN {topics:Array(String)}
    AND (topic > {topic:String}
      OR (topic = {topic:String} AND samples.timestamp >= {timestamp:Int64}))
    AND samples.timestamp BETWEEN {begin:Int64} AND {to:Int64}
  ORDER BY topic, samples.timestamp, id, value
  LIMIT {limit:UInt64} OFFSET {skip:UInt64}`

function pageOf(rows: Buffer, topics: readonly string[]): SeriesPage {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.byteLength)
  const count = rows.length / ROW_BYTES
  const [times, values] = [new Float64Array(count), new Float64Array(count)]
  const runs: { topic: string; count: number }[] = []
  let [run, last] = [{ topic: '', count: 0 }, 0]
  for (let i = 0, at = 0; i < count; i++, at += ROW_BYTES) {
    const number = view.getUint32(at, true)
    if (number !== last) {
      run = { topic: topics[number - 1] ?? '', count: 0 }
      runs.push(run)
      last = number
    }
    run.count++
    times[i] = view.getFloat64(at + 4, true)
    values[i] = view.getFloat64(at + 12, true)
  }
  return { runs, times, values }
}
