import { chmodSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { syncPathNow } from './sync-path.ts'

/** A writer holds the file for some milliseconds at most. */
const WAIT_MS = 10_000
/** More messages of an integrity check say nothing new. */
const MAX_FAULTS = 20

/** `logBytes`: the size of the write-ahead log, which cannot shrink while the copy is made. */
export type SqliteCopy = { bytes: number; logBytes: number }

/**
 * Copies a database as it is at one moment, while others write to it. Readers and writers do not
 * wait. It takes a while, so it belongs in a thread. When it returns, the copy is on disk.
 */
export function copySqlite(from: string, to: string): SqliteCopy {
  rmSync(to, { force: true })
  const source = new DatabaseSync(from, { timeout: WAIT_MS })
  let logBytes = 0
  try {
    source.prepare('VACUUM INTO ?').run(to)
    logBytes = statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0
  } finally {
    source.close()
  }
  chmodSync(to, 0o600)
  syncPathNow(to)
  return { bytes: statSync(to).size, logBytes }
}

/** For a file that may come from anywhere: nothing in its schema is run, and nothing is written. */
export function openSqliteToRead(path: string): DatabaseSync {
  const file = new DatabaseSync(path, { readOnly: true, timeout: WAIT_MS })
  try {
    file.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
  } catch (error) {
    file.close()
    throw error
  }
  return file
}

/** What is wrong with a database; an empty list if nothing is. Reads all of it. */
export function faultsOfSqlite(path: string): string[] {
  try {
    const file = openSqliteToRead(path)
    try {
      return file
        .prepare(`PRAGMA integrity_check(${MAX_FAULTS})`)
        .all()
        .map((row) => String(Object.values(row)[0]))
        .filter((text) => text !== 'ok')
    } finally {
      file.close()
    }
  } catch (error) {
    return [(error as Error).message]
  }
}

/** The number of rows of each table, without the parts of indexes. */
export function countRows(path: string): Record<string, number> {
  const file = openSqliteToRead(path)
  try {
    const tables = file
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND name NOT GLOB 'sqlite_*' ORDER BY name`
      )
      .all()
      .map(({ name }) => String(name))
    return Object.fromEntries(
      tables.map((table) => {
        const quoted = `"${table.replaceAll('"', '""')}"`
        return [
          table,
          Number(file.prepare(`SELECT count(*) AS rows FROM ${quoted}`).get()?.['rows'])
        ]
      })
    )
  } finally {
    file.close()
  }
}
