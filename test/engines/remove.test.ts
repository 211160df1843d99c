import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { History, RemovalQuery } from '../../src/history/history.ts'
import { decodeSamples, encodeSample, type Sample } from '../../src/lib/sample.ts'
import { DAY, HOUR, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'

onEveryHistory('removal', removalBehaviour)

const NOON = Date.UTC(2024, 0, 15, 12)
const [A, B] = ['7/obj/a', '7/obj/b']

function removalBehaviour({ name, url, open }: EngineUnderTest) {
  let where: { url: string; dataDir: string }
  let history: History
  before(async () => {
    where = { url: await url(), dataDir: await mkdtemp(join(tmpdir(), 'remove-')) }
    history = await open(where)
  })
  after(async () => {
    await history.close()
    await rm(where.dataDir, { recursive: true })
  })

  const append = (samples: readonly Sample[], token = `batch ${nextNumber()}`) =>
    history.append(Buffer.from(samples.map(encodeSample).join('')), token)

  const remove = (installation_id: number, query: Partial<RemovalQuery> = {}) =>
    history.remove({ ...always, ...query, installation_id, topics: query.topics })

  const latestOf = async (installation_id: number) => {
    const found: Sample[] = []
    for await (const chunk of history.latest()) {
      found.push(...chunk.filter((sample) => sample.installation_id === installation_id))
    }
    return found.sort(compareSamples)
  }

  const page = async (installation_id: number, topics?: string[]) => {
    const query = { ...always, installation_id, topics, limit: 10_000, offset: 0 }
    const { total, count, rows } = await history.readPage({ ...query, order: 'asc', withIds: true })
    const read: { id: number }[] = JSON.parse(`[${rowsText({ rows })}]`)
    assert.deepEqual([total, count], [read.length, read.length])
    return read.map(({ id }) => id)
  }

  /** The page has exactly these samples, and the latest value of each topic is one of them. */
  const assertStored = async (installation_id: number, stored: readonly Sample[]) => {
    assert.deepEqual(await page(installation_id), idsOf(stored.toSorted(compareSamples)))
    assert.deepEqual(await latestOf(installation_id), newestOf(stored))
  }

  /** One sample an hour on two topics. */
  const series = (installation_id: number, hours: number) =>
    Array.from({ length: hours }, (_, hour) =>
      [A, B].map((topic) =>
        sample({ installation_id, topic, timestamp: atHour(hour), value: hour })
      )
    ).flat()

  test('a stretch is removed with both of its ends, on all topics or on some', slow, async () => {
    const [all, some, other] = [nextNumber(), nextNumber(), nextNumber()]
    const [ofAll, ofSome, ofOther] = [series(all, 10), series(some, 10), series(other, 10)]
    await append([...ofAll, ...ofSome, ...ofOther])
    const stretch = { from: atHour(3), to: atHour(6) }
    const isIn = ({ timestamp }: Sample) => timestamp >= stretch.from && timestamp <= stretch.to

    assert.equal(await remove(all, stretch), 8)
    await assertStored(
      all,
      ofAll.filter((one) => !isIn(one))
    )
    assert.equal(await remove(all, stretch), 0, 'again')

    assert.equal(await remove(some, { ...stretch, topics: [B, '7/obj/unknown'] }), 4)
    await assertStored(
      some,
      ofSome.filter((one) => !isIn(one) || one.topic === A)
    )
    assert.deepEqual(await page(some, [A]), idsOf(ofSome.filter(({ topic }) => topic === A)))

    const millisecond = { from: unixMs(atHour(8) - 1), to: unixMs(atHour(8) - 1) }
    assert.equal(await remove(all, millisecond), 0)
    assert.equal(await remove(all, { from: atHour(8), to: atHour(8) }), 2)
    await assertStored(other, ofOther)
  })

  test('nothing that matches is 0, and an empty list of topics matches nothing', async () => {
    const [installation_id, unknown] = [nextNumber(), nextNumber()]
    const stored = series(installation_id, 2)
    await append(stored)
    assert.equal(await remove(unknown), 0)
    assert.equal(await remove(installation_id, { topics: [] }), 0)
    assert.equal(await remove(installation_id, { topics: ["'; DROP TABLE samples; --"] }), 0)
    assert.equal(await remove(installation_id, { from: atHour(5), to: atHour(9) }), 0)
    assert.equal(await remove(installation_id, { from: atHour(1), to: atHour(0) }), 0)
    await assertStored(installation_id, stored)
  })

  test('the latest value becomes the newest remaining sample, also in an earlier month, or none', async () => {
    const installation_id = nextNumber()
    const at = (topic: string, month: number, value: number) =>
      sample({ installation_id, topic, value, timestamp: unixMs(Date.UTC(2024, month, 20)) })
    const [january, tie] = [at(A, 0, 1), at(A, 0, 2)]
    const [may, june] = [at(A, 4, 3), at(A, 5, 4)]
    const onlyJune = at(B, 5, 5)
    await append([june, january, tie, may, onlyJune])
    const since = (month: number) => ({
      from: unixMs(Date.UTC(2024, month)),
      to: unixMs(Date.UTC(2025, 0))
    })
    assert.equal(await remove(installation_id, since(5)), 2)
    assert.deepEqual(await latestOf(installation_id), [may], 'a topic without samples has none')
    assert.equal(await remove(installation_id, since(3)), 1)
    assert.deepEqual(await latestOf(installation_id), [tie], 'of equal times the later arrival')
    await history.close()
    history = await open(where)
    await assertStored(installation_id, [january, tie])
    assert.equal(await remove(installation_id), 2)
    await assertStored(installation_id, [])
    assert.deepEqual(await history.latestOf(installation_id, [A, B]), [])
  })

  test('an older sample does not hide a latest value that stays', async () => {
    const installation_id = nextNumber()
    const stored = series(installation_id, 6)
    await append(stored)
    assert.equal(await remove(installation_id, { from: atHour(0), to: atHour(2) }), 6)
    assert.deepEqual(await latestOf(installation_id), newestOf(stored))
  })

  test('a latest value without samples is removed too', async () => {
    const installation_id = nextNumber()
    const kept = [A, B].map((topic) => sample({ installation_id, topic, timestamp: atHour(1) }))
    await history.keepLatest(Buffer.from(kept.map(encodeSample).join('')), `batch ${nextNumber()}`)
    assert.equal(await remove(installation_id, { topics: [A] }), 0)
    assert.deepEqual(await latestOf(installation_id), kept.slice(1))
  })

  test('keepsLatest removes samples and leaves the latest values', async () => {
    const installation_id = nextNumber()
    const stored = series(installation_id, 4)
    await append(stored)
    assert.equal(await remove(installation_id, { keepsLatest: true }), 8)
    assert.deepEqual(await page(installation_id), [])
    assert.deepEqual(await latestOf(installation_id), newestOf(stored))
    const older = sample({ installation_id, topic: A, timestamp: atHour(0) })
    await append([older])
    assert.deepEqual(await page(installation_id), [older.id])
    assert.deepEqual(await latestOf(installation_id), newestOf(stored))
  })

  test('the same samples are stored again afterwards, but not by a batch that is sent again', async () => {
    const installation_id = nextNumber()
    const stored = series(installation_id, 3)
    const token = `batch ${nextNumber()}`
    await append(stored, token)
    assert.equal(await remove(installation_id), 6)
    await append(stored, token)
    await assertStored(installation_id, [])
    await append(stored)
    await assertStored(installation_id, stored)
    assert.equal(await remove(installation_id, { topics: [A] }), 3)
    const [again, later] = [stored.slice(0, 1), sample({ installation_id, topic: A, value: 99 })]
    await append([...again, later])
    await assertStored(installation_id, [
      ...stored.filter(({ topic }) => topic === B),
      ...again,
      later
    ])
  })

  test('aggregates, scans and months no longer have what was removed', async () => {
    const installation_id = nextNumber()
    const january = series(installation_id, 10)
    const march = sample({ installation_id, topic: A, timestamp: unixMs(Date.UTC(2019, 2, 3)) })
    await append([...january, march])
    await remove(installation_id, { topics: [A], from: atHour(2), to: atHour(9) })
    const left = january.filter(({ topic, value }) => topic === B || value < 2)

    const query = { ...always, installation_id, topics: undefined, limit: 100, offset: 0 }
    const { rows, total } = await history.aggregate({
      ...{ ...query, order: 'asc', from: atHour(0), to: atHour(10) },
      ...{ method: { name: 'count' }, buckets: { ms: DAY } }
    })
    const counts: { topic: string; value: number }[] = JSON.parse(`[${rowsText({ rows })}]`)
    assert.equal(total, 2)
    assert.deepEqual(
      counts.map(({ topic, value }) => [topic, value]),
      [
        [A, 2],
        [B, 10]
      ]
    )

    let lines = ''
    for await (const part of history.scan(query, 'ndjson')) lines += part
    assert.equal(lines.trim().split('\n').length, left.length + 1)

    const read: Sample[] = []
    for await (const part of history.readMonth('2024-01')) read.push(...decodeSamples(part.rows))
    const ours = read.filter((one) => one.installation_id === installation_id)
    assert.deepEqual(idsOf(ours.sort(compareSamples)), idsOf(left.sort(compareSamples)))
  })

  test('samples are stored while a long stretch is removed', slow, async () => {
    const installation_id = nextNumber()
    const long = Array.from({ length: 60_000 }, (_, i) =>
      sample({
        installation_id,
        topic: `7/obj/${i % 3}`,
        timestamp: unixMs(NOON + (i % 5) * 31 * DAY + i * SECOND),
        value: i
      })
    )
    await append(long)
    const order: string[] = []
    const later = sample({ installation_id, timestamp: unixMs(Date.UTC(2025, 0)) })
    const to = unixMs(Date.UTC(2024, 11))
    const [removed] = await Promise.all([
      remove(installation_id, { to }).finally(() => order.push('removed')),
      append([later]).then(() => order.push('stored'))
    ])
    assert.equal(removed, long.length)
    if (name === 'sqlite') assert.deepEqual(order, ['stored', 'removed'])
    await assertStored(installation_id, [later])
  })

  test('more topics than fit into one statement', slow, async () => {
    const installation_id = nextNumber()
    const topics = Array.from({ length: 1500 }, (_, i) => `7/obj/${'long/'.repeat(20)}${i}`)
    const stored = topics.flatMap((topic) =>
      [1, 2].map((hour) => sample({ installation_id, topic, timestamp: atHour(hour) }))
    )
    await append(stored)
    const chosen = topics.slice(100)
    assert.equal(
      await remove(installation_id, { topics: chosen, from: atHour(2), to: atHour(2) }),
      1400
    )
    const gone = new Set(chosen)
    await assertStored(
      installation_id,
      stored.filter(({ topic, timestamp }) => !gone.has(topic) || timestamp < atHour(2))
    )
    assert.equal(await remove(installation_id), 1600)
    await assertStored(installation_id, [])
  })

  test('any removals of any samples leave what the model leaves', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const installation_id = nextNumber()
        let stored: Sample[] = []
        for (const { batch, removal } of steps) {
          const samples = batch.map((fields) => sample({ ...fields, installation_id }))
          await append(samples)
          stored = withoutResent([...stored, ...samples])
          const isGone = ({ topic, timestamp }: Sample) =>
            (removal.topics?.includes(topic) ?? true) &&
            timestamp >= removal.from &&
            timestamp <= removal.to
          const expected = stored.filter(isGone).length
          assert.equal(await remove(installation_id, removal), expected)
          stored = stored.filter((one) => !isGone(one))
          await assertStored(installation_id, stored)
        }
      }),
      { numRuns: rounds(name === 'sqlite' ? 300 : 20) }
    )
  })
}

