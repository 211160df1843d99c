import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Contents } from '../files.ts'
import type { MonthSize, Sizes } from '../history.ts'

/** Counting the rows of so many pages takes some hundredths of a second. */
const MAX_COUNTED_PAGES = 5000
/** What a row takes on average, for an estimate. */
const BYTES_PER_ROW = 40

/**
 * The number of pages that the rows of each month take, updated with every batch, because measuring
 * would read the whole file. Call `share` inside the transaction of the change.
 */
export class SqliteSpace {
  readonly #file: DatabaseSync
  readonly #pageSize: number
  readonly #statements: ReturnType<typeof prepare>

  constructor(file: DatabaseSync) {
    this.#file = file
    this.#statements = prepare(file)
    this.#pageSize = numberOf(file.prepare('PRAGMA page_size'))
  }

  /** The pages in use now. Pass the number to `share` after the change. */
  used(): number {
    return numberOf(this.#statements.pages) - numberOf(this.#statements.free)
  }

  /** Divides the pages that were added since `before` among the months of a table, by their rows. */
  share(before: number, table: string, rows: ReadonlyMap<string, number>): void {
    const taken = Math.max(this.used() - before, 0)
    let all = 0
    for (const count of rows.values()) all += count
    for (const [month, count] of rows) {
      const pages = Math.round((taken * count) / all)
      this.#statements.add.run(table, month, pages, pages)
    }
  }

  sizes(): Sizes {
    const rows = this.#statements.months.all(this.#pageSize)
    const months = rows.map((row) => ({ ...row }) as MonthSize)
    const known = months.reduce((sum, { bytes }) => sum + bytes, 0)
    const used = this.used() * this.#pageSize + numberOf(this.#statements.packed)
    return { bytes: Math.max(used, known), months }
  }

  /** Few rows are counted. Of many the number follows from their pages. */
  contents(): Contents {
    const { tables, packedSamples, months } = this.#statements
    let samples = numberOf(packedSamples)
    let isEstimated = false
    for (const { name, pages } of tables.all()) {
      if (Number(pages) <= MAX_COUNTED_PAGES)
        samples += numberOf(this.#file.prepare(`SELECT count(*) FROM ${name}`))
      else {
        samples += Math.round((Number(pages) * this.#pageSize) / BYTES_PER_ROW)
        isEstimated = true
      }
    }
    return { months: months.all(this.#pageSize).length, samples, isEstimated }
  }

  /** Gives up to `pages` free pages back to the file system; answers how many. */
  give(pages: number): number {
    const before = numberOf(this.#statements.free)
    if (before === 0) return 0
    this.#file.exec(`PRAGMA incremental_vacuum(${pages})`)
    const given = before - numberOf(this.#statements.free)
    // The file shrinks when the write-ahead log is moved into it.
    if (given > 0) this.#file.exec('PRAGMA wal_checkpoint(PASSIVE)')
    return given
  }
}

const numberOf = (statement: StatementSync): number =>
  Number(Object.values(statement.get() ?? {})[0])

const prepare = (file: DatabaseSync) => ({
  pages: file.prepare('PRAGMA page_count'),
  free: file.prepare('PRAGMA freelist_count'),
  packed: file.prepare('SELECT coalesce(sum(bytes), 0) FROM packs'),
  packedSamples: file.prepare('SELECT coalesce(sum(samples), 0) FROM packs'),
  tables: file.prepare('SELECT name, sum(pages) AS pages FROM row_months GROUP BY name'),
  add: file.prepare(`
    INSERT INTO row_months VALUES (?, ?, max(?, 1))
    ON CONFLICT DO UPDATE SET pages = pages + ?`),
  months: file.prepare(`
    SELECT month AS name, sum(bytes) AS bytes
    FROM (
      SELECT month, bytes FROM packs UNION ALL SELECT month, pages * ? FROM row_months
    ) GROUP BY month ORDER BY month`)
})
