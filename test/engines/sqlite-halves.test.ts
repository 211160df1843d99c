import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AggregateQuery } from '../../src/history/history.ts'
import { openSqliteFile, packsIn } from '../../src/history/sqlite/file.ts'
import {
  type Aggregated,
  answerCounted,
  answerHalves,
  halvesOf
} from '../../src/history/sqlite/halves.ts'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { PackFiles } from '../../src/history/sqlite/pack-files.ts'
import { SqliteReader } from '../../src/history/sqlite/reader.ts'
import { type Method, parseMethod } from '../../src/lib/aggregation.ts'
import { calendarBorders } from '../../src/lib/calendar.ts'
import { MAX_PAGE_CHARACTERS } from '../../src/lib/page-limit.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { DAY, HOUR, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { rounds, slow } from '../support/rounds.ts'
import { rowsText } from '../support/samples.ts'

const begin = Date.UTC(2024, 2, 1)
const query: AggregateQuery = {
  ...{ installation_id: 1, topics: undefined, order: 'asc', offset: 0, limit: 100 },
  ...{ from: unixMs(begin), to: unixMs(begin + 90 * DAY - 1) },
  ...{ method: { name: 'avg' }, buckets: { ms: DAY } }
}
const held = { from: query.from, to: query.to }

test('halvesOf', () => {
  const f = (changes: Partial<AggregateQuery>, want: number | undefined, has = held) => {
    const halves = halvesOf({ ...query, ...changes }, has)
    const [older, newer] = changes.order === 'desc' ? [halves?.[1], halves?.[0]] : (halves ?? [])
    assert.equal(newer?.from, want, JSON.stringify(changes))
    assert.equal(older?.to, want && want - 1)
  }
  f({}, begin + 44 * DAY)
  f({ order: 'desc' }, begin + 44 * DAY)
  f({ buckets: { ms: HOUR } }, begin + 45 * DAY - HOUR)
  // The middle of the time that has samples.
  f({ from: unixMs(0) }, begin + 44 * DAY)
  f({ to: unixMs(begin + 9000 * DAY) }, begin + 44 * DAY)
  f({}, undefined, { from: unixMs(begin + 100 * DAY), to: unixMs(begin + 101 * DAY) })
  const months = calendarBorders({ unit: 'mo', count: 1 }, 'Europe/Stockholm', held)
  f({ buckets: { borders: months } }, months[1])
  // One bucket has everything.
  f({ buckets: { ms: 100 * 365 * DAY } }, undefined)
  f({ offset: 1 }, begin + 44 * DAY)
  f({ method: { name: 'integral', x: 1 } }, undefined)
  const several = ['avg', 'integral'].map((text) => ({ text, method: parseMethod(text) as Method }))
  f({ several }, undefined)
})

test('answerHalves', async () => {
  const part = (count: number, start: number, bytes = count) => ({
    ...{ total: 2 * count, count, oldest: count > 0 ? unixMs(start) : undefined },
    rows: count > 0 ? [Buffer.alloc(bytes, `${start}`)] : []
  })
  const f = async (answers: Aggregated[], want: object | string | undefined, order = 'asc') => {
    const halves = [
      { ...query, order },
      { ...query, order, from: held.to }
    ] as const
    const limits: number[] = []
    const answer = await answerHalves(halves as never, async ({ limit }) => {
      limits.push(limit)
      return answers[limits.length - 1] ?? assert.fail('asked too often')
    })
    const { rows, ...page } = typeof answer === 'object' ? answer : { rows: [] }
    const text = Buffer.concat([...rows]).toString()
    if (typeof want !== 'object') assert.equal(answer, want)
    else assert.deepEqual({ ...page, text, limits }, want)
  }
  const both = { total: 10, count: 5, oldest: 1, text: '11122', limits: [100, 100] }
  await f([part(3, 1), part(2, 2)], both)
  await f([part(3, 2), part(2, 1)], { ...both, text: '22211' }, 'desc')
  await f([part(0, 1), part(2, 2)], { ...both, total: 4, count: 2, oldest: 2, text: '22' })
  await f([part(2, 1), part(0, 2)], { ...both, total: 4, count: 2, text: '11' }, 'desc')
  // More rows than the page has: the second half is asked again for those that fit.
  const again = {
    ...both,
    total: 200,
    count: 100,
    text: `${'1'.repeat(99)}2`,
    limits: [100, 100, 1]
  }
  await f([part(99, 1), part(2, 2), part(1, 2)], again)
  await f([part(99, 1), 'too large', part(1, 2)], again)
  await f([part(99, 1), 'too large', 'too large'], 'too large')
  for (const refusal of ['too large', 'too many values'] as const)
    await f([refusal, part(2, 2)], refusal)
  await f([part(3, 1), 'too many values'], 'too many values')
  await f([part(3, 1, MAX_PAGE_CHARACTERS), part(2, 2)], undefined)
})

