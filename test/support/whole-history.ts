import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { AggregateQuery, History, PageQuery } from '../../src/history/history.ts'
import { fileIn, packsIn } from '../../src/history/sqlite/file.ts'
import { decodeSamples, encodeSample, type Sample, statusJson } from '../../src/lib/sample.ts'
import { DAY, monthOf, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { assertNear, expectedRows } from './aggregate-model.ts'
import { rowsText } from './samples.ts'

export const rowsFrom = (samples: readonly Sample[]): Buffer =>
  Buffer.from(samples.map(encodeSample).join(''))

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** As pages are sorted. */
const byTime = (a: Sample, b: Sample) =>
  a.timestamp - b.timestamp || byBytes(a.topic, b.topic) || a.id - b.id

/** As `readMonth` sorts. */
const asStored = (a: Sample, b: Sample) =>
  a.installation_id - b.installation_id ||
  byBytes(a.topic, b.topic) ||
  a.timestamp - b.timestamp ||
  a.value - b.value ||
  byBytes(a.msg, b.msg)

/** What is stored after these arrived in this order: equal samples are one, with the later id. */
export function storedOf(arrived: readonly Sample[]): Sample[] {
  const byContent = new Map<string, Sample>()
  for (const sample of arrived) {
    const { installation_id, topic, timestamp, value, msg } = sample
    byContent.set(JSON.stringify([installation_id, topic, timestamp, value, msg]), sample)
  }
  return [...byContent.values()]
}

type Readable = Pick<History, 'sizes' | 'readMonth' | 'readPage' | 'aggregate'>

/** Every sample of every month that history names. */
export async function everySample(
  history: Pick<Readable, 'sizes' | 'readMonth'>
): Promise<Sample[]> {
  const { months } = await history.sizes()
  const samples: Sample[] = []
  for (const { name } of months)
    for await (const { rows } of history.readMonth(name)) samples.push(...decodeSamples(rows))
  return samples
}

/** All that is stored, asked for in every way, is exactly this. */
export async function assertStored(history: Readable, stored: readonly Sample[]): Promise<void> {
  const found = await everySample(history)
  const sorted = [...Map.groupBy(stored.toSorted(asStored), (one) => monthOf(one.timestamp))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => own)
  assert.deepEqual(found, sorted)
  const times = stored.map(({ timestamp }) => timestamp).sort((a, b) => a - b)
  const window = { from: times[0] ?? unixMs(0), to: times.at(-1) ?? unixMs(0) }
  for (const [installation_id, own] of Map.groupBy(stored, (one) => one.installation_id)) {
    const query = { ...pageOf(installation_id), ...window }
    const page = await history.readPage({ ...query, withIds: true })
    assert.equal(page.total, own.length)
    const rows = JSON.parse(`[${rowsText(page)}]`)
    const expected = own.toSorted(byTime)
    assert.deepEqual(
      rows,
      expected.map((one) => ({ id: one.id, ...JSON.parse(statusJson(one)) }))
    )
    for (const name of ['count', 'sum'] as const)
      await assertAggregate(history, own, { ...query, method: { name }, buckets: { ms: DAY } })
  }
}

/** An aggregated page, without limit, is that of the model. */
export async function assertAggregate(
  history: Pick<Readable, 'aggregate'>,
  own: readonly Sample[],
  query: AggregateQuery
): Promise<void> {
  const page = await history.aggregate(query)
  const rows: (Sample & { timestamp: number })[] = JSON.parse(`[${rowsText(page)}]`)
  const expected = expectedRows(own, query)
  const about = JSON.stringify({ ...query, buckets: 'ms' in query.buckets && query.buckets })
  assert.deepEqual(
    rows.map(({ topic, timestamp }) => ({ topic, start: Math.round(timestamp * 1000) })),
    expected.map(({ topic, start }) => ({ topic, start })),
    about
  )
  for (const [i, { value }] of rows.entries())
    assertNear(value, expected[i] ?? assert.fail(about), `${about} row ${i}`)
}

export const pageOf = (installation_id: number): PageQuery => ({
  ...{ installation_id, topics: undefined, from: unixMs(0), to: unixMs(Date.UTC(2030, 0)) },
  ...{ order: 'asc', limit: 1_000_000, offset: 0 }
})

/** The packed files that are there. */
export const packFiles = (directory: string): string[] => readdirSync(packsIn(directory)).sort()

/** The packed files that count. */
export function listedPacks(directory: string): string[] {
  const file = new DatabaseSync(fileIn(directory), { readOnly: true })
  try {
    const rows = file.prepare('SELECT name FROM packs ORDER BY name').all()
    return rows.map(({ name }) => String(name))
  } finally {
    file.close()
  }
}

/** The tables of rows. */
export function rowTables(directory: string): string[] {
  const file = new DatabaseSync(fileIn(directory), { readOnly: true })
  try {
    const rows = file
      .prepare(
        "SELECT name FROM sqlite_schema WHERE name GLOB 'rows_*' OR name GLOB 'samples_*' ORDER BY name"
      )
      .all()
    return rows.map(({ name }) => String(name))
  } finally {
    file.close()
  }
}

let lastId = 0

export const sampleAt = (timestamp: number, fields: Partial<Sample> = {}): Sample => ({
  ...{ id: ++lastId, installation_id: 1, client_id: 7, topic: '7/obj/a', value: 1, msg: '' },
  timestamp: timestamp as UnixMs,
  ...fields
})
