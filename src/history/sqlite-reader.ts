import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { plainNumber } from '../lib/json-number.ts'
import { MAX_PAGE_BYTES } from '../lib/page-limit.ts'
import type { Sample } from '../lib/sample.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { AggregateQuery, Page, PageQuery } from './history.ts'
import { PageParts } from './page-parts.ts'
import { type AggregatedRow, aggregateRows, createAggregateTables } from './sqlite-aggregate.ts'
import { listMonths, type Month } from './sqlite-file.ts'
import { inSnapshot, OpenMonths, type Row, sortRows, topicsOf } from './sqlite-snapshot.ts'
import { type Count, windowOfRows } from './window-search.ts'

type Topic = { rank: number; head: string; tail: string }
type Statements = Record<'count' | 'size' | 'read' | 'lean' | 'text', StatementSync>

const LATEST_CHUNK = 5000
/** Of messages that are handed over at once. */
const LATEST_BYTES = 4 * 1024 * 1024
/** Texts of a window up to this size are read with their rows, needed or not. */
const SMALL_BYTES = 4 * 1024 * 1024

/** Reads beside the writer, in a thread of its own, each page from one snapshot. */
export class SqliteReader {
  readonly #file: DatabaseSync
  readonly #throwIfCancelled: () => void
  readonly #latest: StatementSync
  readonly #latestOf: StatementSync
  readonly #months: OpenMonths<Statements>

