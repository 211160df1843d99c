import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { keepSchema, refuseNewerSchema } from '../../../lib/sqlite-schema.ts'
import { answerCalls } from '../../../lib/thread-calls.ts'
import type {
  Change,
  CommitGroup,
  Cut,
  GroupAnswer,
  QueuedMessage,
  QueueLimits,
  Read,
  SentMessage,
  SessionLimits
} from './changes.ts'
import { readContents, withoutNulls } from './contents.ts'
import { cutDown } from './cut-down.ts'
import { addLevelFive } from './level-five.ts'
import { nameByOwner } from './name-by-owner.ts'
import { Queues } from './queues.ts'

const { file, limits } = workerData as { file: string; limits: QueueLimits & SessionLimits }

/** Raise it when an older program could not read the file, or would lose something in it. */
const SCHEMA = 1

const db = new DatabaseSync(file, { timeout: 5000 })
refuseNewerSchema(db, file, SCHEMA)
db.exec(`
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists sessions (
    key integer primary key, client_id text not null, owner text not null,
    used integer not null, awake integer not null, queued integer not null, bytes integer not null,
    unique (owner, client_id));
  create table if not exists filters (
    key integer not null, filter text not null, qos integer not null,
    nl integer, rap integer, rh integer, primary key (key, filter)) without rowid;
  create table if not exists messages (
    seq integer primary key, topic text not null, payload blob not null);
  create table if not exists queue (
    key integer not null, seq integer not null, qos integer not null, retain integer not null,
    message_id integer, released integer not null default 0, bytes integer not null,
    primary key (key, seq)) without rowid;
  create index if not exists queue_by_seq on queue (seq);
  create table if not exists received (
    key integer not null, message_id integer not null, primary key (key, message_id)) without rowid;
  create table if not exists retained (
    topic text primary key, payload blob not null, qos integer not null) without rowid;
  create table if not exists platform (
    one integer primary key check (one = 1), id text not null);
  create table if not exists wills (
    client_id text primary key, sealed text not null, topic text not null, payload blob not null,
    qos integer not null, retain integer not null) without rowid;
`)

nameByOwner(db)
addLevelFive(db)
keepSchema(db, SCHEMA)

// A file of an older version has another mode. VACUUM rewrites it once, in the mode set above.
if (numberOf(db.prepare('pragma auto_vacuum')) === 0) db.exec('vacuum')

/** Free pages that stay in the file for the next messages. */
const SPARE_PAGES = 1024
/** Free pages that one commit gives back to the disk. */
const PAGES_PER_VACUUM = 512

const freePages = db.prepare('pragma freelist_count')
const begin = db.prepare('begin immediate')
const commit = db.prepare('commit')
const rollback = db.prepare('rollback')
const queues = new Queues(db, limits)

const statements = {
  session: db.prepare('insert into sessions values (?, ?, ?, ?, 1, 0, 0)'),
  awake: db.prepare('update sessions set awake = 1 where key = ?'),
  asleep: db.prepare('update sessions set awake = 0, used = ? where key = ?'),
  expiry: db.prepare('insert or replace into session_expiry values (?, ?)'),
  noExpiry: db.prepare('delete from session_expiry where key = ?'),
  subscribe: db.prepare('insert or replace into filters values (?, ?, ?, ?, ?, ?)'),
  filterId: db.prepare('insert or replace into filter_ids values (?, ?, ?)'),
  unsubscribe: db.prepare('delete from filters where key = ? and filter = ?'),
  receive: db.prepare('insert or ignore into received values (?, ?)'),
  release: db.prepare('delete from received where key = ? and message_id = ?'),
  retain: db.prepare('insert or replace into retained values (?, ?, ?)'),
  retainedProperties: db.prepare('insert or replace into retained_properties values (?, ?, ?)'),
  unretain: db.prepare('delete from retained where topic = ?'),
  will: db.prepare('insert or replace into wills values (?, ?, ?, ?, ?, ?)'),
  willProperties: db.prepare('insert or replace into will_properties values (?, ?, ?, ?)'),
  due: db.prepare(`
    insert or replace into will_due select client_id, ? from wills where client_id = ?`),
  unwill: db.prepare('delete from wills where client_id = ?'),
  platform: db.prepare('insert or replace into platform values (1, ?)')
}
const endings = ['sessions', 'filters', 'received'].map((table) =>
  db.prepare(`delete from ${table} where key = ?`)
)
const sessionsNamed = db.prepare('select key from sessions where owner = ? and client_id = ?')
const readSent = db.prepare(`
  select seq, topic, qos, retain, message_id as messageId, released as isReleased,
    case released when 0 then payload else x'' end as payload, properties, expires, ids
  from queue join messages using (seq) left join message_properties using (seq)
    left join queue_ids using (key, seq)
  where key = ? and message_id is not null order by seq`)
const readQueued = db.prepare(`
  select seq, topic, payload, qos, retain, properties, expires, ids
  from queue join messages using (seq) left join message_properties using (seq)
    left join queue_ids using (key, seq)
  where key = ? and seq > ? order by seq limit ?`)
const readReceived = db.prepare('select message_id from received where key = ?')
const readPlatform = db.prepare('select id from platform')
const readTotals = db.prepare(
  'select coalesce(sum(queued), 0) as queued, coalesce(sum(bytes), 0) as bytes from sessions'
)

