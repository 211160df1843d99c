import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { Dice } from '../fuzz/dice.ts'
import { eventually } from '../support/eventually.ts'
import { rounds, slow } from '../support/rounds.ts'
import { append, fill, from, idsOf, line, MB, opened, sizeOf, temporary } from '../support/spool.ts'

const limits = { maxSamples: 100, maxBytes: 1024 * 1024 }

/** Takes and passes batches of one group each. */
async function read(spool: Spool, reader: string, batches = Number.POSITIVE_INFINITY) {
  const ids: number[] = []
  for (let left = batches; left > 0; left--) {
    const batch = await spool.take(reader, { maxSamples: 1, maxBytes: 1 })
    if (!batch) break
    ids.push(...idsOf(batch.rows))
    await spool.pass(reader, batch)
  }
  return ids
}

function inFile<T>(dir: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(join(dir, 'spool.sqlite'))
  try {
    return work(file)
  } finally {
    file.close()
  }
}
const groupsIn = (dir: string) =>
  inFile(dir, (file) => Number(file.prepare('select count(*) as n from groups').get()?.['n']))
const stateOf = async (spool: Spool, reader: string) =>
  (await spool.state()).readers.find(({ name }) => name === reader)
const samplesOf = async (spool: Spool, reader: string) => (await stateOf(spool, reader))?.samples

test('two readers read everything in order, and a group is there until both have passed it', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('slow')
  for (const first of [1, 4, 7, 10]) await append(spool, ...from(first, 3))
  assert.deepEqual(await read(spool, MOVER, 3), from(1, 9))
  assert.deepEqual(await read(spool, 'slow', 1), from(1, 3))
  assert.equal(groupsIn(dir), 3)
  await spool.close()

  spool = await opened(t, dir)
  await spool.register('slow')
  assert.deepEqual([await samplesOf(spool, MOVER), await samplesOf(spool, 'slow')], [3, 9])
  // Now the mover is the slow one.
  assert.deepEqual(await read(spool, 'slow'), from(4, 9))
  assert.equal(groupsIn(dir), 1)
  await append(spool, 13)
  assert.deepEqual(await read(spool, MOVER), from(10, 4))
  assert.deepEqual(await read(spool, 'slow'), [13])
  assert.equal(groupsIn(dir), 0)
  assert.deepEqual([await samplesOf(spool, MOVER), await samplesOf(spool, 'slow')], [0, 0])
})

test('each reader gets its own batch again until it has passed it, also after a restart', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('other')
  await append(spool, 1, 2)
  const taken = await spool.take('other', limits)
  await append(spool, 3)
  const moved = await spool.take(MOVER, limits)
  await append(spool, 4)
  await spool.close()
  spool = await opened(t, dir)
  assert.deepEqual(await spool.take('other', limits), { ...taken, isNewest: false })
  assert.deepEqual(await spool.take(MOVER, limits), { ...moved, isNewest: false })
  assert(taken && moved)
  assert.deepEqual(
    [idsOf(taken.rows), idsOf(moved.rows)],
    [
      [1, 2],
      [1, 2, 3]
    ]
  )
  await spool.pass('other', taken)
  await spool.pass('other', taken)
  assert.deepEqual(await read(spool, 'other'), [3, 4])
})

test('a new reader begins with what is appended next, whatever waits or was moved', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('first')
  await append(spool, 1)
  await spool.register('second')
  await append(spool, 2)
  for (const reader of [MOVER, 'first', 'second']) await read(spool, reader)
  await spool.register('third')
  await append(spool, 3)
  await spool.close()
  spool = await opened(t, dir)
  // Again: nothing changes.
  for (const reader of ['third', 'first', MOVER]) await spool.register(reader)
  for (const reader of ['first', 'second', 'third']) {
    assert.deepEqual(await read(spool, reader), [3])
  }
  assert.equal(groupsIn(dir), 1)
})

test('what is read as not in history does not depend on other readers', async (t) => {
  const dir = temporary(t)
  const spool = await opened(t, dir)
  await spool.register('slow')
  for (const id of from(1, 5)) await append(spool, id)
  await read(spool, MOVER, 3)
  const { samples, bytes, oldestId } = await spool.state()
  assert.deepEqual([samples, bytes, oldestId], [2, line(4).length + line(5).length, 4])
  const rest: number[] = []
  for await (const rows of spool.rows()) rest.push(...idsOf(rows))
  assert.deepEqual(rest, [4, 5])
  assert.deepEqual(
    (await spool.find(from(1, 5))).map(({ id }) => id),
    [4, 5]
  )
  await read(spool, MOVER)
  assert.equal((await spool.state()).oldestId, undefined)
  assert.equal(groupsIn(dir), 5)
})

