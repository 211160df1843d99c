import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SAMPLE_BYTES } from '../lib/quota.ts'
import type { Sample } from '../lib/sample.ts'
import { type LineForm, lineTopic, sampleLine } from '../lib/sample-lines.ts'
import type { InstallationBytes, MonthPart, SamplePlace, ScanQuery } from './history.ts'
import { partOf as monthPartOf, PART_BYTES, PART_ROWS, spanOfMonth } from './month-read.ts'
import { type Part, type Place, SCAN_BYTES } from './scan.ts'
import type { Month } from './sqlite-file.ts'
import { inSnapshot, OpenMonths, type Row, sortRows, topicsOf } from './sqlite-snapshot.ts'

type Topic = { topic: string; rank: number; line: string }
type Topics = ReadonlyMap<number, Topic>
type Statements = Record<'measure' | 'read' | 'readOn' | 'ofTopic' | 'weigh', StatementSync>
type StoredTopic = Pick<Sample, 'installation_id' | 'client_id' | 'topic'> & { topic_id: number }

/** At a time, so that an export waits a moment only. */
const WEIGHED_TOPICS = 16

/** Reads for exports, in a thread of its own, so that no page waits for them. */
export class SqliteScanner {
  readonly #file: DatabaseSync
  readonly #months: OpenMonths<Statements>

  constructor(file: DatabaseSync) {
    this.#file = file
    this.#months = new OpenMonths(file, statementsOf)
  }

  measure(query: ScanQuery, limit: number): { rows: number; bytes: number } {
    return inSnapshot(this.#file, () => {
      const ids = idsOf(this.#topicsOf(query, 'csv'))
      let [rows, bytes] = [0, 0]
      for (const { measure } of this.#months.within(query)) {
        if (rows > limit) break
        const found = measure.get(ids, query.from, query.to, limit + 1 - rows)
        rows += Number(found?.['rows'])
        bytes += Number(found?.['bytes'])
      }
      return { rows, bytes }
    })
  }

  read(query: ScanQuery, form: LineForm): Part {
    return inSnapshot(this.#file, () => {
      const topics = this.#topicsOf(query, form)
      const rows: Row[] = []
      for (const { read } of this.#months.within(query)) {
        const found = read.all(idsOf(topics), query.from, query.to) as unknown as Row[]
        for (const row of sortRows(found, topics)) rows.push(row)
      }
      return partOf(rows, topics, form)
    })
  }

  readOn(query: ScanQuery, form: LineForm, after: Place, limit: number): Part {
    return inSnapshot(this.#file, () => {
      const topics = this.#topicsOf(query, form)
      const rows: Row[] = []
      let bytes = 0
      for (const { readOn } of this.#months.within(query)) {
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

  readMonth(name: string, from: SamplePlace): MonthPart {
    return inSnapshot(this.#file, () => {
      const samples: Sample[] = []
      const [month] = this.#months.within(spanOfMonth(name))
      let bytes = 0
      for (const sample of month ? this.#samplesOf(month, from) : []) {
        samples.push(sample)
        bytes += sample.msg.length + sample.topic.length
        if (samples.length >= PART_ROWS || bytes > PART_BYTES) break
      }
      return monthPartOf(from, samples)
    })
  }

  *#samplesOf({ ofTopic }: Statements, from: SamplePlace): Generator<Sample> {
    const topics = this.#file.prepare(`
      SELECT topic_id, installation_id, client_id, topic FROM topics
      WHERE (installation_id, topic) >= (?, ?) ORDER BY installation_id, topic`)
    for (const found of topics.iterate(from.installation_id, from.topic)) {
      const { topic_id, installation_id, client_id, topic } = found as StoredTopic
      const isBegun = installation_id === from.installation_id && topic === from.topic
      const [at, skip] = isBegun ? [from.timestamp, from.skip] : [0, 0]
      for (const row of ofTopic.iterate(topic_id, at, skip)) {
        const [, timestamp, value, msg, id] = row as unknown as Row
        yield { id, installation_id, client_id, topic, timestamp, value, msg }
      }
    }
  }

  /** What some topics of a month count; `last` is where the next ones begin, undefined at the end. */
  weigh(name: string, after: number): { last: number | undefined; sums: InstallationBytes[] } {
    return inSnapshot(this.#file, () => {
      const last = this.#file
        .prepare(
          'SELECT max(topic_id) AS last FROM (SELECT topic_id FROM topics WHERE topic_id > ? ORDER BY topic_id LIMIT ?)'
        )
        .get(after, WEIGHED_TOPICS)?.['last']
      const [month] = this.#months.within(spanOfMonth(name))
      if (typeof last !== 'number' || !month) return { last: undefined, sums: [] }
      const sums = month.weigh.all(after, last) as unknown as InstallationBytes[]
      return { last, sums }
    })
  }

  close(): void {
    this.#file.close()
  }

  #topicsOf(query: ScanQuery, form: LineForm): Topics {
    return new Map(
      topicsOf(this.#file, query).map(({ topic_id, topic, rank }) => [
        topic_id,
        { topic, rank, line: lineTopic(form, topic) }
      ])
    )
  }
}

const idsOf = (topics: Topics): string => JSON.stringify([...topics.keys()])

function statementsOf(file: DatabaseSync, month: Month): Statements {
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
  const ofTopic = file.prepare(`
    SELECT topic_id, timestamp, value, msg, id FROM ${month.table}
    WHERE topic_id = ? AND timestamp >= ? ORDER BY timestamp, value, msg LIMIT -1 OFFSET ?`)
  const weigh = file.prepare(`
    SELECT installation_id, sum(${SAMPLE_BYTES} + octet_length(topic) + octet_length(msg)) AS bytes
    FROM topics CROSS JOIN ${month.table} USING (topic_id)
    WHERE topic_id > ? AND topic_id <= ? GROUP BY installation_id`)
  for (const statement of [read, readOn, ofTopic]) statement.setReturnArrays(true)
  return { measure, read, readOn, ofTopic, weigh }
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
