import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Ahead,
  type Batch,
  type BatchLimits,
  type LateReader,
  MOVER,
  type ReaderState
} from './groups.ts'

type Transact = <T>(work: () => T) => T
type Totals = { samples: number; bytes: number }
/** `taken` is the last group of the batch that the reader has taken but not passed. */
type Reader = ReaderState & { cursor: number; taken: number | null }

/** It takes some milliseconds, and samples wait for it. */
const DELETED_AT_ONCE = { maxSamples: 10_000, maxBytes: 4 * 1024 * 1024 }
const END = Number.MAX_SAFE_INTEGER

/** [ADR-0046] The readers of the spool. A group is deleted when all of them have passed it. */
export class Readers {
  readonly #db: DatabaseSync
  readonly #transact: Transact
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #all = new Map<string, Reader>()

  /** The table `groups` must be there. */
  constructor(db: DatabaseSync, transact: Transact) {
    this.#db = db
    this.#transact = transact
    transact(() => createTable(db))
    this.#sql = statementsOf(db)
    for (const row of this.#sql.readers.all() as Omit<Reader, 'samples' | 'bytes'>[]) {
      this.#all.set(row.name, { ...row, ...this.#between(row.cursor, END) })
    }
  }

  /** What is not yet in history comes after this group. */
  get moved(): number {
    return this.#find(MOVER).cursor
  }

  get states(): ReaderState[] {
    return Array.from(this.#all.values(), ({ name, samples, bytes, missed }) => {
      return { name, samples, bytes, missed }
    })
  }

  /** Counting all groups takes long, so the numbers are kept. */
  appended(samples: number, bytes: number): void {
    for (const reader of this.#all.values()) {
      reader.samples += samples
      reader.bytes += bytes
    }
  }

  /** A new reader begins with what is appended next. A known one goes on where it was. */
  register(name: string): void {
    if (this.#all.has(name)) return
    const cursor = Number(this.#sql.newest.get()?.['seq'] ?? 0)
    this.#sql.insert.run(name, cursor)
    this.#all.set(name, { name, cursor, taken: null, missed: 0, samples: 0, bytes: 0 })
  }

  async remove(name: string): Promise<void> {
    if (name === MOVER) throw new Error('the mover cannot be removed from the spool')
    this.#sql.remove.run(name)
    this.#all.delete(name)
    await this.free()
  }

  /**
   * The borders of the batch are on disk before the batch is sent. So a repeat after a crash has
   * the same content and the same token. The token is a hash, because a restored directory repeats
   * numbers.
   */
  take(name: string, limits: BatchLimits): Batch | undefined {
    const reader = this.#find(name)
    const last = reader.taken ?? this.#nextEnd(reader, limits)
    if (last === undefined) return undefined
    const batch = this.#read(reader.cursor, last)
    return { token: hash('sha256', batch.rows), ...batch }
  }

  /**
   * The samples after a group that the reader has read, or after its cursor if that is further.
   * Nothing is written, so it costs no commit; after a restart the batches may have other borders.
   */
  readOn(name: string, after: number, limits: BatchLimits): Ahead | undefined {
    const begin = Math.max(after, this.#find(name).cursor)
    const last = this.#endOf(begin, END, limits)
    return last === undefined ? undefined : { begin, ...this.#read(begin, last) }
  }

  /** Groups up to this one are not read again. The last reader deletes them. */
  pass(name: string, last: number): void {
    const reader = this.#find(name)
    const { cursor } = reader
    // The reader was moved on after it had taken the batch.
    if (last <= cursor) return
    const passed = this.#between(cursor, last)
    const others = [...this.#all.values()].filter((other) => other !== reader)
    const end = Math.min(last, ...others.map((other) => other.cursor))
    this.#transact(() => {
      this.#sql.setCursor.run(last, reader.missed, name)
      this.#sql.delete.run(cursor, end)
    })
    reader.cursor = last
    reader.taken = null
    reader.samples -= passed.samples
    reader.bytes -= passed.bytes
  }

  /**
   * Moves readers on to the mover if they hold more bytes that the mover has passed. Answers what
   * they have missed.
   */
  moveOn(maxBytes: number): LateReader[] {
    const mover = this.#find(MOVER)
    const late = [...this.#all.values()].filter(({ bytes }) => bytes - mover.bytes > maxBytes)
    if (late.length === 0) return []
    const moved = late.map((reader) => {
      const { name, missed } = reader
      return { ...mover, name, taken: null, missed: missed + reader.samples - mover.samples }
    })
    this.#transact(() => {
      for (const { name, cursor, missed } of moved) this.#sql.setCursor.run(cursor, missed, name)
    })
    for (const reader of moved) this.#all.set(reader.name, reader)
    return late.map(({ name, samples, bytes }) => {
      return { reader: name, samples: samples - mover.samples, bytes: bytes - mover.bytes }
    })
  }

  /** Deletes what readers left behind when they were moved on or removed, in small steps. */
  async free(): Promise<void> {
    while (this.#db.isOpen) {
      const floor = Math.min(...Array.from(this.#all.values(), ({ cursor }) => cursor))
      const last = this.#endOf(0, floor, DELETED_AT_ONCE)
      if (last === undefined) return
      this.#sql.delete.run(0, last)
      await nextTurn()
    }
  }

  #find(name: string): Reader {
    const reader = this.#all.get(name)
    if (!reader) throw new Error(`the spool has no reader ${name}`)
    return reader
  }

  #read(after: number, last: number): Omit<Batch, 'token'> {
    const groups = this.#sql.read.all(after, last) as { count: number; rows: Uint8Array }[]
    return {
      last,
      count: groups.reduce((count, group) => count + group.count, 0),
      rows: concat(groups.map((group) => group.rows)),
      isNewest: this.#sql.behind.get(last) === undefined
    }
  }

  #nextEnd(reader: Reader, limits: BatchLimits): number | undefined {
    const last = this.#endOf(reader.cursor, END, limits)
    if (last === undefined) return undefined
    this.#sql.setTaken.run(last, reader.name)
    reader.taken = last
    return last
  }

  /**
   * The last of the groups after `seq` up to `end` that are within the limits. The first one fits
   * at any size.
   */
  #endOf(seq: number, end: number, limits: BatchLimits): number | undefined {
    let [samples, bytes] = [0, 0]
    let last: number | undefined
    for (const row of this.#sql.sizes.iterate(seq, end)) {
      const group = row as { seq: number; count: number; bytes: number }
      samples += group.count
      bytes += group.bytes
      const isOver = samples > limits.maxSamples || bytes > limits.maxBytes
      if (last !== undefined && isOver) break
      last = group.seq
    }
    return last
  }

  /** Of the groups after `seq` up to `end`. */
  #between(seq: number, end: number): Totals {
    return this.#sql.totals.get(seq, end) as Totals
  }
}