  constructor(file: DatabaseSync, isCancelled: () => boolean = () => false) {
    this.#file = file
    this.#throwIfCancelled = () => {
      if (isCancelled()) throw new Error('Nobody waits for this query any more')
    }
    // A statement under way can be ended from inside only: SQL asks this for every bucket.
    file.function('is_wanted', (_bucket) => {
      this.#throwIfCancelled()
      return 1
    })
    createAggregateTables(file)
    this.#months = new OpenMonths(file, statementsOf)
    this.#latest = file.prepare(`
      SELECT topic_id, latest.id, installation_id, client_id, topic, timestamp, value, msg
      FROM latest JOIN topics USING (topic_id)
      WHERE topic_id > ? ORDER BY topic_id LIMIT ${LATEST_CHUNK}`)
    this.#latestOf = file.prepare(`
      SELECT latest.id, installation_id, client_id, topic, timestamp, value, msg
      FROM topics JOIN latest USING (topic_id)
      WHERE installation_id = ? AND topic IN (SELECT value FROM json_each(?))`)
  }

  readPage(query: PageQuery): Page | 'too large' {
    return inSnapshot(this.#file, () => this.#readPage(query))
  }

  aggregate(query: AggregateQuery): Page | 'too large' {
    return inSnapshot(this.#file, () => this.#aggregate(query))
  }

  oldest(): UnixMs | undefined {
    return listMonths(this.#file)[0]?.from
  }

  /** The topics after `last`, in the order of their number; an empty list is the end. */
  latestAfter(last: number): { samples: Sample[]; last: number } {
    const samples: Sample[] = []
    let bytes = 0
    for (const { topic_id, ...row } of this.#latest.iterate(last)) {
      const sample = { ...row } as Sample
      samples.push(sample)
      last = Number(topic_id)
      bytes += sample.msg.length
      if (bytes > LATEST_BYTES) break
    }
    return { samples, last }
  }

  latestOf(installation_id: number, topics: readonly string[]): Sample[] {
    const rows = this.#latestOf.all(installation_id, JSON.stringify(topics))
    return rows.map((row) => ({ ...row }) as Sample)
  }

  close(): void {
    this.#file.close()
  }

  #aggregate(query: AggregateQuery): Page | 'too large' {
    const topics = this.#topicsOf(query)
    const months = this.#months.within(query)
    const { total, rows } = aggregateRows(this.#file, query, [...topics.keys()], months)
    const oldest = query.order === 'asc' ? rows[0] : rows.at(-1)
    const json = aggregatedJson(rows, [...topics.values()])
    if (json === undefined) return 'too large'
    return { total, count: rows.length, oldest: oldest?.[1], rows: json }
  }

  #readPage(query: PageQuery): Page | 'too large' {
    const topics = this.#topicsOf(query)
    const ids = JSON.stringify([...topics.keys()])
    const page: Row[] = []
    let total = 0
    let room = MAX_PAGE_BYTES
    const months = topics.size > 0 ? this.#months.within(query) : []
    for (const month of query.order === 'asc' ? months : months.reverse()) {
      this.#throwIfCancelled()
      const skip = Math.max(query.offset - total, 0)
      const count: Count = (from, to) => Number(month.count.get(ids, from, to)?.['n'])
      const from = Math.max(query.from, month.from)
      const to = Math.min(query.to, month.to)
      const inMonth = count(from, to)
      total += inMonth
      const wanted = Math.min(inMonth - skip, query.limit - page.length)
      if (wanted <= 0) continue
      // Samples lie by topic, so a page of all topics is read from the part of the time it covers.
      const all = { from, to, rows: inMonth }
      const window = windowOfRows(all, query.order, { skip, wanted }, count)
      const begin = skip - window.before
      const found = readRows(month, [ids, window.from, window.to], room, (rows) => {
        sortRows(rows, topics)
        if (query.order === 'desc') rows.reverse()
        return rows.slice(begin, begin + wanted)
      })
      if (!found) return 'too large'
      for (const row of found) {
        page.push(row)
        room -= row[3].length
      }
    }
    const oldest = query.order === 'asc' ? page[0] : page.at(-1)
    const rows = toJson(page, topics, query)
    if (rows === undefined) return 'too large'
    return { total, count: page.length, oldest: oldest?.[1], rows }
  }

  #topicsOf(query: PageQuery): Map<number, Topic> {
    const { installation_id } = query
    return new Map(
      topicsOf(this.#file, query).map(({ topic_id, client_id, topic, rank }) => [
        topic_id,
        {
          rank,
          head: `"client_id":${client_id},"installation_id":${installation_id},"timestamp":`,
          tail: `,"topic":${JSON.stringify(topic)}}`
        }
      ])
    )
  }
}

function statementsOf(file: DatabaseSync, month: Month): Statements {
  const ours = `FROM ${month.table}
    WHERE topic_id IN (SELECT value FROM json_each(?)) AND timestamp BETWEEN ? AND ?`
  const count = file.prepare(`SELECT count(*) AS n ${ours}`)
  const size = file.prepare(`SELECT total(octet_length(msg)) AS bytes ${ours}`)
  const read = file.prepare(`SELECT topic_id, timestamp, value, msg, id ${ours}`)
  const lean = file.prepare(
    `SELECT topic_id, timestamp, value, '', id, octet_length(msg) AS bytes ${ours}`
  )
  const text = file.prepare(
    `SELECT msg FROM ${month.table} WHERE topic_id = ? AND timestamp = ? AND id = ?`
  )
  read.setReturnArrays(true)
  lean.setReturnArrays(true)
  return { count, size, read, lean, text }
}

/**
 * What `pick` leaves of the rows of a window; undefined when their texts take more than `room`. Large
 * texts are read for those rows alone.
 */
function readRows(
  month: Statements,
  window: [ids: string, from: number, to: number],
  room: number,
  pick: (rows: Row[]) => Row[]
): Row[] | undefined {
  const size = Number(month.size.get(...window)?.['bytes'])
  if (size <= Math.min(SMALL_BYTES, room)) {
    return pick(month.read.all(...window) as unknown as Row[])
  }
  const rows = pick(month.lean.all(...window) as unknown as Row[])
  const bytes = rows.reduce((sum, row) => sum + Number(row.at(5)), 0)
  if (bytes > room) return undefined
  for (const row of rows) row[3] = String(month.text.get(row[0], row[1], row[4])?.['msg'])
  return rows
}

/** Undefined when it would be too long. */
function toJson(
  rows: readonly Row[],
  topics: ReadonlyMap<number, Topic>,
  { withIds = false }: PageQuery
): Uint8Array[] | undefined {
  const parts = new PageParts()
  for (const [topic_id, timestamp, value, msg, id] of rows) {
    const topic = topics.get(topic_id)
    const text = msg === '' ? '""' : JSON.stringify(msg)
    const begin = withIds ? `{"id":${id},` : '{'
    const row = `${begin}${topic?.head}${timestamp / 1000},"value":${plainNumber(value)},"msg":${text}${topic?.tail}`
    if (!parts.add(row)) return undefined
  }
  return parts.end()
}

function aggregatedJson(
  rows: readonly AggregatedRow[],
  topics: readonly Topic[]
): Uint8Array[] | undefined {
  const parts = new PageParts()
  for (const [rank, start, value] of rows) {
    const topic = topics[rank]
    const row = `{${topic?.head}${start / 1000},"value":${plainNumber(finite(value))},"msg":""${topic?.tail}`
    if (!parts.add(row)) return undefined
  }
  return parts.end()
}

/** [ADR-0010] JSON has no infinity: what is too large for a number is the largest one. */
const finite = (value: number | null): number =>
  Math.max(Math.min(value ?? Number.MAX_VALUE, Number.MAX_VALUE), -Number.MAX_VALUE)
