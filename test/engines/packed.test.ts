import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { fileIn } from '../../src/history/sqlite/file.ts'
import { openSqliteHistory, type SqliteHistory } from '../../src/history/sqlite/history.ts'
import { type Method, parseMethod } from '../../src/lib/aggregation.ts'
import { calendarBorders } from '../../src/lib/calendar.ts'
import { MAX_MSG_BYTES, type Sample } from '../../src/lib/sample.ts'
import {
  DAY,
  endOfMonth,
  HOUR,
  MINUTE,
  monthOf,
  SECOND,
  type UnixMs,
  unixMs
} from '../../src/lib/unix-time.ts'
import { rounds } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'
import {
  assertAggregate,
  assertStored,
  listedPacks,
  packFiles,
  pageOf,
  rowsFrom,
  sampleAt,
  storedOf
} from '../support/whole-history.ts'

const now = unixMs(Date.UTC(2026, 10, 17))
const start = Date.UTC(2026, 9, 5)
/** As in a block. */
const MAX_SAMPLES = 16_384
const methods = [
  ...['count', 'first', 'last', 'avg', 'spread', 'max', 'min', 'sum', 'stddev', 'median'],
  ...['percentile(95)', 'integral']
].map((text) => parseMethod(text) as Method)

class Store {
  readonly directory: string
  readonly history: SqliteHistory
  arrived: Sample[] = []
  #batches = 0

  constructor(directory: string, history: SqliteHistory) {
    this.directory = directory
    this.history = history
  }

  static async open(t: TestContext): Promise<Store> {
    const directory = await mkdtemp(join(tmpdir(), 'packed-'))
    const history = await openSqliteHistory(directory, { clock: () => now })
    t.after(async () => {
      await history.close()
      await rm(directory, { recursive: true })
    })
    return new Store(directory, history)
  }

  async append(samples: readonly Sample[]): Promise<void> {
    for (const sample of samples) this.arrived.push(sample)
    await this.history.append(rowsFrom(samples), `batch ${++this.#batches}`)
  }

  get stored(): Sample[] {
    return storedOf(this.arrived)
  }

  check(): Promise<void> {
    return assertStored(this.history, this.stored)
  }
}

test('every method is right with summaries of days, in buckets that cut days and in those that do not', async (t) => {
  const store = await Store.open(t)
  const series = (topic: string, jitter: number, days: number) =>
    Array.from({ length: days * 300 }, (_, i) =>
      sampleAt(start + i * (DAY / 300) + ((i * 7919) % (jitter + 1)), {
        topic,
        value: Math.round(1000 * Math.sin(i / 50)) / 8
      })
    )
  await store.append([...series('7/obj/regular', 0, 5), ...series('7/obj/jitter', 60_000, 5)])
  const window = { from: unixMs(start + 5 * HOUR), to: unixMs(start + 4 * DAY + 7 * HOUR) }
  const all = { from: unixMs(start), to: unixMs(start + 5 * DAY - 1) }
  const zoned = (unit: 'd' | 'mo', zone: string) => ({
    borders: calendarBorders({ unit, count: 1 }, zone, all)
  })
  const buckets = [
    ...[{ ms: HOUR }, { ms: 7 * HOUR }, { ms: DAY }, { ms: 9 * DAY }],
    ...[zoned('mo', 'UTC'), zoned('mo', 'Europe/Stockholm'), zoned('d', 'Asia/Kathmandu')]
  ]
  const check = async () => {
    for (const times of [all, window])
      for (const kind of buckets)
        for (const method of methods) {
          const query = { ...pageOf(1), ...times, method, buckets: kind }
          await assertAggregate(store.history, store.stored, query)
        }
  }
  await check()
  await store.history.packAll()
  await check()
  // Late samples inside a block: one day of it is summed up anew, in memory.
  await store.append([sampleAt(start + DAY + HOUR, { topic: '7/obj/regular', value: 1e6 })])
  await check()
  await store.history.packAll()
  assert.equal(listedPacks(store.directory).length, 2, 'too little to merge')
  await check()
})

