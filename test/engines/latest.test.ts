import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { Latest, MAX_SHORT_MSG_CHARACTERS } from '../../src/history/latest/latest.ts'
import { latestTexts } from '../../src/history/latest/texts.ts'
import { MOVER } from '../../src/history/spool/groups.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { encodeSample, MAX_MSG_BYTES, type Sample, statusJson } from '../../src/lib/sample.ts'
import { topicMatches } from '../../src/lib/topic.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { onEveryHistory } from '../support/engines.ts'
import { rounds } from '../support/rounds.ts'

const sample = (id: number, topic: string, msg = ''): Sample => ({
  ...{ id, installation_id: 7, client_id: 1007, topic: `1007/obj/${topic}` },
  ...{ timestamp: unixMs(id * 1000), value: id, msg }
})
const long = (id: number) => `${id} ${'x'.repeat(MAX_MSG_BYTES - 10)}`

onEveryHistory('latest values', ({ url, open }) => {
  test('long messages are read completely from history or spool', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const history = await open({ url: await url(), dataDir })
    t.after(() => history.close())
    const spool = await Spool.open(dataDir)
    t.after(() => spool.close())
    const latest = new Latest(systemClock)
    const parts = { latest, history, spool }
    // More messages than are kept in memory, in several groups; short ones replace some of them.
    const samples = Array.from({ length: 400 }, (_, i) => sample(i + 1, `t${i}`, long(i + 1)))
    const short = samples
      .slice(0, 50)
      .map(({ topic }, i) => ({ ...sample(1000 + i, '', 'short'), topic }))
    for (const part of [samples.slice(0, 150), samples.slice(150), short]) {
      await Promise.all(part.map((one) => spool.append(encodeSample(one), one.id)))
      for (const one of part) latest.put(one)
    }
    const held = samples.filter(({ topic }) => {
      const found = latest.find(7, topic)
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

    const rebuilt = new Latest(systemClock)
    for await (const chunk of history.latest()) {
      assert(chunk.reduce((sum, { msg }) => sum + msg.length, 0) < 68 * 1024 * 1024)
      for (const one of chunk) if (one.installation_id === 7) rebuilt.load(one)
    }
    parts.latest = rebuilt
    await assertAll('after a start')
    const of = await history.latestOf(7, ['1007/obj/t60', '1007/obj/missing'])
    assert.deepEqual(of, [samples[60]])
    assert.deepEqual(await history.latestOf(8, ['1007/obj/t60']), [])
  })
})

test('the memory of a topic is limited, whatever its message', async () => {
  const text = 'm'.repeat(MAX_SHORT_MSG_CHARACTERS + 1)
  const latest = new Latest(systemClock)
  const big = `${'y'.repeat(1024 * 1024)}`
  for (let i = 0; i < 1000; i++) {
    // A part of a longer text, like the lines of a file.
    const topic = `${big}1007/obj/room/sensor-${i}`.slice(big.length)
    latest.put({ ...sample(i, ''), topic, msg: (big + i).slice(0, MAX_MSG_BYTES) })
  }
  latest.put(sample(2000, 'last', text))
  const found = latest.find(7, '1007/obj/last')
  assert.equal(found?.msg, undefined)
  assert(found && latest.recentMsg(found) === text)
  let remembered = 0
  for (const topic of await latest.topics(7, undefined)) {
    const held = latest.find(7, topic)
    if (held) remembered += 2 * (latest.recentMsg(held)?.length ?? 0)
  }
  assert(remembered <= 16 * 1024 * 1024)
  assert.equal(latest.count(7), 1001)
})

test('removed values are replaced or gone, and the topics stay sorted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (steps) => {
      const latest = new Latest(systemClock)
      let counted = 0
      latest.onCount((_id, change) => {
        counted += change
      })
      const model = new Map<string, number>()
      for (const [at, { topic, kind }] of steps.entries()) {
        const name = sample(0, topic).topic
        const held = latest.find(7, name)
        if (kind === 'put') {
          latest.put(sample(at + 100, topic))
          model.set(name, at + 100)
        } else if (kind === 'look') {
          await latest.topics(7, undefined)
        } else if (held) {
          const older = kind === 'replace' ? sample(at, topic) : undefined
          latest.replace(held, older)
          latest.replace(held, sample(99, topic))
          if (older) model.set(name, at)
          else model.delete(name)
        }
        const few = latest.few(7)
        if (few)
          assert.deepEqual(new Map(few.map(({ topic, value }) => [topic, value])), sorted(model))
      }
      assert.deepEqual(await latest.topics(7, undefined), [...sorted(model).keys()])
      assert.deepEqual(await latest.topics(7, ['1007/obj/+']), [...sorted(model).keys()])
      assert.deepEqual([latest.count(7), counted], [model.size, model.size])
      const held = await latest.within(7, { from: unixMs(0), to: unixMs(99_000) })
      assert.equal(held.length, [...model.values()].filter((value) => value < 100).length)
    }),
    { numRuns: rounds(500) }
  )
})

const sorted = (model: ReadonlyMap<string, number>) =>
  new Map([...model].sort(([a], [b]) => (a < b ? -1 : 1)))
const steps = fc.record({
  topic: fc.constantFrom('a', 'b', 'c', 'd'),
  kind: fc.constantFrom('put', 'put', 'look', 'replace', 'drop')
})
