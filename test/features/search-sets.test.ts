import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  DOCS_PER_CHUNK,
  docsOf,
  encodeSet,
  noBits,
  setBit
} from '../../src/features/search/segment.ts'
import { SetCache, setCacheBytes } from '../../src/features/search/sets.ts'
import { TokenSets } from '../../src/features/search/token-sets.ts'

const setsOf = (bytes: number) => new TokenSets([1], [new Uint8Array(bytes)])

test('sets in memory have a bound: those that were not used for longest go first', () => {
  const cache = new SetCache(() => 3000)
  for (const token of [1, 2, 3]) cache.put(token, setsOf(300))
  assert.ok(cache.get(1))
  cache.put(4, setsOf(300))
  assert.deepEqual(
    [1, 2, 3, 4].map((token) => cache.get(token) !== undefined),
    [true, false, true, true]
  )
  assert.ok(cache.bytes <= 3000, `${cache.bytes} bytes`)
})

test('sets that are read again take the place of those before', () => {
  const cache = new SetCache(() => 1000)
  for (let i = 0; i < 100; i++) cache.put(1, setsOf(300 + i))
  assert.equal(cache.get(1)?.listed([1])[0]?.length, 399)
  assert.ok(cache.bytes < 1000, `${cache.bytes} bytes`)
})

test('a token that takes more than the bound is not kept', () => {
  const cache = new SetCache(() => 500)
  cache.put(1, setsOf(300))
  assert.equal(cache.get(1), undefined)
  assert.equal(cache.bytes, 0)
})

test('a larger index has more room in memory, up to a bound', () => {
  const cache = new SetCache((segments) => 1000 * segments)
  cache.fit(2)
  for (const token of [1, 2]) cache.put(token, setsOf(300))
  assert.ok(cache.get(1) && cache.get(2))
  cache.fit(1)
  cache.put(3, setsOf(300))
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

test('a set keeps and adds the same documents, whatever form it has', () => {
  const docs = fc
    .record({ every: fc.constantFrom(1, 2, 5, 9, 40, 300, 5000), from: fc.nat({ max: 20_000 }) })
    .map(({ every, from }) => {
      const count = Math.max(0, Math.ceil((DOCS_PER_CHUNK - from) / every))
      return Array.from({ length: count }, (_, i) => from + i * every)
    })
  fc.assert(
    fc.property(fc.array(docs, { minLength: 1, maxLength: 4 }), docs, (lists, given) => {
      const segments = lists.map((_, i) => 10 + i)
      const read = new TokenSets(segments, lists.map(encodeSet))
      const turned = read.of(segments.toReversed())
      for (const [sets, expected] of [
        [read, lists],
        [read.readAgain, lists],
        [turned, lists.toReversed()],
        [turned.readAgain, lists.toReversed()]
      ] as const) {
        for (const [place, own] of expected.entries()) {
          const bits = noBits()
          for (const doc of given) setBit(bits, doc)
          const added = bits.slice()
          sets.addTo(added, place)
          assert.deepEqual(
            docsOf(added),
            [...new Set([...given, ...own])].sort((a, b) => a - b)
          )
          const ownDocs = new Set(own)
          const common = given.filter((doc) => ownDocs.has(doc))
          assert.equal(sets.keepIn(bits, place), common.length > 0)
          assert.deepEqual(docsOf(bits), common)
          assert.equal(sets.hasSome(place), own.length > 0)
        }
      }
      assert.deepEqual(read.lacks([9, 10, 99]), [9, 99])
    }),
    { numRuns: 30 }
  )
})