test('a reader that is removed holds nothing any more', async (t) => {
  const dir = temporary(t)
  const spool = await opened(t, dir)
  await spool.register('gone')
  await fill(spool, from(1, 20))
  assert.deepEqual(await read(spool, MOVER, 18), from(1, 18))
  await spool.shrink(0)
  assert(sizeOf(dir) > 20 * MB)
  await spool.remove('gone')
  await spool.remove('gone')
  assert.equal(groupsIn(dir), 2)
  await spool.shrink(0)
  assert(sizeOf(dir) < 4 * MB, `${sizeOf(dir)} bytes`)
  assert.deepEqual(await read(spool, MOVER), [19, 20])
  await assert.rejects(spool.take('gone', limits), /the spool has no reader gone/)
  await assert.rejects(spool.remove(MOVER), /the mover cannot be removed/)
})

test('a reader that is too far behind the mover is moved on, and what it missed is counted', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('stopped')
  await spool.register('quick')
  await fill(spool, from(1, 10))
  await read(spool, 'quick')
  const held = (await stateOf(spool, 'stopped'))?.bytes ?? 0
  assert.deepEqual(await spool.moveOn(0), [], 'the mover has not passed anything')
  await read(spool, MOVER, 8)
  const lag = held - (await spool.state()).bytes
  const taken = await spool.take('stopped', { maxSamples: 9, maxBytes: 20 * MB })
  assert(taken && lag > 8 * MB)
  assert.deepEqual(await spool.moveOn(lag), [], 'exactly at the limit')
  assert.deepEqual(await spool.moveOn(lag - 1), [{ reader: 'stopped', samples: 8, bytes: lag }])
  assert.deepEqual(await spool.moveOn(0), [])
  assert.equal(groupsIn(dir), 10)
  await spool.shrink(0)
  assert.equal(groupsIn(dir), 2)
  assert(sizeOf(dir) < 4 * MB, `${sizeOf(dir)} bytes`)
  await spool.close()

  spool = await opened(t, dir)
  const { samples, missed } = (await stateOf(spool, 'stopped')) ?? {}
  assert.deepEqual([samples, missed], [2, 8])
  // It had taken nine and ends its work: what it has passed does not come again.
  await spool.pass('stopped', taken)
  assert.deepEqual(await read(spool, 'stopped'), [10])
  assert.deepEqual(await read(spool, MOVER), [9, 10])
  assert.equal(groupsIn(dir), 0)
})

test('a reader that was moved on before a crash leaves nothing behind', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('stopped')
  for (const id of from(1, 5)) await append(spool, id)
  await read(spool, MOVER)
  await spool.moveOn(0)
  await spool.close()
  assert.equal(groupsIn(dir), 5)
  spool = await opened(t, dir)
  await append(spool, 6)
  assert.deepEqual(await read(spool, MOVER), [6])
  await spool.shrink(MB)
  assert.equal(groupsIn(dir), 1)
  assert.deepEqual(await read(spool, 'stopped'), [6])
})

/** The layout before there were readers. */
const olderLayout = `
  pragma auto_vacuum = incremental;
  pragma journal_mode = wal;
  create table groups (
    seq integer primary key autoincrement, count integer not null, rows blob not null);
  create table batch (
    one integer primary key check (one = 1), first integer not null, last integer not null);
  create table state (
    one integer primary key check (one = 1), uuid text not null, last_id integer not null);
  create table lineage (
    kind text primary key, platform text not null, reached integer not null);
  create table ledger (
    id integer primary key autoincrement, created integer not null, reason text not null,
    topic text not null, sender text not null, payload text not null, installation_id integer);
  insert into state values (1, 'the uuid', 9);`