test('answerCounted', async () => {
  // Ten days with ten rows each. In front of the border lie five of them.
  const long = { ...query, to: unixMs(begin + 10 * DAY - 1) }
  const halves = halvesOf({ ...long, offset: 1 }, { from: long.from, to: long.to })
  assert(halves)
  const days = ({ from, to }: AggregateQuery) => Math.round((to + 1 - from) / DAY)
  const f = async (
    { offset, limit, order = 'asc' }: { offset: number; limit: number; order?: 'asc' | 'desc' },
    want: (readonly [day: number, days: number, offset: number, limit: number])[],
    lost = 0
  ) => {
    const asked: AggregateQuery[] = []
    const answer = await answerCounted({ ...long, offset, limit, order }, halves, {
      count: async (half) => new Uint32Array(days(half)).fill(10),
      ask: async (piece) => {
        asked.push(piece)
        const count = Math.min(piece.limit, 10 * days(piece) - piece.offset) - lost
        return { total: 7, count, oldest: piece.from, rows: [Buffer.alloc(count)] }
      }
    })
    const shown = asked.map((piece) => [
      ...[(piece.from - begin) / DAY, days(piece), piece.offset, piece.limit]
    ])
    assert.deepEqual(shown, want)
    return answer
  }
  const all = await f({ offset: 1, limit: 100 }, [
    [0, 5, 1, 49],
    [5, 5, 0, 51]
  ])
  assert(typeof all === 'object')
  const { rows, ...page } = all
  assert.deepEqual(page, { total: 100, count: 99, oldest: begin })
  assert.equal(Buffer.concat([...rows]).length, 99)
  // Only the days of the page.
  await f({ offset: 25, limit: 30 }, [
    [2, 2, 5, 15],
    [4, 2, 0, 15]
  ])
  const newest = await f({ offset: 25, limit: 30, order: 'desc' }, [
    [6, 2, 5, 15],
    [4, 2, 0, 15]
  ])
  assert(typeof newest === 'object')
  assert.equal(newest.oldest, begin + 4 * DAY)
  await f({ offset: 93, limit: 5 }, [[9, 1, 3, 5]])
  const none = await f({ offset: 100, limit: 5 }, [])
  assert.deepEqual(none, { total: 100, count: 0, oldest: undefined, rows: [] })
  // Rows that were counted are gone.
  assert.equal(await f({ offset: 93, limit: 5 }, [[9, 1, 3, 5]], 1), undefined)
})

test('property: two threads answer a long query as one does', slow, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'halves-'))
  const history = await openSqliteHistory(directory)
  const samples = Array.from({ length: 20_000 }, (_, i) => ({
    ...{ id: i + 1, installation_id: 1, client_id: 7, topic: `7/obj/${i % 7}`, msg: '' },
    ...{ timestamp: unixMs(begin + i * 6 * MINUTE), value: ((i * 7919) % 1000) / 7 }
  }))
  await history.append(Buffer.from(samples.map(encodeSample).join('')), 'packed')
  await history.packAll()
  const late = samples
    .slice(5000, 9000)
    .map((sample) => ({ ...sample, id: sample.id + 1e6, value: 3 }))
  await history.append(Buffer.from(late.map(encodeSample).join('')), 'rows')
  const file = openSqliteFile(directory, 'reader')
  const reader = new SqliteReader(file, new PackFiles(packsIn(directory)), () => false)
  t.after(async () => {
    reader.close()
    await history.close()
    await rm(directory, { recursive: true })
  })
  const day = fc.integer({ min: -40, max: 130 })
  const asked = fc.record({
    ...{ days: fc.tuple(day, day), order: fc.constantFrom('asc' as const, 'desc' as const) },
    ...{
      offset: fc.constantFrom(0, 0, 1, 50, 333, 2000),
      limit: fc.constantFrom(1, 40, 300, 100_000)
    },
    names: fc.uniqueArray(fc.constantFrom('avg', 'median', 'count', 'integral', 'last', 'stddev'), {
      ...{ minLength: 1, maxLength: 2 }
    }),
    interval: fc.constantFrom(HOUR, DAY, 7 * DAY, 40 * DAY, 'mo'),
    topics: fc.constantFrom(undefined, ['7/obj/3'], ['7/obj/0', '7/obj/6'], ['7/obj/none'])
  })
  const same = fc.asyncProperty(asked, async ({ days, names, interval, ...rest }) => {
    const [from, to] = [Math.min(...days), Math.max(...days) + 33].map((day) =>
      unixMs(begin + day * DAY)
    )
    const window = { from: from as typeof held.from, to: to as typeof held.to }
    const buckets =
      typeof interval === 'number'
        ? { ms: interval }
        : { borders: calendarBorders({ unit: 'mo', count: 1 }, 'Europe/Stockholm', window) }
    const several = names.map((text) => ({ text, method: parseMethod(text) as Method }))
    const method = several[0]?.method ?? assert.fail()
    const long = { ...query, ...rest, ...window, buckets, method, ...(names[1] && { several }) }
    const { rows, ...page } = await history.aggregate(long)
    const alone = reader.aggregate(long)
    if (typeof alone === 'string') return assert.fail(alone)
    const { rows: aloneRows, ...alonePage } = alone
    assert.deepEqual(page, alonePage)
    assert(rowsText({ rows }) === rowsText({ rows: aloneRows }))
  })
  await fc.assert(same, { numRuns: rounds(300) })
})