test('hours are right with late samples in them, and with equal times in two files', async (t) => {
  const store = await Store.open(t)
  const minutely = (count: number, shift: number, fields: (i: number) => Partial<Sample>) =>
    Array.from({ length: count }, (_, i) => sampleAt(start + i * MINUTE + shift, fields(i)))
  const valued = (i: number) => ({ value: Math.round(1000 * Math.sin(i / 50)) / 100 })
  const window = { from: unixMs(start), to: unixMs(start + 8 * HOUR) }
  const check = async () => {
    for (const method of methods) {
      for (const times of [window, { ...window, from: unixMs(start + 90 * MINUTE) }]) {
        const query = { ...pageOf(1), ...times, method, buckets: { ms: HOUR } }
        await assertAggregate(store.history, store.stored, query)
      }
    }
  }
  await store.append(minutely(400, 0, valued))
  await store.history.packAll()
  await check()
  // One of the second hour, and the third one anew: half of it the same, half with other values.
  await store.append([
    sampleAt(start + 70 * MINUTE + SECOND, { value: 1e6 }),
    ...minutely(60, 2 * HOUR, (i) => valued(i < 30 ? i + 120 : i))
  ])
  await check()
  await store.history.packAll()
  await check()
})

test('a block can end where a bucket ends', async (t) => {
  const store = await Store.open(t)
  // The sample after the first block is the first one of an hour.
  const first = Math.ceil(start / HOUR) * HOUR - MAX_SAMPLES * SECOND
  await store.append(
    Array.from({ length: 2 * MAX_SAMPLES }, (_, i) =>
      sampleAt(first + i * SECOND, { value: i % 97 })
    )
  )
  await store.history.packAll()
  const { stored } = store
  for (const method of methods)
    for (const ms of [HOUR, HOUR + SECOND, MAX_SAMPLES * SECOND]) {
      const times = { from: unixMs(first), to: unixMs(first + 2 * MAX_SAMPLES * SECOND) }
      const query = { ...pageOf(1), ...times, method, buckets: { ms } }
      await assertAggregate(store.history, stored, query)
    }
  await store.check()
})

test('equal times in several blocks and files, with equal and with other contents', async (t) => {
  const store = await Store.open(t)
  for (let round = 0; round < 4; round++) {
    await store.append(
      Array.from({ length: 12 }, (_, i) =>
        sampleAt(start + Math.floor(i / 6), {
          topic: `7/obj/${i % 2}`,
          value: round % 2 === 0 ? i % 3 : i + round,
          msg: i % 4 === 0 ? 'same' : i % 4 === 1 ? `other ${round}` : ''
        })
      )
    )
    await store.check()
    if (round < 3) await store.history.packAll()
    await store.check()
  }
  await store.history.packAll()
  await store.check()
})

test('more samples of one millisecond than a block holds', async (t) => {
  const store = await Store.open(t)
  const many = (topic: string, shift: number) =>
    Array.from({ length: MAX_SAMPLES + 500 }, (_, i) =>
      sampleAt(start, { topic, value: i + shift })
    )
  const around = [sampleAt(start - 1), sampleAt(start + 1), sampleAt(start + 1, { value: 2 })]
  await store.append([...many('7/obj/a', 0), ...around])
  await store.history.packAll()
  await store.check()
  // Half of them are repeated.
  await store.append(many('7/obj/a', MAX_SAMPLES / 2))
  await store.check()
  await store.history.packAll()
  await store.check()
})

