import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { highest, type IdKind, idKinds, idsOf, type Lineage, noIds } from '../lib/lineage.ts'
import { bordersOf, isNewer } from '../lib/newest.ts'
import { decodeSamples, type Sample } from '../lib/sample.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import type { KeptLineage, MonthSize, Sizes } from './history.ts'
import { createMonth, createTables, listMonths, type Month, monthAt } from './sqlite-file.ts'
import { SqliteSpace } from './sqlite-space.ts'

type Topic = { topic_id: number; arrived: Sample[] }
type Columns = (number | string)[]
/** `arrived`: samples of the batch at hand. */
type OpenMonth = Month & { insert: StatementSync; insertSome: StatementSync; arrived: number }

const KEPT_BATCHES = 1000
const COLUMNS = 5
/** Rows of one statement: a third less work than one by one. */
const SOME = 32
/** Samples and pages at a time, so that a batch on its way waits a few hundredths of a second. */
const ERASED_AT_ONCE = 10_000
const PAGES_AT_ONCE = 2000

/** The only writer of the file, in a thread of its own. */
export class SqliteWriter {
  readonly #file: DatabaseSync
  readonly #months = new Map<string, OpenMonth>()
  readonly #topics = new Map<number, Map<string, Topic>>()
  readonly #statements: ReturnType<typeof prepare>
  readonly #space: SqliteSpace

  constructor(file: DatabaseSync) {
    this.#file = file
    createTables(file)
    this.#statements = prepare(file)
    this.#space = new SqliteSpace(file)
  }

