import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Sample } from '../../lib/sample.ts'
import type { UnixMs } from '../../lib/unix-time.ts'
import { createRowsSql, numberOfRows, rowsTable } from './file.ts'

type Columns = (number | string)[]
/** The table that takes new rows. */
type OpenRows = { name: string; insert: StatementSync; insertSome: StatementSync }

const COLUMNS_PER_ROW = 5
/** Rows of one statement. This saves a third of the work. */
const ROWS_PER_INSERT = 32

/**
 * The tables of rows that are not packed yet. The newest one takes new rows, the others change no
 * more, except that rows are erased. Changes belong into a transaction.
 */
export class RowTables {
  readonly #file: DatabaseSync
  readonly #names: StatementSync
  #open: OpenRows | undefined

  constructor(file: DatabaseSync) {
    this.#file = file
    this.#names = file.prepare(`
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND (name GLOB 'rows_*' OR name GLOB 'samples_*')`)
  }

  /** The name of the table that takes new rows. */
  get current(): string {
    return this.#opened().name
  }

  insert(topic_id: number, samples: readonly Sample[]): void {
    const { insert, insertSome } = this.#opened()
    let rows: Columns = []
    for (const { timestamp, value, msg, id } of samples) {
      rows.push(topic_id, timestamp, value, msg, id)
      if (rows.length < ROWS_PER_INSERT * COLUMNS_PER_ROW) continue
      insertSome.run(...rows)
      rows = []
    }
    for (let at = 0; at < rows.length; at += COLUMNS_PER_ROW)
      insert.run(...rows.slice(at, at + COLUMNS_PER_ROW))
  }

  /** From now on, new rows go to a new table, unless the current one is empty. */
  freeze(): void {
    const { current } = this
    const hasRows = this.#file.prepare(`SELECT 1 FROM ${current} LIMIT 1`).get()
    if (hasRows) this.#open = this.#create(numberOfRows(current) + 1)
  }

  /** The tables that change no more, the oldest first. */
  frozen(): string[] {
    const { current } = this
    return this.#all()
      .filter((name) => name !== current)
      .sort((a, b) => numberOfRows(a) - numberOfRows(b) || (a < b ? -1 : 1))
  }

  /** Erases at most `limit` rows of these topics; answers how many more it could have erased. */
  erase(topic_ids: readonly number[], from: UnixMs, to: UnixMs, limit: number): number {
    const key = 'topic_id, timestamp, value, msg'
    let left = limit
    for (const name of this.#all()) {
      if (left === 0) break
      const { changes } = this.#file
        .prepare(
          `DELETE FROM ${name} WHERE (${key}) IN (
             SELECT ${key} FROM ${name} WHERE topic_id IN (SELECT value FROM json_each(?))
               AND timestamp BETWEEN ? AND ? LIMIT ?)`
        )
        .run(JSON.stringify(topic_ids), from, to, left)
      left -= Number(changes)
    }
    return left
  }

  drop(name: string): void {
    this.#file.exec(`DROP TABLE IF EXISTS ${name}`)
  }

  /** A rollback may have removed the table that was open. */
  forget(): void {
    this.#open = undefined
  }

  #all(): string[] {
    return this.#names.all().map(({ name }) => String(name))
  }

  #opened(): OpenRows {
    if (this.#open === undefined) {
      const last = Math.max(...this.#all().map(numberOfRows), 0)
      this.#open = last > 0 ? this.#prepare(last) : this.#create(1)
    }
    return this.#open
  }

  #create(number: number): OpenRows {
    this.#file.exec(createRowsSql(rowsTable(number)))
    return this.#prepare(number)
  }

  #prepare(number: number): OpenRows {
    const name = rowsTable(number)
    const into = `INSERT OR REPLACE INTO ${name} VALUES`
    const row = '(?, ?, ?, ?, ?)'
    return {
      name,
      insert: this.#file.prepare(`${into} ${row}`),
      insertSome: this.#file.prepare(`${into} ${Array(ROWS_PER_INSERT).fill(row).join()}`)
    }
  }
}
