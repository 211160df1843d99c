import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import type { History } from '../../src/history/history.ts'
import { Latest } from '../../src/history/latest/latest.ts'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Metrics } from '../../src/metrics.ts'
import { Mover } from '../../src/samples/mover.ts'
import { Removals } from '../../src/samples/removals.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

const all = { topics: undefined, from: unixMs(0), to: unixMs(1e12) }
const log = pino({ level: 'silent' })

/** Two nodes with their own spools and latest values share a registry and a history. */
describe('removals on two nodes', () => {
  let platform: TestPlatform
  let history: History
  const closing: (() => Promise<unknown>)[] = []
  const newDirectory = () => {
    const directory = mkdtempSync(join(tmpdir(), 'removals-'))
    closing.push(async () => rmSync(directory, { recursive: true }))
    return directory
  }
  before(async () => {
    platform = await startTestPlatform()
    history = await openHistory({ url: '', dataDir: newDirectory() })
    closing.push(() => history.close())
  })
  after(async () => {
    for (const close of closing.reverse()) await close()
    await platform.stop()
  })

  const startNode = async () => {
    const spool = await Spool.open(newDirectory())
    closing.push(() => spool.close())
    const latest = new Latest({ history, clock: systemClock, isShared: true, maxBytes: 1e6 })
    const { registry } = platform.deps
    const onMoved = (lastId: number) => latest.moved(lastId)
    const hasRoom = () => true
    const mover = new Mover({ spool, history, metrics: new Metrics(), hasRoom, log, onMoved })
    const removals = new Removals({ registry, history, latest, mover, log })
    const acknowledge = async (sample: Sample) => {
      await spool.append(encodeSample(sample), sample.id)
      latest.put([sample])
    }
    return { latest, mover, removals, acknowledge }
  }
  const startBoth = async () => {
    const [one, two] = [await startNode(), await startNode()]
    one.removals.tellOthers(() => two.mover.flush().then(() => true))
    two.removals.tellOthers(() => one.mover.flush().then(() => true))
    const installation_id = ++lastId
    const sample = (topic: string, at: number): Sample => ({
      ...{ id: ++lastId, installation_id, client_id: 7, topic: `7/obj/${topic}` },
      ...{ timestamp: unixMs(at), value: at, msg: '' }
    })
    const read = async () => {
      const page = { ...all, installation_id, order: 'asc', limit: 0, offset: 0 } as const
      return (await history.readPage(page)).total
    }
    const shown = async ({ latest }: Pick<typeof one, 'latest'>) => {
      const topics = await latest.open(installation_id)
      return ['a', 'b', 'c'].map((topic) => topics.find(`7/obj/${topic}`)?.timestamp)
    }
    return { one, two, installation_id, sample, read, shown }
  }
  let lastId = 0

  test('what another node has acknowledged is removed too, and its latest values follow', async () => {
    const { one, two, installation_id, sample, read, shown } = await startBoth()
    const values = [sample('a', 1), sample('a', 5), sample('b', 5)]
    for (const value of values) await two.acknowledge(value)
    assert.deepEqual(await shown(two), [5, 5, undefined])
    assert.equal(
      await one.removals.remove({ ...all, installation_id, from: unixMs(2), to: unixMs(9) }),
      2
    )
    assert.deepEqual(await shown(one), [1, undefined, undefined])
    // The other node has read the old values a moment ago.
    await eventually(async () => assert.deepEqual(await shown(two), [1, undefined, undefined]))
    await two.mover.flush()
    assert.equal(await read(), 1)
  })

  test('what arrives on another node meanwhile stays', async () => {
    const { one, two, installation_id, sample, read, shown } = await startBoth()
    await two.acknowledge(sample('a', 5))
    one.removals.tellOthers(async () => {
      await two.acknowledge(sample('c', 6))
      await two.mover.flush()
      await two.acknowledge(sample('b', 7))
      return true
    })
    assert.equal(await one.removals.remove({ ...all, installation_id, to: unixMs(9) }), 2)
    await two.acknowledge(sample('a', 8))
    assert.deepEqual(await shown(two), [8, 7, undefined])
    await two.mover.flush()
    assert.equal(await read(), 2)
    await eventually(async () => assert.deepEqual(await shown(one), [8, 7, undefined]))
  })

  test('nothing is removed while a node does not answer', async () => {
    const { one, installation_id, sample, read } = await startBoth()
    await one.acknowledge(sample('a', 5))
    one.removals.tellOthers(async () => false)
    await assert.rejects(one.removals.remove({ ...all, installation_id }), Unavailable)
    one.removals.tellOthers(() => Promise.reject(new Error('the broker is away')))
    await assert.rejects(one.removals.remove({ ...all, installation_id }), Unavailable)
    assert.equal(await read(), 1)
  })

  test('after a failure the same removal takes the rest', async () => {
    const { one, installation_id, sample, read, shown } = await startBoth()
    const months = [1, 2, 3].map((month) => sample('a', Date.UTC(2001, month)))
    for (const value of months) await one.acknowledge(value)
    const query = { ...all, installation_id, to: unixMs(Date.UTC(2001, 5)) }
    const original = history.remove
    let calls = 0
    history.remove = (part) =>
      ++calls === 4 ? Promise.reject(new Error('disk I/O error')) : original.call(history, part)
    try {
      await assert.rejects(one.removals.remove(query), /disk I\/O error/)
    } finally {
      history.remove = original
    }
    const left = await read()
    assert(left > 0 && left < 3, `${left} left`)
    assert.equal((await shown(one))[0], Date.UTC(2001, 3))
    assert.equal(await one.removals.remove(query), left)
    assert.deepEqual(await shown(one), [undefined, undefined, undefined])
  })

  test('more topics than go to the engine at once', slow, async () => {
    const { one, installation_id, sample, read } = await startBoth()
    const names = Array.from({ length: 4500 }, (_, i) => `t${i}`)
    await Promise.all(names.map((name) => one.acknowledge(sample(name, 5))))
    const removed = names.slice(1).map((name) => `7/obj/${name}`)
    assert.equal(await one.removals.remove({ ...all, installation_id, topics: removed }), 4499)
    assert.equal(await read(), 1)
    const topics = await one.latest.open(installation_id)
    assert.deepEqual(await topics.matching(undefined), ['7/obj/t0'])
  })

  test('removals of one installation wait for each other; one that nobody waits for does not begin', async () => {
    const { one, installation_id, sample, read } = await startBoth()
    await one.acknowledge(sample('a', 5))
    await one.acknowledge(sample('a', 6))
    const query = { ...all, installation_id }
    const aborted = AbortSignal.abort()
    const answers = await Promise.allSettled([
      one.removals.remove({ ...query, to: unixMs(5) }),
      one.removals.remove(query, aborted),
      one.removals.remove({ ...query, from: unixMs(7) }),
      one.removals.remove({ ...query, from: unixMs(6) })
    ])
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'rejected')),
      [1, 'rejected', 0, 1]
    )
    assert.equal(await read(), 0)
  })
})
