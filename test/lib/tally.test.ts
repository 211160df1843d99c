import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from '../../src/lib/tally.ts'

test('a tally counts by key and in total', () => {
  const tally = new Tally()
  const f = (key: string, amount: number, want: { sum: number; total: number }) => {
    tally.add(key, amount)
    assert.deepEqual({ sum: tally.of(key), total: tally.total }, want)
  }

  f('a', 2, { sum: 2, total: 2 })
  f('b', 3, { sum: 3, total: 5 })
  f('a', 1, { sum: 3, total: 6 })
  f('a', -3, { sum: 0, total: 3 })
  f('b', -3, { sum: 0, total: 0 })
  assert.equal(tally.of('c'), 0)
})
