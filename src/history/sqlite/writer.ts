import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { highest, type IdKind, idKinds, idsOf, type Lineage, noIds } from '../../lib/lineage.ts'
import { MonthNames } from '../../lib/month-names.ts'
import { decodeSamples, type Sample } from '../../lib/sample.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { Contents, Quarantined } from '../files.ts'
import type { KeptLineage, Sizes } from '../history.ts'
import { currentTimes } from '../newest.ts'
import { newestOf, withoutRepeats } from './arrived.ts'
import { createTables } from './file.ts'
import { writePacks } from './new-pack.ts'
import type { Pack, RowMonth, SurveyedTopic, Swap } from './pack.ts'
import { RowTables } from './row-tables.ts'
import { SetAsideRecord } from './set-aside.ts'
import { SqliteSpace } from './space.ts'

type Topic = { topic_id: number; arrived: Sample[] }
type Span = { from: UnixMs; to: UnixMs }

const MAX_KEPT_BATCHES = 1000
/** Small steps, so that a new batch waits only some hundredths of a second. */
const SAMPLES_PER_ERASE = 10_000
const PAGES_PER_VACUUM = 2000
/** A batch with so many samples, and so many of each topic, is packed without becoming rows. */
const SAMPLES_PER_PACK = 20_000
const SAMPLES_PER_PACKED_TOPIC = 200
const MONTHS_PER_PACKING = 16
/** So many topics keep their numbers in memory, which is some tens of megabytes. */
const MAX_KNOWN_TOPICS = 200_000

/** The only writer of the file, in its own thread. */
export class SqliteWriter {
  readonly #file: DatabaseSync
  readonly #packs: string
  readonly #topics = new Map<number, Map<string, Topic>>()
  /** In `#topics`. */
  #knownTopics = 0
  readonly #statements: ReturnType<typeof prepare>
  readonly #space: SqliteSpace
  readonly #rows: RowTables
  readonly #setAside: SetAsideRecord
  readonly #months = new MonthNames()
  /** Files that were written in this transaction, and in those that failed. */
  #written: string[] = []
  #orphans: string[] = []

  /** `packs`: the directory of packed files. */
  constructor(file: DatabaseSync, packs: string) {
    this.#file = file
    this.#packs = packs
    createTables(file)
    this.#statements = prepare(file)
    this.#space = new SqliteSpace(file)
    this.#rows = new RowTables(file)
    this.#setAside = new SetAsideRecord(file)
  }