test('extreme values, and blocks of one sample', async (t) => {
  const store = await Store.open(t)
  const values = [0, 5e-324, -5e-324, 1e308, -1e308, 0.1, 1 / 3, 2 ** 53, -(2 ** 51), 1e-7, 123.45]
  await store.append([
    ...values.map((value, i) => sampleAt(start + i, { value })),
    ...values.map((value, i) => sampleAt(start + i, { topic: `7/obj/one/${i}`, value })),
    ...values.map((value) => sampleAt(start, { topic: '7/obj/same', value })),
    sampleAt(start, { topic: '7/obj/minus', value: -0 })
  ])
  for (let i = 0; i < 2; i++) {
    const page = await store.history.readPage(pageOf(1))
    const rows: Sample[] = JSON.parse(`[${rowsText(page)}]`)
    for (const [i, value] of values.entries())
      assert.equal(rows.find(({ topic }) => topic === `7/obj/one/${i}`)?.value, value)
    assert.equal(rows.find(({ topic }) => topic === '7/obj/minus')?.value, 0)
    assert.deepEqual(
      rows.filter(({ topic }) => topic === '7/obj/a').map(({ value }) => value),
      values
    )
    await store.history.packAll()
  }
})

test('messages at their bound, and longer ones', async (t) => {
  const store = await Store.open(t)
  const text = (bytes: number, i: number) => `${i}`.padEnd(8, 'é').padEnd(bytes - 7, 'x')
  await store.append([
    ...Array.from({ length: 40 }, (_, i) =>
      sampleAt(start + i, { topic: '7/obj/bound', msg: text(MAX_MSG_BYTES, i) })
    ),
    ...Array.from({ length: 12 }, (_, i) =>
      sampleAt(start + i, { topic: '7/obj/long', msg: text(1024 * 1024, i) })
    ),
    ...Array.from({ length: 50 }, (_, i) =>
      sampleAt(start + i, { topic: '7/obj/mixed', msg: i === 25 ? text(1024 * 1024, i) : 'é😀' })
    )
  ])
  await store.history.packAll()
  await store.check()
  await store.append([sampleAt(start + 5, { topic: '7/obj/long', msg: text(1024 * 1024, 99) })])
  await store.check()
})

test('rows that are read again, because they are too many to hold, come once', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'packed-'))
  let history = await openSqliteHistory(directory)
  t.after(async () => {
    await history.close()
    await rm(directory, { recursive: true })
  })
  // Several at each time, so that times cross from one part of the rows to the next.
  const count = 560_000
  for (let from = 0; from < count; from += 14_000) {
    // After a start, rows are packed later.
    if (from === 238_000) {
      await history.close()
      history = await openSqliteHistory(directory)
    }
    await history.append(
      rowsFrom(
        Array.from({ length: 14_000 }, (_, i) =>
          sampleAt(start + Math.floor((from + i) / 7), { value: from + i })
        )
      ),
      `batch ${from}`
    )
  }
  for (const [order, offset] of [
    ['asc', 540_000],
    ['asc', 557_000],
    ['desc', 18_000]
  ] as const) {
    const page = await history.readPage({ ...pageOf(1), order, offset, limit: 3000 })
    const rows: Sample[] = JSON.parse(`[${rowsText(page)}]`)
    assert.equal(page.total, count)
    const first = order === 'asc' ? offset : count - 1 - offset
    assert.deepEqual(
      rows.map(({ value }) => value),
      Array.from({ length: 3000 }, (_, i) => (order === 'asc' ? first + i : first - i)),
      `${order} from ${offset}`
    )
  }
})

test('rows of a month that is not listed are not lost', async (t) => {
  const store = await Store.open(t)
  await store.append([sampleAt(start), sampleAt(start - 31 * DAY)])
  const file = new DatabaseSync(fileIn(store.directory))
  const months = file.prepare('SELECT name, month, pages FROM row_months').all()
  file.exec(`DELETE FROM row_months WHERE month = '${monthOf(unixMs(start))}'`)
  await assert.rejects(store.history.packAll(), /1 of 2 rows of rows_1/)
  assert.deepEqual(packFiles(store.directory), [])
  const insert = file.prepare('INSERT OR IGNORE INTO row_months VALUES (?, ?, ?)')
  for (const { name, month, pages } of months) insert.run(...([name, month, pages] as never[]))
  file.close()
  await store.history.packAll()
  await store.check()
})

