import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AggregateQuery } from '../../src/history/history.ts'
import { openHistory } from '../../src/history/open.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { DAY, SECOND, unixMs } from '../../src/lib/unix-time.ts'

test('short queries do not wait for long ones, and an abort ends a long one', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'readers-'))
  const { history } = await openHistory({ url: '', dataDir })
  t.after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })
  const from = unixMs(Date.UTC(2024, 0))
  const samples = Array.from({ length: 2000 }, (_, i) => ({
    id: i + 1,
    installation_id: 1,
    client_id: 7,
    topic: `7/obj/${i % 10}`,
    timestamp: unixMs(from + i * SECOND),
    value: i,
    msg: ''
  }))
  await history.append(Buffer.from(samples.map(encodeSample).join('')), 'batch')
  // Hundreds of thousands of looks into the month of the samples.
  const long: AggregateQuery = {
    installation_id: 1,
    topics: undefined,
    from,
    to: unixMs(from + 32 * DAY),
    order: 'asc',
    limit: 10,
    offset: 1_000_000,
    method: { name: 'count' },
    buckets: { ms: 100 * SECOND }
  }
  const short: AggregateQuery = { ...long, to: unixMs(from + DAY), offset: 0 }
  const ended: string[] = []
  const running = [long, long].map((query) =>
    history.aggregate(query).then(() => ended.push('long'))
  )
  for (let i = 0; i < 5; i++) await history.aggregate(short)
  ended.push('short')
  await Promise.all(running)
  assert.deepEqual(ended, ['short', 'long', 'long'])

  const controller = new AbortController()
  const start = performance.now()
  await history.aggregate(long)
  const whole = performance.now() - start
  const abandoned = history.aggregate(long, controller.signal)
  const next = history.aggregate({ ...long, buckets: { ms: 31 * DAY } })
  setTimeout(() => controller.abort(new Error('gone')), 20)
  const abandonedAt = performance.now()
  await assert.rejects(abandoned, { message: 'gone' })
  await next
  // Without a look at the abort the next one waits as long as the whole query takes.
  assert(performance.now() - abandonedAt < whole / 2, `${whole} ms`)
})

test('topics and escapes count too: a page never nears the longest text that there can be', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'readers-'))
  const { history } = await openHistory({ url: '', dataDir })
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
