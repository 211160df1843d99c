import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SetCache, setCacheBytes } from '../../src/features/search/sets.ts'

const setsOf = (bytes: number) => new Map([[1, new Uint8Array(bytes)]])

test('sets in memory have a bound: those that were not used for longest go first', () => {
  const cache = new SetCache(() => 10_000)
  for (const token of [1, 2, 3]) cache.put(token, setsOf(3000))
  assert.ok(cache.get(1))
  cache.put(4, setsOf(3000))
  assert.deepEqual(
    [1, 2, 3, 4].map((token) => cache.get(token) !== undefined),
    [true, false, true, true]
  )
  assert.ok(cache.bytes <= 10_000, `${cache.bytes} bytes`)
})

test('sets that are read again take the place of those before', () => {
  const cache = new SetCache(() => 10_000)
  for (let i = 0; i < 100; i++) cache.put(1, setsOf(3000 + i))
  assert.equal(cache.get(1)?.get(1)?.length, 3099)
  assert.ok(cache.bytes < 4000, `${cache.bytes} bytes`)
})

test('a token that takes more than the bound is not kept', () => {
  const cache = new SetCache(() => 1000)
  cache.put(1, setsOf(3000))
  assert.equal(cache.get(1), undefined)
  assert.equal(cache.bytes, 0)
})

test('a larger index has more room in memory, up to a bound', () => {
  const cache = new SetCache((segments) => 4000 * segments)
  cache.fit(2)
  for (const token of [1, 2]) cache.put(token, setsOf(3000))
  assert.ok(cache.get(1) && cache.get(2))
  cache.fit(1)
  cache.put(3, setsOf(3000))
  assert.deepEqual(
    [1, 2, 3].map((token) => cache.get(token) !== undefined),
    [false, false, true]
  )
  const MiB = 2 ** 20
  assert.deepEqual(
    [0, 62, 305, 1e6].map((segments) => setCacheBytes(segments) / MiB),
    [32, 32, 152.5, 256]
  )
})
