import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { History, SeriesQuery } from '../../src/history/history.ts'
import { SERIES_SAMPLES } from '../../src/history/series.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { slow } from '../support/rounds.ts'

type Row = readonly [topic: string, time: number, value: number]

onEveryHistory('series', seriesBehaviour)

function seriesBehaviour({ url, open }: EngineUnderTest) {
  let dataDir: string
  let history: History
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'series-'))
    history = await open({ url: await url(), dataDir })
  })
  after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })

  const append = (samples: readonly Sample[]) =>
    history.append(Buffer.from(samples.map(encodeSample).join('')), `batch ${nextNumber()}`)

  const rowsOf = async (query: SeriesQuery) => {
    const rows: Row[] = []
    for await (const { topic, times, values } of history.series(query)) {
      assert.equal(times.length, values.length)
      assert(times.length > 0 && times.length <= SERIES_SAMPLES)
      for (const [i, time] of times.entries()) rows.push([topic, time, values[i] as number])
    }
    return rows
  }

  const assertSeries = async (stored: readonly Sample[], query: SeriesQuery) => {
    const rows = await rowsOf(query)
    const want = expected(stored, query)
    assert.equal(rows.length, want.length)
    const wrong = rows.findIndex((row, i) => row.join() !== want[i]?.join())
    assert.equal(wrong, -1, `row ${wrong} is ${rows[wrong]} in place of ${want[wrong]}`)
  }

  test('a series has the samples of its topics by topic, time and id', async () => {
    const installation_id = nextNumber()
    const stored = Array.from({ length: 600 }, (_, i) =>
      sample({
        installation_id,
        topic: `7/obj/${['a', 'b"', 'ä,', '😀', '\uffee', "x'\\"][i % 6]}`,
        timestamp: unixMs(START + Math.floor(i / 18) * SECOND),
        value: [i, -i / 3, 1e-9 * i, 1e21 * i][i % 4] ?? 0,
        msg: i % 5 === 0 ? `text ${i}` : ''
      })
    )
    await append(stored.slice(300).toReversed())
    await append(stored.slice(0, 300))
    const topics = [...new Set(stored.map(({ topic }) => topic))]
    const all = { installation_id, topics, from: unixMs(0), to: unixMs(START * 2) }
    await assertSeries(stored, all)
    await assertSeries(stored, { ...all, topics: ['7/obj/a', '7/obj/none', "7/obj/x'\\"] })
    await assertSeries(stored, {
      ...all,
      from: unixMs(START + 3 * SECOND),
      to: unixMs(START + 9 * SECOND)
    })
    assert.deepEqual(await rowsOf({ ...all, topics: [] }), [])
    assert.deepEqual(await rowsOf({ ...all, installation_id: nextNumber() }), [])
  })

  test('equal samples are one, and of equal times the later arrival comes later', async () => {
    const installation_id = nextNumber()
    const at = (second: number, value: number, msg = '') =>
      sample({
        ...{ installation_id, topic: '7/t', timestamp: unixMs(START + second * SECOND) },
        ...{ value, msg }
      })
    const first = [at(1, 5), at(2, 9), at(2, 4), at(3, 1, 'a')]
    await append(first)
    await append([at(1, 5), at(2, 7), at(3, 1, 'b')])
    await append([at(2, 9), at(4, 0)])
    const query = { installation_id, topics: ['7/t'], from: unixMs(0), to: unixMs(START * 2) }
    const rows = await rowsOf(query)
    assert.deepEqual(
      rows.map(([, time, value]) => [(time - START) / SECOND, value]),
      [
        [1, 5],
        [2, 4],
        [2, 7],
        [2, 9],
        [3, 1],
        [3, 1],
        [4, 0]
      ]
    )
  })

  test('more samples than a part has, also at one moment', slow, async () => {
    const installation_id = nextNumber()
    const moment = unixMs(START + SERIES_SAMPLES * SECOND)
    const count = SERIES_SAMPLES + 40_000
    const stored: Sample[] = []
    const add = (topic: string, timestamp: number, value: number) =>
      stored.push(sample({ installation_id, topic, timestamp: unixMs(timestamp), value }))
    for (let i = 0; i < count; i++) add('7/b', Math.min(START + i * SECOND, moment), i % 50_000)
    for (let i = 0; i < 1000; i++) add('7/c', START + i * SECOND, i)
    for (let at = 0; at < stored.length; at += 50_000) await append(stored.slice(at, at + 50_000))
    const topics = ['7/a', '7/b', '7/c']
    await assertSeries(stored, { installation_id, topics, from: unixMs(0), to: unixMs(2 * moment) })
  })

  test('long messages beside the values', async () => {
    const installation_id = nextNumber()
    const stored = Array.from({ length: 200 }, (_, i) =>
      sample({
        ...{ installation_id, topic: '7/t', timestamp: unixMs(START + i * SECOND), value: i },
        msg: 'x'.repeat(20_000)
      })
    )
    await append(stored)
    const query = { installation_id, topics: ['7/t'], from: unixMs(0), to: unixMs(START * 2) }
    await assertSeries(stored, query)
  })

  test('an aborted series ends with the reason', async () => {
    const installation_id = nextNumber()
    await append([sample({ installation_id, topic: '7/t', timestamp: unixMs(START), value: 1 })])
    const query = { installation_id, topics: ['7/t'], from: unixMs(0), to: unixMs(START * 2) }
    const series = history.series(query, AbortSignal.abort(new Error('gone')))
    await assert.rejects(async () => {
      for await (const _ of series);
    }, /^Error: gone$/)
  })
}

const START = Date.UTC(2024, 4, 6)
let last = 1000
const nextNumber = () => ++last

const sample = (
  fields: Pick<Sample, 'installation_id' | 'topic' | 'timestamp' | 'value'> & { msg?: string }
): Sample => ({ id: nextNumber(), client_id: 7, msg: '', ...fields })

const expected = (stored: readonly Sample[], { topics, from, to }: SeriesQuery): Row[] =>
  stored
    .filter(({ topic, timestamp: at }) => topics.includes(topic) && at >= from && at <= to)
    .toSorted(
      (a, b) =>
        Buffer.compare(Buffer.from(a.topic), Buffer.from(b.topic)) ||
        a.timestamp - b.timestamp ||
        a.id - b.id
    )
    .map(({ topic, timestamp, value }) => [topic, timestamp, value])
