import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { UnixMs } from '../../lib/unix-time.ts'
import type { Damage, Quarantined } from '../files.ts'
import type { Lost } from './salvage.ts'

/** A file that leaves the list because it is broken, and every sample that leaves with it. */
export type SetAside = { damage: Damage; topics: readonly Lost[]; at: UnixMs }

export const setAsideSql = `
  CREATE TABLE IF NOT EXISTS set_aside (
    name TEXT PRIMARY KEY,
    month TEXT NOT NULL,
    samples INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    reason TEXT NOT NULL,
    lost INTEGER NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS lost_samples (
    name TEXT NOT NULL,
    topic_id INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (name, topic_id)
  ) WITHOUT ROWID;`

/** The record of what was set aside. It goes with the month. Call it in a transaction. */
export class SetAsideRecord {
  readonly #list: StatementSync
  readonly #add: StatementSync
  readonly #addTopic: StatementSync
  readonly #drop: StatementSync
  readonly #dropTopics: StatementSync

  constructor(file: DatabaseSync) {
    const columns = 'name, month, samples, first, last, reason, lost, at'
    this.#list = file.prepare(`SELECT ${columns} FROM set_aside ORDER BY at, name`)
    this.#add = file.prepare(
      `INSERT OR REPLACE INTO set_aside (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
    )
    this.#addTopic = file.prepare('INSERT OR REPLACE INTO lost_samples VALUES (?, ?, ?, ?, ?)')
    this.#drop = file.prepare('DELETE FROM set_aside WHERE month <= ?')
    this.#dropTopics = file.prepare(
      'DELETE FROM lost_samples WHERE name NOT IN (SELECT name FROM set_aside)'
    )
  }

  list(): Quarantined[] {
    return this.#list.all().map((row) => ({ ...row }) as Quarantined)
  }

  add({ damage, topics, at }: SetAside): void {
    const { name, month, samples, first, last, reason, lost } = damage
    this.#add.run(name, month, samples, first, last, reason, lost, at)
    for (const { topic_id, samples, first, last } of topics)
      this.#addTopic.run(name, topic_id, samples, first, last)
  }

  /** Forgets this month and all before it. */
  dropUntil(month: string): void {
    if (this.#drop.run(month).changes > 0) this.#dropTopics.run()
  }
}
