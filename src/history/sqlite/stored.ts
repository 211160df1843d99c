import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { endOfMonth, monthOf, startOfMonth, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { MAX_SAMPLES_PER_BLOCK, MAX_TEXT_PER_BLOCK } from './block.ts'
import { type Columns, indexAt, PlainColumns, type Point, pointsOf, type Slice } from './columns.ts'
import { mergeSamples } from './merge.ts'
import { DamagedPack } from './pack-file.ts'
import type { PackFiles } from './pack-files.ts'
import { type NumberStatements, RowNumbers } from './row-numbers.ts'

type Window = { from: UnixMs; to: UnixMs }
type Chosen = { installation_id: number; topics: readonly string[] | undefined }
export type StoredTopic = { topic_id: number; client_id: number; topic: string; rank: number }

/** Everything that is stored, in rows and packed, as one connection sees it. */
export class Stored {
  readonly #file: DatabaseSync
  readonly #packs: PackFiles
  readonly #packsWithin: StatementSync
  readonly #tablesWithin: StatementSync
  /** The newest first. */
  readonly #months: StatementSync
  readonly #allTopics: StatementSync
  readonly #someTopics: StatementSync
  readonly #numbers: RowNumbers
  readonly #tables = new Map<string, RowTable>()

  constructor(file: DatabaseSync, packs: PackFiles) {
    this.#file = file
    this.#packs = packs
    this.#numbers = new RowNumbers(file)
    this.#packsWithin = file.prepare('SELECT name FROM packs WHERE first <= ? AND last >= ?')
    this.#tablesWithin = file.prepare(
      'SELECT DISTINCT name FROM row_months WHERE month BETWEEN ? AND ?'
    )
    const topics = 'SELECT topic_id, client_id, topic FROM topics WHERE installation_id = ?'
    this.#allTopics = file.prepare(`${topics} ORDER BY topic`)
    this.#someTopics = file.prepare(
      `${topics} AND topic IN (SELECT value FROM json_each(?)) ORDER BY topic`
    )
    this.#months = file.prepare(
      'SELECT month FROM packs UNION SELECT month FROM row_months ORDER BY month DESC'
    )
  }

  /** Everything that `read` asks for comes from the same moment. */
  inSnapshot<T>(read: () => T): T {
    this.#file.exec('BEGIN')
    try {
      return read()
    } catch (error) {
      throw this.#withTopic(error)
    } finally {
      this.#file.exec('COMMIT')
    }
  }

  /** Damage of samples also names their topic. */
  #withTopic(error: unknown): unknown {
    if (!(error instanceof DamagedPack) || error.topic_id === undefined) return error
    const found = this.#file
      .prepare('SELECT installation_id, topic FROM topics WHERE topic_id = ?')
      .get(error.topic_id)
    error.message += ` (topic ${found?.['topic']} of installation ${found?.['installation_id']})`
    return error
  }

  /** The samples of a time span. Ask inside of `inSnapshot` and read before it ends. */
  within({ from, to }: Window): StoredSpan {
    const months = [monthOf(from), monthOf(unixMs(Math.min(to, LAST_TIME)))]
    const tables = this.#tablesWithin.all(...months).map(({ name }) => this.#table(String(name)))
    const packs = this.#packsWithin
      .all(to, from)
      .map(({ name }) => this.#packs.reader(String(name)))
    const merged = (topic_id: number, rows: readonly Iterable<Columns>[]) => {
      const blocks = packs.map((pack) => pack.blocksOf(topic_id, from, to))
      return clipped(mergeSamples([...blocks, ...rows]), from, to)
    }
    const samples = ({ rows }: RowTable, topic_id: number) => columnsOf(rows, topic_id, from, to)
    const numbers = (table: RowTable, topic_id: number) => {
      const whole = (from: number, to: number) => columnsOf(table.rows, topic_id, from, to)
      return this.#numbers.columnsOf(table.numbers, topic_id, { from, to }, whole)
    }
    const readBy = (read: typeof samples) => (topic_id: number) =>
      merged(
        topic_id,
        tables.map((table) => read(table, topic_id))
      )
    return { samplesOf: readBy(samples), numbersOf: readBy(numbers) }
  }

  /** The start of the oldest month; undefined when there are no samples. */
  oldest(): UnixMs | undefined {
    const month = this.#months.all().at(-1)?.['month']
    return month ? startOfMonth(String(month)) : undefined
  }

  /** The newest sample of a topic that is not in the time span. */
  newestOutside(topic_id: number, { from, to }: Window): Point | undefined {
    for (const { month } of this.#months.all()) {
      const [first, end] = [startOfMonth(String(month)), endOfMonth(String(month))]
      for (const outside of [
        { from: Math.max(first, to + 1), to: end - 1 },
        { from: first as number, to: Math.min(end, from) - 1 }
      ]) {
        const newest = outside.from <= outside.to && this.#newestIn(topic_id, outside as Window)
        if (newest) return newest
      }
    }
    return undefined
  }

  #newestIn(topic_id: number, window: Window): Point | undefined {
    let last: Slice | undefined
    for (const slice of this.within(window).samplesOf(topic_id)) last = slice
    return last && pointsOf({ ...last, begin: last.end - 1 }).next().value
  }

  /** Sorted by the bytes of the topic, as in every engine. The index in the list is the rank. */
  topicsOf({ installation_id, topics }: Chosen): StoredTopic[] {
    const rows = topics
      ? this.#someTopics.all(installation_id, JSON.stringify(topics))
      : this.#allTopics.all(installation_id)
    return rows.map(({ topic_id, client_id, topic }, rank) => ({
      topic_id: Number(topic_id),
      client_id: Number(client_id),
      topic: String(topic),
      rank
    }))
  }

  #table(name: string): RowTable {
    let table = this.#tables.get(name)
    if (table === undefined) {
      // Statements of tables that are gone are dropped with the others from time to time.
      if (this.#tables.size > MAX_KNOWN_TABLES) this.#tables.clear()
      const rows = this.#file.prepare(rowsSql(name))
      rows.setReturnArrays(true)
      table = { rows, numbers: this.#numbers.statements(name) }
      this.#tables.set(name, table)
    }
    return table
  }
}

