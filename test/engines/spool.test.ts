import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { MAX_GROUP_BYTES, MAX_WAITING_BYTES, Spool } from '../../src/history/spool.ts'
import { noIds, unknownLineage } from '../../src/lib/lineage.ts'
import { decodeSamples, encodeSample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

const limits = { maxSamples: 100, maxBytes: 1024 * 1024 }

function temporary(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const line = (id: number) =>
  encodeSample({
    id,
    installation_id: 1,
    client_id: 1001,
    topic: '1001/obj/x',
    timestamp: unixMs(id),
    value: id,
    msg: ''
  })
const append = (spool: Spool, ...ids: number[]) =>
  Promise.all(ids.map((id) => spool.append(line(id), id)))
const idsOf = (rows: Uint8Array) => [...decodeSamples(Buffer.from(rows))].map(({ id }) => id)

test('samples come out in the order they went in, the same batch until it is dropped', async (t) => {
  const spool = await Spool.open(temporary(t))
  await append(spool, 1, 2, 3)
  const first = await spool.take(limits)
  await append(spool, 4)
  const again = await spool.take(limits)
  assert(first && again)
  assert.deepEqual(idsOf(first.rows), [1, 2, 3])
  assert.equal(first.count, 3)
  assert.deepEqual([again.token, idsOf(again.rows)], [first.token, [1, 2, 3]])
  await spool.drop(first)
  const next = await spool.take(limits)
  assert(next && next.token !== first.token)
  assert.deepEqual(idsOf(next.rows), [4])
  await spool.drop(next)
  assert.equal(await spool.take(limits), undefined)
  await spool.close()
})

test('a batch keeps its token and its borders over a restart', async (t) => {
  const dir = temporary(t)
  let spool = await Spool.open(dir)
  await append(spool, 1, 2)
  const before = await spool.take(limits)
  await append(spool, 3)
  await spool.close()
  spool = await Spool.open(dir)
  const after = await spool.take(limits)
  assert(before && after)
  assert.deepEqual([after.token, idsOf(after.rows)], [before.token, [1, 2]])
  assert.deepEqual(await spool.state().then(({ lastId, samples }) => [lastId, samples]), [3, 3])
  const rest: number[] = []
  for await (const rows of spool.rows()) rest.push(...idsOf(rows))
  assert.deepEqual(rest, [1, 2, 3])
  await spool.close()
})

test('a token is that of the content: a restored directory gives none out twice', async (t) => {
  const tokens: (string | undefined)[] = []
  for (const [dir, id] of [
    [temporary(t), 1],
    [temporary(t), 1],
    [temporary(t), 2]
  ] as const) {
    const spool = await Spool.open(dir)
    await append(spool, id)
    tokens.push((await spool.take(limits))?.token)
    await spool.close()
  }
  assert.equal(tokens[0], tokens[1])
  assert.notEqual(tokens[0], tokens[2])
})

test('a batch ends at its limits, and one group larger than them still goes', async (t) => {
  const spool = await Spool.open(temporary(t))
  await append(spool, ...Array.from({ length: 60 }, (_, i) => i))
  await append(spool, ...Array.from({ length: 60 }, (_, i) => 60 + i))
  await append(spool, ...Array.from({ length: 500 }, (_, i) => 120 + i))
  const counts: number[] = []
  for (let batch = await spool.take(limits); batch; batch = await spool.take(limits)) {
    counts.push(batch.count)
    await spool.drop(batch)
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

test('a closed spool refuses instead of hanging', async (t) => {
  const spool = await Spool.open(temporary(t))
  await spool.close()
  await assert.rejects(spool.append(line(1), 1), /closed/)
  await spool.close()
})

test('reserved ids stay taken, whatever is stored after them and over a restart', async (t) => {
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

const MB = 1024 * 1024
const sizeOf = (dir: string) =>
  ['spool.sqlite', 'spool.sqlite-wal'].reduce(
    (sum, name) => sum + statSync(join(dir, name)).size,
    0
  )

async function opened(t: TestContext, dir: string): Promise<Spool> {
  const spool = await Spool.open(dir)
  t.after(() => spool.close())
  return spool
}

/** Groups of a megabyte each. */
async function fill(spool: Spool, ids: number[]): Promise<void> {
  for (const id of ids) await spool.append(`${line(id).trimEnd()}${' '.repeat(MB)}\n`, id)
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i)

async function drain(spool: Spool, batches = Number.POSITIVE_INFINITY): Promise<number> {
  const limits = { maxSamples: 100, maxBytes: 4 * MB }
  let count = 0
  for (let left = batches; left > 0; left--) {
    const batch = await spool.take(limits)
    if (!batch) break
    await spool.drop(batch)
    count += batch.count
  }
  return count
}

/** As the first versions made it: nothing can be given back bit by bit. */
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
  test(`${kind}: what was drained is given back to the disk, and no number comes twice`, async (t) => {
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
    const batch = await spool.take(limits)
    assert.equal(batch?.last, 25)
    assert.deepEqual(idsOf(batch.rows), [25])
    assert.equal((await spool.state()).lastId, 25)
    await spool.close()
    spool = await opened(t, dir)
    assert.deepEqual(await spool.take(limits), batch)
    await spool.close()
  })

  test(`${kind}: a spool that is never empty gets smaller too, and takes samples meanwhile`, async (t) => {
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
  })
}

test('a spool that is closed while it gets smaller opens again as it was', async (t) => {
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

test('it knows its platform, and ids only rise, also after it was opened again', async (t) => {
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

test('many large samples at once: groups of a bounded size, all of it stored in order', async (t) => {
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
})

test('a group that cannot be written fails alone', async (t) => {
  const spool = await opened(t, temporary(t))
  // SQLite keeps no such id.
  await assert.rejects(spool.append(line(1), Number.NaN))
  await append(spool, 2, 3)
  assert.deepEqual(idsOf((await spool.take(limits))?.rows ?? new Uint8Array()), [2, 3])
  assert.equal(spool.isFull, false)
})
