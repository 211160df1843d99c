import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { UnixMs } from '../lib/unix-time.ts'
import { listMonths, type Month } from './sqlite-file.ts'

/** A sample as it lies in a month's table. */
export type Row = [topic_id: number, timestamp: UnixMs, value: number, msg: string, id: number]

/** All that `read` asks for is of one moment. */
export function inSnapshot<T>(file: DatabaseSync, read: () => T): T {
  file.exec('BEGIN')
  try {
    return read()
  } finally {
    file.exec('COMMIT')
  }
}

type Chosen = { installation_id: number; topics: readonly string[] | undefined }

/** By the bytes of the topic, as every engine orders text: their place is their rank. */
export function topicsOf(file: DatabaseSync, { installation_id, topics }: Chosen) {
  const all = 'SELECT topic_id, client_id, topic FROM topics WHERE installation_id = ?'
  const rows = topics
    ? file
        .prepare(`${all} AND topic IN (SELECT value FROM json_each(?)) ORDER BY topic`)
        .all(installation_id, JSON.stringify(topics))
    : file.prepare(`${all} ORDER BY topic`).all(installation_id)
  return rows.map(({ topic_id, client_id, topic }, rank) => ({
    topic_id: Number(topic_id),
    client_id: Number(client_id),
    topic: String(topic),
    rank
  }))
}

/** Time, then topic, then id. */
export function sortRows(
  rows: Row[],
  topics: ReadonlyMap<number, { readonly rank: number }>
): Row[] {
  const rank = (row: Row) => topics.get(row[0])?.rank ?? 0
  return rows.sort((a, b) => a[1] - b[1] || rank(a) - rank(b) || a[4] - b[4])
}

/** The months that exist, each with its statements; looked at again when a table came or went. */
export class OpenMonths<Statements> {
  readonly #file: DatabaseSync
  readonly #open: (file: DatabaseSync, month: Month) => Statements
  readonly #schemaVersion: StatementSync
  #months: (Month & Statements)[] = []
  #version = -1

  constructor(file: DatabaseSync, open: (file: DatabaseSync, month: Month) => Statements) {
    this.#file = file
    this.#open = open
    this.#schemaVersion = file.prepare('PRAGMA schema_version')
  }

  /** Oldest first. */
  within({ from, to }: { from: UnixMs; to: UnixMs }): (Month & Statements)[] {
    const version = Number(this.#schemaVersion.get()?.['schema_version'])
    if (version !== this.#version) {
      this.#months = listMonths(this.#file).map((month) => ({
        ...month,
        ...this.#open(this.#file, month)
      }))
      this.#version = version
    }
    return this.#months.filter((month) => month.from <= to && month.to >= from)
  }
}