test('a spool of the older layout goes on with the batch that was taken', async (t) => {
  const tokenDir = temporary(t)
  const other = await opened(t, tokenDir)
  await append(other, 5, 6, 7)
  const token = (await other.take(MOVER, limits))?.token

  const dir = temporary(t)
  inFile(dir, (file) => {
    file.exec(olderLayout)
    const insert = file.prepare('insert into groups values (?, ?, ?)')
    insert.run(41, 2, Buffer.from(line(5) + line(6)))
    insert.run(42, 1, Buffer.from(line(7)))
    insert.run(43, 2, Buffer.from(line(8) + line(9)))
    file.exec('insert into batch values (1, 41, 42)')
  })
  let spool = await opened(t, dir)
  await spool.register('new')
  const { uuid, lastId, samples, oldestId } = await spool.state()
  assert.deepEqual([uuid, lastId, samples, oldestId], ['the uuid', 9, 5, 5])
  const batch = await spool.take(MOVER, limits)
  assert(batch)
  assert.deepEqual([batch.token, idsOf(batch.rows)], [token, [5, 6, 7]])
  await spool.close()
  spool = await opened(t, dir)
  assert.deepEqual(await spool.take(MOVER, limits), batch)
  await spool.pass(MOVER, batch)
  await append(spool, 10)
  assert.deepEqual(await read(spool, MOVER), [8, 9, 10])
  assert.deepEqual(await read(spool, 'new'), [10])
  assert.equal(groupsIn(dir), 0)
})

test('the batch of an older version that ran in between is the one that goes on', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await append(spool, 1)
  await spool.take(MOVER, limits)
  await spool.close()
  inFile(dir, (file) => {
    file.exec(`create table batch (
      one integer primary key check (one = 1), first integer not null, last integer not null)`)
    file.exec('delete from groups')
    const insert = file.prepare('insert into groups (count, rows) values (1, ?)')
    for (const id of [2, 3, 4]) insert.run(Buffer.from(line(id)))
    file.exec('insert into batch values (1, 2, 3)')
  })
  spool = await opened(t, dir)
  const batch = await spool.take(MOVER, limits)
  assert(batch)
  assert.deepEqual(idsOf(batch.rows), [2, 3])
  await spool.pass(MOVER, batch)
  assert.deepEqual(await read(spool, MOVER), [4])
})

test('any order of steps: nobody misses a sample that is not counted, and the figures are true', async (t) => {
  for (let seed = 1; seed <= rounds(10, 2); seed++) {
    const dice = new Dice(seed)
    const dir = temporary(t)
    let spool = await Spool.open(dir)
    const names = [MOVER, 'a', 'b']
    /** The first id that the reader has not passed, by name. */
    const next = new Map([[MOVER, 1]])
    const missed = new Map<string, number>()
    let newest = 0
    const steps: Record<string, () => Promise<void>> = {
      append: async () => {
        const ids = from(newest + 1, 1 + dice.below(3))
        newest += ids.length
        await append(spool, ...ids)
      },
      read: async () => {
        const reader = dice.pick([...next.keys()])
        const batch = await spool.take(reader, { maxSamples: 1 + dice.below(8), maxBytes: MB })
        if (!batch) return assert.equal(next.get(reader), newest + 1)
        const ids = idsOf(batch.rows)
        assert.deepEqual(ids, from(next.get(reader) ?? 0, ids.length))
        if (dice.chance(0.3)) return
        await spool.pass(reader, batch)
        next.set(reader, (next.get(reader) ?? 0) + ids.length)
      },
      register: async () => {
        const reader = dice.pick(names)
        await spool.register(reader)
        if (!next.has(reader)) next.set(reader, newest + 1)
      },
      remove: async () => {
        const reader = dice.pick(['a', 'b'])
        await spool.remove(reader)
        next.delete(reader)
        missed.delete(reader)
      },
      moveOn: async () => {
        const moved = next.get(MOVER) ?? 0
        const most = dice.below(400)
        for (const { reader, samples } of await spool.moveOn(most)) {
          assert.equal(samples, moved - (next.get(reader) ?? 0))
          missed.set(reader, (missed.get(reader) ?? 0) + samples)
          next.set(reader, moved)
        }
        const { bytes, readers } = await spool.state()
        for (const one of readers) assert(one.bytes - bytes <= most)
      },
      shrink: () => spool.shrink(0),
      reopen: async () => {
        await spool.close()
        spool = await Spool.open(dir)
      }
    }
    const frequent = ['append', 'append', 'append', 'read', 'read', 'read', 'read']
    for (let i = 0; i < 150; i++) {
      await steps[dice.pick([...frequent, ...Object.keys(steps)])]?.()
      const { readers } = await spool.state()
      assert.deepEqual(
        readers.map(({ name }) => name).sort(),
        [...next.keys()].sort(),
        `seed ${seed}`
      )
      for (const reader of readers) {
        const left = from(next.get(reader.name) ?? 0, newest + 1 - (next.get(reader.name) ?? 0))
        const bytes = left.reduce((sum, id) => sum + line(id).length, 0)
        const want = { samples: left.length, bytes, missed: missed.get(reader.name) ?? 0 }
        assert.deepEqual(reader, { name: reader.name, ...want }, `seed ${seed}, step ${i}`)
      }
    }
    for (const reader of next.keys()) while ((await read(spool, reader)).length > 0);
    await spool.shrink(0)
    assert.equal(groupsIn(dir), 0)
    await spool.close()
  }
})

