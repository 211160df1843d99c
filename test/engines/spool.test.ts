import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { MOVER } from '../../src/history/spool/groups.ts'
import {
  MAX_GROUP_BYTES,
  MAX_GROUP_SAMPLES,
  MAX_WAITING_BYTES,
  Spool
} from '../../src/history/spool/spool.ts'
import { noIds, unknownLineage } from '../../src/lib/lineage.ts'
import { slow } from '../support/rounds.ts'
import { append, fill, from, idsOf, line, MB, opened, sizeOf, temporary } from '../support/spool.ts'

const limits = { maxSamples: 100, maxBytes: 1024 * 1024 }

test('samples come out in their order, and the same batch comes until it is dropped', async (t) => {
  const spool = await Spool.open(temporary(t))
  await append(spool, 1, 2, 3)
  const first = await spool.take(MOVER, limits)
  await append(spool, 4)
  const again = await spool.take(MOVER, limits)
  assert(first && again)
  assert.deepEqual(idsOf(first.rows), [1, 2, 3])
  assert.equal(first.count, 3)
  assert.deepEqual([again.token, idsOf(again.rows)], [first.token, [1, 2, 3]])
  await spool.pass(MOVER, first)
  const next = await spool.take(MOVER, limits)
  assert(next && next.token !== first.token)
  assert.deepEqual(idsOf(next.rows), [4])
  await spool.pass(MOVER, next)
  assert.equal(await spool.take(MOVER, limits), undefined)
  await spool.close()
})

test('a group of a few bytes is sent to the thread without other memory', async (t) => {
  const posted = t.mock.method(Worker.prototype, 'postMessage')
  const spool = await opened(t, temporary(t))
  await append(spool, 1)
  const sizes = posted.mock.calls.flatMap(({ arguments: [question] }) =>
    question.method === 'append' ? [question.args[0].rows.buffer.byteLength] : []
  )
  // It was moved, so on this side nothing is left of it.
  assert.deepEqual(sizes, [0])
})

test('a batch keeps its token and its limits over a restart', async (t) => {
  const dir = temporary(t)
  let spool = await Spool.open(dir)
  await append(spool, 1, 2)
  const before = await spool.take(MOVER, limits)
  await append(spool, 3)
  await spool.close()
  spool = await Spool.open(dir)
  const after = await spool.take(MOVER, limits)
  assert(before && after)
  assert.deepEqual([after.token, idsOf(after.rows)], [before.token, [1, 2]])
  assert.deepEqual(await spool.state().then(({ lastId, samples }) => [lastId, samples]), [3, 3])
  const rest: number[] = []
  for await (const rows of spool.rows()) rest.push(...idsOf(rows))
  assert.deepEqual(rest, [1, 2, 3])
  await spool.close()
})

test('a token depends on the content: a restored directory never uses a token for other samples', async (t) => {
  const tokens: (string | undefined)[] = []
  for (const [dir, id] of [
    [temporary(t), 1],
    [temporary(t), 1],
    [temporary(t), 2]
  ] as const) {
    const spool = await Spool.open(dir)
    await append(spool, id)
    tokens.push((await spool.take(MOVER, limits))?.token)
    await spool.close()
  }
  assert.equal(tokens[0], tokens[1])
  assert.notEqual(tokens[0], tokens[2])
})

test('a batch ends at its limits, but a group that is larger is still taken', async (t) => {
  const spool = await Spool.open(temporary(t))
  await append(spool, ...Array.from({ length: 60 }, (_, i) => i))
  await append(spool, ...Array.from({ length: 60 }, (_, i) => 60 + i))
  await append(spool, ...Array.from({ length: 500 }, (_, i) => 120 + i))
  const counts: number[] = []
  for (
    let batch = await spool.take(MOVER, limits);
    batch;
    batch = await spool.take(MOVER, limits)
  ) {
    counts.push(batch.count)
    await spool.pass(MOVER, batch)
  }
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    620
  )
  assert(counts.every((count) => count <= 100 || count === 500))
  await spool.close()
})

test('the ledger keeps the newest ten thousand, newest first', async (t) => {
  const spool = await Spool.open(temporary(t))
  const refuse = (n: number) =>
    spool.refuse({ created: n, reason: 'not json', topic: `t${n}`, sender: 's', payload: '\0"' })
  await Promise.all(Array.from({ length: 10_500 }, (_, i) => refuse(i)))
  await refuse(10_500)
  const all = await spool.ledger({ before: Number.MAX_SAFE_INTEGER, limit: 20_000 })
  assert.equal(all.length, 10_000)
  assert.equal(all[0]?.topic, 't10500')
  const page = await spool.ledger({ before: all[0]?.id ?? 0, limit: 2 })
  assert.deepEqual(
    page.map(({ topic }) => topic),
    ['t10499', 't10498']
  )
  await spool.close()
})

