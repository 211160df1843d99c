import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { plainNumber } from '../../lib/json-number.ts'
import { highest, type IdKind, idKinds, type Lineage, noIds } from '../../lib/lineage.ts'
import { MAX_PAGE_BYTES, PageTooLarge } from '../../lib/page-limit.ts'
import { SAMPLE_BYTES } from '../../lib/quota.ts'
import type { Sample } from '../../lib/sample.ts'
import type { LineForm } from '../../lib/sample-lines.ts'
import { Turns } from '../../lib/turns.ts'
import { endOfMonth, fromSeconds, type UnixMs } from '../../lib/unix-time.ts'
import type {
  AggregateQuery,
  Freshness,
  Held,
  History,
  InstallationBytes,
  KeptLineage,
  MonthPart,
  MonthSize,
  Page,
  PageQuery,
  RemovalQuery,
  SampleCounts,
  SamplePlace,
  ScanQuery,
  SeriesPart,
  SeriesQuery,
  Sizes
} from '../history.ts'
import { BEGIN, readOnward, spanOfMonth } from '../month-read.ts'
import { PageParts } from '../page-parts.ts'
import { scanLines } from '../scan.ts'
import { readSeries } from '../series.ts'
import { bucketParams, groupsSql, methodParams, startSql, totalSql } from './aggregate.ts'
import { countSql, countsOf, monthOfPartition } from './count.ts'
import { readFreshness, readLatest, readLatestIn, readLatestOf } from './latest.ts'
import { readMonthPart } from './month.ts'
import { removeSamples } from './remove.ts'
import { rowsOf } from './rows.ts'
import { ClickhouseScan } from './scan.ts'
import { readSeriesPage } from './series.ts'
import type { Params, ServerConnection } from './server.ts'
import {
  type ClickhousePlace,
  everywhere,
  inOrder,
  orderKeys,
  sizesSql,
  type Table,
  tablesSql,
  type Way
} from './tables.ts'

/**
 * The place of the last row of a page: start and topic of a bucket, or all sort keys of a sample.
 */
const BUCKET = '{timestamp:Int64}, {topic:String}'
const SAMPLE = `${BUCKET}, {id:UInt64}, reinterpretAsFloat64({bits:UInt64}), {msg:String}`

type Status = { timestamp: number; value: number; msg: string; topic: string }

type PageSql = {
  rows: (way: Way) => string
  /** Counts everything that matches. Another condition may follow at the end. */
  total: string
  /** The columns of the order, and their values in the last row. */
  place: readonly [columns: string, row: string]
  params?: Params
  /** Turns a row of the server into a row of the answer. */
  shown: (row: string) => string
}

/** History on a ClickHouse server or cluster. */
export async function openClickhouseHistory(
  connection: ServerConnection,
  place: ClickhousePlace,
  clock: Clock
): Promise<History> {
  for (const statement of tablesSql(place)) await connection.execute(statement)
  return new ClickhouseHistory(connection, place, clock)
}

class ClickhouseHistory implements History {
  /** The server has its own cores, and other nodes query it too. */
  readonly pagesAtOnce = 16
  readonly #connection: ServerConnection
  readonly #place: ClickhousePlace
  readonly #clock: Clock

  constructor(connection: ServerConnection, place: ClickhousePlace, clock: Clock) {
    this.#connection = connection
    this.#place = place
    this.#clock = clock
  }

  async append(rows: Buffer, token: string): Promise<void> {
    // After a crash between the two inserts the batch is sent again. The token then skips the first
    // one.
    await this.#connection.insert('samples', rows, token)
    await this.#connection.insert('latest', rows, token)
  }

  async readPage(query: PageQuery, signal?: AbortSignal): Promise<Page> {
    const rows = (way: Way) => `
      SELECT id, client_id, installation_id, samples.timestamp / 1000 AS timestamp, value, msg, topic
      ${matching(query)}
      ORDER BY ${inOrder(way)}`
    const total = `SELECT count() AS total ${matching(query)}`
    const place = [orderKeys.join(), SAMPLE] as const
    const shown = query.withIds ? plainNumbers : (row: string) => withoutId(plainNumbers(row))
    return this.#page(query, { total, rows, place, shown }, signal)
  }

  aggregate(query: AggregateQuery, signal?: AbortSignal): Promise<Page> {
    const { method, buckets, several } = query
    const methods = several?.map(({ method }) => method) ?? [method]
    const results = methods.map((_, i) => finite(`result_${i}`)).join()
    const values = several ? `[${results}] AS values, ` : ''
    const rows = (way: Way) => `
      SELECT client_id, {installation_id:UInt64} AS installation_id, start / 1000 AS timestamp,
        ${finite('result_0')} AS value, ${values}'' AS msg, topic
      FROM (${groupsSql(methods, buckets, matching(query))})
      ORDER BY start ${way}, topic ${way}`
    const total = totalSql(buckets, matching(query))
    const place = [`${startSql(buckets)}, topic`, BUCKET] as const
    const params = { ...bucketParams(buckets), ...methodParams(methods) }
    const names = several?.map(({ text }) => JSON.stringify(text))
    const shown = names ? (row: string) => withNames(plainNumbers(row), names) : plainNumbers
    return this.#page(query, { total, rows, place, params, shown }, signal)
  }

