import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { History, MonthPart, SamplePlace } from '../../src/history/history.ts'
import { sampleBytes } from '../../src/lib/quota.ts'
import { decodeSamples, encodeSample, type Sample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { slow } from '../support/rounds.ts'

onEveryHistory('months', monthBehaviour)

function monthBehaviour({ url, open }: EngineUnderTest) {
  let dataDir: string
  let history: History
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'month-'))
    history = await open({ url: await url(), dataDir })
  })
  after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })

  const append = (samples: readonly Sample[]) => history.append(rowsOf(samples), `batch ${next()}`)

  const partsOf = async (month: string, from?: SamplePlace) => {
    const parts: MonthPart[] = []
    for await (const part of history.readMonth(month, from)) parts.push(part)
    return parts
  }
  const assertParts = (parts: readonly MonthPart[], expected: readonly Sample[]) => {
    const read = parts.flatMap(({ rows }) => [...decodeSamples(rows)])
    assert.equal(read.length, expected.length)
    assert.deepEqual(read, expected)
    assert.equal(
      parts.reduce((sum, { count }) => sum + count, 0),
      expected.length
    )
  }

  test('readMonth gives all samples of a month with their ids, in the same order on every engine', async () => {
    const texts = ['', 'a', '"b"', '\t\n\\\0', 'ä', '\uffee', '😀']
    const stored = Array.from({ length: 600 }, (_, i) =>
      sample({
        installation_id: 1 + ((i * 7) % 3),
        topic: `7/obj/${['a', 'b', 'ä', '\uffee', '😀'][(i * 11) % 5]}`,
        timestamp: unixMs(Date.UTC(2021, 1, 1 + (i % 4))),
        value: [i % 3, -1e-9, 1e21, -2.5][i % 4] ?? 0,
        msg: `${texts[i % texts.length]}${i}`
      })
    )
    const borders = [Date.UTC(2021, 1) - 1, Date.UTC(2021, 1), Date.UTC(2021, 2) - 1].map((at) =>
      sample({ installation_id: 2, timestamp: unixMs(at) })
    )
    await append([...stored, ...borders, sample({ timestamp: unixMs(Date.UTC(2021, 2)) })])
    const parts = await partsOf('2021-02')
    assertParts(parts, inOrder([...stored, ...borders.slice(1)]))
    assertParts(await partsOf('2021-01'), borders.slice(0, 1))
    assertParts(await partsOf('1999-12'), [])
    assertParts(await partsOf('2021-02', parts.at(-1)?.next), [])
  })

  test('the bytes of a month are given by installation', async () => {
    const at = (month: number, day: number) => unixMs(Date.UTC(2019, month, day))
    const stored = Array.from({ length: 1300 }, (_, i) =>
      sample({
        installation_id: 1000 + (i % 650),
        topic: `7/obj/ä${i % 40}`,
        timestamp: at(3, 1 + (i % 30)),
        msg: i % 3 === 0 ? `€${i}` : ''
      })
    )
    // The same sample sent twice is one.
    await append([...stored, sample({ timestamp: at(2, 31) }), sample({ timestamp: at(4, 1) })])
    await append(stored.slice(0, 10))
    const expected = new Map<number, number>()
    for (const { installation_id, topic, msg } of stored) {
      const before = expected.get(installation_id) ?? 0
      expected.set(installation_id, before + sampleBytes(topic, msg))
    }
    const read: [number, number][] = []
    for await (const part of history.bytesOf('2019-04')) {
      assert(part.length <= 500)
      for (const { installation_id, bytes } of part) read.push([installation_id, bytes])
    }
    assert.deepEqual(
      read.sort(([a], [b]) => a - b),
      [...expected].sort(([a], [b]) => a - b)
    )
    for await (const part of history.bytesOf('1999-12')) assert.deepEqual(part, [])
  })

  test('a month can be read in parts and continued after each part', slow, async () => {
    const begin = Date.UTC(2022, 4)
    const stored = Array.from({ length: 65_000 }, (_, i) =>
      sample({
        installation_id: 1 + (i % 2),
        // More samples with one timestamp than a part has.
        timestamp: unixMs(i < 60_000 ? begin : begin + i),
        value: i
      })
    )
    await append(stored)
    const expected = inOrder(stored)
    const parts = await partsOf('2022-05')
    assert(parts.length > 3)
    assertParts(parts, expected)
    for (const [i, { next }] of parts.entries()) {
      assert.deepEqual(await partsOf('2022-05', next), parts.slice(i + 1))
    }
  })

  test('parts have few samples if messages are large', slow, async () => {
    const stored = Array.from({ length: 60 }, (_, i) =>
      sample({ timestamp: unixMs(Date.UTC(2023, 5) + i), msg: 'x'.repeat(1_000_000) })
    )
    await append(stored)
    const parts = await partsOf('2023-06')
    assert(parts.every(({ rows }) => rows.length < 16 * 1024 * 1024))
    assertParts(parts, stored)
  })

  test('latest values can be read separately', async () => {
    const installation_id = 99
    const at = unixMs(Date.UTC(2024, 2))
    const [old, gone] = [
      sample({ installation_id, topic: '7/obj/kept', timestamp: at }),
      sample({ installation_id, topic: '7/obj/gone', timestamp: at })
    ]
    const tie = sample({ installation_id, topic: '7/obj/kept', timestamp: at, value: -5 })
    const earlier = sample({ ...old, timestamp: unixMs(at - 1) })
    await append([old])
    await history.keepLatest(rowsOf([tie, gone]), `batch ${next()}`)
    await history.keepLatest(rowsOf([earlier]), `batch ${next()}`)
    const latest: Sample[] = []
    for await (const chunk of history.latest()) latest.push(...chunk)
    assert.deepEqual(
      inOrder(latest.filter((sample) => sample.installation_id === installation_id)),
      inOrder([tie, gone])
    )
    assertParts(await partsOf('2024-03'), [old])
  })
}

let count = 0
const next = () => ++count

const sample = (fields: Partial<Sample>): Sample => ({
  ...{ installation_id: 1, client_id: 7, topic: '7/obj/a', timestamp: unixMs(0), value: 1 },
  msg: '',
  ...fields,
  id: next()
})

const rowsOf = (samples: readonly Sample[]) => Buffer.from(samples.map(encodeSample).join(''))

const inOrder = (samples: readonly Sample[]): Sample[] =>
  samples.toSorted(
    (a, b) =>
      a.installation_id - b.installation_id ||
      Buffer.compare(Buffer.from(a.topic), Buffer.from(b.topic)) ||
      a.timestamp - b.timestamp ||
      a.value - b.value ||
      Buffer.compare(Buffer.from(a.msg), Buffer.from(b.msg))
  )
