import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Buckets } from '../../src/lib/buckets.ts'

test('a bucket counts all figures up to its bound, and the last one all there are', () => {
  const buckets = new Buckets([0.1, 1])
  for (const figure of [0.1, 0.05, 1, 0.2, 1.5, 60]) buckets.add(figure)
  assert.deepEqual(buckets.upTo(), [
    { bound: 0.1, count: 2 },
    { bound: 1, count: 4 },
    { bound: Number.POSITIVE_INFINITY, count: 6 }
  ])
  assert.equal(buckets.count, 6)
  assert.equal(buckets.sum, 0.1 + 0.05 + 1 + 0.2 + 1.5 + 60)
})

test('empty buckets count nothing', () => {
  const buckets = new Buckets([1])
  assert.deepEqual(
    buckets.upTo().map(({ count }) => count),
    [0, 0]
  )
})
