import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Latest, MAX_SHORT_MSG } from '../../src/history/latest.ts'
import { latestTexts } from '../../src/history/latest-texts.ts'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { encodeSample, MAX_MSG_BYTES, type Sample, statusJson } from '../../src/lib/sample.ts'
import { topicMatches } from '../../src/lib/topic.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { onEveryHistory } from '../support/engines.ts'

const sample = (id: number, topic: string, msg = ''): Sample => ({
  ...{ id, installation_id: 7, client_id: 1007, topic: `1007/obj/${topic}` },
  ...{ timestamp: unixMs(id * 1000), value: id, msg }
})
const long = (id: number) => `${id} ${'x'.repeat(MAX_MSG_BYTES - 10)}`

onEveryHistory('latest values', ({ url }) => {
  test('long messages are read from history or spool, whole, wherever they are by now', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
    t.after(() => rmSync(dataDir, { recursive: true, force: true }))
    const { history } = await openHistory({ url: await url(), dataDir })
    t.after(() => history.close())
    const spool = await Spool.open(dataDir)
    t.after(() => spool.close())
    const latest = new Latest(systemClock)
    const parts = { latest, history, spool }
    // More than is remembered, in several groups; some are replaced by short ones.
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
      const batch = await spool.take({ maxSamples: 200, maxBytes: 16 * 1024 * 1024 })
      if (!batch) break
      await history.append(Buffer.from(batch.rows), batch.token)
      await assertAll(`${moved} batches in history and in the spool`)
      await spool.drop(batch)
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

test('a topic costs a bounded number of bytes, whatever its message', async () => {
  const text = 'm'.repeat(MAX_SHORT_MSG + 1)
  const latest = new Latest(systemClock)
  const big = `${'y'.repeat(1024 * 1024)}`
  for (let i = 0; i < 1000; i++) {
    // A part of a longer text, as lines of a file are.
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
