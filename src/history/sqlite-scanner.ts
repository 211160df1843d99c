import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type LineForm, lineTopic, sampleLine } from '../lib/sample-lines.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { ScanQuery } from './history.ts'
import { type Part, type Place, SCAN_BYTES } from './scan.ts'
import { listMonths, type Month } from './sqlite-file.ts'

type Row = [topic_id: number, timestamp: UnixMs, value: number, msg: string, id: number]
type Topic = { topic: string; rank: number; line: string }
type Topics = ReadonlyMap<number, Topic>
type OpenMonth = Month & Record<'measure' | 'read' | 'readOn', StatementSync>

/** Reads for exports, in a thread of its own, so that no page waits for them. */
export class SqliteScanner {
  readonly #file: DatabaseSync
  readonly #schemaVersion: StatementSync
  #months: OpenMonth[] = []
  #monthsVersion = -1

  constructor(file: DatabaseSync) {
    this.#file = file
    this.#schemaVersion = file.prepare('PRAGMA schema_version')
  }

  measure(query: ScanQuery, limit: number): { rows: number; bytes: number } {
    return this.#inSnapshot(() => {
      const ids = idsOf(this.#topicsOf(query, 'csv'))
      let [rows, bytes] = [0, 0]
      for (const { measure } of this.#monthsIn(query)) {
        if (rows > limit) break
        const found = measure.get(ids, query.from, query.to, limit + 1 - rows)
        rows += Number(found?.['rows'])
        bytes += Number(found?.['bytes'])
      }
      return { rows, bytes }
    })
  }

  read(query: ScanQuery, form: LineForm): Part {
    return this.#inSnapshot(() => {
      const topics = this.#topicsOf(query, form)
      const rows: Row[] = []
      for (const { read } of this.#monthsIn(query)) {
        const found = read.all(idsOf(topics), query.from, query.to) as unknown as Row[]
        const rank = (row: Row) => topics.get(row[0])?.rank ?? 0
        found.sort((a, b) => a[1] - b[1] || rank(a) - rank(b) || a[4] - b[4])
        for (const row of found) rows.push(row)
      }
      return partOf(rows, topics, form)
    })
  }

  readOn(query: ScanQuery, form: LineForm, after: Place, limit: number): Part {
    return this.#inSnapshot(() => {
      const topics = this.#topicsOf(query, form)
      const rows: Row[] = []
      let bytes = 0
      for (const { readOn } of this.#monthsIn(query)) {
        const place = [after.topic, after.topic, after.id, limit]
        for (const found of readOn.iterate(idsOf(topics), query.from, ...place)) {
          const row = found as unknown as Row
          rows.push(row)
          bytes += row[3].length
          if (bytes > SCAN_BYTES) break
        }
      }
      return partOf(rows, topics, form)
    })
  }

  close(): void {
    this.#file.close()
  }

  #inSnapshot<T>(work: () => T): T {
    this.#file.exec('BEGIN')
    try {
      return work()
    } finally {
      this.#file.exec('COMMIT')
    }
  }

  /** Ranked by the bytes of the topic, as every engine orders text. */
  #topicsOf({ installation_id, topics }: ScanQuery, form: LineForm): Topics {
    const all = 'SELECT topic_id, topic FROM topics WHERE installation_id = ?'
    const rows = topics
      ? this.#file
          .prepare(`${all} AND topic IN (SELECT value FROM json_each(?)) ORDER BY topic`)
          .all(installation_id, JSON.stringify(topics))
      : this.#file.prepare(`${all} ORDER BY topic`).all(installation_id)
    return new Map(
      rows.map(({ topic_id, topic }, rank) => [
        Number(topic_id),
        { topic: String(topic), rank, line: lineTopic(form, String(topic)) }
      ])
    )
  }

  #monthsIn({ from, to }: ScanQuery): OpenMonth[] {
    const version = Number(this.#schemaVersion.get()?.['schema_version'])
    if (version !== this.#monthsVersion) {
      this.#months = listMonths(this.#file).map((month) => openMonth(this.#file, month))
      this.#monthsVersion = version
    }
    return this.#months.filter((month) => month.from <= to && month.to >= from)
  }
}

const idsOf = (topics: Topics): string => JSON.stringify([...topics.keys()])

function openMonth(file: DatabaseSync, month: Month): OpenMonth {
  const ours = `FROM ${month.table} AS samples
    WHERE topic_id IN (SELECT value FROM json_each(?)) AND timestamp BETWEEN ? AND ?`
  const measure = file.prepare(`
    SELECT count(*) AS rows, coalesce(sum(size), 0) AS bytes
    FROM (SELECT octet_length(msg) AS size ${ours} LIMIT ?)`)
  const read = file.prepare(`SELECT topic_id, timestamp, value, msg, id ${ours}`)
  const readOn = file.prepare(`
    SELECT samples.topic_id, timestamp, value, msg, id
    FROM topics CROSS JOIN ${month.table} AS samples USING (topic_id)
    WHERE topic_id IN (SELECT value FROM json_each(?)) AND timestamp = ?
      AND (topic > ? OR (topic = ? AND id > ?))
    ORDER BY topic, id LIMIT ?`)
  read.setReturnArrays(true)
  readOn.setReturnArrays(true)
  return { ...month, measure, read, readOn }
}

function partOf(rows: readonly Row[], topics: Topics, form: LineForm): Part {
  let lines = ''
  for (const [topic_id, timestamp, value, msg] of rows) {
    lines += sampleLine(form, topics.get(topic_id)?.line ?? '', { timestamp, value, msg })
  }
  const end = rows.at(-1)
  const last = end && { topic: topics.get(end[0])?.topic ?? '', id: end[4] }
  return { lines: Buffer.from(lines), rows: rows.length, last }
}
