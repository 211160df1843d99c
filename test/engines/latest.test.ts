import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import type { History } from '../../src/history/history.ts'
import { Latest } from '../../src/history/latest/latest.ts'
import { MAX_PENDING } from '../../src/history/latest/pending.ts'
import { fewLatest, latestTexts } from '../../src/history/latest/texts.ts'
import { Topics } from '../../src/history/latest/topics.ts'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import {
  decodeSamples,
  encodeSample,
  MAX_MSG_BYTES,
  type Sample,
  statusJson
} from '../../src/lib/sample.ts'
import { topicMatches } from '../../src/lib/topic.ts'
import { DAY, SECOND, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Mover } from '../../src/samples/mover.ts'
import { onEveryHistory } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { rounds, slow } from '../support/rounds.ts'

const MIB = 1024 * 1024

const sample = (id: number, topic: string, msg = ''): Sample => ({
  ...{ id, installation_id: 7, client_id: 1007, topic: `1007/obj/${topic}` },
  ...{ timestamp: unixMs(id * 1000), value: id, msg }
})
const long = (id: number) => `${id} ${'x'.repeat(MAX_MSG_BYTES - 10)}`

onEveryHistory('latest values', ({ url, open }) => {
  const opened = async (t: TestContext) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const history = await open({ url: await url(), dataDir })
    t.after(() => history.close())
    return { history, dataDir }
  }

  test('long messages are read completely from history or spool', slow, async (t) => {
    const { history, dataDir } = await opened(t)
    const spool = await Spool.open(dataDir)
    t.after(() => spool.close())
    const latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
    const parts = { latest, history, spool }
    // More messages than are kept in memory, in several groups; short ones replace some of them.
    const samples = Array.from({ length: 400 }, (_, i) => sample(i + 1, `t${i}`, long(i + 1)))
    const short = samples
      .slice(0, 50)
      .map(({ topic }, i) => ({ ...sample(1000 + i, '', 'short'), topic }))
    for (const part of [samples.slice(0, 150), samples.slice(150), short]) {
      await Promise.all(part.map((one) => spool.append(encodeSample(one), one.id)))
      latest.put(part)
    }
    const topics = await latest.open(7)
    const held = samples.filter(({ topic }) => {
      const found = topics.find(topic)
      return found && found.msg === undefined && latest.recentMsg(found) !== undefined
    })
    assert(held.length > 0 && held.length < 200, `${held.length} in memory`)
    const newest = [...short, ...samples.slice(50)].sort((a, b) => (a.topic < b.topic ? -1 : 1))
    const want = newest.map(statusJson)
    const read = async (filters?: string[]) => {
      const found: string[] = []
      for await (const text of latestTexts(parts, 7, filters)) {
        assert(text.length < 2 * 1024 * 1024, 'a part is small')
        found.push(text)
      }
      return found.join()
    }
    const assertAll = async (where: string) => assert((await read()) === want.join(), where)
    await assertAll('all in the spool')
    for (let moved = 0; ; moved++) {
      const batch = await spool.take(MOVER, { maxSamples: 200, maxBytes: 16 * 1024 * 1024 })
      if (!batch) break
      await history.append(Buffer.from(batch.rows), batch.token)
      latest.moved(Math.max(...[...decodeSamples(Buffer.from(batch.rows))].map(({ id }) => id)))
      await assertAll(`${moved} batches in history and in the spool`)
      await spool.pass(MOVER, batch)
      await assertAll(`${moved} batches in history`)
    }
    const filters = ['1007/obj/t1', '1007/+/t399', '1007/obj/t60', '1007/obj/missing']
    assert.equal(
      await read(filters),
      newest
        .filter(({ topic }) => filters.some((filter) => topicMatches(filter, topic)))
        .map(statusJson)
        .join()
    )

    parts.latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
    await assertAll('after a start')
    const of = await history.latestOf(7, ['1007/obj/t60', '1007/obj/missing'])
    assert.deepEqual(of, [samples[60]])
    assert.deepEqual(await history.latestOf(8, ['1007/obj/t60']), [])
  })

  test('latest values are what brute force finds, after any changes', async (t) => {
    const { history, dataDir } = await opened(t)
    const spool = await Spool.open(dataDir)
    t.after(() => spool.close())
    let installations = 0
    await fc.assert(
      fc.asyncProperty(fc.array(changes, { maxLength: 30 }), async (changes) => {
        installations += 2
        const world = new World({ history, spool, first: installations })
        for (const change of changes) await world.do(change)
        await world.check()
        await world.do({ kind: 'move' })
        await world.check()
        world.restart()
        await world.check()
      }),
      { numRuns: rounds(40, 10) }
    )
  })

  test('values of an installation are read in parts, and counted with others', slow, async (t) => {
    const { history } = await opened(t)
    const samples = Array.from({ length: 1200 }, (_, i) =>
      sample(i + 1, `t${i}`, i === 7 ? long(7) : 'x')
    )
    const other = { ...sample(5000, ''), installation_id: 8, topic: '1008/obj/a' }
    await history.append(Buffer.from([...samples, other].map(encodeSample).join('')), 'all')
    const latest = new Latest({ history, clock: systemClock, isShared: true, maxBytes: MIB })
    const topics = await latest.open(7)
    assert.deepEqual(await topics.matching(undefined), samples.map(({ topic }) => topic).sort())
    assert.deepEqual(topics.find('1007/obj/t8'), samples[8])
    assert.equal(topics.find('1007/obj/t7')?.msg, undefined)
    const fresh = await latest.freshness([6, 7, 8], unixMs(1_000_000))
    assert.deepEqual(
      fresh.toSorted((a, b) => a.installation_id - b.installation_id),
      [
        { installation_id: 7, topics: 1200, silent: 999, last: 1_200_000 },
        { installation_id: 8, topics: 1, silent: 0, last: 5_000_000 }
      ]
    )
    // Another node stores a value.
    const newer = sample(6000, 't8')
    await history.append(Buffer.from(encodeSample(newer)), 'of another node')
    await eventually(async () => assert.equal((await latest.open(7)).find(newer.topic)?.id, 6000))
  })

  test('a timestamp in the future does not hide current values', slow, async (t) => {
    const { history } = await opened(t)
    const now = systemClock()
    const at = (id: number, topic: string, timestamp: number) => ({
      ...sample(id, topic),
      timestamp: unixMs(timestamp)
    })
    const current = [at(2, 'a', now - SECOND), at(3, 'a', now - 2 * SECOND)]
    const ahead = [at(1, 'a', now + DAY), at(4, 'b', now + DAY)]
    for (const one of [...ahead, ...current]) {
      await history.append(Buffer.from(encodeSample(one)), `batch ${one.id}`)
    }
    const latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
    const topics = await latest.open(7)
    assert.deepEqual(
      ['a', 'b'].map((topic) => topics.find(`1007/obj/${topic}`)?.id),
      [2, 4]
    )
    assert.deepEqual(await history.latestOf(7, ['1007/obj/a']), [current[0]])
  })
})

