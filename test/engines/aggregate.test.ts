import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { AggregateQuery, History } from '../../src/history/history.ts'
import {
  type Buckets,
  type Method,
  type NamedMethod,
  parseMethod
} from '../../src/lib/aggregation.ts'
import { calendarBorders } from '../../src/lib/calendar.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { DAY, HOUR, MINUTE, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { assertNear, expectedRows } from '../support/aggregate-model.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'

const methods = [
  ...['count', 'first', 'last', 'avg', 'spread', 'max', 'min', 'sum', 'stddev', 'median'],
  ...['percentile(95)', 'integral']
].map((text) => parseMethod(text) as Method)

onEveryHistory('aggregation', aggregation)

function aggregation({ url, open }: EngineUnderTest) {
  let dataDir: string
  let history: History
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'aggregate-'))
    history = await open({ url: await url(), dataDir })
  })
  after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })

  const store = async (samples: readonly Partial<Sample>[]) => {
    const installation_id = nextNumber()
    const stored = samples.map((fields) => sample({ ...fields, installation_id }))
    await history.append(Buffer.from(stored.map(encodeSample).join('')), `batch ${nextNumber()}`)
    return { installation_id, stored: withoutResent(stored) }
  }

  const assertRows = async (stored: readonly Sample[], query: AggregateQuery) => {
    const { rows: parts, ...page } = await history.aggregate(query)
    const rows = rowsText({ rows: parts })
    const all = expectedRows(stored, query)
    const expected = all.slice(query.offset, query.offset + query.limit)
    const about = JSON.stringify({ ...query, buckets: 'ms' in query.buckets && query.buckets })
    const oldest = expected.length > 0 ? Math.min(...expected.map(({ start }) => start)) : undefined
    assert.deepEqual(page, { total: all.length, count: expected.length, oldest }, about)
    const { installation_id } = query
    const answered: (Sample & { timestamp: number })[] = JSON.parse(`[${rows}]`)
    for (const [i, { value, ...row }] of answered.entries()) {
      const { topic = '', start = 0 } = expected[i] ?? {}
      const timestamp = start / 1000
      assert.deepEqual(row, { client_id: 7, installation_id, timestamp, msg: '', topic }, about)
      assertNear(value, expected[i] ?? assert.fail(about), about)
    }
    return answered.map(({ value }) => value)
  }

  test('each of the twelve methods gives the expected values', async () => {
    const at = (seconds: number, value: number) => ({
      timestamp: unixMs(1_700_000_400_000 + seconds * SECOND),
      value
    })
    // Two buckets of a minute; the second begins at 60. Two samples are at 50; the value 1 arrived later.
    const { installation_id, stored } = await store([
      ...[at(10, 4), at(20, 2), at(50, 9), at(50, 1)],
      ...[at(70, 3), at(80, 3)]
    ])
    const expected: Record<string, number[]> = {
      count: [4, 2],
      first: [4, 3],
      last: [1, 3],
      avg: [4, 3],
      spread: [8, 0],
      max: [9, 3],
      min: [1, 3],
      sum: [16, 6],
      stddev: [Math.sqrt(38 / 3), 0],
      median: [3, 3],
      percentile: [9, 3],
      // 30 + 165, then from 1 at 50 to 2 at the border: 15; from there to 3 at 70: 25, then 30.
      integral: [210, 55]
    }
    for (const method of methods) {
      const query = { ...queryOf(installation_id), method, order: 'asc' as const }
      const values = await assertRows(stored, query)
      const wanted = expected[method.name] ?? []
      assert.equal(values.length, wanted.length)
      for (const [i, value] of values.entries()) {
        assert(Math.abs(value - (wanted[i] ?? 0)) < 1e-9, `${method.name}: ${values}`)
      }
    }
  })

  test('a large offset does not reduce the precision of stddev', async () => {
    const start = 1_700_000_400_000
    const { installation_id, stored } = await store(
      [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16].map((value, i) => ({
        value,
        timestamp: unixMs(start + i * SECOND)
      }))
    )
    const query = { ...queryOf(installation_id), method: { name: 'stddev' as const } }
    const [value = 0] = await assertRows(stored, query)
    assert(Math.abs(value - Math.sqrt(30)) < 1e-9)
  })

  test('a result that is too large for a number becomes the largest number', async () => {
    const { installation_id } = await store(
      [1.7e308, 1.7e308, -1.7e308].map((value, i) => ({
        value,
        timestamp: unixMs(1_700_000_400_000 + i * 25 * SECOND)
      }))
    )
    for (const method of methods) {
      const page = await history.aggregate({ ...queryOf(installation_id), method })
      const { count } = page
      const rows = rowsText(page)
      const values = JSON.parse(`[${rows}]`).map(({ value }: Sample) => value)
      assert.equal(count, 1)
      assert(values.every(Number.isFinite), `${method.name}: ${rows}`)
    }
  })

  test('the smallest possible numbers are aggregated correctly', async () => {
    const { installation_id, stored } = await store([
      { timestamp: unixMs(1_700_000_400_000), value: 5e-324 },
      { timestamp: unixMs(1_700_000_460_000), value: 0 }
    ])
    for (const method of methods) {
      await assertRows(stored, { ...queryOf(installation_id), method })
    }
  })

  test('integral divides an area over several buckets and months', async () => {
    const { installation_id, stored } = await store([
      { timestamp: unixMs(Date.UTC(2023, 11, 30, 12)), value: 1 },
      { timestamp: unixMs(Date.UTC(2024, 1, 2, 6)), value: 40 },
      { timestamp: unixMs(Date.UTC(2024, 1, 2, 7)), value: -3 }
    ])
    const window = { from: unixMs(Date.UTC(2023, 9)), to: unixMs(Date.UTC(2024, 3)) }
    const method = { name: 'integral', x: 3600 } as const
    const query = { ...queryOf(installation_id), ...window, method }
    await assertRows(stored, { ...query, buckets: { ms: DAY } })
    await assertRows(stored, { ...query, buckets: { ms: 7 * HOUR }, order: 'asc' })
    await assertRows(stored, { ...query, buckets: { ms: HOUR }, limit: 1, offset: 1 })
  })

  test('local days, weeks and months are correct when the clocks change', slow, async () => {
    const zones = ['Europe/Stockholm', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Lord_Howe']
    const from = unixMs(Date.UTC(2017, 9, 1))
    const hours = Array.from({ length: 24 * 60 }, (_, i) => ({
      timestamp: unixMs(from + i * HOUR),
      value: (i * 7919) % 101
    }))
    const { installation_id, stored } = await store(hours)
    const window = { from, to: unixMs(from + 60 * DAY) }
    for (const zone of zones) {
      for (const unit of ['d', 'w', 'mo'] as const) {
        const buckets = { borders: calendarBorders({ unit, count: 1 }, zone, window) }
        for (const method of methods) {
          await assertRows(stored, { ...queryOf(installation_id), ...window, buckets, method })
        }
      }
    }
  })

  test('any page of any method on any samples equals the model', async () => {
    const property = fc.asyncProperty(
      fc.array(samples, { minLength: 1, maxLength: 60 }),
      fc.array(queries, { minLength: 3, maxLength: 6 }),
      async (sent, asked) => {
        const { installation_id, stored } = await store(sent)
        for (const [i, method] of methods.entries()) {
          const query = asked[i % asked.length] ?? assert.fail()
          await assertRows(stored, { ...query, installation_id, method: varied(method, query) })
        }
      }
    )
    await fc.assert(property, { numRuns: rounds(150) })
  })

  test('several methods at once give the rows and values of each one alone', slow, async () => {
    const property = fc.asyncProperty(
      fc.array(samples, { minLength: 1, maxLength: 60 }),
      queries,
      fc.uniqueArray(fc.constantFrom(...methods), { minLength: 2, maxLength: 4 }),
      async (sent, asked, chosen) => {
        const { installation_id } = await store(sent)
        const several = chosen.map((method) => ({ text: `<${method.name}>`, method }))
        const [{ method }] = several as [NamedMethod]
        const query = { ...asked, installation_id, method }
        const page = await history.aggregate({ ...query, several })
        const rows: (Sample & { values: Record<string, number> })[] = JSON.parse(
          `[${rowsText(page)}]`
        )
        const alone = await Promise.all(
          several.map(async ({ text, method }) => {
            const one = await history.aggregate({ ...query, method })
            const answered: Sample[] = JSON.parse(`[${rowsText(one)}]`)
            assert.deepEqual(
              [page.total, page.count, page.oldest],
              [one.total, one.count, one.oldest]
            )
            return { text, answered }
          })
        )
        for (const [i, { values, ...row }] of rows.entries()) {
          assert.deepEqual(row, alone[0]?.answered[i])
          const expected = alone.map(({ text, answered }) => [text, answered[i]?.value])
          assert.deepEqual(Object.entries(values), expected)
        }
      }
    )
    await fc.assert(property, { numRuns: rounds(60) })
  })

  test('an abort rejects with its reason and leaves history working', async () => {
    const reason = new Error('caller hung up')
    const query = { ...queryOf(nextNumber()), method: { name: 'median' } as const }
    await assert.rejects(history.aggregate(query, AbortSignal.abort(reason)), reason)
    const controller = new AbortController()
    const running = history.aggregate(query, controller.signal)
    controller.abort(reason)
    await assert.rejects(running, reason)
    await assertRows([], query)
  })
}