test('the ledger of an installation has only its entries, however many the others have', async (t) => {
  const spool = await Spool.open(temporary(t))
  const refuse = (n: number, installation_id?: number) =>
    spool.refuse({
      ...{ created: n, reason: 'not json', topic: `t${n}`, sender: 's', payload: '' },
      installation_id
    })
  for (const n of [1, 2, 3]) await refuse(n, 7)
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 5000 }, (_, i) => refuse(i, 8)))
  }
  const topicsOf = async (installation_id: number, before = Number.MAX_SAFE_INTEGER, limit = 2) => {
    const page = await spool.ledger({ before, limit, installation_id })
    return page.map(({ id, topic }) => `${id} ${topic}`)
  }
  assert.deepEqual(await topicsOf(7), ['3 t3', '2 t2'])
  assert.deepEqual(await topicsOf(7, 2), ['1 t1'])
  const flood = await topicsOf(8, undefined, 10_000)
  assert.deepEqual([flood.length, flood[0], flood.at(-1)], [1000, '25003 t4999', '24004 t4000'])
  assert.deepEqual(await topicsOf(9), [])
  const all = await spool.ledger({ before: Number.MAX_SAFE_INTEGER, limit: 10_000 })
  assert.equal(all.length, 1003)
  await spool.close()
})

test('the ledger of an older file keeps its entries, which belong to no installation', async (t) => {
  const directory = temporary(t)
  const file = new DatabaseSync(join(directory, 'spool.sqlite'))
  file.exec(`create table ledger (id integer primary key autoincrement, created integer not null,
    reason text not null, topic text not null, sender text not null, payload text not null);
    insert into ledger values (5, 1, 'not json', '1001/obj/x', 's', 'x')`)
  file.close()
  for (const ids of [[5], [6, 5]]) {
    const spool = await Spool.open(directory)
    const all = await spool.ledger({ before: Number.MAX_SAFE_INTEGER, limit: 10 })
    assert.deepEqual(
      all.map(({ id }) => id),
      ids
    )
    const page = { before: Number.MAX_SAFE_INTEGER, limit: 10, installation_id: 1 }
    assert.deepEqual(
      (await spool.ledger(page)).map(({ id }) => id),
      ids.slice(0, -1)
    )
    await spool.refuse({
      ...{ created: 2, reason: 'not json', topic: '', sender: '', payload: '', installation_id: 1 }
    })
    await spool.close()
  }
})

test('a closed spool rejects calls instead of hanging', async (t) => {
  const spool = await Spool.open(temporary(t))
  await spool.close()
  await assert.rejects(spool.append(line(1), 1), /closed/)
  await spool.close()
})

test('reserved ids stay reserved, whatever is stored later and after a restart', async (t) => {
  const dir = temporary(t)
  let spool = await Spool.open(dir)
  await append(spool, 5)
  await spool.reserve(900)
  await append(spool, 6)
  await spool.reserve(800)
  assert.equal((await spool.state()).lastId, 900)
  await spool.close()
  spool = await Spool.open(dir)
  assert.equal((await spool.state()).lastId, 900)
  await spool.close()
})

async function drain(spool: Spool, batches = Number.POSITIVE_INFINITY): Promise<number> {
  const limits = { maxSamples: 100, maxBytes: 4 * MB }
  let count = 0
  for (let left = batches; left > 0; left--) {
    const batch = await spool.take(MOVER, limits)
    if (!batch) break
    await spool.pass(MOVER, batch)
    count += batch.count
  }
  return count
}

/** A file of the first versions, which cannot give back space in parts. */
function makeOldFile(dir: string): void {
  const file = new DatabaseSync(join(dir, 'spool.sqlite'))
  file.exec(`pragma journal_mode = wal;
    create table groups (
      seq integer primary key autoincrement, count integer not null, rows blob not null)`)
  file.close()
}

for (const [kind, prepare] of [
  ['a new file', () => {}],
  ['a file of the first versions', makeOldFile]
] as const) {
  test(`${kind}: the space of moved samples is given back to the disk, and no number is used twice`, async (t) => {
    const dir = temporary(t)
    prepare(dir)
    let spool = await opened(t, dir)
    await fill(spool, from(1, 24))
    assert(sizeOf(dir) > 24 * MB)
    assert.equal(await drain(spool), 24)
    await spool.shrink(8 * MB)
    assert(sizeOf(dir) < 14 * MB, `${sizeOf(dir)} bytes with some to spare`)
    await spool.shrink(0)
    assert(sizeOf(dir) < MB, `${sizeOf(dir)} bytes`)
    await append(spool, 25)
    const batch = await spool.take(MOVER, limits)
    assert.equal(batch?.last, 25)
    assert.deepEqual(idsOf(batch.rows), [25])
    assert.equal((await spool.state()).lastId, 25)
    await spool.close()
    spool = await opened(t, dir)
    assert.deepEqual(await spool.take(MOVER, limits), batch)
    await spool.close()
  })

  test(
    `${kind}: a spool that is never empty also gets smaller, and stores samples meanwhile`,
    slow,
    async (t) => {
      const dir = temporary(t)
      prepare(dir)
      const spool = await opened(t, dir)
      await fill(spool, from(1, 40))
      let dropped = 0
      for (let next = 41; dropped < 32; next++) {
        dropped += await drain(spool, 1)
        const shrunk = spool.shrink(MB)
        await fill(spool, [next])
        await shrunk
      }
      const { samples, bytes } = await spool.state()
      assert(samples > 8)
      assert(sizeOf(dir) < bytes + 10 * MB, `${sizeOf(dir)} bytes for ${bytes}`)
      const rest: number[] = []
      for await (const rows of spool.rows()) rest.push(...idsOf(rows))
      assert.deepEqual(rest, from(dropped + 1, samples))
      await spool.close()
    }
  )
}

