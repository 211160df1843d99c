import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { decodeSamples, type Sample } from '../lib/sample.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import { createMonth, createTables, listMonths, type Month, monthAt } from './sqlite-file.ts'

type Topic = { topic_id: number; arrived: Sample[] }
type OpenMonth = Month & { insert: StatementSync }

const KEPT_BATCHES = 1000

/** The only writer of the file, in a thread of its own. */
export class SqliteWriter {
  readonly #file: DatabaseSync
  readonly #months = new Map<string, OpenMonth>()
  readonly #topics = new Map<number, Map<string, Topic>>()
  readonly #statements: ReturnType<typeof prepare>

  constructor(file: DatabaseSync) {
    this.#file = file
    createTables(file)
    this.#statements = prepare(file)
  }

  append(rows: Uint8Array, token: string): void {
    this.#inTransaction(() => {
      if (!this.#rememberBatch(token)) return
      const topics = new Set<Topic>()
      for (const sample of decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.length))) {
        const topic = this.#topicOf(sample)
        topic.arrived.push(sample)
        topics.add(topic)
      }
      // Topic by topic, because that is how the samples lie in the file.
      for (const topic of topics) this.#insert(topic.topic_id, topic.arrived.splice(0))
    })
  }

  erase(installation_id: number): void {
    this.#inTransaction(() => {
      const ours = 'topic_id IN (SELECT topic_id FROM topics WHERE installation_id = ?)'
      const tables = [...listMonths(this.#file).map(({ table }) => table), 'latest']
      for (const table of tables) {
        this.#file.prepare(`DELETE FROM ${table} WHERE ${ours}`).run(installation_id)
      }
      this.#file.prepare('DELETE FROM topics WHERE installation_id = ?').run(installation_id)
    })
    this.#topics.delete(installation_id)
  }

  dropBefore(moment: UnixMs): string[] {
    const past = listMonths(this.#file).filter(({ to }) => to < moment)
    this.#inTransaction(() => {
      for (const { table } of past) this.#file.exec(`DROP TABLE ${table}`)
    })
    for (const { table } of past) this.#months.delete(table)
    return past.map(({ name }) => name)
  }

  close(): void {
    this.#file.close()
  }

  #insert(topic_id: number, arrived: readonly Sample[]): void {
    let month: OpenMonth | undefined
    let newest: Sample | undefined
    for (const sample of arrived) {
      const { timestamp, value, msg, id } = sample
      if (month === undefined || timestamp < month.from || timestamp > month.to) {
        month = this.#monthOf(sample)
      }
      month.insert.run(topic_id, timestamp, value, msg, id)
      if (newest === undefined || timestamp >= newest.timestamp) newest = sample
    }
    if (newest === undefined) return
    const { timestamp, value, msg, id } = newest
    this.#statements.keepNewest.run(topic_id, timestamp, value, msg, id)
  }

  #monthOf({ timestamp }: Sample): OpenMonth {
    const month = monthAt(timestamp)
    const known = this.#months.get(month.table)
    if (known) return known
    createMonth(this.#file, month)
    const insert = this.#file.prepare(
      `INSERT OR REPLACE INTO ${month.table} VALUES (?, ?, ?, ?, ?)`
    )
    const open = { ...month, insert }
    this.#months.set(month.table, open)
    return open
  }

  #topicOf({ installation_id, client_id, topic }: Sample): Topic {
    let topics = this.#topics.get(installation_id)
    if (topics === undefined) {
      topics = new Map()
      this.#topics.set(installation_id, topics)
    }
    let known = topics.get(topic)
    if (known === undefined) {
      const { findTopic, insertTopic } = this.#statements
      const row =
        findTopic.get(installation_id, topic) ?? insertTopic.get(installation_id, client_id, topic)
      known = { topic_id: Number(row?.['topic_id']), arrived: [] }
      topics.set(topic, known)
    }
    return known
  }

  /** False when a batch with this token is stored already. */
  #rememberBatch(token: string): boolean {
    const { insertBatch, forgetBatches } = this.#statements
    const { changes, lastInsertRowid } = insertBatch.run(token)
    if (changes === 0) return false
    forgetBatches.run(Number(lastInsertRowid) - KEPT_BATCHES)
    return true
  }

  #inTransaction(work: () => void): void {
    this.#file.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#file.exec('COMMIT')
    } catch (error) {
      if (this.#file.isTransaction) this.#file.exec('ROLLBACK')
      // They may name what the rollback took away.
      this.#topics.clear()
      this.#months.clear()
      throw error
    }
  }
}

const prepare = (file: DatabaseSync) => ({
  findTopic: file.prepare('SELECT topic_id FROM topics WHERE installation_id = ? AND topic = ?'),
  insertTopic: file.prepare(
    'INSERT INTO topics (installation_id, client_id, topic) VALUES (?, ?, ?) RETURNING topic_id'
  ),
  insertBatch: file.prepare('INSERT INTO batches (token) VALUES (?) ON CONFLICT DO NOTHING'),
  forgetBatches: file.prepare('DELETE FROM batches WHERE batch_id <= ?'),
  keepNewest: file.prepare(`
    INSERT INTO latest (topic_id, timestamp, value, msg, id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (topic_id) DO UPDATE
    SET timestamp = excluded.timestamp, value = excluded.value, msg = excluded.msg, id = excluded.id
    WHERE excluded.timestamp >= latest.timestamp`)
})