type Change =
  | { kind: 'send' | 'import'; house: number; topic: string; at: number }
  | { kind: 'repeat' | 'move' | 'restart' }
  | { kind: 'drop' }
  | { kind: 'look' | 'erase'; house: number }
  | { kind: 'remove'; house: number; from: number; to: number }

const house = fc.constantFrom(0, 1)
const minute = fc.integer({ min: 1, max: 90_000 })
const sending = fc.record({
  kind: fc.constantFrom('send', 'send', 'import'),
  house,
  topic: fc.constantFrom('a', 'b', 'c'),
  at: minute
})
const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: sending },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('repeat', 'move', 'restart') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('look', 'look', 'erase'), house }) },
  {
    weight: 2,
    arbitrary: fc.tuple(house, minute, minute).map(([house, a, b]) => ({
      kind: 'remove' as const,
      house,
      from: Math.min(a, b),
      to: Math.max(a, b)
    }))
  }
)

/** Two installations with real history and spool, and a list of their samples as the model. */
class World {
  readonly #history: History
  readonly #spool: Spool
  readonly #first: number
  readonly #mover: Mover
  #latest!: Latest
  #samples: Sample[] = []
  /** Latest values whose samples are dropped. */
  #kept: Sample[] = []

  constructor({ history, spool, first }: { history: History; spool: Spool; first: number }) {
    this.#history = history
    this.#spool = spool
    this.#first = first
    this.#mover = new Mover({
      ...{
        spool,
        history,
        metrics: new Metrics(),
        hasRoom: () => true,
        log: pino({ level: 'silent' })
      },
      onMoved: (lastId) => this.#latest.moved(lastId)
    })
    this.#latest = this.#newLatest()
  }

  async do(change: Change): Promise<void> {
    if (change.kind === 'send') return this.#send(this.#sampleOf(change))
    if (change.kind === 'import') return this.#import(this.#sampleOf(change))
    if (change.kind === 'repeat') return this.#repeat()
    if (change.kind === 'move') return this.#mover.flush()
    if (change.kind === 'restart') return this.#readSpool()
    if (change.kind === 'drop') return this.#drop()
    if (change.kind === 'look') {
      await fewLatest(await this.#latest.open(this.#first + change.house))
      return
    }
    if (change.kind === 'erase') return this.#erase(this.#first + change.house)
    if (change.kind === 'remove')
      return this.#remove(this.#first + change.house, unixMs(change.from), unixMs(change.to))
  }

  /** What was put into memory is gone, and all is in history. */
  restart(): void {
    this.#latest = this.#newLatest()
  }

  async check(): Promise<void> {
    for (const id of [this.#first, this.#first + 1]) {
      const want = new Map<string, Sample>()
      for (const one of [...this.#kept, ...this.#samples]) {
        const before = want.get(one.topic)
        if (one.installation_id === id && (!before || one.timestamp >= before.timestamp))
          want.set(one.topic, one)
      }
      const topics = await this.#latest.open(id)
      const found = (await topics.matching(undefined)).map((topic) => topics.find(topic))
      const sorted = [...want.values()].sort((a, b) => (a.topic < b.topic ? -1 : 1))
      assert.deepEqual(
        found.map((held) => held && [held.topic, held.timestamp, held.value]),
        sorted.map(({ topic, timestamp, value }) => [topic, timestamp, value])
      )
      assert.equal(await fewLatest(topics), `[${sorted.map(statusJson)}]`)
      const fresh = await this.#latest.freshness([id], unixMs(0))
      assert.equal(fresh[0]?.topics ?? 0, want.size, 'it is in memory now')
    }
  }

  /** So little memory that only one installation stays. */
  #newLatest(): Latest {
    return new Latest({ history: this.#history, clock: systemClock, isShared: false, maxBytes: 1 })
  }

  #sampleOf({ house, topic, at }: { house: number; topic: string; at: number }): Sample {
    const installation_id = this.#first + house
    // A time belongs to one value, so that equal times are equal samples.
    return {
      ...{ id: nextId++, installation_id, client_id: installation_id, value: at, msg: '' },
      ...{ topic: `${installation_id}/obj/${topic}`, timestamp: unixMs(at) }
    }
  }

  async #send(one: Sample): Promise<void> {
    await this.#spool.append(encodeSample(one), one.id)
    this.#latest.put([one])
    this.#samples.push(one)
  }

  async #import(one: Sample): Promise<void> {
    await this.#history.append(Buffer.from(encodeSample(one)), `import ${one.id}`)
    this.#latest.stored(one)
    this.#samples.push(one)
  }

  async #repeat(): Promise<void> {
    const [first] = this.#samples
    if (first) await this.#send({ ...first, id: nextId++ })
  }

  async #readSpool(): Promise<void> {
    this.#latest = this.#newLatest()
    for await (const rows of this.#spool.rows()) {
      this.#latest.put(decodeSamples(rows))
    }
  }

  /** All samples are of one month, so all of those in history go, and the latest values stay. */
  async #drop(): Promise<void> {
    await this.#mover.flush()
    await this.#history.dropBefore(unixMs(400 * DAY))
    const newest = new Map<string, Sample>()
    for (const one of [...this.#kept, ...this.#samples]) {
      const before = newest.get(one.topic)
      if (!before || one.timestamp >= before.timestamp) newest.set(one.topic, one)
    }
    this.#kept = [...newest.values()]
    this.#samples = []
  }

  async #erase(id: number): Promise<void> {
    await this.#mover.flush()
    await this.#history.erase(id)
    this.#latest.erase(id)
    const isOther = ({ installation_id }: Sample) => installation_id !== id
    this.#samples = this.#samples.filter(isOther)
    this.#kept = this.#kept.filter(isOther)
  }

  async #remove(installation_id: number, from: UnixMs, to: UnixMs): Promise<void> {
    await this.#mover.flush()
    await this.#history.remove({ installation_id, topics: undefined, from, to })
    this.#latest.forget(installation_id)
    const stays = (one: Sample) =>
      one.installation_id !== installation_id || one.timestamp < from || one.timestamp > to
    this.#samples = this.#samples.filter(stays)
    this.#kept = this.#kept.filter(stays)
  }
}