test('a spool that is closed while it gets smaller loses nothing', async (t) => {
  const dir = temporary(t)
  let spool = await opened(t, dir)
  await fill(spool, from(1, 24))
  const dropped = await drain(spool, 4)
  const shrunk = spool.shrink(0).catch(() => {})
  await spool.close()
  await shrunk
  spool = await opened(t, dir)
  assert.equal((await spool.state()).samples, 24 - dropped)
  await spool.close()
})

test('it keeps the platform, and ids only grow, also after it was opened again', async (t) => {
  const path = temporary(t)
  const spool = await Spool.open(path)
  assert.deepEqual(await spool.lineage(), unknownLineage)
  const reached = { ...noIds, user: 3, installation: 7 }
  await spool.keepLineage({ platform: 'first', reached })
  await spool.keepLineage({ platform: 'first', reached: { ...noIds, user: 4 } })
  await spool.close()
  const again = await Spool.open(path)
  t.after(() => again.close())
  const kept = { ...unknownLineage, platform: 'first', reached: { ...reached, user: 4 } }
  assert.deepEqual(await again.lineage(), kept)
})

test(
  'many large samples at once are stored in order, in groups of a limited size',
  slow,
  async (t) => {
    const dir = temporary(t)
    const spool = await opened(t, dir)
    const padding = ' '.repeat(MB)
    const ids = from(1, 100)
    const room = ids.map((id) => {
      const stored = spool.append(`${line(id).trimEnd()}${padding}\n`, id)
      return { stored, isFull: spool.isFull }
    })
    assert.equal(room.filter(({ isFull }) => !isFull).length, MAX_WAITING_BYTES / MB - 1)
    const waited = spool.whenRoom()
    await Promise.all(room.map(({ stored }) => stored))
    await waited
    assert.equal(spool.isFull, false)
    const file = new DatabaseSync(join(dir, 'spool.sqlite'), { readOnly: true })
    const largest = file.prepare('select max(length(rows)) as bytes from groups').get()?.['bytes']
    file.close()
    assert(Number(largest) <= MAX_GROUP_BYTES, `${largest} bytes`)
    const rest: number[] = []
    for await (const rows of spool.rows()) {
      assert(rows.length < 3 * MB)
      rest.push(...idsOf(rows))
    }
    assert.deepEqual(rest, ids)
  }
)

test('samples that are appended together are in one group, however full the one before is', async (t) => {
  const dir = temporary(t)
  const spool = await opened(t, dir)
  let last = 0
  const together = (count: number, padding = '') => {
    const lines = from(last + 1, count).map((id) => `${line(id).trimEnd()}${padding}\n`)
    last += count
    const text = lines.join('')
    return spool.appendTogether(text, { count, lastId: last, bytes: Buffer.byteLength(text) })
  }
  const alone = (count: number) =>
    from(last + 1, count).map((id) => {
      last = id
      return spool.append(line(id), id)
    })
  // By number, then by bytes, then more bytes than a group has.
  const all = [
    ...alone(MAX_GROUP_SAMPLES - 5),
    together(10),
    together(MAX_GROUP_SAMPLES),
    ...alone(1),
    together(20, ' '.repeat(MB / 2)),
    together(20, ' '.repeat(MB / 2)),
    together(20, ' '.repeat(MB)),
    ...alone(1)
  ]
  await Promise.all(all)
  const file = new DatabaseSync(join(dir, 'spool.sqlite'), { readOnly: true })
  const groups = file.prepare('select count from groups order by seq').all()
  file.close()
  assert.deepEqual(
    groups.map(({ count }) => count),
    [MAX_GROUP_SAMPLES - 5, 10, MAX_GROUP_SAMPLES, 21, 20, 20, 1]
  )
  assert.equal((await spool.state()).lastId, last)
})

test('a group that cannot be written does not affect others', async (t) => {
  const spool = await opened(t, temporary(t))
  // SQLite cannot store such an id.
  await assert.rejects(spool.append(line(1), Number.NaN))
  await append(spool, 2, 3)
  assert.deepEqual(idsOf((await spool.take(MOVER, limits))?.rows ?? new Uint8Array()), [2, 3])
  assert.equal(spool.isFull, false)
})