/** In this order, the index of a packed file is read from its beginning to its end. */
export const inStoredOrder = (topics: readonly StoredTopic[]): StoredTopic[] =>
  topics.toSorted((a, b) => a.topic_id - b.topic_id)

/** `numbersOf` is faster where only times and values are needed. */
export type StoredSpan = Record<'samplesOf' | 'numbersOf', (topic_id: number) => Generator<Slice>>
type RowTable = { rows: StatementSync; numbers: NumberStatements }

const MAX_KNOWN_TABLES = 1000
/** The names of later months would not sort by time. */
const LAST_TIME = Date.UTC(9999, 11, 31)

const rowsSql = (table: string): string => `
  SELECT timestamp, value, msg, id FROM ${table}
  WHERE topic_id = ? AND timestamp BETWEEN ? AND ? ORDER BY timestamp, id`

/** The rows of a topic in a table, some at a time. */
export function* columnsOf(
  rows: StatementSync,
  topic_id: number,
  from: number,
  to: number
): Generator<Columns> {
  let points: Point[] = []
  let textLength = 0
  for (const row of rows.iterate(topic_id, from, to)) {
    const point = row as unknown as Point
    points.push(point)
    textLength += point[2].length
    if (points.length >= MAX_SAMPLES_PER_BLOCK || textLength >= MAX_TEXT_PER_BLOCK) {
      yield PlainColumns.of(points)
      points = []
      textLength = 0
    }
  }
  if (points.length > 0) yield PlainColumns.of(points)
}

function* clipped(slices: Iterable<Slice>, from: number, to: number): Generator<Slice> {
  for (const { columns, begin, end } of slices) {
    const first = columns.first < from ? indexAt(columns, from, begin) : begin
    const stop = columns.last > to ? Math.min(indexAt(columns, to + 1, begin), end) : end
    if (first < stop) yield { columns, begin: first, end: stop }
  }
}
