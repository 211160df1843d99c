import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import type { History, Page, PageQuery } from '../../src/history/history.ts'
import { highest, type Ids, idsOf, noIds } from '../../src/lib/lineage.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { encodeSample, type Sample, statusJson } from '../../src/lib/sample.ts'
import { DAY, HOUR, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'

onEveryHistory('history', historyBehaviour)

function historyBehaviour({ name, url, open: openEngine }: EngineUnderTest) {
  let at: { url: string; dataDir: string }
  let history: History
  const open = async () => {
    history = await openEngine(at)
  }
  before(async () => {
    at = { url: await url(), dataDir: await mkdtemp(join(tmpdir(), 'history-')) }
    await open()
  })
  after(async () => {
    await history.close()
    await rm(at.dataDir, { recursive: true })
  })

  const append = (samples: readonly Sample[], token = `batch ${nextNumber()}`) =>
    history.append(Buffer.from(samples.map(encodeSample).join('')), token)

  const latestOf = async (installation_id: number) => {
    const found: Sample[] = []
    for await (const chunk of history.latest()) {
      found.push(...chunk.filter((sample) => sample.installation_id === installation_id))
    }
    return found.sort(compareSamples)
  }

  const assertPage = async (stored: readonly Sample[], query: PageQuery) => {
    const { rows: parts, ...page } = await history.readPage(query)
    const rows = rowsText({ rows: parts })
    const expected = expectedPage(stored, query)
    assert.deepEqual({ ...page, rows: JSON.parse(`[${rows}]`) }, expected, JSON.stringify(query))
    return rows
  }

  test('it keeps the platform, and ids only grow', async () => {
    const { reached } = await history.lineage()
    await history.keepLineage({ platform: 'first', reached: upTo(7), reserved: upTo(1000) })
    await history.keepLineage({ platform: 'first', reached: upTo(3), reserved: upTo(2000) })
    await history.close()
    await open()
    const kept = { reached: highest(reached, upTo(7)), reserved: upTo(2000) }
    assert.deepEqual(await history.lineage(), { platform: 'first', ...kept })
    await wait(2)
    await history.keepLineage({ platform: 'second', reached: noIds, reserved: noIds })
    assert.deepEqual(await history.lineage(), { platform: 'second', ...kept })
  })

  test('it lists the installations that have samples', async () => {
    const installation_id = 1_000_000 + nextNumber()
    await append([sample({ installation_id, topic: `${installation_id}/obj/x` })])
    assert.equal((await history.lineage()).reached.installation, installation_id)
    await history.erase(installation_id)
  })

  test('every text and number comes back unchanged', async () => {
    const installation_id = nextNumber()
    const texts = ['', 'plain', '\t \n \r \\ \\n \\N', '"quoted" \'too\' `and`', 'å 漢字 😀 \u2028']
    const numbers = [0, -0, 0.1, -21.5, 1e-7, 5e-324, 1.7e308, -1.7e308, 1e21, 2 ** 53, 123456.789]
    const stored = [...texts, 'null \0 inside', '\u0001\b\f\u007f', '"value":1e5,'].map((msg, i) =>
      sample({ installation_id, msg, timestamp: unixMs(1_700_000_000_001 + i) })
    )
    for (const value of numbers) {
      stored.push(
        sample({
          installation_id,
          value,
          timestamp: unixMs(1_600_000_000_000 + stored.length * 1001)
        })
      )
    }
    await append(stored)
    const rows = await assertPage(stored, pageOf(installation_id))
    assert.ok(rows.includes('"value":0.0000001,'), 'numbers are plain decimals')
    assert.ok(rows.includes('"value":1000000000000000000000,'), 'numbers are plain decimals')
  })

  test('pages have the right order, limit, offset, time window, topics and months', async () => {
    const installation_id = nextNumber()
    const [a, b, c] = ['7/obj/a', '7/obj/b', '7/obj/ä']
    const newYear = unixMs(Date.UTC(2024, 0, 1))
    const at = (topic: string, offset: number, value: number) =>
      sample({ installation_id, topic, value, timestamp: unixMs(newYear + offset) })
    const stored = [
      at(c, 0, 1),
      at(a, 0, 9),
      at(a, 0, 2),
      at(b, 0, 3),
      at(a, 0, -1),
      at(b, -1, 4),
      at(c, -1, 5),
      at(a, 31 * DAY, 6),
      at(b, 31 * DAY - 1, 7),
      at(a, -400 * DAY, 8)
    ]
    const elsewhere = sample({ installation_id: nextNumber(), topic: a, timestamp: newYear })
    await append([...stored, elsewhere])

    const all = pageOf(installation_id)
    assert(((await history.oldest()) ?? Infinity) <= newYear - 400 * DAY)
    await assertPage(stored, { ...all, order: 'desc', limit: 4, offset: 3 })
    const rows = rowsText(await history.readPage({ ...all, limit: 2, withIds: true }))
    const oldest = stored.toSorted(compareSamples).slice(0, 2)
    assert.deepEqual(
      JSON.parse(`[${rows}]`),
      oldest.map((sample) => ({ id: sample.id, ...JSON.parse(statusJson(sample)) }))
    )
    await assertPage(stored, { ...all, topics: [c, a, '7/obj/none'], from: newYear })
    await assertPage(stored, all)
    await assertPage(stored, { ...all, order: 'desc' })
    await assertPage(stored, { ...all, limit: 3, offset: 2 })
    await assertPage(stored, { ...all, limit: 5, offset: 10 })
    await assertPage(stored, { ...all, limit: 0 })
    await assertPage(stored, { ...all, from: unixMs(newYear - 1), to: newYear })
    await assertPage(stored, { ...all, topics: [] })
    await assertPage(stored, { ...all, topics: ["'; DROP TABLE samples; --"] })
    await assertPage([elsewhere], pageOf(elsewhere.installation_id))
  })

  test('a repeated sample is one row with the later id, and a repeated batch changes nothing', async () => {
    const installation_id = nextNumber()
    const at = unixMs(1_700_000_000_000)
    const one = sample({ installation_id, timestamp: at, value: 1 })
    const two = sample({ installation_id, timestamp: at, value: 2 })
    const again = { ...one, id: nextNumber() }
    await append([one, two, one], 'the same token')
    await append([again])
    await append([sample({ installation_id, value: 3 })], 'the same token')
    await assertPage([two, again], pageOf(installation_id))
    assert.deepEqual(await latestOf(installation_id), [again])
  })

  test('the latest value has the greatest timestamp, or with equal timestamps the later arrival', async () => {
    const installation_id = nextNumber()
    const at = (topic: string, seconds: number, value: number) =>
      sample({
        installation_id,
        topic,
        value,
        timestamp: unixMs(1_700_000_000_000 + seconds * SECOND)
      })
    const late = at('7/obj/late', 100, 2)
    const tie = at('7/obj/tie', 100, 2)
    const tieInBatch = at('7/obj/batch', 100, 1)
    await append([at('7/obj/late', 90, 1), late, at('7/obj/tie', 100, 9)])
    await append([at('7/obj/late', 99, 3), tie, at('7/obj/batch', 100, 2), tieInBatch])
    assert.deepEqual(await latestOf(installation_id), [tieInBatch, late, tie])
  })

  test('erase removes everything of one installation and nothing else', async () => {
    const [gone, kept] = [nextNumber(), nextNumber()]
    const ofKept = sample({ installation_id: kept })
    await append([sample({ installation_id: gone }), ofKept])
    await history.erase(gone)
    await assertPage([], pageOf(gone))
    await assertPage([ofKept], pageOf(kept))
    assert.deepEqual(await latestOf(gone), [])
    assert.deepEqual(await latestOf(kept), [ofKept])

    const afterwards = sample({ installation_id: gone })
    await append([afterwards])
    await assertPage([afterwards], pageOf(gone))
  })

  test('dropBefore removes only whole months that are over', async () => {
    const installation_id = nextNumber()
    const at = (month: number, day: number) =>
      sample({ installation_id, timestamp: unixMs(Date.UTC(1971, month, day)) })
    const stored = [at(0, 31), at(1, 1), at(1, 28), at(2, 1)]
    await append(stored)
    const drop = async (moment: number) => {
      const dropped = await history.dropBefore(unixMs(moment))
      const { months } = await history.sizes()
      const names = dropped.map(({ name }) => name)
      assert(dropped.every((month) => month.bytes > 0))
      assert(!months.some(({ name }) => names.includes(name)))
      return names
    }
    assert.deepEqual(await drop(Date.UTC(1971, 1, 20)), ['1971-01'])
    await assertPage(stored.slice(1), pageOf(installation_id))
    assert.deepEqual(await latestOf(installation_id), stored.slice(3), 'the latest value stays')
    assert.deepEqual(await drop(Date.UTC(1971, 2, 1) - 1), [], 'a month that is not over')
    assert.deepEqual(await drop(Date.UTC(1971, 2, 1)), ['1971-02'])
    assert.deepEqual(await drop(Date.UTC(1971, 2, 1)), [], 'again')
    await assertPage(stored.slice(3), pageOf(installation_id))

    const again = at(0, 5)
    await append([again])
    await assertPage([again, ...stored.slice(3)], pageOf(installation_id))
    assert.deepEqual(await drop(Date.UTC(1971, 3)), ['1971-01', '1971-03'])
    assert.deepEqual(await latestOf(installation_id), stored.slice(3), 'even without samples')
  })

  test('a batch that is sent again after its month was dropped is stored again', async () => {
    const installation_id = nextNumber()
    const stored = [sample({ installation_id, timestamp: unixMs(Date.UTC(1972, 5)) })]
    await append(stored, 'a batch of 1972')
    await history.dropBefore(unixMs(Date.UTC(1973, 0)))
    await append(stored, 'a batch of 1972')
    await assertPage(stored, pageOf(installation_id))
    await history.dropBefore(unixMs(Date.UTC(1973, 0)))
  })

  test('sizes are given by month', slow, async () => {
    const installation_id = nextNumber()
    const months = [Date.UTC(1980, 0), Date.UTC(1980, 6)]
    const bytesOf = async (name: string) =>
      (await history.sizes()).months.find((month) => month.name === name)?.bytes ?? 0
    const stored = months.flatMap((from, year) =>
      Array.from({ length: 5000 * (year + 1) }, (_, i) =>
        sample({ installation_id, timestamp: unixMs(from + i * SECOND), msg: `message ${i * 7}` })
      )
    )
    await append(stored)
    const [small, large] = [await bytesOf('1980-01'), await bytesOf('1980-07')]
    assert(small > 5000 && large > small * 1.5 && large < small * 3, `${small} ${large}`)
    const all = await history.sizes()
    assert(all.bytes >= all.months.reduce((sum, { bytes }) => sum + bytes, 0))
    assert.deepEqual(
      all.months.map(({ name }) => name),
      all.months.map(({ name }) => name).sort(),
      'oldest first'
    )

    await append(stored)
    // ClickHouse merges rows that it has already when it thinks fit.
    const most = name === 'clickhouse' ? 3 * large : 2 * large
    assert((await bytesOf('1980-07')) < most, 'sent again, not twice as large')
    await history.close()
    await open()
    assert((await bytesOf('1980-07')) < most, 'and after opening again')

    const { bytes } = await history.sizes()
    await history.dropBefore(unixMs(Date.UTC(1980, 7)))
    assert((await history.sizes()).bytes < bytes, 'space was freed')
  })

  test('erasing a large installation lets samples through in between', slow, async () => {
    const [gone, kept] = [nextNumber(), nextNumber()]
    const ofGone = Array.from({ length: 60_000 }, (_, i) =>
      sample({
        installation_id: gone,
        topic: `7/obj/${i % 3}`,
        timestamp: unixMs(1_700_000_000_000 + (i % 5) * 31 * DAY + i),
        // Many samples with the same timestamp.
        value: i
      })
    )
    await append(ofGone)
    const order: string[] = []
    const ofKept = [sample({ installation_id: kept }), sample({ installation_id: kept, value: 2 })]
    await Promise.all([
      history.erase(gone).then(() => order.push('erased')),
      append(ofKept).then(() => order.push('stored'))
    ])
    if (name === 'sqlite') assert.deepEqual(order, ['stored', 'erased'])
    await assertPage([], pageOf(gone))
    await assertPage(ofKept, pageOf(kept))
    assert.deepEqual(await latestOf(gone), [])
    await append(ofGone.slice(0, 10))
    await assertPage(ofGone.slice(0, 10), pageOf(gone))
  })

  test('a batch of 50 000 rows, and pages with a large offset', slow, async () => {
    const installation_id = nextNumber()
    const stored = Array.from({ length: 50_000 }, (_, i) =>
      sample({
        installation_id,
        topic: `7/obj/${i % 7}`,
        // A slow start, then ten samples with the same timestamp.
        timestamp: unixMs(
          1_700_000_000_000 + (i < 100 ? i * HOUR : 100 * HOUR + Math.floor(i / 10))
        ),
        value: i
      })
    )
    await append(stored)
    const query = { ...pageOf(installation_id), limit: 1000, offset: 500 }
    await assertPage(stored, { ...query, order: 'desc' })
    for (const offset of [0, 50, 1500, 30_000, 48_990, 49_999]) {
      await assertPage(stored, { ...query, offset })
      await assertPage(stored, { ...query, offset, topics: ['7/obj/1', '7/obj/3'] })
    }
  })

  test('one batch can have timestamps of 150 months', async () => {
    const installation_id = nextNumber()
    const stored = Array.from({ length: 150 }, (_, i) =>
      sample({ installation_id, timestamp: unixMs(Date.UTC(2000, i, 1)) })
    )
    await append(stored)
    await assertPage(stored, { ...pageOf(installation_id), order: 'desc', limit: 20, offset: 70 })
  })

  test('an abort rejects with its reason and leaves history working', async () => {
    const installation_id = nextNumber()
    const reason = new Error('caller hung up')
    const aborted = AbortSignal.abort(reason)
    await assert.rejects(history.readPage(pageOf(installation_id), aborted), reason)

    const controller = new AbortController()
    const [running, waiting] = [0, 1].map(() =>
      history.readPage(pageOf(installation_id), controller.signal)
    )
    controller.abort(reason)
    await assert.rejects(running ?? assert.fail(), reason)
    await assert.rejects(waiting ?? assert.fail(), reason)
    await assertPage([], pageOf(installation_id))
  })

  test('a page of texts that would not fit into memory is refused', slow, async () => {
    const installation_id = nextNumber()
    const msg = 'x'.repeat(1_000_000)
    const stored = Array.from({ length: 80 }, (_, i) =>
      sample({ installation_id, msg, timestamp: unixMs(1_700_000_000_000 + i) })
    )
    for (let i = 0; i < 80; i += 20) await append(stored.slice(i, i + 20))
    const query = pageOf(installation_id)
    await assert.rejects(history.readPage(query), PageTooLarge)
    await assertPage(stored, { ...query, limit: 5, offset: 3 })
  })

  describe('count, total and rows of a page belong to the same moment while samples arrive', () => {
    const BATCH = 7
    const BATCHES = 40
    /** If an engine is slow, fewer batches are enough. */
    const ENOUGH_MS = 5 * SECOND
    const begin = Date.UTC(2024, 0)
    const window = { from: unixMs(begin), to: unixMs(begin + BATCH * BATCHES * SECOND) }
    const parts = [
      { limit: 5, offset: 0 },
      { limit: 10_000, offset: 0 },
      { limit: BATCH, offset: BATCH },
      { limit: 10_000, offset: 60 },
      { limit: 10, offset: BATCH * BATCHES - 3 },
      { limit: 10, offset: BATCH * BATCHES * 2 }
    ]
    const inBuckets = { method: { name: 'max' }, buckets: { ms: SECOND } } as const
    const kinds = {
      raw: (query: PageQuery) => history.readPage(query),
      aggregated: (query: PageQuery) => history.aggregate({ ...query, ...inBuckets })
    }

    /** Reads until everything is stored. */
    async function readWhile(
      arriving: Promise<unknown>,
      read: (query: PageQuery) => Promise<Page>,
      check: (page: Page, query: PageQuery) => void
    ) {
      let isOver = false
      const end = arriving.finally(() => {
        isOver = true
      })
      const readers = (['asc', 'desc'] as const).map(async (order) => {
        for (let i = 0; !isOver; i = (i + 1) % parts.length) {
          const query = { ...pageOf(installation_id), ...window, order, ...parts[i] }
          const page = await read(query)
          const seen = `${JSON.stringify(query)} ${page.total} ${page.count}`
          const reached = query.offset + page.count
          if (page.count > 0) assert(page.total >= reached, seen)
          if (page.count > 0 && page.count < query.limit) assert.equal(page.total, reached, seen)
          if (page.count === 0) assert(page.total <= query.offset, seen)
          check(page, query)
        }
      })
      await Promise.all([end, ...readers])
    }
    let installation_id = 0

    for (const [kind, read] of Object.entries(kinds)) {
      test(`${kind} with one sample per second`, slow, async () => {
        installation_id = nextNumber()
        let stored = 0
        const arrive = async (end = Date.now() + ENOUGH_MS) => {
          while (stored < BATCH * BATCHES && Date.now() < end) {
            const first = stored + 1
            const batch = Array.from({ length: BATCH }, (_, i) => first + i)
            await append(
              batch.map((value) =>
                sample({
                  ...{ installation_id, value, topic: `7/obj/${value % 3}` },
                  timestamp: unixMs(begin + value * SECOND)
                })
              )
            )
            stored += BATCH
          }
        }
        await readWhile(arrive(), read, ({ total, count, rows }, { order, offset, limit }) => {
          const found: { value: number }[] = JSON.parse(`[${rowsText({ rows })}]`)
          // Each value is its own number, so the total says which values the page must have.
          const want = Array.from(
            { length: Math.max(0, Math.min(limit, total - offset)) },
            (_, i) => (order === 'asc' ? offset + 1 + i : total - offset - i)
          )
          assert.deepEqual(
            found.map(({ value }) => value),
            want
          )
          assert.equal(count, want.length)
          if (count > 0) assert.equal(total % BATCH, 0, 'a batch is there whole or not at all')
        })
        const { total } = await read({ ...pageOf(installation_id), ...window })
        assert.equal(total, stored)
      })

      test(`${kind} in any order and with equal timestamps`, async () => {
        installation_id = nextNumber()
        const arrive = async (end = Date.now() + ENOUGH_MS) => {
          for (let first = 0; first < BATCH * BATCHES && Date.now() < end; first += BATCH) {
            const batch = Array.from({ length: BATCH }, (_, i) => first + i)
            await append(
              batch.map((value) =>
                sample({
                  ...{ installation_id, value, topic: `7/obj/${value % 2}` },
                  timestamp: unixMs(begin + ((value * 37) % 50) * SECOND)
                })
              )
            )
          }
        }
        await readWhile(arrive(), read, () => {})
      })
    }
  })

  test('any page of any samples equals the model', async () => {
    const property = fc.asyncProperty(
      batches,
      fc.array(queries, { minLength: 4 }),
      async (...given) => {
        const [sent, asked] = given
        const installation_id = nextNumber()
        const arrived = sent.map((batch) =>
          batch.map((fields) => sample({ ...fields, installation_id }))
        )
        for (const batch of arrived) await append(batch)
        for (const query of asked) {
          await assertPage(withoutResent(arrived.flat()), { ...query, installation_id })
        }
      }
    )
    await fc.assert(property, { numRuns: rounds(150) })
  })

  test('everything is there after closing and opening again', async () => {
    const installation_id = nextNumber()
    const stored = [sample({ installation_id })]
    await append(stored, 'before closing')
    await history.close()
    await open()
    await append([sample({ installation_id, value: 7 })], 'before closing')
    await assertPage(stored, pageOf(installation_id))
    assert.deepEqual(await latestOf(installation_id), stored)
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

const upTo = (id: number): Ids => idsOf(() => id)

const pageOf = (installation_id: number): PageQuery => ({
  installation_id,
  topics: undefined,
  from: unixMs(0),
  to: unixMs(Date.UTC(2100, 0)),
  order: 'asc',
  limit: 10_000,
  offset: 0
})

const bytes = (text: string) => Buffer.from(text)

const compareSamples = (a: Sample, b: Sample): number =>
  a.timestamp - b.timestamp || Buffer.compare(bytes(a.topic), bytes(b.topic)) || a.id - b.id

/** Computes a page in the simplest way, to compare with. */
function expectedPage(stored: readonly Sample[], query: PageQuery) {
  const matching = stored
    .filter(({ timestamp }) => timestamp >= query.from && timestamp <= query.to)
    .filter(({ topic }) => query.topics?.includes(topic) ?? true)
    .sort(compareSamples)
  if (query.order === 'desc') matching.reverse()
  const page = matching.slice(query.offset, query.offset + query.limit)
  const oldest = page.length > 0 ? Math.min(...page.map(({ timestamp }) => timestamp)) : undefined
  const rows = page.map((sample) => JSON.parse(statusJson(sample)))
  return { total: matching.length, count: page.length, oldest, rows }
}

function withoutResent(arrived: readonly Sample[]): Sample[] {
  const byContent = new Map<string, Sample>()
  for (const sample of arrived) {
    const { topic, timestamp, value, msg } = sample
    byContent.set(JSON.stringify([topic, timestamp, value, msg]), sample)
  }
  return [...byContent.values()]
}

// Few different ones, so that samples are often equal. The last two topics sort differently in UTF-8 and UTF-16.
const moments = fc
  .constantFrom(
    ...[0, 1, Date.UTC(2024, 0) - 1, Date.UTC(2024, 0), Date.UTC(2024, 0) + 1, Date.UTC(2024, 3)]
  )
  .map((ms) => ms as UnixMs)
const topics = fc.constantFrom('7/obj/a', '7/obj/a/b', '7/obj/\uffee', '7/obj/😀')
const batches = fc.array(
  fc.array(
    fc.record({
      topic: topics,
      timestamp: moments,
      value: fc.constantFrom(0, 1, -2.5, 1e-9),
      msg: fc.oneof(fc.constantFrom('', 'x'), fc.string({ unit: 'grapheme' }))
    }),
    { minLength: 1, maxLength: 30 }
  ),
  { minLength: 1, maxLength: 3 }
)
const queries = fc.record({
  topics: fc.option(fc.uniqueArray(topics), { nil: undefined }),
  from: moments,
  to: moments,
  order: fc.constantFrom('asc', 'desc'),
  limit: fc.nat(40),
  offset: fc.nat(10)
})