  /** Answers how many rows were written. */
  append(rows: Uint8Array, token: string, now: UnixMs): number {
    let count = 0
    if (this.#knownTopics > MAX_KNOWN_TOPICS) this.#forgetNumbers()
    this.#inTransaction(() => {
      if (!this.#rememberBatch(token)) return
      const topics = new Set<Topic>()
      for (const sample of decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.length))) {
        const topic = this.#topicOf(sample)
        topic.arrived.push(sample)
        topics.add(topic)
        count++
      }
      const months = this.#monthsOf(topics)
      const isLarge = count >= SAMPLES_PER_PACK && count >= topics.size * SAMPLES_PER_PACKED_TOPIC
      if (isLarge && months.size <= MONTHS_PER_PACKING) {
        this.#pack(topics, [...months.keys()])
        count = 0
      } else {
        const used = this.#space.used()
        // Insert topic by topic, because the file stores samples in this order.
        for (const { topic_id, arrived } of topics) this.#rows.insert(topic_id, arrived)
        this.#space.share(used, this.#rows.current, months)
      }
      for (const { topic_id, arrived } of topics) {
        const newest = newestOf(arrived.splice(0), now)
        if (newest) this.#keepNewest(topic_id, newest, now)
      }
    })
    return count
  }

  keepLatest(rows: Uint8Array, token: string, now: UnixMs): void {
    this.#inTransaction(() => {
      if (!this.#rememberBatch(token)) return
      for (const sample of decodeSamples(Buffer.from(rows.buffer, rows.byteOffset, rows.length))) {
        this.#keepNewest(this.#topicOf(sample).topic_id, sample, now)
      }
    })
  }

  /** From now on, new rows go to a new table. Answers the tables that can be packed. */
  freeze(): string[] {
    this.#inTransaction(() => this.#rows.freeze())
    return this.#rows.frozen()
  }

  /** The tables of rows that change no more, the oldest first. */
  frozen(): string[] {
    return this.#rows.frozen()
  }

  packs(): Pack[] {
    return this.#statements.packs.all().map((row) => ({ ...row }) as Pack)
  }

  swap({ add, remove, dropRows, setAside }: Swap): void {
    this.#inTransaction(() => {
      if (setAside) this.#setAside.add(setAside)
      const { removePack, forgetRows } = this.#statements
      this.#listPacks(add)
      for (const name of remove) removePack.run(name)
      if (dropRows === undefined) return
      this.#rows.drop(dropRows)
      forgetRows.run(dropRows)
    })
  }

  /** The numbers of the topics of these installations. */
  topicsOf(installations: readonly number[]): number[] {
    const rows = this.#statements.topicsOf.all(JSON.stringify(installations))
    return rows.map(({ topic_id }) => Number(topic_id))
  }

  /** Erases some of the rows of these topics between two moments; false when none are left. */
  eraseRows(topic_ids: readonly number[], from: UnixMs, to: UnixMs): boolean {
    let left = SAMPLES_PER_ERASE
    this.#inTransaction(() => {
      left = this.#rows.erase(topic_ids, from, to, left)
    })
    return left === 0
  }

  /** Puts the newest samples outside of a time span in place of latest values that are in it. */
  replaceLatest({ from, to }: Span, topics: readonly SurveyedTopic[]): void {
    const { latestWithin, replaceLatest, forgetLatest } = this.#statements
    this.#inTransaction(() => {
      for (const { topic_id, newest } of topics) {
        if (!latestWithin.get(topic_id, from, to)) continue
        if (newest) replaceLatest.run(topic_id, ...newest)
        else forgetLatest.run(JSON.stringify([topic_id]))
      }
    })
  }

  /** Topics without a latest value have no samples. */
  forgetEmptyTopics(topic_ids: readonly number[]): void {
    this.#forgetNumbers()
    this.#statements.forgetEmptyTopics.run(JSON.stringify(topic_ids))
  }

  /** Erases the rest of these topics, after their packed samples. */
  forgetTopics(topic_ids: readonly number[]): void {
    this.#forgetNumbers()
    const { forgetLatest, forgetTopics } = this.#statements
    this.#inTransaction(() => {
      const end = Number.MAX_SAFE_INTEGER
      this.#rows.erase(topic_ids, 0 as UnixMs, end as UnixMs, end)
      const ids = JSON.stringify(topic_ids)
      forgetLatest.run(ids)
      forgetTopics.run(ids)
    })
  }

  /** The months of each table of rows. */
  rowMonths(): RowMonth[] {
    return this.#statements.rowMonths.all().map((row) => ({ ...row }) as RowMonth)
  }

  quarantined(): Quarantined[] {
    return this.#setAside.list()
  }

  /** What was set aside of dropped months is no longer missed. */
  forgetQuarantined(month: string): void {
    this.#inTransaction(() => this.#setAside.dropUntil(month))
  }

  /** Forgets the tokens, so that a batch that is sent again after a removal is stored again. */
  forgetBatches(): void {
    this.#statements.forgetBatches.run(Number.MAX_SAFE_INTEGER)
  }

  sizes(): Sizes {
    return this.#space.sizes()
  }

  contents(): Contents {
    return this.#space.contents()
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

  /** 0 when there is no free space left, or the file is too old to shrink. */
  giveBack(): number {
    return this.#space.give(PAGES_PER_VACUUM)
  }

  close(): void {
    this.#file.close()
  }

  /** The number of samples in each month. */
  #monthsOf(topics: ReadonlySet<Topic>): Map<string, number> {
    const months = new Map<string, number>()
    let [month, count] = ['', 0]
    const add = () => months.set(month, (months.get(month) ?? 0) + count)
    for (const { arrived } of topics) {
      for (const { timestamp } of arrived) {
        const next = this.#months.at(timestamp)
        if (next !== month) {
          if (count > 0) add()
          ;[month, count] = [next, 0]
        }
        count++
      }
    }
    if (count > 0) add()
    return months
  }

  /** The files count when the transaction ends. */
  #pack(topics: ReadonlySet<Topic>, months: readonly string[]): void {
    const sorted = [...topics].sort((a, b) => a.topic_id - b.topic_id)
    const packs = writePacks(this.#packs, months, (files) => {
      for (const { topic_id, arrived } of sorted) {
        let file = files[0]
        for (const { timestamp, value, msg, id } of withoutRepeats(arrived)) {
          if (!file?.has(timestamp)) file = files.find((file) => file.has(timestamp))
          file?.add(topic_id, timestamp, value, msg, id)
        }
      }
    })
    this.#written = packs.map(({ name }) => name)
    this.#listPacks(packs)
  }

  #listPacks(packs: readonly Pack[]): void {
    for (const { name, month, bytes, samples, first, last } of packs)
      this.#statements.addPack.run(name, month, bytes, samples, first, last)
  }

  #keepNewest(topic_id: number, { timestamp, value, msg, id }: Sample, now: UnixMs): void {
    const { future, from } = currentTimes(now)
    this.#statements.keepNewest.run(
      ...[topic_id, timestamp, value, msg, id],
      ...[future, from, future]
    )
  }

  #topicOf({ installation_id, client_id, topic }: Sample): Topic {
    let topics = this.#topics.get(installation_id)
    if (topics === undefined) {
      topics = new Map()
      this.#topics.set(installation_id, topics)
    }
    let known = topics.get(topic)
    if (known === undefined) {
      const { findTopic, insertTopic, nextTopic } = this.#statements
      const row =
        findTopic.get(installation_id, topic) ??
        insertTopic.get(nextTopic.get()?.['last'] as number, installation_id, client_id, topic)
      known = { topic_id: Number(row?.['topic_id']), arrived: [] }
      topics.set(topic, known)
      this.#knownTopics++
    }
    return known
  }

  #forgetNumbers(): void {
    this.#topics.clear()
    this.#knownTopics = 0
  }

  /** False when a batch with this token is already stored. */
  #rememberBatch(token: string): boolean {
    const { insertBatch, forgetBatches } = this.#statements
    const { changes, lastInsertRowid } = insertBatch.run(token)
    if (changes === 0) return false
    forgetBatches.run(Number(lastInsertRowid) - MAX_KEPT_BATCHES)
    return true
  }

  #inTransaction(work: () => void): void {
    this.#written = []
    this.#file.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.#file.exec('COMMIT')
      this.#removeOrphans()
    } catch (error) {
      if (this.#file.isTransaction) this.#file.exec('ROLLBACK')
      // They may name topics and tables that the rollback removed.
      this.#forgetNumbers()
      this.#rows.forget()
      this.#orphans.push(...this.#written)
      throw error
    }
  }

  /**
   * Only after another transaction: one that failed may still count after a crash, until the next
   * one overwrites it in the write-ahead log.
   */
  #removeOrphans(): void {
    for (const name of this.#orphans) rmSync(join(this.#packs, name), { force: true })
    this.#orphans = []
  }
}

