import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { keepSchema, refuseNewerSchema } from '../../lib/sqlite-schema.ts'
import { syncPathNow } from '../../lib/sync-path.ts'
import { setAsideSql } from './set-aside.ts'

/**
 * Raise it when an older program could not read the file or the packed files, or would lose
 * something in them.
 */
const SCHEMA = 2

export const fileIn = (directory: string): string => join(directory, 'history.sqlite')

/** The directory of packed files. */
export const packsIn = (directory: string): string => join(directory, 'packs')

/** Inserting rows of many topics touches many pages; reading a few rows touches few. */
const CACHE_KIB = { writer: 65_536, reader: 4096 }

export function openSqliteFile(directory: string, use: keyof typeof CACHE_KIB): DatabaseSync {
  const isCreated = mkdirSync(packsIn(directory), { recursive: true }) !== undefined
  if (isCreated) syncPathNow(directory)
  const file = new DatabaseSync(fileIn(directory), { timeout: 10_000 })
  refuseNewerSchema(file, fileIn(directory), SCHEMA)
  // It works only in a new file, and lets it shrink after rows were packed. In any other file it
  // would write, so that no thread could start to read while the disk is full.
  if (isNew(file)) file.exec('PRAGMA auto_vacuum = INCREMENTAL')
  file.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -${CACHE_KIB[use]};
    PRAGMA mmap_size = 268435456;
    PRAGMA temp_store = MEMORY;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 33554432;
  `)
  return file
}

const isNew = (file: DatabaseSync): boolean =>
  file.prepare('PRAGMA page_count').get()?.['page_count'] === 0

/**
 * The number of a topic is never given to another one, because packed samples have only the number.
 * `packs` lists the packed files that count, and `row_months` the tables of rows with their months.
 * A file that is not listed is the rest of unfinished work.
 */
export function createTables(file: DatabaseSync): void {
  file.exec(`
    CREATE TABLE IF NOT EXISTS topics (
      topic_id INTEGER PRIMARY KEY,
      installation_id INTEGER NOT NULL,
      client_id INTEGER NOT NULL,
      topic TEXT NOT NULL,
      UNIQUE (installation_id, topic)
    );
    CREATE TABLE IF NOT EXISTS topic_numbers (last INTEGER NOT NULL);
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
    CREATE TABLE IF NOT EXISTS packs (
      name TEXT PRIMARY KEY,
      month TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS row_months (
      name TEXT NOT NULL,
      month TEXT NOT NULL,
      pages INTEGER NOT NULL,
      PRIMARY KEY (name, month)
    ) WITHOUT ROWID;
    ${setAsideSql}
  `)
  // Even an insert of nothing would need space on the disk.
  if (!file.prepare('SELECT 1 FROM topic_numbers').get())
    file.exec('INSERT INTO topic_numbers SELECT coalesce(max(topic_id), 0) FROM topics')
  adoptMonths(file)
  keepSchema(file, SCHEMA)
}

/** Earlier versions kept the rows of each month (`2025-11`) in a table such as `samples_202511`. */
function adoptMonths(file: DatabaseSync): void {
  const hasSizes = file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'month_sizes'").get()
  if (!hasSizes) return
  file.exec(`
    BEGIN IMMEDIATE;
    INSERT OR IGNORE INTO row_months
    SELECT old.name, month, coalesce(pages, 0)
    FROM (
      SELECT name, substr(name, 9, length(name) - 10) || '-' || substr(name, -2) AS month
      FROM sqlite_schema WHERE type = 'table' AND name GLOB 'samples_*'
    ) AS old LEFT JOIN month_sizes ON month_sizes.name = month;
    DROP TABLE month_sizes;
    COMMIT;
  `)
}

/** The primary key is the stored order: the samples of a topic lie together, by time. */
export const createRowsSql = (name: string): string => `
  CREATE TABLE ${name} (
    topic_id INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    value REAL NOT NULL,
    msg TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (topic_id, timestamp, value, msg)
  ) WITHOUT ROWID`

/** The number of a table of rows; those of earlier versions have none. */
export const numberOfRows = (name: string): number => Number(/^rows_(\d+)$/.exec(name)?.[1] ?? 0)

export const rowsTable = (number: number): string => `rows_${number}`
