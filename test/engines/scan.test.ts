import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { History, ScanQuery } from '../../src/history/history.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { type LineForm, lineTopic, sampleLine } from '../../src/lib/sample-lines.ts'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { type EngineUnderTest, onEveryHistory } from '../support/engines.ts'
import { slow } from '../support/rounds.ts'

onEveryHistory('scan', scanBehaviour)

function scanBehaviour({ url, open }: EngineUnderTest) {
  let dataDir: string
  let history: History
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'scan-'))
    history = await open({ url: await url(), dataDir })
  })
  after(async () => {
    await history.close()
    await rm(dataDir, { recursive: true })
  })

  const append = (samples: readonly Sample[]) =>
    history.append(Buffer.from(samples.map(encodeSample).join('')), `batch ${nextNumber()}`)

  const partsOf = async (query: ScanQuery, form: LineForm, signal?: AbortSignal) => {
    const parts: Buffer[] = []
    for await (const part of history.scan(query, form, signal)) parts.push(part)
    return parts
  }

  async function assertScan(stored: readonly Sample[], query: ScanQuery, form: LineForm = 'csv') {
    const parts = await partsOf(query, form)
    const lines = Buffer.concat(parts).toString()
    assert(lines === expectedLines(stored, query, form), `${lines.length} characters differ`)
    return parts
  }

  test('a scan gives all samples by time, topic and id, in both forms', async () => {
    const installation_id = nextNumber()
    const start = Date.UTC(2020, 11, 31)
    const texts = ['', 'a,b', '"q"', 'line\nend', 'cr\rlf\n', '=1+1', 'ä 😀', '\t\0']
    const stored = Array.from({ length: 400 }, (_, i) =>
      sample({
        installation_id,
        topic: `7/obj/${['a', 'b"', 'ä,', '😀', '\uffee'][i % 5]}`,
        timestamp: unixMs(start + Math.floor(i / 7) * HOUR),
        value: [i, -i / 3, 1e-9 * i, 1e21 * i][i % 4] ?? 0,
        msg: texts[i % texts.length] ?? ''
      })
    )
    await append(stored.toReversed())
    const all = scanOf(installation_id)
    await assertScan(stored, all)
    await assertScan(stored, all, 'ndjson')
    await assertScan(stored, { ...all, topics: ['7/obj/a', '7/obj/😀', '7/obj/none'] })
    await assertScan(stored, { ...all, topics: [] })
    const from = unixMs(start + 3 * HOUR)
    await assertScan(stored, { ...all, from, to: unixMs(from + 20 * HOUR) })
    await assertScan(stored, { ...all, from, to: from })
    await assertScan([], scanOf(nextNumber()))
  })

  test('a scan passes over years without samples', slow, async () => {
    const installation_id = nextNumber()
    const at = [Date.UTC(1970, 0), Date.UTC(1999, 3), Date.UTC(2024, 0, 31, 23, 59)]
    const stored = at.flatMap((start) =>
      Array.from({ length: 25_000 }, (_, i) =>
        sample({
          installation_id,
          topic: `7/obj/${i % 3}`,
          timestamp: unixMs(start + i * 7),
          value: i
        })
      )
    )
    await append(stored)
    const parts = await assertScan(stored, scanOf(installation_id))
    const largest = Math.max(...parts.map((part) => part.length))
    assert(largest < 1024 * 1024, `${largest} bytes at a time`)
  })

  test('a scan works if more samples have one timestamp than it reads at once', slow, async () => {
    const installation_id = nextNumber()
    const timestamp = unixMs(1_700_000_000_000)
    const crowd = Array.from({ length: 12_345 }, (_, i) =>
      // Their order by value differs from their order of arrival.
      sample({ installation_id, topic: `7/obj/${i % 2}`, timestamp, value: (i * 7919) % 12_345 })
    )
    const around = [-1, 1].map((ms) =>
      sample({ installation_id, timestamp: unixMs(timestamp + ms) })
    )
    await append([...crowd, ...around])
    await assertScan([...crowd, ...around], scanOf(installation_id))
  })

  test('long messages come in small parts', slow, async () => {
    const installation_id = nextNumber()
    const stored = Array.from({ length: 60 }, (_, i) =>
      sample({
        installation_id,
        timestamp: unixMs(1_700_000_000_000 + Math.floor(i / 30) * DAY),
        value: i,
        msg: String(i).repeat(200_000)
      })
    )
    await append(stored)
    const parts = await assertScan(stored, scanOf(installation_id))
    const largest = Math.max(...parts.map((part) => part.length))
    assert(largest < 6 * 1024 * 1024, `${largest} bytes at a time`)
  })

  test('a scan reads nothing ahead if nobody takes the parts', async () => {
    const installation_id = nextNumber()
    await append([sample({ installation_id })])
    const aborted = AbortSignal.abort(new Error('hung up'))
    const scan = partsOf(scanOf(installation_id), 'csv', aborted)
    await assert.rejects(scan, { message: 'hung up' })
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

const scanOf = (installation_id: number): ScanQuery => ({
  installation_id,
  topics: undefined,
  from: unixMs(0),
  to: unixMs(Date.UTC(2100, 0))
})

const bytes = (text: string) => Buffer.from(text)

/** Computes a scan in the simplest way, to compare with. */
const expectedLines = (stored: readonly Sample[], query: ScanQuery, form: LineForm): string =>
  stored
    .filter(({ timestamp }) => timestamp >= query.from && timestamp <= query.to)
    .filter(({ topic }) => query.topics?.includes(topic) ?? true)
    .sort(
      (a, b) =>
        a.timestamp - b.timestamp || Buffer.compare(bytes(a.topic), bytes(b.topic)) || a.id - b.id
    )
    .map((one) => sampleLine(form, lineTopic(form, one.topic), one))
    .join('')
