import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Method, parseMethod } from '../../src/lib/aggregation.ts'
import { encodeSample, type Sample } from '../../src/lib/sample.ts'
import { HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { historyEngines } from '../support/engines.ts'
import { isInfluxInstalled, startInflux } from '../support/influx.ts'
import { rounds } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'

/** Our method, and the function of InfluxDB. */
const methods = [
  ...['count', 'first', 'last', 'mean', 'spread', 'max', 'min', 'sum', 'stddev', 'median'].map(
    (name) => [name, `${name}(v)`] as const
  ),
  ['percentile(95)', 'percentile(v, 95)'],
  ['percentile(50)', 'percentile(v, 50)'],
  ['percentile(12.5)', 'percentile(v, 12.5)'],
  ['integral', 'integral(v, 1s)'],
  ['integral(60)', 'integral(v, 1m)']
] as const

const missing = isInfluxInstalled() ? undefined : 'influxd is not installed'
const isRequired = process.env['CI'] === 'true'

for (const { name, skip, url, open } of historyEngines) {
  test(`aggregation on ${name} gives the same as InfluxDB`, {
    skip: skip || (!isRequired && missing)
  }, async (t) => {
    if (missing) assert.fail(missing)
    const influx = await startInflux()
    t.after(() => influx.stop())
    const dataDir = await mkdtemp(join(tmpdir(), 'influx-'))
    const history = await open({ url: await url(), dataDir })
    t.after(async () => {
      await history.close()
      await rm(dataDir, { recursive: true })
    })

    let run = 0
    const property = fc.asyncProperty(series, queries, async (readings, { ms, ends, order }) => {
      const installation_id = ++run
      const stored = readings.map((reading, i) =>
        sample({ ...reading, installation_id, id: i + 1 })
      )
      await history.append(Buffer.from(stored.map(encodeSample).join('')), `batch ${run}`)
      await influx.write(stored.map(({ value, timestamp }) => `s${run} v=${value} ${timestamp}`))
      const from = unixMs(Math.min(...ends))
      const to = unixMs(Math.max(...ends))
      // In ascending order, because the integral of InfluxDB is wrong in descending order.
      const theirs = await influx.query(
        methods.map(
          ([, method]) => `SELECT ${method} FROM s${run}
            WHERE time >= ${from}ms AND time <= ${to}ms GROUP BY time(${ms}ms) fill(none)`
        )
      )
      for (const [i, [text]] of methods.entries()) {
        const method = parseMethod(text) as Method
        const page = { topics: undefined, from, to, order, limit: 100_000, offset: 0 }
        const query = { ...page, installation_id, method, buckets: { ms } }
        const rows = rowsText(await history.aggregate(query))
        const ours: Sample[] = JSON.parse(`[${rows}]`)
        if (order === 'desc') ours.reverse()
        assertSame(text, ours, theirs[i] ?? [])
      }
    })
    await fc.assert(property, { numRuns: rounds(60) })
  })
}

/**
 * InfluxDB gives no row for a percentile of rank 0, for the stddev of one value, and for the integral
 * of a last sample that is exactly at the begin of its bucket.
 */
function isLackingThere(method: string, ours: Sample[], row: Sample): boolean {
  if (method === 'stddev') return row.value === 0
  return method.startsWith('percentile') || (method.startsWith('integral') && row === ours.at(-1))
}

function assertSame(method: string, ours: Sample[], theirs: [number, number | null][]): void {
  const known = new Map(theirs)
  for (const row of ours) {
    const value = known.get(row.timestamp * 1000)
    known.delete(row.timestamp * 1000)
    const about = `${method} at ${row.timestamp}: ${row.value}, theirs ${value}`
    if (value === undefined || value === null) assert(isLackingThere(method, ours, row), about)
    else assert(Math.abs(row.value - value) <= 1e-9 * Math.max(1, Math.abs(value)), about)
  }
  assert.equal(known.size, 0, `${method}: they have more`)
}

const sample = (fields: Partial<Sample>): Sample => ({
  id: 1,
  installation_id: 1,
  client_id: 7,
  topic: '7/obj/a',
  timestamp: unixMs(0),
  value: 1,
  msg: '',
  ...fields
})

const newYear = Date.UTC(2024, 0)
const moments = fc
  .oneof(
    fc.constantFrom(-MINUTE, -1, 0, 1, MINUTE),
    fc.integer({ min: -HOUR, max: HOUR }),
    fc.integer({ min: -48 * HOUR, max: 48 * HOUR })
  )
  .map((offset) => unixMs(newYear + offset))
/** InfluxDB keeps one value per timestamp. */
const series = fc.uniqueArray(
  fc.record({
    timestamp: moments,
    value: fc.double({ min: -1000, max: 1000, noNaN: true }).map((value) => value || 0)
  }),
  { minLength: 1, maxLength: 60, selector: ({ timestamp }) => timestamp }
)
const queries = fc.record({
  ms: fc.constantFrom(30 * SECOND, 10 * MINUTE, HOUR, 7 * HOUR),
  ends: fc.tuple(moments, moments),
  order: fc.constantFrom('asc' as const, 'desc' as const)
})
