import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Block, type FrameName, packBlock } from '../../src/history/sqlite/block.ts'
import { BucketSums } from '../../src/history/sqlite/bucket-sums.ts'
import {
  type Columns,
  indexAt,
  PlainColumns,
  type Slice
} from '../../src/history/sqlite/columns.ts'
import { type Grid, gridOf } from '../../src/history/sqlite/grid.ts'
import { summariesOf } from '../../src/history/sqlite/summary.ts'
import { packSums } from '../../src/history/sqlite/sums-frame.ts'
import { type Method, parseMethod } from '../../src/lib/aggregation.ts'
import { calendarBorders } from '../../src/lib/calendar.ts'
import { DAY, HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { rounds } from '../support/rounds.ts'

const methods = [
  ...['count', 'first', 'last', 'avg', 'spread', 'max', 'min', 'sum', 'stddev', 'median'],
  ...['percentile(95)', 'integral']
].map((text) => parseMethod(text) as Method)
/** Of which slots know the result. */
const summedUp = methods.filter(
  ({ name }) => !['stddev', 'median', 'percentile', 'integral'].includes(name)
)
const exact: Method['name'][] = ['count', 'first', 'last', 'spread', 'max', 'min', 'median']

type Series = { times: number[]; values: number[] }

const columnsOf = ({ times, values }: Series): PlainColumns =>
  new PlainColumns(
    Float64Array.from(times),
    Float64Array.from(values),
    Float64Array.from(times, (_, i) => i),
    undefined
  )

/** Notes which frames are read. Blocks of earlier programs have no slots. */
function blockOf(series: Series, read: Set<FrameName>, isOld = false): Block {
  const columns = columnsOf(series)
  const frames = { ...packBlock(columns) }
  if (isOld) frames.summaries = packSums(summariesOf(columns.times(), columns.values()), undefined)
  return new Block(columns, {
    read: (name) => {
      read.add(name)
      return frames[name]
    },
    copy: () => assert.fail()
  })
}

const partOf = ({ times, values }: Series, begin: number, end: number): Series => ({
  times: times.slice(begin, end),
  values: values.slice(begin, end)
})

type Result = { bucket: number; value: number }

function resultsOf(slices: readonly Slice[], grid: Grid, method: Method): Result[] {
  const results: Result[] = []
  const sums = new BucketSums(grid, [method], (bucket, [value = 0]) => {
    results.push({ bucket, value })
  })
  for (const slice of slices) sums.add(slice)
  sums.end()
  return results
}

const clippedTo = (columns: Columns, from: number, to: number): Slice[] => {
  const [begin, end] = [indexAt(columns, from), indexAt(columns, to + 1)]
  return begin < end ? [{ columns, begin, end }] : []
}

/** The same as sample by sample: exactly, where nothing is added up. */
function assertSame(parts: readonly Columns[], series: Series, window: Window, query: Query): void {
  const { from, to } = window
  const grid = gridOf(query.bucketsIn(window), unixMs(from), unixMs(to))
  for (const method of methods) {
    const about = `${method.name} ${query.what}`
    const expected = resultsOf(clippedTo(columnsOf(series), from, to), grid, method)
    const slices = parts.flatMap((part) => clippedTo(part, from, to))
    const found = resultsOf(slices, grid, method)
    assert.deepEqual(
      found.map(({ bucket }) => bucket),
      expected.map(({ bucket }) => bucket),
      about
    )
    for (const [i, { bucket, value }] of found.entries()) {
      const right = expected[i]?.value ?? assert.fail(about)
      if (exact.includes(method.name)) assert(Object.is(value + 0, right + 0), `${about}: ${value}`)
      else assertNear(value, right, slackOf(series, grid, bucket, method), about)
    }
  }
}

type Window = { from: number; to: number }
type Query = { what: string; bucketsIn: (window: Window) => Parameters<typeof gridOf>[0] }

function slackOf({ times, values }: Series, grid: Grid, bucket: number, { name }: Method): number {
  const [start, stop] = [grid.startOf(bucket), grid.stopOf(bucket)]
  const own = values.filter((_, i) => (times[i] ?? 0) >= start && (times[i] ?? 0) < stop)
  const total = values.reduce((sum, value) => sum + Math.abs(value), 0)
  if (name === 'integral') return 1e-9 * total * DAY
  const all = own.reduce((sum, value) => sum + Math.abs(value), 0)
  return 1e-300 + 1e-12 * (name === 'stddev' ? total : all)
}

function assertNear(value: number, right: number, slack: number, about: string): void {
  const bounded = (x: number) => (Number.isFinite(x) ? x : Number.MAX_VALUE)
  const isNear = Math.abs(bounded(value) - bounded(right)) <= slack || value === right
  assert(isNear || slack === Number.POSITIVE_INFINITY, `${about}: ${value} is not ${right}`)
}

const START = Date.UTC(2026, 2, 28, 21, 7)
const even = (what: string, ms: number): Query => ({ what, bucketsIn: () => ({ ms }) })
const local = (zone: string): Query => ({
  what: `days in ${zone}`,
  bucketsIn: ({ from, to }) => ({
    borders: calendarBorders({ unit: 'd', count: 1 }, zone, { from: unixMs(from), to: unixMs(to) })
  })
})
const queries = [
  ...[even('1 m', MINUTE), even('10 m', 10 * MINUTE), even('15 m', 15 * MINUTE)],
  ...[even('1 h', HOUR), even('90 m', 90 * MINUTE), even('6 h', 6 * HOUR), even('1 d', DAY)],
  ...[even('3601 s', HOUR + SECOND), local('UTC'), local('Europe/Stockholm')],
  ...[local('Asia/Kathmandu'), local('Australia/Lord_Howe')]
]

const decimals = fc.integer({ min: -3000, max: 3000 }).map((number) => number / 100)
const kinds = fc.constantFrom(
  fc.array(decimals, { minLength: 1, maxLength: 40 }),
  fc.array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: 1, maxLength: 40 }),
  fc.array(fc.constantFrom(0, -0, 5e-324, -5e-324, 1e-7, 1 / 3), { minLength: 1, maxLength: 40 }),
  fc.array(fc.constantFrom(2 ** 51, -(2 ** 51), 2 ** 53, 0.5, 1e15), { minLength: 1, maxLength: 9 })
)
const series = fc
  .record({
    values: kinds.chain((values) => values),
    count: fc.integer({ min: 1, max: 4000 }),
    step: fc.constantFrom(100, SECOND, 5 * SECOND, 20 * SECOND, MINUTE, 2 * MINUTE, 20 * MINUTE),
    jitter: fc.constantFrom(0, 0, 90, 5000),
    gapAt: fc.nat(4000),
    gap: fc.constantFrom(0, 0, HOUR, 2 * DAY)
  })
  .map(({ values, count, step, jitter, gapAt, gap }): Series => {
    const times: number[] = []
    for (let i = 0; i < count; i++) {
      const shift = (i >= gapAt ? gap : 0) + ((i * 7919) % (jitter + 1))
      times.push(START + i * step + shift)
    }
    times.sort((a, b) => a - b)
    return { times, values: times.map((_, i) => values[i % values.length] as number) }
  })

