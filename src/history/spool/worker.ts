import { randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { firstIndex } from '../../lib/first-index.ts'
import { idKinds, idsOf } from '../../lib/lineage.ts'
import { keepSchema, refuseNewerSchema } from '../../lib/sqlite-schema.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import {
  type BatchLimits,
  type LedgerEntry,
  type LedgerPage,
  MOVER,
  type RefusedMessage,
  type SpoolGroup,
  type SpoolLineage,
  type SpoolState
} from './groups.ts'
import { concat, Readers } from './readers.ts'

/** Only the newest refusals are kept. */
const MAX_LEDGER_ENTRIES = 10_000
/** An installation that floods the ledger pushes out its own entries, not those of others. */
const MAX_LEDGER_ENTRIES_EACH = 1000
/** Groups up to this size are read at once. */
const MAX_READ_BYTES = 16 * 1024 * 1024
/** One megabyte. It takes some milliseconds, and samples wait for it. */
const PAGES_PER_VACUUM = 256
/** A file with at most so many used pages is rewritten as a whole without a long wait. */
const MAX_PAGES_OF_FULL_VACUUM = 8192

/** Raise it when an older program could not read the file, or would lose something in it. */
const SCHEMA = 1

const db = new DatabaseSync(workerData.file, { timeout: 5000 })
refuseNewerSchema(db, workerData.file, SCHEMA)
// auto_vacuum works only in a new file. It lets the file shrink in small steps.
db.exec(`
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists groups (
    seq integer primary key autoincrement, count integer not null, rows blob not null);
  create table if not exists state (
    one integer primary key check (one = 1), uuid text not null, last_id integer not null);
  create table if not exists lineage (
    kind text primary key, platform text not null, reached integer not null);
  create table if not exists ledger (
    id integer primary key autoincrement, created integer not null, reason text not null,
    topic text not null, sender text not null, payload text not null);
`)
// A file of an older version. Its entries belong to no installation.
if (!hasColumn('ledger', 'installation_id')) {
  db.exec('alter table ledger add column installation_id integer')
}
db.exec(`create index if not exists ledger_installation on ledger (installation_id, id)
  where installation_id is not null`)
keepSchema(db, SCHEMA)
db.prepare('insert or ignore into state values (1, ?, 0)').run(randomUUID())

const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')
const rollback = db.prepare('rollback')
const insertGroup = db.prepare('insert into groups (count, rows) values (?, ?)')
const setLastId = db.prepare('update state set last_id = max(last_id, ?)')
const insertRefusal = db.prepare(
  'insert into ledger (created, reason, topic, sender, payload, installation_id) values (?, ?, ?, ?, ?, ?)'
)
const trimLedgerOf = db.prepare(`delete from ledger where installation_id = ?1 and id <= (
  select id from ledger where installation_id = ?1 order by id desc limit 1 offset ?2)`)
const trimLedger = db.prepare(
  'delete from ledger where id in (select id from ledger order by id limit ?)'
)
const readState = db.prepare('select uuid, last_id from state')
const readLineage = db.prepare('select kind, platform, reached from lineage')
const setLineage = db.prepare(`
  insert into lineage values (?, ?, ?) on conflict (kind) do update
  set platform = excluded.platform, reached = max(reached, excluded.reached)`)
const groupsAfter = db.prepare('select seq, rows from groups where seq > ? order by seq')
const seqsAfter = db.prepare('select seq from groups where seq > ? order by seq')
const readRows = db.prepare('select rows from groups where seq = ?')
const readBeginning = db.prepare(
  'select cast(substr(rows, 1, 20) as text) as beginning from groups where seq = ?'
)
const pageSize = numberOf(db.prepare('pragma page_size'))
const pages = db.prepare('pragma page_count')
const freePages = db.prepare('pragma freelist_count')
const vacuumMode = db.prepare('pragma auto_vacuum')
const ENTRY = 'id, created, reason, topic, sender, payload'
const readLedger = db.prepare(`select ${ENTRY} from ledger where id < ? order by id desc limit ?`)
const readLedgerOf = db.prepare(
  `select ${ENTRY} from ledger where installation_id = ? and id < ? order by id desc limit ?`
)