let lastNumber = 0
const nextNumber = () => ++lastNumber

const sample = (fields: Partial<Sample>): Sample => ({
  id: nextNumber(),
  installation_id: 1,
  client_id: 7,
  topic: '7/obj/a',
  timestamp: unixMs(1_700_000_000_000),
  value: 1,
  msg: '',
  ...fields
})

function withoutResent(arrived: readonly Sample[]): Sample[] {
  const byContent = new Map<string, Sample>()
  for (const sample of arrived) {
    const { topic, timestamp, value, msg } = sample
    byContent.set(JSON.stringify([topic, timestamp, value, msg]), sample)
  }
  return [...byContent.values()]
}

const queryOf = (installation_id: number): Omit<AggregateQuery, 'method'> => ({
  installation_id,
  topics: undefined,
  from: unixMs(1_700_000_000_000),
  to: unixMs(1_700_001_000_000),
  order: 'desc',
  limit: 10_000,
  offset: 0,
  buckets: { ms: MINUTE }
})

/** Sometimes with another rank or unit. */
function varied(method: Method, { limit, offset }: { limit: number; offset: number }): Method {
  if (method.name === 'percentile') return { ...method, x: [0, 5, 50, 99.5, 100][limit % 5] ?? 0 }
  return method.name === 'integral' ? { ...method, x: 1 + offset } : method
}