let nextId = 1

test('the memory of latest values is limited, however many installations are asked for', async () => {
  const history = {
    latestIn: async (installation_id: number, after: string) =>
      after === ''
        ? Array.from({ length: 100 }, (_, i) => ({
            ...sample(i + 1, `t${i}`, 'm'.repeat(100)),
            installation_id
          }))
        : [],
    freshness: async () => []
  }
  const latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
  for (let id = 1; id <= 100; id++) {
    const topics = await latest.open(id)
    assert.equal(topics.size, 100)
    // The text counts too.
    const { bytes } = topics
    const text = await fewLatest(topics)
    assert.equal(topics.bytes, bytes + (text?.length ?? 0))
  }
  assert(latest.bytes > MIB / 2 && latest.bytes <= MIB, `${latest.bytes} bytes`)
  assert.equal(latest.cached(1), undefined)
  assert(latest.cached(100))
  // Values that grow push others out too.
  for (let i = 0; i < 20_000; i++)
    latest.put([{ ...sample(1000 + i, `u${i}`), installation_id: 100 }])
  assert.equal(latest.cached(99), undefined)
  for (let id = 1; id <= 100; id++) latest.erase(id)
  assert.equal(latest.bytes, 0)
})

test('while history takes no samples, the values that wait in memory are limited', async () => {
  const history = { latestIn: async () => [], freshness: async () => [] }
  const latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
  for (let i = 0; i < MAX_PENDING + 10; i++) latest.put([sample(i + 1, `t${i}`)])
  assert.equal(latest.pendingTopics(7), MAX_PENDING)
  latest.put([sample(MAX_PENDING + 100, 't0')])
  assert.equal((await latest.open(7)).find('1007/obj/t0')?.id, MAX_PENDING + 100)
  latest.moved(1000)
  assert.equal(latest.pendingTopics(7), MAX_PENDING - 999)
})