test('blocks give the same results as their samples, whatever the buckets and wherever they are cut', () => {
  const property = fc.property(
    series,
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
    fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true })
    ),
    fc.constantFrom(...queries),
    fc.boolean(),
    (all, shares, ends, query, isOld) => {
      const count = all.times.length
      const cuts = [0, ...shares.map((share) => Math.floor(share * count)), count]
      cuts.sort((a, b) => a - b)
      const parts = cuts.slice(1).flatMap((end, i) => {
        const part = partOf(all, cuts[i] ?? 0, end)
        return part.times.length > 0 ? [blockOf(part, new Set(), isOld)] : []
      })
      const [first = 0, last = 0] = [all.times[0], all.times.at(-1)]
      const [from, to] = ends.map((share) => Math.floor(first + share * (last - first)))
      const inner = { from: Math.min(from ?? 0, to ?? 0), to: Math.max(from ?? 0, to ?? 0) }
      assertSame(parts, all, { from: first, to: last }, query)
      assertSame(parts, all, inner, query)
    }
  )
  fc.assert(property, { numRuns: rounds(120, 30) })
})

const minutely = (count: number, begin = START): Series => ({
  times: Array.from({ length: count }, (_, i) => begin + i * MINUTE),
  values: Array.from({ length: count }, (_, i) => Math.round(2000 * Math.sin(i / 90)) / 100)
})