  append(rows: Uint8Array, token: string, now: UnixMs): void {
    this.#inTransaction(() => {
      if (!this.#rememberBatch(token)) return
      const topics = new Set<Topic>()
      for (const sample of decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.length))) {
        const topic = this.#topicOf(sample)
        topic.arrived.push(sample)
        topics.add(topic)
      }
      const used = this.#space.used()
      // Topic by topic, because that is how the samples lie in the file.
      for (const topic of topics) this.#insert(topic.topic_id, topic.arrived.splice(0), now)
      this.#space.share(used, this.#countArrived())
    })
  }

  keepLatest(rows: Uint8Array, token: string, now: UnixMs): void {
    this.#inTransaction(() => {
      if (!this.#rememberBatch(token)) return
      for (const sample of decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.length))) {
        this.#keepNewest(this.#topicOf(sample).topic_id, sample, now)
      }
    })
  }

  /** A part of the installation's samples; false when nothing of it is left. */
  eraseSome(installation_id: number): boolean {
    this.#topics.delete(installation_id)
    let left = ERASED_AT_ONCE
    this.#inTransaction(() => {
      const months = listMonths(this.#file).map((month) => this.#eraserOf(month))
      const { topicsOf, forgetLatest, forgetTopic } = this.#statements
      for (const { topic_id } of topicsOf.all(installation_id, left)) {
        for (const erase of months) left -= erase(Number(topic_id), left)
        if (left <= 0) return
        left--
        forgetLatest.run(topic_id as number)
        forgetTopic.run(topic_id as number)
      }
    })
    return left <= 0
  }

  dropBefore(moment: UnixMs): MonthSize[] {
    const past = listMonths(this.#file).filter(({ to }) => to < moment)
    if (past.length === 0) return []
    let dropped: MonthSize[] = []
    this.#inTransaction(() => {
      dropped = past.map((month) => this.#space.drop(month))
      // A batch that is sent again after the drop brings its samples back.
      this.#statements.forgetBatches.run(Number.MAX_SAFE_INTEGER)
    })
    for (const { table } of past) this.#months.delete(table)
    return dropped
  }

  sizes(): Sizes {
    return this.#space.sizes()
  }

  lineage(): Lineage {
    const rows = this.#statements.readLineage.all()
    const byKind = new Map(rows.map((row) => [String(row['kind']), row]))
    const idOf = (kind: IdKind, column: string) => Number(byKind.get(kind)?.[column] ?? 0)
    const known = Number(this.#statements.lastInstallation.get()?.['last'] ?? 0)
    return {
      platform: rows[0] && String(rows[0]['platform']),
      reached: highest(
        idsOf((kind) => idOf(kind, 'reached')),
        { ...noIds, installation: known }
      ),
      reserved: idsOf((kind) => idOf(kind, 'reserved'))
    }
  }

  keepLineage({ platform, reached, reserved }: KeptLineage): void {
    this.#inTransaction(() => {
      for (const kind of idKinds) {
        this.#statements.keepLineage.run(kind, platform, reached[kind], reserved[kind])
      }
    })
  }

  /** 0 when the file system has all there is to give, or the file is from before it could. */
  giveBack(): number {
    return this.#space.give(PAGES_AT_ONCE)
  }

  close(): void {
    this.#file.close()
  }

  /** Erases up to `limit` samples of a topic in a month; answers how many it was. */
  #eraserOf({ name, table }: Month): (topic_id: number, limit: number) => number {
    const some = this.#file.prepare(
      `DELETE FROM ${table} WHERE (topic_id, timestamp, value, msg) IN
         (SELECT topic_id, timestamp, value, msg FROM ${table} WHERE topic_id = ? LIMIT ?)`
    )
    return (topic_id, limit) => {
      if (limit <= 0) return 0
      const used = this.#space.used()
      const { changes } = some.run(topic_id, limit)
      if (changes > 0) this.#space.share(used, new Map([[name, 1]]))
      return Number(changes)
    }
  }

  #countArrived(): Map<string, number> {
    const arrived = new Map<string, number>()
    for (const month of this.#months.values()) {
      if (month.arrived > 0) arrived.set(month.name, month.arrived)
      month.arrived = 0
    }
    return arrived
  }

  #insert(topic_id: number, arrived: readonly Sample[], now: UnixMs): void {
    let month: OpenMonth | undefined
    let newest: Sample | undefined
    let rows: Columns = []
    for (const sample of arrived) {
      const { timestamp, value, msg, id } = sample
      if (month === undefined || timestamp < month.from || timestamp > month.to) {
        if (month) insertRest(month, rows)
        rows = []
        month = this.#monthOf(sample)
      }
      month.arrived++
      rows.push(topic_id, timestamp, value, msg, id)
      if (rows.length === SOME * COLUMNS) {
        month.insertSome.run(...rows)
        rows = []
      }
      const isLatest = newest === undefined || timestamp === newest.timestamp
      if (isLatest || (newest && isNewer(sample, newest, now))) newest = sample
    }
    if (newest === undefined || month === undefined) return
    insertRest(month, rows)
    this.#keepNewest(topic_id, newest, now)
  }

  #keepNewest(topic_id: number, { timestamp, value, msg, id }: Sample, now: UnixMs): void {
    const { future, from } = bordersOf(now)
    this.#statements.keepNewest.run(
      ...[topic_id, timestamp, value, msg, id],
      ...[future, from, future]
    )
  }

  #monthOf({ timestamp }: Sample): OpenMonth {
    const month = monthAt(timestamp)
    const known = this.#months.get(month.table)
    if (known) return known
    this.#space.begin(month)
    createMonth(this.#file, month)
    const into = `INSERT OR REPLACE INTO ${month.table} VALUES`
    const row = '(?, ?, ?, ?, ?)'
    const insert = this.#file.prepare(`${into} ${row}`)
    const insertSome = this.#file.prepare(`${into} ${Array(SOME).fill(row).join()}`)
    const open = { ...month, insert, insertSome, arrived: 0 }
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

function insertRest({ insert }: OpenMonth, rows: Columns): void {
  for (let at = 0; at < rows.length; at += COLUMNS) insert.run(...rows.slice(at, at + COLUMNS))
}

const prepare = (file: DatabaseSync) => ({
  findTopic: file.prepare('SELECT topic_id FROM topics WHERE installation_id = ? AND topic = ?'),
  insertTopic: file.prepare(
    'INSERT INTO topics (installation_id, client_id, topic) VALUES (?, ?, ?) RETURNING topic_id'
  ),
  insertBatch: file.prepare('INSERT INTO batches (token) VALUES (?) ON CONFLICT DO NOTHING'),
  forgetBatches: file.prepare('DELETE FROM batches WHERE batch_id <= ?'),
  topicsOf: file.prepare('SELECT topic_id FROM topics WHERE installation_id = ? LIMIT ?'),
  forgetTopic: file.prepare('DELETE FROM topics WHERE topic_id = ?'),
  lastInstallation: file.prepare('SELECT max(installation_id) AS last FROM topics'),
  readLineage: file.prepare('SELECT kind, platform, reached, reserved FROM lineage'),
  keepLineage: file.prepare(`
    INSERT INTO lineage (kind, platform, reached, reserved) VALUES (?, ?, ?, ?)
    ON CONFLICT (kind) DO UPDATE
    SET platform = excluded.platform, reached = max(reached, excluded.reached),
      reserved = max(reserved, excluded.reserved)`),
  forgetLatest: file.prepare('DELETE FROM latest WHERE topic_id = ?'),
  keepNewest: file.prepare(`
    INSERT INTO latest (topic_id, timestamp, value, msg, id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (topic_id) DO UPDATE
    SET timestamp = excluded.timestamp, value = excluded.value, msg = excluded.msg, id = excluded.id
    WHERE excluded.timestamp >= latest.timestamp
      OR (latest.timestamp > ? AND excluded.timestamp BETWEEN ? AND ?)`)
})