const statementsOf = (db: DatabaseSync) => ({
  readers: db.prepare('select name, cursor, taken, missed from readers'),
  insert: db.prepare('insert into readers values (?, ?, null, 0)'),
  remove: db.prepare('delete from readers where name = ?'),
  setTaken: db.prepare('update readers set taken = ? where name = ?'),
  setCursor: db.prepare('update readers set cursor = ?, taken = null, missed = ? where name = ?'),
  newest: db.prepare(`select seq from sqlite_sequence where name = 'groups'`),
  sizes: db.prepare(`select seq, count, length(rows) as bytes from groups
    where seq > ? and seq <= ? order by seq`),
  totals: db.prepare(`select coalesce(sum(count), 0) as samples,
    coalesce(sum(length(rows)), 0) as bytes from groups where seq > ? and seq <= ?`),
  read: db.prepare('select count, rows from groups where seq > ? and seq <= ? order by seq'),
  behind: db.prepare('select 1 from groups where seq > ? limit 1'),
  delete: db.prepare('delete from groups where seq > ? and seq <= ?')
})

/**
 * In a file of an older version only the mover reads, and the table `batch` has the borders of its
 * batch.
 */
function createTable(db: DatabaseSync): void {
  db.exec(`create table if not exists readers (
    name text primary key, cursor integer not null, taken integer, missed integer not null)`)
  const isOlder = db.prepare(`select 1 from sqlite_master where name = 'batch'`).get()
  const taken = isOlder ? db.prepare('select last from batch').get()?.['last'] : undefined
  db.prepare(`insert into readers values (?, 0, ?, 0)
    on conflict (name) do ${isOlder ? 'update set taken = excluded.taken' : 'nothing'}`).run(
    MOVER,
    taken ?? null
  )
  db.exec('drop table if exists batch')
}

export function concat(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
