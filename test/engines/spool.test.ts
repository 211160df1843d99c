import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Spool } from '../../src/history/spool.ts'
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