  /**
   * The two statements see different moments, so the second one counts only rows after the page.
   * New samples that arrive in between change neither the rows nor their total.
   */
  async #page(query: PageQuery, sql: PageSql, signal?: AbortSignal): Promise<Page> {
    const { installation_id, from, to, topics, order, limit, offset } = query
    const params = { installation_id, from, to, ...(topics && { topics }), ...sql.params }
    const rows = `${sql.rows(order === 'asc' ? 'ASC' : 'DESC')}
      LIMIT {limit:UInt64} OFFSET {offset:UInt64}`
    const bounds = { ...params, limit, offset }
    const lines = this.#connection.lines(rows, bounds, signal, MAX_PAGE_BYTES)
    const { last, ...page } = await pageOf(lines, order, sql.shown)
    const count = async (condition = '', place: Params = {}): Promise<number> => {
      const all = { ...params, ...place }
      const { total } = JSON.parse(await this.#connection.query(sql.total + condition, all, signal))
      return total
    }
    if (limit === 0) return { ...page, total: await count() }
    const reached = offset + page.count
    const isEnd = page.count < limit && (last !== undefined || offset === 0)
    if (isEnd) return { ...page, total: reached }
    // The page is after the end: samples that have just arrived must not raise the total above it.
    if (!last) return { ...page, total: Math.min(await count(), offset) }
    const [columns, row] = sql.place
    const behind = ` AND (${columns}) ${order === 'asc' ? '>' : '<'} (${row})`
    return { ...page, total: reached + (await count(behind, last)) }
  }