const prepare = (file: DatabaseSync) => ({
  findTopic: file.prepare('SELECT topic_id FROM topics WHERE installation_id = ? AND topic = ?'),
  insertTopic: file.prepare(
    'INSERT INTO topics (topic_id, installation_id, client_id, topic) VALUES (?, ?, ?, ?) RETURNING topic_id'
  ),
  nextTopic: file.prepare('UPDATE topic_numbers SET last = last + 1 RETURNING last'),
  insertBatch: file.prepare('INSERT INTO batches (token) VALUES (?) ON CONFLICT DO NOTHING'),
  forgetBatches: file.prepare('DELETE FROM batches WHERE batch_id <= ?'),
  topicsOf: file.prepare(
    'SELECT topic_id FROM topics WHERE installation_id IN (SELECT value FROM json_each(?))'
  ),
  forgetTopics: file.prepare(
    'DELETE FROM topics WHERE topic_id IN (SELECT value FROM json_each(?))'
  ),
  rowMonths: file.prepare('SELECT name, month FROM row_months'),
  packs: file.prepare('SELECT name, month, bytes, samples, first, last FROM packs ORDER BY rowid'),
  addPack: file.prepare('INSERT INTO packs VALUES (?, ?, ?, ?, ?, ?)'),
  removePack: file.prepare('DELETE FROM packs WHERE name = ?'),
  forgetRows: file.prepare('DELETE FROM row_months WHERE name = ?'),
  lastInstallation: file.prepare('SELECT max(installation_id) AS last FROM topics'),
  readLineage: file.prepare('SELECT kind, platform, reached, reserved FROM lineage'),
  keepLineage: file.prepare(`
    INSERT INTO lineage (kind, platform, reached, reserved) VALUES (?, ?, ?, ?)
    ON CONFLICT (kind) DO UPDATE
    SET platform = excluded.platform, reached = max(reached, excluded.reached),
      reserved = max(reserved, excluded.reserved)`),
  latestWithin: file.prepare(
    'SELECT 1 FROM latest WHERE topic_id = ? AND timestamp BETWEEN ? AND ?'
  ),
  replaceLatest: file.prepare('INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?, ?)'),
  forgetEmptyTopics: file.prepare(`
    DELETE FROM topics WHERE topic_id IN (SELECT value FROM json_each(?))
      AND NOT EXISTS (SELECT 1 FROM latest WHERE latest.topic_id = topics.topic_id)`),
  forgetLatest: file.prepare(
    'DELETE FROM latest WHERE topic_id IN (SELECT value FROM json_each(?))'
  ),
  keepNewest: file.prepare(`
    INSERT INTO latest (topic_id, timestamp, value, msg, id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (topic_id) DO UPDATE
    SET timestamp = excluded.timestamp, value = excluded.value, msg = excluded.msg, id = excluded.id
    WHERE excluded.timestamp >= latest.timestamp
      OR (latest.timestamp > ? AND excluded.timestamp BETWEEN ? AND ?)`)
})