test('however many months there are, few files are open', async (t) => {
  const store = await Store.open(t)
  const openFiles = async () => (await readdir('/proc/self/fd')).length
  const monthStart = (i: number) => Date.UTC(1970, i, 2)
  await store.append(
    Array.from({ length: 600 }, (_, i) => sampleAt(monthStart(i), { value: i, topic: '7/obj/a' }))
  )
  await store.check()
  const before = await openFiles()
  await store.history.packAll()
  assert.equal(listedPacks(store.directory).length, 600)
  await store.check()
  await store.check()
  const query = { ...pageOf(1), method: { name: 'integral', x: 1 } as const }
  await assertAggregate(store.history, store.stored, { ...query, buckets: { ms: 400 * DAY } })
  // Some threads have read.
  const after = await openFiles()
  assert(after - before <= 5 * 32, `${before} files were open, then ${after}`)
})

const moments = fc
  .tuple(
    fc.constantFrom(Date.UTC(2026, 8), Date.UTC(2026, 9), Date.UTC(2026, 9, 20)),
    fc.oneof(
      fc.constantFrom(-MINUTE, -1, 0, 0, 1, MINUTE),
      fc.integer({ min: -20 * DAY, max: 20 * DAY })
    )
  )
  .map(([base, offset]) => (base + offset) as UnixMs)
const arrivals = fc.record({
  timestamp: moments,
  installation_id: fc.constantFrom(1, 2),
  topic: fc.constantFrom('7/obj/a', '7/obj/b'),
  value: fc
    .oneof(fc.constantFrom(0, 1, 2.5), fc.double({ min: -1000, max: 1000, noNaN: true }))
    // Samples travel as text, in which -0 is 0.
    .map((value) => value + 0),
  msg: fc.constantFrom('', '', 'x', 'é😀')
})
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.array(arrivals, { minLength: 1, maxLength: 30 }) },
  { weight: 3, arbitrary: fc.constant('pack' as const) },
  { weight: 1, arbitrary: fc.constantFrom({ erase: 1 }, { erase: 2 }) },
  { weight: 1, arbitrary: moments.map((before) => ({ before })) }
)
const queries = fc.record({
  ends: fc.tuple(moments, moments),
  method: fc.constantFrom(...methods),
  ms: fc.constantFrom(HOUR, 7 * HOUR, DAY, 30 * DAY)
})

test('any order of arrivals, packing and removals gives the same as a plain list', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.tuple(steps, queries), { minLength: 2, maxLength: 12 }),
    async (plan) => {
      const directory = await mkdtemp(join(tmpdir(), 'packed-'))
      const store = new Store(directory, await openSqliteHistory(directory, { clock: () => now }))
      try {
        for (const [step, query] of plan) await play(store, step, query)
        assert.deepEqual(packFiles(directory), listedPacks(directory))
      } finally {
        await store.history.close()
        await rm(directory, { recursive: true })
      }
    }
  )
  await fc.assert(property, { numRuns: rounds(40, 8) })
})

type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never
type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never

async function play(store: Store, step: Step, { ends, method, ms }: Query): Promise<void> {
  const { history } = store
  if (step === 'pack') await history.packAll()
  else if (Array.isArray(step))
    await store.append(step.map((fields) => sampleAt(fields.timestamp, fields)))
  else if ('erase' in step) {
    await history.erase(step.erase)
    store.arrived = store.arrived.filter((one) => one.installation_id !== step.erase)
  } else {
    await history.dropBefore(step.before)
    const isOver = ({ timestamp }: Sample) => endOfMonth(monthOf(timestamp)) <= step.before
    store.arrived = store.arrived.filter((one) => !isOver(one))
  }
  await store.check()
  const [from, to] = ends.toSorted((a, b) => a - b)
  const own = store.stored.filter(({ installation_id }) => installation_id === 1)
  const query = { ...pageOf(1), from: from as UnixMs, to: to as UnixMs, method, buckets: { ms } }
  await assertAggregate(history, own, query)
}