function hasColumn(table: string, column: string): boolean {
  return db
    .prepare(`pragma table_info(${table})`)
    .all()
    .some(({ name }) => name === column)
}

function transact<T>(work: () => T): T {
  begin.run()
  try {
    const result = work()
    commit.run()
    return result
  } catch (error) {
    if (db.isTransaction) rollback.run()
    throw error
  }
}

const readers = new Readers(db, transact)

/** Counting the rows takes milliseconds, so the number is kept. */
let ledgerEntries = numberOf(db.prepare('select count(*) from ledger'))

function append({ rows, count, lastId, refusals }: SpoolGroup): void {
  ledgerEntries = transact(() => {
    if (count > 0) {
      insertGroup.run(count, rows)
      setLastId.run(lastId)
    }
    for (const { created, reason, topic, sender, payload, installation_id } of refusals) {
      insertRefusal.run(created, reason, topic, sender, payload, installation_id ?? null)
    }
    return trimmed(refusals)
  })
  readers.appended(count, rows.length)
}

/** Deletes the oldest entries above the limits. Answers how many entries are left. */
function trimmed(added: readonly RefusedMessage[]): number {
  let entries = ledgerEntries + added.length
  for (const id of new Set(added.map(({ installation_id }) => installation_id))) {
    if (id === undefined) continue
    entries -= Number(trimLedgerOf.run(id, MAX_LEDGER_ENTRIES_EACH).changes)
  }
  const excess = entries - MAX_LEDGER_ENTRIES
  return excess > 0 ? entries - Number(trimLedger.run(excess).changes) : entries
}

function pass(name: string, last: number): void {
  readers.pass(name, last)
  for (const seq of firstIds.keys()) if (seq <= readers.moved) firstIds.delete(seq)
}

async function shrink(spareBytes: number): Promise<void> {
  await readers.free()
  const spare = Math.ceil(spareBytes / pageSize)
  let hasGiven = false
  for (let free = numberOf(freePages); free > spare; free = numberOf(freePages)) {
    if (numberOf(vacuumMode) !== 0) {
      db.exec(`pragma incremental_vacuum(${Math.min(free - spare, PAGES_PER_VACUUM)})`)
    } else if (numberOf(pages) - free <= MAX_PAGES_OF_FULL_VACUUM) {
      // An older file without auto_vacuum: rewriting it once turns auto_vacuum on.
      db.exec('vacuum; pragma wal_checkpoint(truncate)')
    } else break
    hasGiven = true
    await nextTurn()
    if (!db.isOpen) return
  }
  // The file shrinks when the write-ahead log is moved into it. The log needs space too.
  if (spare === 0) db.exec('pragma wal_checkpoint(truncate)')
  else if (hasGiven) db.exec('pragma wal_checkpoint(passive)')
}

function numberOf(statement: StatementSync): number {
  return Number(Object.values(statement.get() ?? {})[0])
}

/** Reads some groups at once that are not in history; the first one at any size. */
function after(seq: number): { seq: number; rows: Uint8Array } | undefined {
  const parts: Uint8Array[] = []
  let [last, bytes] = [seq, 0]
  for (const row of groupsAfter.iterate(Math.max(seq, readers.moved))) {
    const group = row as { seq: number; rows: Uint8Array }
    bytes += group.rows.length
    if (parts.length > 0 && bytes > MAX_READ_BYTES) break
    parts.push(group.rows)
    last = group.seq
  }
  return parts.length > 0 ? { seq: last, rows: concat(parts) } : undefined
}

