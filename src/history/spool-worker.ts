import { hash, randomUUID } from 'node:crypto'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { idKinds, idsOf } from '../lib/lineage.ts'
import type {
  Group,
  LedgerEntry,
  SpoolLineage,
  SpoolReply,
  SpoolRequest,
  SpoolState
} from './spool.ts'

/** The newest refusals that are kept; older ones make room. */
const LEDGER_SIZE = 10_000
/** Of groups that are read at once. */
const MAX_READ_BYTES = 16 * 1024 * 1024
/** Pages that are given back at once: a megabyte, some milliseconds for which samples wait. */
const STEP = 256
/** Pages in use up to which the whole file is written anew without a long wait. */
const FEW = 8192

const db = new DatabaseSync(workerData.file, { timeout: 5000 })
// The first one only where the file is new: what was drained can then be given back bit by bit.
db.exec(`
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists groups (
    seq integer primary key autoincrement, count integer not null, rows blob not null);
  create table if not exists batch (
    one integer primary key check (one = 1), first integer not null, last integer not null);
  create table if not exists state (
    one integer primary key check (one = 1), uuid text not null, last_id integer not null);
  create table if not exists lineage (
    kind text primary key, platform text not null, reached integer not null);
  create table if not exists ledger (
    id integer primary key autoincrement, created integer not null, reason text not null,
    topic text not null, sender text not null, payload text not null);
`)
db.prepare('insert or ignore into state values (1, ?, 0)').run(randomUUID())

const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')
const rollback = db.prepare('rollback')
const insertGroup = db.prepare('insert into groups (count, rows) values (?, ?)')
const setLastId = db.prepare('update state set last_id = max(last_id, ?)')
const insertRefusal = db.prepare(
  'insert into ledger (created, reason, topic, sender, payload) values (?, ?, ?, ?, ?)'
)
const trimLedger = db.prepare('delete from ledger where id <= (select max(id) from ledger) - ?')
const readState = db.prepare('select uuid, last_id from state')
const readLineage = db.prepare('select kind, platform, reached from lineage')
const setLineage = db.prepare(`
  insert into lineage values (?, ?, ?) on conflict (kind) do update
  set platform = excluded.platform, reached = max(reached, excluded.reached)`)
const countGroups = db.prepare(
  'select coalesce(sum(count), 0) as samples, coalesce(sum(length(rows)), 0) as bytes from groups'
)
const openBatch = db.prepare('select first, last from batch')
const setBatch = db.prepare('insert into batch values (1, ?, ?)')
const clearBatch = db.prepare('delete from batch')
const sizes = db.prepare('select seq, count, length(rows) as bytes from groups order by seq')
const readGroups = db.prepare(
  'select count, rows from groups where seq between ? and ? order by seq'
)
const groupBehind = db.prepare('select 1 from groups where seq > ? limit 1')
const deleteGroups = db.prepare('delete from groups where seq <= ?')
const groupsAfter = db.prepare('select seq, rows from groups where seq > ? order by seq')
const allSeqs = db.prepare('select seq from groups order by seq')
const readRows = db.prepare('select rows from groups where seq = ?')
const readBeginning = db.prepare(
  'select cast(substr(rows, 1, 20) as text) as beginning from groups where seq = ?'
)
const pageSize = numberOf(db.prepare('pragma page_size'))
const pages = db.prepare('pragma page_count')
const freePages = db.prepare('pragma freelist_count')
const vacuumMode = db.prepare('pragma auto_vacuum')
const readLedger = db.prepare('select * from ledger where id < ? order by id desc limit ?')

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

function append({ rows, count, lastId, refusals }: Group): void {
  transact(() => {
    if (count > 0) {
      insertGroup.run(count, rows)
      setLastId.run(lastId)
    }
    for (const { created, reason, topic, sender, payload } of refusals) {
      insertRefusal.run(created, reason, topic, sender, payload)
    }
    if (refusals.length > 0) trimLedger.run(LEDGER_SIZE)
  })
}

type Borders = { first: number; last: number }

/**
 * The batch's borders are on disk before it leaves, so a repeat after a crash has the same content
 * and the same token; the numbers alone would come again in a directory that was restored.
 */
function take(limits: { maxSamples: number; maxBytes: number }) {
  const batch = (openBatch.get() as Borders | undefined) ?? nextBatch(limits)
  if (!batch) return undefined
  const groups = readGroups.all(batch.first, batch.last) as { count: number; rows: Uint8Array }[]
  const rows = concat(groups.map((group) => group.rows))
  return {
    token: hash('sha256', rows),
    last: batch.last,
    count: groups.reduce((count, group) => count + group.count, 0),
    rows,
    isNewest: groupBehind.get(batch.last) === undefined
  }
}

