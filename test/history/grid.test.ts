import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gridOf } from '../../src/history/sqlite/grid.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

test('buckets are aligned to the epoch and cover the begin and the end', () => {
  const f = (from: number, to: number, want: number[]) => {
    const grid = gridOf({ ms: 10 }, unixMs(from), unixMs(to))
    const starts = Array.from({ length: grid.count }, (_, i) => Number(grid.startOf(i)))
    assert.deepEqual([...starts, grid.stopOf(grid.count - 1)], want)
  }
  f(0, 0, [0, 10])
  f(9, 10, [0, 10, 20])
  f(10, 19, [10, 20])
})
