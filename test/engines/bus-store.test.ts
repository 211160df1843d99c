import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Change, QueueLimits } from '../../src/bus/embedded/store/changes.ts'
import { Store } from '../../src/bus/embedded/store/store.ts'

async function openStore(t: TestContext, limits?: Partial<QueueLimits>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'caracal-store-'))
  const store = new Store(dataDir, { now: 0, limits })
  await store.contents
  t.after(async () => {
    await store.close()
    await rm(dataDir, { recursive: true })
  })
  const count = (table: string) => {
    const db = new DatabaseSync(join(dataDir, 'mqtt.sqlite'), { readOnly: true })
    const { rows } = db.prepare(`select count(*) as rows from ${table}`).get() as { rows: number }
    db.close()
    return rows
  }
  return { store, dataDir, count }
}

const session = (key: number): Change => ({
  kind: 'session',
  key,
  clientId: `client ${key}`,
  owner: 'anna',
  at: 0
})
const message = (seq: number, ...keys: number[]): Change => ({
  kind: 'message',
  seq,
  topic: '1/t',
  payload: Buffer.from(`payload ${seq}`),
  receivers: keys.map((key) => ({ key, qos: 1, retain: false, messageId: undefined }))
})
const page = { after: 0, count: 100, bytes: 1000 }

test('A message for several sessions is stored once and removed with the last of them', async (t) => {
  const { store, count } = await openStore(t)
  for (const key of [1, 2, 3]) void store.write(session(key))
  await store.write(message(7, 1, 2, 3, 99))
  assert.deepEqual([count('messages'), count('queue')], [1, 3])
  await store.write({ kind: 'done', key: 1, seq: 7 })
  await store.write({ kind: 'end', key: 2 })
  assert.deepEqual([count('messages'), count('queue')], [1, 1])
  assert.equal((await store.read('totals', {})).queued, 1)
  await store.write({ kind: 'done', key: 3, seq: 7 })
  await store.write({ kind: 'done', key: 3, seq: 7 })
  await store.write(message(8, 99))
  assert.deepEqual([count('messages'), count('queue')], [0, 0])
  assert.deepEqual(await store.read('totals', {}), { queued: 0, bytes: 0 })
})

test('A queue that was long gives its space back to the disk, also in an older file', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'caracal-store-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const file = join(dataDir, 'mqtt.sqlite')
  const old = new DatabaseSync(file)
  old.exec('create table filler (x); drop table filler')
  old.close()
  const store = new Store(dataDir, { now: 0 })
  t.after(() => store.close())
  await store.contents
  await store.write(session(1))
  const payload = Buffer.alloc(100_000)
  for (let seq = 1; seq <= 400; seq++) void store.write({ ...message(seq, 1), payload } as Change)
  await store.read('totals', {})
  assert.ok((await stat(file)).size > 30e6)
  await store.write({ kind: 'end', key: 1 })
  for (let key = 2; key < 30; key++) await store.write(session(key))
  assert.deepEqual(await store.read('totals', {}), { queued: 0, bytes: 0 })
  assert.ok((await stat(file)).size < 8e6)
})

test('A group that cannot be written is refused completely, and the next one is written', async (t) => {
  const { store } = await openStore(t, { messages: 3 })
  await store.write(session(1))
  for (const seq of [1, 2]) await store.write(message(seq, 1))
  const refused = [
    store.write(message(3, 1)),
    store.write({ kind: 'done', key: 1, seq: 1 }),
    store.write({ kind: 'retain', topic: '1/t', payload: Buffer.from('x'), qos: null as never })
  ]
  for (const each of refused) await assert.rejects(each, /NOT NULL/)
  assert.match(String(store.failure), /NOT NULL/)
  const found = await store.read('page', { key: 1, ...page })
  assert.deepEqual(
    found.map(({ seq }) => seq),
    [1, 2]
  )
  for (const seq of [3, 4]) await store.write(message(seq, 1))
  assert.equal(store.failure, undefined)
  assert.deepEqual(
    (await store.read('page', { key: 1, ...page })).map(({ seq }) => seq),
    [2, 3, 4]
  )
  assert.equal((await store.read('totals', {})).queued, 3)
})

