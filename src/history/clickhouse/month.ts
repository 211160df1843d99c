import { PageTooLarge } from '../../lib/page-limit.ts'
import type { Sample } from '../../lib/sample.ts'
import type { MonthPart, SamplePlace } from '../history.ts'
import { PART_BYTES, PART_ROWS, partOf, spanOfMonth } from '../month-read.ts'
import type { ServerConnection } from './server.ts'

/** Reads the samples after a place. When rows are large, it reads fewer. */
export async function readMonthPart(
  connection: ServerConnection,
  name: string,
  from: SamplePlace
): Promise<MonthPart> {
  const { from: begin, to: end } = spanOfMonth(name)
  const { skip, ...place } = from
  for (let limit = PART_ROWS; ; limit = Math.ceil(limit / 8)) {
    const params = { ...place, skip, begin, end, limit }
    try {
      // One sample is always read, however large it is.
      const lines = await connection.query(
        sql,
        params,
        undefined,
        limit > 1 ? PART_BYTES : undefined
      )
      const samples: Sample[] = JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`)
      return partOf(from, samples)
    } catch (error) {
      if (!(error instanceof PageTooLarge) || limit === 1) throw error
    }
  }
}

// The first condition lets ClickHouse use the primary key.
const sql = `
  SELECT id, installation_id, client_id, topic, samples.timestamp AS timestamp, value, msg
  FROM samples FINAL
  WHERE installation_id >= {installation_id:UInt64}
    AND (installation_id > {installation_id:UInt64} OR topic > {topic:String}
      OR (topic = {topic:String} AND samples.timestamp >= {timestamp:Int64}))
    AND samples.timestamp BETWEEN {begin:Int64} AND {end:Int64}
  ORDER BY installation_id, topic, samples.timestamp, value, msg
  LIMIT {limit:UInt64} OFFSET {skip:UInt64}`