function nextBatch(limits: { maxSamples: number; maxBytes: number }): Borders | undefined {
  let [samples, bytes] = [0, 0]
  let batch: Borders | undefined
  for (const row of sizes.iterate()) {
    const group = row as { seq: number; count: number; bytes: number }
    samples += group.count
    bytes += group.bytes
    // The first group goes whatever its size.
    if (batch && (samples > limits.maxSamples || bytes > limits.maxBytes)) break
    batch = { first: batch?.first ?? group.seq, last: group.seq }
  }
  if (batch) {
    const { first, last } = batch
    transact(() => setBatch.run(first, last))
  }
  return batch
}

function drop(last: number): void {
  transact(() => {
    deleteGroups.run(last)
    clearBatch.run()
  })
  for (const seq of firstIds.keys()) if (seq <= last) firstIds.delete(seq)
}

async function shrink(spareBytes: number): Promise<void> {
  const spare = Math.ceil(spareBytes / pageSize)
  let hasGiven = false
  for (let free = numberOf(freePages); free > spare; free = numberOf(freePages)) {
    if (numberOf(vacuumMode) !== 0) {
      db.exec(`pragma incremental_vacuum(${Math.min(free - spare, STEP)})`)
    } else if (numberOf(pages) - free <= FEW) {
      // A file from before: once written anew, in the mode that was asked for above.
      db.exec('vacuum; pragma wal_checkpoint(truncate)')
    } else break
    hasGiven = true
    await nextTurn()
    if (!db.isOpen) return
  }
  // The file gets shorter when the write-ahead log is folded into it; that one is space, too.
  if (spare === 0) db.exec('pragma wal_checkpoint(truncate)')
  else if (hasGiven) db.exec('pragma wal_checkpoint(passive)')
}

function numberOf(pragma: StatementSync): number {
  return Number(Object.values(pragma.get() ?? {})[0])
}

function concat(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Some groups at once; the first one goes whatever its size. */
function after(seq: number): { seq: number; rows: Uint8Array } | undefined {
  const parts: Uint8Array[] = []
  let [last, bytes] = [seq, 0]
  for (const row of groupsAfter.iterate(seq)) {
    const group = row as { seq: number; rows: Uint8Array }
    bytes += group.rows.length
    if (parts.length > 0 && bytes > MAX_READ_BYTES) break
    parts.push(group.rows)
    last = group.seq
  }
  return parts.length > 0 ? { seq: last, rows: concat(parts) } : undefined
}

/** The id of a group's first sample, by the group's number; ids rise from group to group. */
const firstIds = new Map<number, number>()

function firstIdOf(seq: number): number {
  let id = firstIds.get(seq)
  if (id === undefined) {
    id = Number.parseInt(String(readBeginning.get(seq)?.['beginning']), 10)
    firstIds.set(seq, id)
  }
  return id
}

/** The lines of the samples with these ids; samples are stored between two groups that are read. */
async function find(ids: readonly number[]): Promise<Uint8Array> {
  const seqs = allSeqs.all().map(({ seq }) => Number(seq))
  const wanted = new Map<number, number[]>()
  for (const id of ids) {
    const seq = seqs.at(placeOf(id, seqs) - 1)
    if (seq === undefined) continue
    wanted.set(seq, [...(wanted.get(seq) ?? []), id])
  }
  const lines: Uint8Array[] = []
  for (const [seq, those] of wanted) {
    await nextTurn()
    // Dropped or closed meanwhile.
    const rows = db.isOpen ? readRows.get(seq)?.['rows'] : undefined
    if (rows instanceof Uint8Array) lines.push(...those.map((id) => lineOf(id, rows)))
  }
  return concat(lines)
}

/** How many groups begin with this id or an earlier one. */
function placeOf(id: number, seqs: readonly number[]): number {
  let [low, high] = [0, seqs.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (firstIdOf(seqs[middle] ?? 0) <= id) low = middle + 1
    else high = middle
  }
  return low
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
  const { samples, bytes } = countGroups.get() as { samples: number; bytes: number }
  return { uuid, lastId: last_id, samples, bytes }
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

function answer(request: SpoolRequest): unknown {
  switch (request.kind) {
    case 'append':
      return append(request.group)
    case 'reserve':
      return void setLastId.run(request.lastId)
    case 'take':
      return take(request)
    case 'drop':
      return drop(request.last)
    case 'shrink':
      return shrink(request.spare)
    case 'after':
      return after(request.seq)
    case 'find':
      return find(request.ids)
    case 'state':
      return state()
    case 'lineage':
      return lineage()
    case 'keepLineage':
      return keepLineage(request)
    case 'ledger':
      return readLedger.all(request.before, request.limit) as LedgerEntry[]
    case 'close':
      return db.close()
  }
}

parentPort?.on('message', async (request: SpoolRequest) => {
  const reply: SpoolReply = { ask: request.ask }
  try {
    reply.value = await answer(request)
  } catch (error) {
    reply.error = error instanceof Error ? error : new Error(String(error))
  }
  parentPort?.postMessage(reply)
  if (request.kind === 'close') parentPort?.close()
})
