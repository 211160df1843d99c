import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import type { Static } from 'typebox'
import { type FigureName, type Figures, figures } from '../../src/features/system/figures.ts'
import { FILE_BYTES, FiguresFile, KEPT_MINUTES } from '../../src/features/system/figures-file.ts'
import { Recorder } from '../../src/features/system/recorder.ts'
import type { SystemFigures } from '../../src/features/system/state-schema.ts'
import { Quantiles } from '../../src/lib/quantiles.ts'
import { HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

const START = Date.UTC(2026, 0, 1)

const all = (value: number): Figures =>
  Object.fromEntries(figures.map(({ name }) => [name, value])) as Figures

/** A recorder whose figures are the given number, on a clock that the test sets. */
function recorderIn(directory: string) {
  const at = { now: START, value: 1 }
  const seconds: number[] = []
  const recorder = new Recorder({
    file: new FiguresFile(join(directory, 'figures.week')),
    clock: () => unixMs(at.now),
    take: async (since) => {
      seconds.push(since)
      return all(at.value)
    },
    log: pino({ level: 'silent' })
  })
  const next = async (value: number, ms: number = MINUTE) => {
    at.now += ms
    at.value = value
    await recorder.look()
  }
  const known = (hours: number, name: FigureName = 'stored_per_second') => {
    const { times, figures } = recorder.read(hours)
    return times.flatMap((time, i) => {
      const value = figures[name][i]
      return value === null ? [] : [[time - START / SECOND, value]]
    })
  }
  return { recorder, at, seconds, next, known }
}

function directoryFor(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a minute is recorded once, with the time that it really took', async (t) => {
  const { recorder, seconds, next, known } = recorderIn(directoryFor(t))
  await next(7, 30 * SECOND)
  assert.deepEqual(known(1), [])
  await next(8, 31 * SECOND)
  await next(9, SECOND)
  await next(10, 3 * MINUTE)
  assert.deepEqual(seconds, [61, 181])
  assert.deepEqual(known(1), [
    [0, 8],
    [180, 10]
  ])
  await recorder.stop()
})

test('a clock that is set back records nothing until a minute has passed', async (t) => {
  const { recorder, seconds, next } = recorderIn(directoryFor(t))
  await next(1)
  await next(2, -10 * MINUTE)
  await next(3, 30 * SECOND)
  assert.deepEqual(seconds, [60])
  await next(4)
  assert.deepEqual(seconds, [60, 90])
  await recorder.stop()
})

test('a week stays, also after a restart, and the file does not grow', async (t) => {
  const directory = directoryFor(t)
  const { recorder, next, at } = recorderIn(directory)
  for (let minute = 1; minute <= KEPT_MINUTES + 50; minute++) await next(minute)
  await recorder.stop()
  assert.equal(statSync(join(directory, 'figures.week')).size, FILE_BYTES)
  const file = new FiguresFile(join(directory, 'figures.week'))
  const last = at.now / MINUTE - 1
  const kept = file.read(0, last)
  assert.equal(kept.length, KEPT_MINUTES)
  assert.deepEqual(
    [kept[0]?.values[0], kept.at(-1)?.values[0]],
    [51, KEPT_MINUTES + 50],
    'the oldest ones are gone'
  )
  file.close()
  const again = recorderIn(directory)
  again.at.now = at.now
  const { times, step, figures } = again.recorder.read(168)
  assert(times.length <= 721, `${times.length}`)
  assert.equal(step, 14 * 60)
  assert(figures.memory_bytes.filter((value) => value !== null).length >= 719)
  await again.recorder.stop()
})

test('points of many minutes keep the mean, the worst or the least', async (t) => {
  const { recorder, next, known, at } = recorderIn(directoryFor(t))
  for (const value of [1, 5, Number.NaN, 3]) await next(value)
  at.now = START + 10 * HOUR
  const first = (name: FigureName) => known(24, name).map(([, value]) => value)
  // A day has points of two minutes.
  assert.deepEqual(first('stored_per_second'), [3, 3])
  assert.deepEqual(first('request_p99'), [5, 3])
  assert.deepEqual(first('disk_free_bytes'), [1, 3])
  await recorder.stop()
})

test('a file of another program, or with nonsense, is no harm', async (t) => {
  const directory = directoryFor(t)
  const path = join(directory, 'figures.week')
  writeFileSync(path, 'something else')
  const one = recorderIn(directory)
  await one.next(4)
  assert.deepEqual(one.known(1), [[0, 4]])
  await one.recorder.stop()
  writeFileSync(path, Buffer.alloc(FILE_BYTES, 0xa7))
  const other = recorderIn(directory)
  await other.next(5)
  assert.deepEqual(other.known(168), [[0, 5]])
  await other.recorder.stop()
})

test('quantiles are at most 15 % too long', () => {
  const quantiles = new Quantiles()
  assert(Number.isNaN(quantiles.at(0.5)))
  for (let i = 1; i <= 1000; i++) quantiles.add(i / 1000)
  for (const [share, exact] of [
    [0.5, 0.5],
    [0.99, 0.99]
  ] as const) {
    const got = quantiles.at(share)
    assert(got >= exact && got <= exact * 1.15, `${share}: ${got}`)
  }
  quantiles.clear()
  quantiles.add(1e9)
  assert(quantiles.at(1) > 100)
})

test('each node records its own, and keeps them when it starts again', slow, async (t) => {
  const directory = directoryFor(t)
  let ahead = 0
  const start = (name: string) => {
    const settings = { CARACAL_DATA_DIR: join(directory, name) }
    return startTestPlatform({ settings, clock: () => unixMs(Date.now() + ahead) })
  }
  const read = async ({ world }: Awaited<ReturnType<typeof start>>, hours = 1) => {
    const line = `GET /api/v2/system/history?hours=${hours}`
    const { json, status, text } = await world.request(line, { as: world.admin })
    assert.equal(status, 200, text)
    return json as Static<typeof SystemFigures>
  }
  const stored = ({ figures }: Static<typeof SystemFigures>) =>
    figures.stored_per_second.some((rate) => rate !== null && rate > 0)
  const [first, second] = [await start('a'), await start('b')]
  const { installation, user } = await first.world.site(['mqtt/#'])
  const client = await first.world.mqtt(user)
  const topic = `${installation.client_id}/obj/t`
  await client.publish(topic, JSON.stringify({ value: 1 }), { qos: 1 })
  ahead = MINUTE
  await eventually(async () => assert(stored(await read(first))))
  const { figures } = await read(first)
  const newest = (name: FigureName) => figures[name].findLast((value) => value !== null) ?? 0
  assert(newest('memory_bytes') > 10_000_000 && newest('disk_free_bytes') > 0)
  assert(newest('requests_per_second') > 0 && newest('request_p99') >= newest('request_p50'))
  assert(newest('mqtt_connections') >= 1 && newest('messages_per_second') > 0)
  await eventually(async () => {
    const other = await read(second)
    assert(other.figures.memory_bytes.some((value) => value !== null))
    assert(!stored(other))
  })
  for (const bad of [0, 169, 'x']) {
    const line = `GET /api/v2/system/history?hours=${bad}`
    const { status } = await first.world.request(line, { as: first.world.admin })
    assert.equal(status, 400)
  }
  await Promise.all([first.stop(), second.stop()])
  const again = await start('a')
  assert(stored(await read(again)))
  await again.stop()
})