const KILLS = rounds(20, 4)

test(`two readers miss nothing when the process is killed ${KILLS} times`, slow, async (t) => {
  const dir = temporary(t)
  const entry = fileURLToPath(new URL('../support/spool-readers.ts', import.meta.url))
  /** The last line of each reader, and the highest id it was given. */
  const seen = new Map<string, { line: string; last: number }>()
  let [stored, repeated] = [0, 0]
  for (let round = 0; round < KILLS; round++) {
    const child = spawn(process.execPath, [entry, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.after(() => child.kill('SIGKILL'))
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    await eventually(() => assert(/^slow .*\n.*^slow .*\n/ms.test(out), out.slice(0, 1000)))
    await wait(Math.random() * 200)
    child.kill('SIGKILL')
    await once(child, 'close')
    const fresh = new Set<string>()
    for (const text of out.slice(0, out.lastIndexOf('\n')).split('\n')) {
      const [who = '', what = '', list = ''] = text.split(' ')
      if (who === 'stored') {
        stored = Number(what)
        continue
      }
      const ids = list.split(',').map(Number)
      const known = seen.get(who) ?? { line: '', last: 0 }
      // Only the first batch after a kill may come again, and then it is the same batch.
      if (!fresh.has(who) && text === known.line) repeated++
      else assert.deepEqual(ids, from(known.last + 1, ids.length), `${who} after ${known.last}`)
      fresh.add(who)
      seen.set(who, { line: text, last: ids.at(-1) ?? 0 })
    }
    assert.equal(fresh.size, 2)
  }
  const spool = await opened(t, dir)
  for (const [reader, { line: last, last: id }] of seen) {
    const rest = await read(spool, reader)
    assert((rest[0] ?? id + 1) <= id + 1, `${reader} begins with ${rest[0]} after ${last}`)
    assert((rest.at(-1) ?? id) >= stored, `${reader} ends before ${stored}`)
    assert.equal(rest.at(-1) ?? id, (await spool.state()).lastId)
  }
  t.diagnostic(`${stored} samples stored, ${repeated} batches came again`)
  assert.equal(groupsIn(dir), 0)
})

test('a reader that reads ahead writes nothing before it passes', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await spool.register('ahead')
  for (const first of [1, 4, 7]) await append(spool, ...from(first, 3))
  const one = { maxSamples: 1, maxBytes: 1 }
  const first = await spool.readOn('ahead', 0, one)
  assert(first)
  assert.deepEqual([idsOf(first.rows), first.count, first.isNewest], [from(1, 3), 3, false])
  const rest = await spool.readOn('ahead', first.last, limits)
  assert(rest)
  assert.deepEqual([idsOf(rest.rows), rest.begin, rest.isNewest], [from(4, 6), first.last, true])
  assert.equal(await spool.readOn('ahead', rest.last, limits), undefined)
  assert.equal(await samplesOf(spool, 'ahead'), 9)
  await spool.pass('ahead', first)
  assert.equal(await samplesOf(spool, 'ahead'), 6)
  await spool.close()

  spool = await opened(t, dir)
  const again = await spool.readOn('ahead', 0, limits)
  assert(again)
  assert.deepEqual([idsOf(again.rows), again.begin], [from(4, 6), first.last])
  await spool.pass('ahead', again)
  assert.equal(await samplesOf(spool, 'ahead'), 0)
})

test('a reader that was moved on sees where it goes on', async (t) => {
  const spool = await opened(t, temporary(t))
  await spool.register('ahead')
  await append(spool, 1)
  const first = await spool.readOn('ahead', 0, limits)
  await append(spool, 2, 3)
  await read(spool, MOVER)
  await spool.moveOn(0)
  await append(spool, 4)
  const next = await spool.readOn('ahead', first?.last ?? 0, limits)
  assert(first && next)
  assert(next.begin > first.last)
  assert.deepEqual(idsOf(next.rows), [4])
  await spool.pass('ahead', first)
  assert.deepEqual(idsOf((await spool.readOn('ahead', 0, limits))?.rows ?? new Uint8Array()), [4])
})