test('hours need no samples, if blocks end within hours and a sample a minute is late', () => {
  const f = (all: Series) => {
    const cuts = [0, 1000, 2500, all.times.length]
    for (const method of summedUp) {
      const read = new Set<FrameName>()
      const parts = cuts.slice(1).map((end, i) => blockOf(partOf(all, cuts[i] ?? 0, end), read))
      const [from, to] = [all.times[0] ?? 0, all.times.at(-1) ?? 0]
      const slices = parts.flatMap((part) => [{ columns: part, begin: 0, end: part.count }])
      for (const ms of [HOUR, 6 * HOUR]) {
        const grid = gridOf({ ms }, unixMs(from), unixMs(to))
        const results = resultsOf(slices, grid, method)
        assert.equal(results.length, grid.count)
      }
      // Whether times are regular is seen without unpacking them.
      if (method.name === 'count') assert(!read.has('values'))
      else assert.deepEqual([...read], ['summaries'], method.name)
    }
  }
  f(minutely(4000))
  const { times, values } = minutely(4000)
  f({ times: times.map((time, i) => time + ((i * 7919) % 1000)), values })
})

test('a sample between two of an hour, from another place, makes the hour be added up', () => {
  const all = minutely(600, Date.UTC(2026, 2, 28))
  const late = { times: [(all.times[90] ?? 0) + 1], values: [1e6] }
  const read = new Set<FrameName>()
  const columns = blockOf(all, read)
  const grid = gridOf({ ms: HOUR }, unixMs(all.times[0] ?? 0), unixMs(all.times.at(-1) ?? 0))
  const slices = [
    { columns, begin: 0, end: 91 },
    { columns: columnsOf(late), begin: 0, end: 1 },
    { columns, begin: 91, end: 600 }
  ]
  const [, second] = resultsOf(slices, grid, { name: 'max' })
  assert.equal(second?.value, 1e6)
  const counts = resultsOf(slices, grid, { name: 'count' }).map(({ value }) => value)
  assert.deepEqual(counts, [60, 61, ...Array(8).fill(60)])
  const { value: sum = 0 } = resultsOf(slices, grid, { name: 'sum' })[1] ?? {}
  const expected = all.values.slice(60, 120).reduce((a, b) => a + b, 1e6)
  assert(Math.abs(sum - expected) < 1e-6)
})

test('sums that are too large for a number', () => {
  const { times } = minutely(300)
  const values = times.map((_, i) => (i % 3 === 2 ? -1e308 : 1e308))
  const all = { times, values }
  const parts = [blockOf(all, new Set())]
  const window = { from: times[0] ?? 0, to: times.at(-1) ?? 0 }
  const grid = gridOf({ ms: HOUR }, unixMs(window.from), unixMs(window.to))
  const f = (method: Method) => {
    const slices = parts.map((columns) => ({ columns, begin: 0, end: columns.count }))
    const expected = resultsOf(clippedTo(columnsOf(all), window.from, window.to), grid, method)
    assert.deepEqual(resultsOf(slices, grid, method), expected, method.name)
  }
  for (const method of summedUp) f(method)
})