test('A page has a limit of messages and bytes, and is never empty if there are messages', async (t) => {
  const { store } = await openStore(t)
  await store.write(session(1))
  for (let seq = 1; seq <= 9; seq++) void store.write(message(seq, 1))
  const seqs = async (asks: { after: number; count: number; bytes: number }) =>
    (await store.read('page', { key: 1, ...asks })).map(({ seq }) => seq)
  assert.deepEqual(await seqs({ after: 0, count: 2, bytes: 1000 }), [1, 2])
  assert.deepEqual(await seqs({ after: 2, count: 9, bytes: 30 }), [3, 4, 5])
  assert.deepEqual(await seqs({ after: 5, count: 9, bytes: 0 }), [6])
  assert.deepEqual(await seqs({ after: 9, count: 9, bytes: 1000 }), [])
})

test('A closed store refuses calls, and what was written before is still there', async (t) => {
  const { store, dataDir } = await openStore(t)
  void store.write(session(1))
  void store.write(message(5, 1))
  await store.close()
  await assert.rejects(store.write(session(2)), /closed/)
  await assert.rejects(store.read('totals', {}), /closed/)
  const again = new Store(dataDir, { now: 9 })
  const { sessions, lastSeq, lastKey } = await again.contents
  await again.close()
  assert.deepEqual(
    sessions.map((each) => ({ ...each })),
    [{ key: 1, clientId: 'client 1', owner: 'anna', used: 9 }]
  )
  assert.deepEqual([lastSeq, lastKey], [5, 1])
})

test('two owners with one client id have two sessions', async (t) => {
  const { store, count } = await openStore(t)
  for (const [key, owner] of [
    [1, 'anna'],
    [2, 'bert'],
    [3, 'bert']
  ] as const) {
    await store.write({ kind: 'session', key, clientId: 'phone', owner, at: 0 })
  }
  assert.equal(count('sessions'), 2)
})

test('an older file keeps its sessions and queues, and accepts other owners', async (t) => {
  const { store, dataDir } = await openStore(t)
  await store.write(session(1))
  await store.write({ kind: 'subscribe', key: 1, filter: '1/#', qos: 1 })
  await store.write(message(5, 1))
  await store.close()
  const db = new DatabaseSync(join(dataDir, 'mqtt.sqlite'))
  db.exec(`
    create table before (
      key integer primary key, client_id text not null unique, owner text not null,
      used integer not null, awake integer not null, queued integer not null, bytes integer not null);
    insert into before select * from sessions;
    drop table sessions;
    alter table before rename to sessions`)
  db.close()
  for (let start = 0; start < 2; start++) {
    const again = new Store(dataDir, { now: 9 })
    const { sessions, filters, lastSeq } = await again.contents
    assert.deepEqual(
      sessions.map((each) => ({ ...each })).filter(({ key }) => key === 1),
      [{ key: 1, clientId: 'client 1', owner: 'anna', used: 9 }]
    )
    assert.deepEqual([filters.length, lastSeq], [1, 5])
    assert.equal((await again.read('page', { key: 1, ...page })).length, 1)
    await again.write({ kind: 'session', key: 2, clientId: 'client 1', owner: 'bert', at: 0 })
    assert.equal((await again.read('totals', {})).queued, 1)
    await again.close()
  }
})

test('it knows the platform of its sessions and messages', async (t) => {
  const { store } = await openStore(t)
  assert.equal(await store.read('platform', {}), undefined)
  for (const id of ['first', 'second']) {
    await store.write({ kind: 'platform', id })
    assert.equal(await store.read('platform', {}), id)
  }
})
