import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { plainNumber } from '../lib/json-number.ts'
import type { Sample } from '../lib/sample.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { AggregateQuery, Page, PageQuery } from './history.ts'
import { type AggregatedRow, aggregateRows, createAggregateTables } from './sqlite-aggregate.ts'
import { listMonths, type Month } from './sqlite-file.ts'
import { type Count, windowOfRows } from './window-search.ts'

type Row = [topic_id: number, timestamp: UnixMs, value: number, msg: string, id: number]
type Topic = { rank: number; head: string; tail: string }
type OpenMonth = Month & { count: StatementSync; read: StatementSync }

const LATEST_CHUNK = 5000

/** Reads beside the writer, in a thread of its own, each page from one snapshot. */
export class SqliteReader {
  readonly #file: DatabaseSync
  readonly #schemaVersion: StatementSync
  readonly #latest: StatementSync
  #months: OpenMonth[] = []
  #monthsVersion = -1

  constructor(file: DatabaseSync) {
    this.#file = file
    createAggregateTables(file)
    this.#schemaVersion = file.prepare('PRAGMA schema_version')
    this.#latest = file.prepare(`
      SELECT topic_id, latest.id, installation_id, client_id, topic, timestamp, value, msg
      FROM latest JOIN topics USING (topic_id)
      WHERE topic_id > ? ORDER BY topic_id LIMIT ${LATEST_CHUNK}`)
  }

  readPage(query: PageQuery): Page {
    return this.#inSnapshot(() => this.#readPage(query))
  }

  aggregate(query: AggregateQuery): Page {
    return this.#inSnapshot(() => this.#aggregate(query))
  }

  /** The topics after `last`, in the order of their number; an empty list is the end. */
  latestAfter(last: number): { samples: Sample[]; last: number } {
    const samples: Sample[] = []
    for (const { topic_id, ...sample } of this.#latest.all(last)) {
      samples.push({ ...sample } as Sample)
      last = Number(topic_id)
    }
    return { samples, last }
  }

  close(): void {
    this.#file.close()
  }

  #inSnapshot(read: () => Page): Page {
    this.#file.exec('BEGIN')
    try {
      return read()
    } finally {
      this.#file.exec('COMMIT')
    }
  }

  #aggregate(query: AggregateQuery): Page {
    const topics = this.#topicsOf(query)
    const months = this.#monthsIn({ ...query, order: 'asc' })
    const { total, rows } = aggregateRows(this.#file, query, [...topics.keys()], months)
    const oldest = query.order === 'asc' ? rows[0] : rows.at(-1)
    const json = aggregatedJson(rows, [...topics.values()])
    return { total, count: rows.length, oldest: oldest?.[1], rows: json }
  }

  #readPage(query: PageQuery): Page {
    const topics = this.#topicsOf(query)
    const ids = JSON.stringify([...topics.keys()])
    const page: Row[] = []
    let total = 0
    for (const month of topics.size > 0 ? this.#monthsIn(query) : []) {
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
      const rows = month.read.all(ids, window.from, window.to) as unknown as Row[]
      sortRows(rows, topics, query.order)
      for (const row of rows.slice(skip - window.before).slice(0, wanted)) page.push(row)
    }
    const oldest = query.order === 'asc' ? page[0] : page.at(-1)
    return { total, count: page.length, oldest: oldest?.[1], rows: toJson(page, topics) }
  }

  /** Ranked by the bytes of the topic, as every engine orders text. */
  #topicsOf({ installation_id, topics }: PageQuery): Map<number, Topic> {
    const all = 'SELECT topic_id, client_id, topic FROM topics WHERE installation_id = ?'
    const rows = topics
      ? this.#file
          .prepare(`${all} AND topic IN (SELECT value FROM json_each(?)) ORDER BY topic`)
          .all(installation_id, JSON.stringify(topics))
      : this.#file.prepare(`${all} ORDER BY topic`).all(installation_id)
    return new Map(
      rows.map(({ topic_id, client_id, topic }, rank) => [
        Number(topic_id),
        {
          rank,
          head: `{"client_id":${client_id},"installation_id":${installation_id},"timestamp":`,
          tail: `,"topic":${JSON.stringify(topic)}}`
        }
      ])
    )
  }

  #monthsIn({ from, to, order }: PageQuery): OpenMonth[] {
    const version = Number(this.#schemaVersion.get()?.['schema_version'])
    if (version !== this.#monthsVersion) {
      this.#months = listMonths(this.#file).map((month) => openMonth(this.#file, month))
      this.#monthsVersion = version
    }
    const months = this.#months.filter((month) => month.from <= to && month.to >= from)
    return order === 'asc' ? months : months.reverse()
  }
}

function openMonth(file: DatabaseSync, month: Month): OpenMonth {
  const ours = `FROM ${month.table}
    WHERE topic_id IN (SELECT value FROM json_each(?)) AND timestamp BETWEEN ? AND ?`
  const count = file.prepare(`SELECT count(*) AS n ${ours}`)
  const read = file.prepare(`SELECT topic_id, timestamp, value, msg, id ${ours}`)
  read.setReturnArrays(true)
  return { ...month, count, read }
}

function sortRows(rows: Row[], topics: ReadonlyMap<number, Topic>, order: PageQuery['order']) {
  const rank = (row: Row) => topics.get(row[0])?.rank ?? 0
  rows.sort((a, b) => a[1] - b[1] || rank(a) - rank(b) || a[4] - b[4])
  if (order === 'desc') rows.reverse()
}

function toJson(rows: readonly Row[], topics: ReadonlyMap<number, Topic>): string {
  let json = ''
  for (const [topic_id, timestamp, value, msg] of rows) {
    const topic = topics.get(topic_id)
    const text = msg === '' ? '""' : JSON.stringify(msg)
    const comma = json === '' ? '' : ','
    json += `${comma}${topic?.head}${timestamp / 1000},"value":${plainNumber(value)},"msg":${text}${topic?.tail}`
  }
  return json
}

function aggregatedJson(rows: readonly AggregatedRow[], topics: readonly Topic[]): string {
  let json = ''
  for (const [rank, start, value] of rows) {
    const topic = topics[rank]
    const comma = json === '' ? '' : ','
    json += `${comma}${topic?.head}${start / 1000},"value":${plainNumber(finite(value))},"msg":""${topic?.tail}`
  }
  return json
}

/** [ADR-0010] JSON has no infinity: what is too large for a number is the largest one. */
const finite = (value: number | null): number =>
  Math.max(Math.min(value ?? Number.MAX_VALUE, Number.MAX_VALUE), -Number.MAX_VALUE)
