import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { MonthSize, Sizes } from './history.ts'
import { listMonths, type Month } from './sqlite-file.ts'

/**
 * How many pages each month takes, kept up with every batch: asking the file itself would read all
 * of it. Every method but `give` and `sizes` runs inside the transaction of the change it counts.
 */
export class SqliteSpace {
  readonly #file: DatabaseSync
  readonly #pageSize: number
  readonly #statements: ReturnType<typeof prepare>

  constructor(file: DatabaseSync) {
    this.#file = file
    file.exec(`
      CREATE TABLE IF NOT EXISTS month_sizes (
        name TEXT PRIMARY KEY,
        pages INTEGER NOT NULL
      )`)
    this.#statements = prepare(file)
    this.#pageSize = numberOf(file.prepare('PRAGMA page_size'))
  }

  /** Before the month's table is made; one that is there already was begun then, or is measured. */
  begin({ name, table }: Month): void {
    this.#statements.begin.run(name, table)
  }

  /** Pages in use now, to be handed to `share` after the change. */
  used(): number {
    return numberOf(this.#statements.pages) - numberOf(this.#statements.free)
  }

  /** What was taken since `before` goes to the months by their shares of the rows. */
  share(before: number, rows: ReadonlyMap<string, number>): void {
    const taken = this.used() - before
    if (taken === 0) return
    let all = 0
    for (const count of rows.values()) all += count
    for (const [name, count] of rows) {
      this.#statements.add.run(Math.round((taken * count) / all), name)
    }
  }

  /** Answers what it really was. */
  drop({ name, table }: Month): MonthSize {
    const before = this.used()
    this.#file.exec(`DROP TABLE ${table}`)
    this.#statements.forget.run(name)
    return { name, bytes: (before - this.used()) * this.#pageSize }
  }

  sizes(): Sizes {
    const known = this.#known()
    const months = listMonths(this.#file).map((month) => ({
      name: month.name,
      bytes: (known.get(month.name) ?? this.#measure(month)) * this.#pageSize
    }))
    return { bytes: this.used() * this.#pageSize, months }
  }

  /** Gives up to `pages` free pages back to the file system; answers how many it was. */
  give(pages: number): number {
    const before = numberOf(this.#statements.free)
    if (before === 0) return 0
    this.#file.exec(`PRAGMA incremental_vacuum(${pages})`)
    const given = before - numberOf(this.#statements.free)
    // The file gets shorter when the write-ahead log is folded into it.
    if (given > 0) this.#file.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return given
  }

  #known(): Map<string, number> {
    const rows = this.#statements.all.all()
    return new Map(rows.map(({ name, pages }) => [String(name), Math.max(Number(pages), 0)]))
  }

  /** A month from before sizes were kept: read through once. */
  #measure({ name, table }: Month): number {
    const pages = Number(this.#statements.measure.get(table)?.['pages'])
    this.#statements.set.run(name, pages)
    return pages
  }
}

const numberOf = (statement: StatementSync): number =>
  Number(Object.values(statement.get() ?? {})[0])

const prepare = (file: DatabaseSync) => ({
  pages: file.prepare('PRAGMA page_count'),
  free: file.prepare('PRAGMA freelist_count'),
  begin: file.prepare(`
    INSERT OR IGNORE INTO month_sizes
    SELECT ?, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)`),
  add: file.prepare('UPDATE month_sizes SET pages = pages + ? WHERE name = ?'),
  set: file.prepare('INSERT OR REPLACE INTO month_sizes VALUES (?, ?)'),
  forget: file.prepare('DELETE FROM month_sizes WHERE name = ?'),
  all: file.prepare('SELECT name, pages FROM month_sizes'),
  measure: file.prepare('SELECT sum(pageno) AS pages FROM dbstat WHERE aggregate AND name = ?')
})
