import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { UnixMs } from '../lib/unix-time.ts'

/** A calendar month in UTC; its samples are one table, so that retention drops whole tables. */
export type Month = { name: string; table: string; from: UnixMs; to: UnixMs }

export const fileIn = (directory: string): string => join(directory, 'history.sqlite')

export function openSqliteFile(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true })
  const file = new DatabaseSync(fileIn(directory), { timeout: 10_000 })
  // The first one only where the file is new: what a dropped month took can then be given back.
  file.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -65536;
    PRAGMA mmap_size = 268435456;
    PRAGMA wal_autocheckpoint = 4000;
  `)
  return file
}

export function createTables(file: DatabaseSync): void {
  file.exec(`
    CREATE TABLE IF NOT EXISTS topics (
      topic_id INTEGER PRIMARY KEY,
      installation_id INTEGER NOT NULL,
      client_id INTEGER NOT NULL,
      topic TEXT NOT NULL,
      UNIQUE (installation_id, topic)
    );
    CREATE TABLE IF NOT EXISTS latest (
      topic_id INTEGER PRIMARY KEY,
      timestamp INTEGER NOT NULL,
      value REAL NOT NULL,
      msg TEXT NOT NULL,
      id INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS batches (
      batch_id INTEGER PRIMARY KEY,
      token TEXT NOT NULL UNIQUE
    );
    CREATE TABLE IF NOT EXISTS lineage (
      kind TEXT PRIMARY KEY,
      platform TEXT NOT NULL,
      reached INTEGER NOT NULL,
      reserved INTEGER NOT NULL
    );
  `)
}

/** In the order of the clustering: a topic's samples lie together, by time. */
export function createMonth(file: DatabaseSync, { table }: Month): void {
  file.exec(`
    CREATE TABLE IF NOT EXISTS ${table} (
      topic_id INTEGER NOT NULL,
      timestamp INTEGER NOT NULL,
      value REAL NOT NULL,
      msg TEXT NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (topic_id, timestamp, value, msg)
    ) WITHOUT ROWID
  `)
}

/** Oldest first. */
export function listMonths(file: DatabaseSync): Month[] {
  return file
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'samples_*'")
    .all()
    .map(({ name }) => monthOfTable(String(name)))
    .sort((a, b) => a.from - b.from)
}

export function monthAt(timestamp: UnixMs): Month {
  const at = new Date(timestamp)
  return month(at.getUTCFullYear(), at.getUTCMonth())
}

function monthOfTable(table: string): Month {
  const [, year, number] = /^samples_(\d+)(\d\d)$/.exec(table) ?? []
  return month(Number(year), Number(number) - 1)
}

function month(year: number, index: number): Month {
  const number = String(index + 1).padStart(2, '0')
  return {
    name: `${year}-${number}`,
    table: `samples_${year}${number}`,
    from: Date.UTC(year, index) as UnixMs,
    to: (Date.UTC(year, index + 1) - 1) as UnixMs
  }
}
