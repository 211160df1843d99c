import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aggregatedJson } from '../../src/history/sqlite/aggregated-json.ts'
import { gridOf } from '../../src/history/sqlite/grid.ts'
import { Results } from '../../src/history/sqlite/results.ts'
import { parseMethods } from '../../src/lib/aggregation.ts'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'

const BUCKETS = 3000
const MAX_PART_BYTES = 1024 * 1024
const LONGEST_ROW = 2000
const from = Date.UTC(2025, 0)
const topics = [
  { topic_id: 3, client_id: 7, topic: '7/obj/hall', rank: 0 },
  { topic_id: 1, client_id: 7, topic: '7/obj/küche/"x"', rank: 1 },
  { topic_id: 2, client_id: 1007, topic: '1007/obj/a', rank: 2 },
  { topic_id: 4, client_id: 7, topic: '7/obj/z', rank: 3 }
]
const resultAt = (bucket: number, rank: number, method: number) =>
  method * 1000 + (bucket % 97) / (rank + 3)

const resultsOf = (methods: number): Results => {
  const grid = gridOf({ ms: HOUR }, unixMs(from), unixMs(from + BUCKETS * HOUR - 1))
  const results = new Results(grid, { topics: topics.length, methods })
  for (const { rank } of topics) {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      // Not every topic has samples in every bucket.
      if ((bucket + rank) % 11 === 0) continue
      const values = Array.from({ length: methods }, (_, i) => resultAt(bucket, rank, i))
      results.add(bucket, rank, values)
    }
  }
  return results
}

const expected = (names: readonly string[] | undefined): string[] =>
  Array.from({ length: BUCKETS }, (_, bucket) =>
    topics
      .filter(({ rank }) => (bucket + rank) % 11 !== 0)
      .map(({ client_id, topic, rank }) =>
        JSON.stringify({
          ...{ client_id, installation_id: 5, timestamp: (from + bucket * HOUR) / 1000 },
          value: resultAt(bucket, rank, 0),
          ...(names && {
            values: Object.fromEntries(names.map((name, i) => [name, resultAt(bucket, rank, i)]))
          }),
          ...{ msg: '', topic }
        })
      )
  ).flat()

test('the text of aggregated rows, in few parts', () => {
  const f = (order: 'asc' | 'desc', given?: string) => {
    const several = given === undefined ? undefined : parseMethods(given)
    const page = resultsOf(several?.length ?? 1).page(order, 0, 100_000)
    const parts = aggregatedJson(page, topics, { installation_id: 5, several }, () => {})
    assert(parts)
    const rows = expected(several?.map(({ text }) => text))
    if (order === 'desc') rows.reverse()
    assert(parts.map((part) => Buffer.from(part).toString()).join() === rows.join())
    assert(parts.every(({ length }) => length <= MAX_PART_BYTES))
    const bytes = parts.reduce((sum, { length }) => sum + length, 0)
    assert.equal(parts.length, Math.ceil(bytes / (MAX_PART_BYTES - LONGEST_ROW)))
    // Each has memory of its own, which can move to another thread.
    assert.equal(new Set(parts.map(({ buffer }) => buffer)).size, parts.length)
  }
  f('asc')
  f('desc')
  f('desc', 'avg,max,count')
})

test('a short answer takes little memory', () => {
  const page = resultsOf(1).page('asc', 0, 3)
  const [part, ...more] =
    aggregatedJson(page, topics, { installation_id: 5, several: undefined }, () => {}) ?? []
  assert.equal(more.length, 0)
  assert.equal(part?.buffer.byteLength, 64 * 1024)
})