let lastNumber = 0
const nextNumber = () => ++lastNumber

const always = { from: unixMs(0), to: unixMs(Date.UTC(2100, 0)) }
const atHour = (hour: number): UnixMs => unixMs(NOON + hour * HOUR)

const sample = (fields: Partial<Sample>): Sample => ({
  ...{ id: nextNumber(), installation_id: 1, client_id: 7, topic: A, value: 1, msg: '' },
  timestamp: unixMs(NOON),
  ...fields
})

const bytes = (text: string) => Buffer.from(text)
const compareSamples = (a: Sample, b: Sample): number =>
  a.timestamp - b.timestamp || Buffer.compare(bytes(a.topic), bytes(b.topic)) || a.id - b.id
const idsOf = (samples: readonly Sample[]): number[] => samples.map(({ id }) => id)

/** The newest sample of each topic: the greatest timestamp, then the later arrival. */
function newestOf(samples: readonly Sample[]): Sample[] {
  const byTopic = new Map<string, Sample>()
  for (const one of samples.toSorted(compareSamples)) byTopic.set(one.topic, one)
  return [...byTopic.values()].sort(compareSamples)
}

function withoutResent(arrived: readonly Sample[]): Sample[] {
  const byContent = new Map<string, Sample>()
  for (const one of arrived) {
    const { topic, timestamp, value, msg } = one
    byContent.set(JSON.stringify([topic, timestamp, value, msg]), one)
  }
  return [...byContent.values()]
}

const moments = fc
  .constantFrom(0, 1, Date.UTC(2024, 0) - 1, Date.UTC(2024, 0), Date.UTC(2024, 3))
  .map((ms) => unixMs(ms))
const topics = fc.constantFrom(A, B, '7/obj/\uffee', '7/obj/😀')
const steps = fc.array(
  fc.record({
    batch: fc.array(
      fc.record({
        ...{ topic: topics, timestamp: moments, value: fc.constantFrom(0, 1) },
        msg: fc.constantFrom('', 'x\t\n')
      }),
      { minLength: 1, maxLength: 12 }
    ),
    removal: fc.record({
      ...{ from: moments, to: moments },
      topics: fc.option(fc.uniqueArray(topics), { nil: undefined })
    })
  }),
  { minLength: 1, maxLength: 4 }
)
