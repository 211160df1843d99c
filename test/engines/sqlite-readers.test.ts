import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AggregateQuery } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { DAY, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'

/** Threads are counted in /proc. */
const onLinux = { skip: process.platform === 'linux' ? false : 'needs /proc' }

test('short queries do not wait for long ones, and an abort ends a long one', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'readers-'))
  const history = await openHistory({ url: '', dataDir })
  t.after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })
  const from = unixMs(Date.UTC(2024, 0))
  // Few samples for many buckets: the buckets of a far page are searched first.
  const samples = Array.from({ length: 400_000 }, (_, i) => ({
    id: i + 1,
    installation_id: 1,
    client_id: 7,
    topic: `7/obj/${i % 20}`,
    timestamp: unixMs(from + i * 6 * SECOND),
    value: (i * 7919) % 1000,
    msg: ''
  }))
  await history.append(Buffer.from(samples.map(encodeSample).join('')), 'batch')
  const long: AggregateQuery = {
    installation_id: 1,
    topics: undefined,
    from,
    to: unixMs(from + 32 * DAY),
    order: 'asc',
    limit: 10,
    offset: 0,
    method: { name: 'integral', x: 1 },
    buckets: { ms: SECOND }
  }
  const short: AggregateQuery = { ...long, to: unixMs(from + DAY / 24), offset: 0 }
  // The threads of both kinds start with their first query.
  await Promise.all([history.aggregate(short), history.aggregate(long)])
  const ended: string[] = []
  const running = [long, long].map((query) =>
    history.aggregate(query).then(() => ended.push('long'))
  )
  for (let i = 0; i < 5; i++) await history.aggregate(short)
  ended.push('short')
  await Promise.all(running)
  assert.deepEqual(ended, ['short', 'long', 'long'])

  const start = performance.now()
  await history.aggregate(long)
  const whole = performance.now() - start
  const waits: number[] = []
  // Other programs on the same cores may delay one try.
  while (waits.length < 3 && Math.min(...waits) >= whole / 2) {
    const controller = new AbortController()
    const abandonedAt = performance.now()
    const abandoned = history.aggregate(long, controller.signal)
    const next = history.aggregate({ ...long, buckets: { ms: 31 * DAY } })
    setTimeout(() => controller.abort(new Error('gone')), 20)
    await assert.rejects(abandoned, { message: 'gone' })
    await next
    waits.push(performance.now() - abandonedAt)
  }
  // If the abort were ignored, the next query would wait for the whole long one.
  assert(Math.min(...waits) < whole / 2, `${waits.join(', ')} of ${whole} ms`)
})

test('topics and escapes count too: a page never comes near the longest possible string', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'readers-'))
  const history = await openHistory({ url: '', dataDir })
  t.after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })
  const topic = `7/obj/${'\u0001'.repeat(1000)}`
  const samples = Array.from({ length: 25_000 }, (_, i) => ({
    ...{ id: i + 1, installation_id: 1, client_id: 7, topic, value: i, msg: '' },
    timestamp: unixMs(i * SECOND)
  }))
  await history.append(Buffer.from(samples.map(encodeSample).join('')), 'batch')
  const query = {
    ...{ installation_id: 1, topics: undefined, order: 'asc' as const, offset: 0 },
    ...{ from: unixMs(0), to: unixMs(DAY), limit: 100_000 }
  }
  await assert.rejects(history.readPage(query), PageTooLarge)
  const buckets = { method: { name: 'max' as const }, buckets: { ms: SECOND } }
  await assert.rejects(history.aggregate({ ...query, ...buckets }), PageTooLarge)
  assert.equal((await history.readPage({ ...query, limit: 100 })).count, 100)
})

test('threads that nobody asks end, and the next query starts one again', onLinux, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'readers-'))
  const history = await openSqliteHistory(directory, { idleMs: 50 })
  t.after(async () => {
    await history.close()
    await rm(directory, { recursive: true })
  })
  const samples = Array.from({ length: 90 }, (_, i) => ({
    ...{ id: i + 1, installation_id: 1, client_id: 7, topic: '7/obj/a', value: i, msg: '' },
    timestamp: unixMs(i * DAY)
  }))
  await history.append(Buffer.from(samples.map(encodeSample).join('')), 'batch')
  const query: AggregateQuery = {
    ...{ installation_id: 1, topics: undefined, order: 'asc', offset: 0, limit: 100 },
    ...{ from: unixMs(0), to: unixMs(90 * DAY), method: { name: 'avg' }, buckets: { ms: DAY } }
  }
  const threads = () => readdirSync('/proc/self/task').length
  const before = threads()
  for (let round = 0; round < 3; round++) {
    // One caller, one query after the other: one thread.
    for (let i = 0; i < 3; i++)
      assert.equal((await history.readPage({ ...query, to: unixMs(DAY) })).total, 2)
    assert.equal(threads(), before + 1)
    assert.equal((await history.aggregate(query)).total, 90)
    assert(threads() > before)
    await eventually(() => assert.equal(threads(), before))
  }
})
