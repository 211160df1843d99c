import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

/**
 * One row per sample in SQLite, sorted by topic and time: the plainest way to keep samples, and the
 * one of history before it packed them. The floors read and write it with the obvious statements.
 */
export function openPlainRows(directory: string): DatabaseSync {
  mkdirSync(directory, { recursive: true })
  const file = new DatabaseSync(join(directory, 'rows.sqlite'))
  file.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -65536;
    PRAGMA mmap_size = 268435456;
    PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE IF NOT EXISTS topics (
      topic_id INTEGER PRIMARY KEY,
      installation_id INTEGER NOT NULL,
      client_id INTEGER NOT NULL,
      topic TEXT NOT NULL,
      UNIQUE (installation_id, topic)
    );
    CREATE TABLE IF NOT EXISTS samples (
      topic_id INTEGER NOT NULL,
      timestamp INTEGER NOT NULL,
      value REAL NOT NULL,
      msg TEXT NOT NULL,
      id INTEGER NOT NULL,
      PRIMARY KEY (topic_id, timestamp, value, msg)
    ) WITHOUT ROWID;
  `)
  return file
}

export const insertInto = (file: DatabaseSync): StatementSync =>
  file.prepare('INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?, ?)')