function apply(change: Change): void {
  switch (change.kind) {
    case 'session':
      // If the end of an old session was not written, the insert would fail, and the group with it.
      for (const { key } of sessionsNamed.all(change.owner, change.clientId)) {
        endSession(Number(key))
      }
      statements.session.run(change.key, change.clientId, change.owner, change.at)
      keepExpiry(change)
      return
    case 'awake':
      statements.awake.run(change.key)
      keepExpiry(change)
      return
    case 'asleep':
      statements.asleep.run(change.at, change.key)
      keepExpiry(change)
      return
    case 'end':
      endSession(change.key)
      return
    case 'subscribe': {
      const { key, filter, qos, nl, rap, rh, id } = change
      statements.subscribe.run(key, filter, qos, flag(nl), flag(rap), rh ?? null)
      if (id !== undefined) statements.filterId.run(key, filter, id)
      return
    }
    case 'unsubscribe':
      statements.unsubscribe.run(change.key, change.filter)
      return
    case 'message':
      queues.add(change)
      return
    case 'numbered':
      for (const { seq, messageId } of change.ids) queues.number(change.key, seq, messageId)
      return
    case 'pubrel':
      queues.release(change.key, change.seq)
      return
    case 'done':
      queues.remove(change.key, change.seq)
      return
    case 'receive':
      statements.receive.run(change.key, change.messageId)
      return
    case 'release':
      statements.release.run(change.key, change.messageId)
      return
    case 'retain': {
      const { topic, payload, qos, properties, expires } = change
      statements.retain.run(topic, payload, qos)
      if (properties || expires !== undefined) {
        statements.retainedProperties.run(topic, properties ?? null, expires ?? null)
      }
      return
    }
    case 'unretain':
      statements.unretain.run(change.topic)
      return
    case 'will': {
      const { name, sealed, topic, payload, qos, retain } = change
      statements.will.run(name, sealed, topic, payload, qos, Number(retain))
      const { properties = null, expiry = null, delay = null } = change
      statements.willProperties.run(name, properties, expiry, delay)
      return
    }
    case 'due':
      statements.due.run(change.at, change.name)
      return
    case 'unwill':
      statements.unwill.run(change.name)
      return
    case 'platform':
      statements.platform.run(change.id)
      return
  }
}

function keepExpiry({
  key,
  expiresAfter
}: {
  key: number
  expiresAfter?: number | undefined
}): void {
  if (expiresAfter === undefined) statements.noExpiry.run(key)
  else statements.expiry.run(key, expiresAfter)
}

function endSession(key: number): void {
  queues.end(key)
  for (const statement of endings) statement.run(key)
}

const flag = (value: boolean | undefined): number | null =>
  value === undefined ? null : Number(value)
function applyAll(changes: Change[]): void {
  begin.run()
  try {
    for (const change of changes) apply(change)
    queues.writeSizes()
    const isShrinking = numberOf(freePages) > SPARE_PAGES
    if (isShrinking) db.exec(`pragma incremental_vacuum(${PAGES_PER_VACUUM})`)
    commit.run()
    // The file gets shorter only when the write-ahead log is copied into it.
    if (isShrinking && numberOf(freePages) <= SPARE_PAGES)
      db.exec('pragma wal_checkpoint(truncate)')
  } catch (error) {
    if (db.isTransaction) rollback.run()
    queues.forgetSizes()
    throw error
  }
}

function cutToLimits(): Cut {
  begin.run()
  try {
    const cut = cutDown(db, limits, endSession)
    queues.writeSizes()
    commit.run()
    return cut
  } catch (error) {
    if (db.isTransaction) rollback.run()
    queues.forgetSizes()
    throw error
  }
}

function numberOf(pragma: StatementSync): number {
  return Number(Object.values(pragma.get() ?? {})[0])
}

function answer(read: Read): unknown {
  switch (read.kind) {
    case 'contents':
      return readContents(db, read.now, cutToLimits())
    case 'resume': {
      const received = readReceived.all(read.key) as { message_id: number }[]
      return { sent: sent(read.key), received: received.map(({ message_id }) => message_id) }
    }
    case 'page':
      return page(read)
    case 'platform':
      return readPlatform.get()?.['id']
    case 'totals':
      return { ...readTotals.get() }
  }
}

function sent(key: number): SentMessage[] {
  return readSent.all(key).map((row) => ({
    ...(queuedOf(row) as SentMessage),
    isReleased: row['isReleased'] === 1
  }))
}

function queuedOf(row: Record<string, unknown>): QueuedMessage {
  const { retain, ids, ...message } = row
  return {
    ...(withoutNulls(message) as QueuedMessage),
    retain: retain === 1,
    ...(typeof ids === 'string' && { ids: ids.split(' ').map(Number) })
  }
}

function page({ key, after, count, bytes }: Extract<Read, { kind: 'page' }>): QueuedMessage[] {
  const found: QueuedMessage[] = []
  let room = bytes
  for (const row of readQueued.iterate(key, after, count)) {
    const message = queuedOf(row)
    room -= message.payload.length
    if (room < 0 && found.length > 0) break
    found.push(message)
  }
  return found
}

function attempt<T>(work: () => T): { value: T } | { error: Error } {
  try {
    return { value: work() }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}

function commitGroup({ changes, reads }: CommitGroup): GroupAnswer {
  const applied = changes.length > 0 ? attempt(() => applyAll(changes)) : { value: undefined }
  const error = 'error' in applied ? applied.error : undefined
  const dropped = queues.takeDropped()
  const answers = reads.map((read) => attempt(() => answer(read)))
  return { error, dropped, answers }
}

const sessionFile = { commitGroup, close: () => db.close() }
export type SessionFile = typeof sessionFile

if (parentPort) answerCalls(parentPort, sessionFile)