test('what is put while values are read is not lost, and what is removed does not come back', async () => {
  const gate = Promise.withResolvers<void>()
  const history = {
    latestIn: async (_id: number, after: string) => {
      await gate.promise
      return after === '' ? [sample(1, 'a'), sample(2, 'b')] : []
    },
    freshness: async () => []
  }
  const latest = new Latest({ history, clock: systemClock, isShared: false, maxBytes: MIB })
  latest.put([sample(3, 'a')])
  const opening = latest.open(7)
  latest.put([sample(4, 'c')])
  latest.moved(4)
  gate.resolve()
  const topics = await opening
  assert.deepEqual(
    ['a', 'b', 'c'].map((topic) => topics.find(`1007/obj/${topic}`)?.id),
    [3, 2, 4]
  )
  latest.forget(7)
  const again = latest.open(7)
  latest.forget(7)
  await again
  assert.equal(latest.cached(7), undefined)
})

test('a text of latest values that was made before one of them changed is not kept', async () => {
  const topics = new Topics()
  topics.put(sample(1, 'a'), unixMs(0))
  const text = fewLatest(topics)
  topics.put(sample(2, 'a'), unixMs(0))
  await text
  assert.equal(await fewLatest(topics), `[${statusJson(sample(2, 'a'))}]`)
  assert.equal(topics.text, await fewLatest(topics))
})