// Around the ends of months and of buckets; often with the same timestamp.
const moments = fc
  .tuple(
    fc.constantFrom(Date.UTC(2024, 0), Date.UTC(2024, 1), Date.UTC(2023, 11, 31, 12)),
    fc.oneof(
      fc.constantFrom(-MINUTE, -1, 0, 1, MINUTE - 1, MINUTE),
      fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
      fc.integer({ min: -40 * DAY, max: 40 * DAY })
    )
  )
  .map(([base, offset]) => (base + offset) as UnixMs)
const values = fc.oneof(
  fc.constantFrom(0, 1, -2.5, 1e-9),
  fc.double({ min: -1000, max: 1000, noNaN: true }).map((value) => value || 0),
  fc.double({ min: 1e9, max: 1e9 + 10, noNaN: true })
)
const topics = fc.constantFrom('7/obj/a', '7/obj/a/b', '7/obj/\uffee', '7/obj/😀')
const samples = fc.record({
  topic: topics,
  timestamp: moments,
  value: values,
  msg: fc.constantFrom('', 'x')
})

const zones = ['UTC', 'Europe/Stockholm', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia']
const calendars = fc.record({
  zone: fc.constantFrom(...zones),
  unit: fc.constantFrom('d' as const, 'w' as const, 'mo' as const),
  count: fc.constantFrom(1, 2, 3)
})
/** Lengths that divide a month or not, with no more buckets than the route allows. */
const lengths = fc.constantFrom(7 * SECOND, MINUTE, 10 * MINUTE, HOUR, 7 * HOUR, DAY, 9 * DAY)
const queries = fc
  .record({
    topics: fc.option(fc.uniqueArray(topics), { nil: undefined }),
    ends: fc.tuple(moments, moments),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.nat(40),
    offset: fc.nat(10),
    kind: fc.oneof(lengths, calendars)
  })
  .map(({ ends, kind, ...query }) => {
    const from = unixMs(Math.min(...ends))
    const to = unixMs(Math.max(...ends))
    const buckets: Buckets =
      typeof kind === 'number'
        ? { ms: (to - from) / kind > 5000 ? HOUR : kind }
        : { borders: calendarBorders(kind, kind.zone, { from, to }) }
    return { ...query, from, to, buckets }
  })
