import type { Sample } from '../../lib/sample.ts'
import { type LineForm, lineTopic, sampleLine } from '../../lib/sample-lines.ts'
import type { ScanQuery } from '../history.ts'
import { SCAN_BYTES, type Scanned, type ScanPart, type ScanPlace } from '../scan.ts'
import type { Params, ServerConnection } from './server.ts'
import { inOrder } from './tables.ts'

type Row = Pick<Sample, 'id' | 'topic' | 'timestamp' | 'value' | 'msg'>

/** The parts of a scan in ClickHouse SQL. */
export class ClickhouseScan implements Scanned {
  readonly #connection: ServerConnection
  readonly #signal: AbortSignal | undefined

  constructor(connection: ServerConnection, signal: AbortSignal | undefined) {
    this.#connection = connection
    this.#signal = signal
  }

  async measure(query: ScanQuery, limit: number): Promise<{ rows: number; bytes: number }> {
    const text = await this.#ask(
      `SELECT count() AS rows, sum(size) AS bytes
       FROM (SELECT length(msg) AS size ${matching(query)} LIMIT {limit:UInt64})`,
      query,
      { limit: limit + 1 }
    )
    return JSON.parse(text)
  }

  async read(query: ScanQuery, form: LineForm): Promise<ScanPart> {
    return partOf(await this.#ask(`${columns} ${matching(query)} ${order}`, query, {}), form)
  }

  async readOn(
    query: ScanQuery,
    form: LineForm,
    after: ScanPlace,
    limit: number
  ): Promise<ScanPart> {
    const place = { after_topic: after.topic, after_id: after.id }
    const rest = `${matching(query)} AND (topic, id) > ({after_topic:String}, {after_id:UInt64})
       ${order} LIMIT {limit:UInt64}`
    // Counted by the server, because the texts of all these rows could be long.
    const fitting = await this.#ask(
      `SELECT countIf(bytes <= {bytes:UInt64}) AS rows
       FROM (SELECT sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
             FROM (SELECT length(msg) AS size ${rest}))`,
      query,
      { ...place, limit, bytes: SCAN_BYTES }
    )
    const { rows }: { rows: number } = JSON.parse(fitting)
    const text = await this.#ask(`${columns} ${rest}`, query, {
      ...place,
      limit: Math.max(rows, 1)
    })
    return partOf(text, form)
  }

  #ask(sql: string, { topics, ...window }: ScanQuery, more: Params): Promise<string> {
    const params: Params = topics ? { ...window, ...more, topics } : { ...window, ...more }
    return this.#connection.query(sql, params, this.#signal)
  }
}

const columns = 'SELECT id, topic, samples.timestamp AS timestamp, value, msg'
const order = `ORDER BY ${inOrder('ASC')}`
const matching = ({ topics }: ScanQuery) => `FROM samples FINAL
  WHERE installation_id = {installation_id:UInt64}
    AND samples.timestamp BETWEEN {from:Int64} AND {to:Int64}
    ${topics ? 'AND topic IN {topics:Array(String)}' : ''}`

function partOf(text: string, form: LineForm): ScanPart {
  const rows: Row[] = JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`)
  const topics = new Map<string, string>()
  let lines = ''
  for (const row of rows) {
    let topic = topics.get(row.topic)
    if (topic === undefined) {
      topic = lineTopic(form, row.topic)
      topics.set(row.topic, topic)
    }
    lines += sampleLine(form, topic, row)
  }
  return { lines: Buffer.from(lines), rows: rows.length, last: rows.at(-1) }
}