/** The id of the first sample of a group. */
const beginningOf = (seq: number): number =>
  Number.parseInt(String(readBeginning.get(seq)?.['beginning']), 10)

/** The number of a group -> the id of its first sample. Ids rise from group to group. */
const firstIds = new Map<number, number>()

function firstIdOf(seq: number): number {
  let id = firstIds.get(seq)
  if (id === undefined) {
    id = beginningOf(seq)
    firstIds.set(seq, id)
  }
  return id
}

/** The lines of the samples with these ids. New samples can be stored between two groups. */
async function find(ids: readonly number[]): Promise<Uint8Array> {
  const seqs = seqsAfter.all(readers.moved).map(({ seq }) => Number(seq))
  const wanted = new Map<number, number[]>()
  for (const id of ids) {
    const seq = seqs[placeOf(id, seqs) - 1]
    if (seq === undefined) continue
    wanted.set(seq, [...(wanted.get(seq) ?? []), id])
  }
  const lines: Uint8Array[] = []
  for (const [seq, those] of wanted) {
    await nextTurn()
    // The group may be dropped, or the file closed, meanwhile.
    const rows = db.isOpen ? readRows.get(seq)?.['rows'] : undefined
    if (rows instanceof Uint8Array) lines.push(...those.map((id) => lineOf(id, rows)))
  }
  return concat(lines)
}

/** How many groups begin with this id or a smaller one. */
function placeOf(id: number, seqs: readonly number[]): number {
  return firstIndex(seqs.length, (i) => firstIdOf(seqs[i] ?? 0) <= id)
}

function lineOf(id: number, bytes: Uint8Array): Uint8Array {
  const rows = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const begin = `${id}\t`
  const isFirst = rows.toString('latin1', 0, begin.length) === begin
  const start = isFirst ? 0 : rows.indexOf(`\n${begin}`) + 1
  if (!isFirst && start === 0) return new Uint8Array()
  return rows.subarray(start, rows.indexOf('\n', start) + 1)
}

const state = (): SpoolState => {
  const { uuid, last_id } = readState.get() as { uuid: string; last_id: number }
  const states = readers.states
  const { samples = 0, bytes = 0 } = states.find(({ name }) => name === MOVER) ?? {}
  const oldest = seqsAfter.get(readers.moved)?.['seq']
  const oldestId = oldest === undefined ? undefined : beginningOf(Number(oldest))
  return { uuid, lastId: last_id, samples, bytes, oldestId, readers: states }
}

function lineage(): SpoolLineage | undefined {
  const rows = readLineage.all() as { kind: string; platform: string; reached: number }[]
  const byKind = new Map(rows.map(({ kind, reached }) => [kind, reached]))
  const [row] = rows
  return row && { platform: row.platform, reached: idsOf((kind) => byKind.get(kind) ?? 0) }
}

function keepLineage({ platform, reached }: SpoolLineage): void {
  transact(() => {
    for (const kind of idKinds) setLineage.run(kind, platform, reached[kind])
  })
}

const ledger = ({ before, limit, installation_id }: LedgerPage): LedgerEntry[] =>
  (installation_id === undefined
    ? readLedger.all(before, limit)
    : readLedgerOf.all(installation_id, before, limit)) as LedgerEntry[]

function reserve(lastId: number): void {
  setLastId.run(lastId)
}

const spoolFile = {
  ...{ append, reserve, pass, shrink, after, find, state, lineage, keepLineage, ledger },
  register: (name: string) => readers.register(name),
  remove: (name: string) => readers.remove(name),
  take: (name: string, limits: BatchLimits) => readers.take(name, limits),
  readOn: (name: string, after: number, limits: BatchLimits) => readers.readOn(name, after, limits),
  moveOn: (maxBytes: number) => readers.moveOn(maxBytes),
  close: () => db.close()
}
export type SpoolFile = typeof spoolFile

if (parentPort) answerCalls(parentPort, spoolFile)