  async oldest(): Promise<UnixMs | undefined> {
    const lines = await this.#connection.query(
      'SELECT count() AS total, min(timestamp) AS oldest FROM samples',
      {}
    )
    const { total, oldest }: { total: number; oldest: UnixMs } = JSON.parse(lines)
    return total > 0 ? oldest : undefined
  }

  scan(query: ScanQuery, form: LineForm, signal?: AbortSignal): AsyncIterable<Buffer> {
    return scanLines(new ClickhouseScan(this.#connection, signal), query, form)
  }

  series(query: SeriesQuery, signal?: AbortSignal): AsyncIterable<SeriesPart> {
    return readSeries((from) => readSeriesPage(this.#connection, query, from, signal))
  }

  readMonth(name: string, from: SamplePlace = BEGIN): AsyncIterable<MonthPart> {
    return readOnward(from, (place) => readMonthPart(this.#connection, name, place))
  }

  async *bytesOf(name: string): AsyncGenerator<InstallationBytes[]> {
    const span = spanOfMonth(name)
    for (let after = 0; ; ) {
      const next = await this.#connection.query(nextInstallationSql, { ...span, after })
      const { last }: { last: number } = JSON.parse(next)
      if (last === 0) return
      const params = { ...span, after, last }
      yield rowsOf(await this.#connection.query(bytesSql, params))
      after = last
    }
  }

  keepLatest(rows: Buffer, token: string): Promise<void> {
    return this.#connection.insert('latest', rows, token)
  }

  latest(): AsyncIterable<Sample[]> {
    return readLatest(this.#connection)
  }

  latestOf(installation_id: number, topics: readonly string[]): Promise<Sample[]> {
    return readLatestOf(this.#connection, installation_id, topics, this.#clock())
  }

  latestIn(installation_id: number, after: string): Promise<Held[]> {
    return readLatestIn(this.#connection, installation_id, after, this.#clock())
  }

  freshness(installation_ids: readonly number[], silentSince: UnixMs): Promise<Freshness[]> {
    return readFreshness(this.#connection, installation_ids, silentSince)
  }

  async erase(installation_id: number): Promise<void> {
    const where = 'WHERE installation_id = {installation_id:UInt64}'
    for (const table of ['samples', 'latest'] as const) {
      const statement = `DELETE FROM ${everywhere(this.#place, table)} ${where}`
      await this.#connection.execute(statement, { installation_id })
    }
  }

  remove(query: RemovalQuery): Promise<number> {
    return removeSamples({ connection: this.#connection, place: this.#place }, query)
  }

  async dropBefore(moment: UnixMs): Promise<MonthSize[]> {
    const { months } = await this.sizes()
    const past = months.filter(({ name }) => endOfMonth(name) <= moment)
    for (const { name } of past) {
      const partition = name.replace('-', '')
      await this.#connection.execute(
        `ALTER TABLE ${everywhere(this.#place, 'samples')} DROP PARTITION {partition:String}`,
        { partition }
      )
    }
    return past
  }

  /** A backup of the server is its own work, so nothing needs to wait. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async sizes(): Promise<Sizes> {
    const lines = await this.#connection.query(sizesSql(this.#place), {})
    const parts: { name: Table; partition: string; bytes: number }[] = rowsOf(lines)
    const months = parts
      .filter(({ name }) => name === 'samples')
      .map(({ partition, bytes }) => ({
        name: monthOfPartition(partition),
        bytes
      }))
    return { bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), months }
  }

  async countSamples(signal: AbortSignal): Promise<SampleCounts> {
    return countsOf(await this.#connection.query(countSql, {}, signal))
  }

  async lineage(): Promise<Lineage> {
    const lines = await this.#connection.query(lineageSql, {})
    const rows: LineageRow[] = rowsOf(lines)
    const newest = rows.toSorted((a, b) => b.written - a.written)[0]
    const idsIn = (column: 'reached' | 'reserved') =>
      highest(...rows.map((row) => ({ ...noIds, [row.kind]: row[column] })))
    return {
      platform: newest?.platform || undefined,
      reached: idsIn('reached'),
      reserved: idsIn('reserved')
    }
  }

  async keepLineage({ platform, reached, reserved }: KeptLineage): Promise<void> {
    const lines = idKinds.map((kind) =>
      [platform, kind, reached[kind], reserved[kind], Date.now()].join('\t')
    )
    await this.#connection.insert('lineage', Buffer.from(`${lines.join('\n')}\n`), randomUUID())
  }

  check(): Promise<void> {
    return this.#connection.check()
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

type LineageRow = {
  platform: string
  kind: IdKind
  reached: number
  reserved: number
  written: number
}

/** Rows of the same key may not be merged yet. The last SELECT reads the id from the samples. */
const lineageSql = `
  SELECT platform, kind, max(reached) AS reached, max(reserved) AS reserved, max(written) AS written
  FROM lineage GROUP BY platform, kind
  UNION ALL
  SELECT '', 'installation', max(installation_id), 0, 0 FROM latest`

/** The last id of the next 500 installations. */
const nextInstallationSql = `
  SELECT max(installation_id) AS last FROM (
    SELECT DISTINCT installation_id FROM samples
    WHERE installation_id > {after:UInt64}
      AND samples.timestamp BETWEEN {from:Int64} AND {to:Int64}
    ORDER BY installation_id LIMIT 500)`

const bytesSql = `
  SELECT installation_id, sum(${SAMPLE_BYTES} + length(topic) + length(msg)) AS bytes FROM samples FINAL
  WHERE installation_id > {after:UInt64} AND installation_id <= {last:UInt64}
    AND samples.timestamp BETWEEN {from:Int64} AND {to:Int64}
  GROUP BY installation_id`

const matching = ({ topics }: PageQuery): string => `
  FROM samples FINAL
  WHERE installation_id = {installation_id:UInt64}
    AND samples.timestamp BETWEEN {from:Int64} AND {to:Int64}
    ${topics ? 'AND topic IN {topics:Array(String)}' : ''}`

/** [ADR-0010] JSON has no infinity: a result that is too large becomes the largest number. */
const finite = (value: string): string =>
  `if(isNaN(${value}), ${Number.MAX_VALUE},
    greatest(-${Number.MAX_VALUE}, least(${Number.MAX_VALUE}, ${value})))`

/** Throws `PageTooLarge` as soon as the answer gets too large. */
async function pageOf(
  lines: AsyncIterable<string[]>,
  order: PageQuery['order'],
  shown: PageSql['shown']
) {
  const parts = new PageParts()
  const turns = new Turns()
  let count = 0
  let [first, last] = ['', '']
  for await (const rows of lines) {
    for (const row of rows) {
      if (!parts.add(shown(row))) throw new PageTooLarge()
      if (count++ === 0) first = row
      last = row
      if (turns.isLate()) await turns.next()
    }
  }
  if (count === 0) return { count, oldest: undefined, last: undefined, rows: [] }
  const places = { first: placeOf(first), last: placeOf(last) }
  const { timestamp: oldest } = order === 'desc' ? places.last : places.first
  return { count, oldest, last: places.last, rows: parts.end() }
}

/** Quotes inside text are escaped, so the pattern matches only the field. */
const plainNumbers = (row: string): string =>
  row.replace(/"value":(-?[\d.]+e[-+]?\d+)/, (_, value) => `"value":${plainNumber(Number(value))}`)

/** The results of several methods come as a list. Quotes inside text are escaped. */
const withNames = (row: string, names: readonly string[]): string =>
  row.replace(/"values":\[([^\]]*)\]/, (_, list: string) => {
    const fields = list.split(',').map((value, i) => `${names[i]}:${plainNumber(Number(value))}`)
    return `"values":{${fields.join()}}`
  })

/** The query reads the id only for the place of the last row. */
const withoutId = (row: string): string => row.replace(/^\{"id":\d+,/, '{')

/** The parameters of BUCKET and SAMPLE. The value goes as bits, because text could round it. */
function placeOf(row: string) {
  const { id = 0, timestamp, value, msg, topic }: Status & { id?: number } = JSON.parse(row)
  const [bits = 0n] = new BigUint64Array(Float64Array.of(value).buffer)
  return { timestamp: fromSeconds(timestamp), topic, id, bits: String(bits), msg }
}
