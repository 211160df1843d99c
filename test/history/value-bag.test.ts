import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ValueBag } from '../../src/history/sqlite/value-bag.ts'
import { TooManyValues } from '../../src/lib/aggregation.ts'

/** Adds the values in parts, as blocks bring them. */
function bagOf(values: Float64Array): ValueBag {
  const bag = new ValueBag()
  for (let at = 0; at < values.length; at += 16_384)
    bag.add(values, at, Math.min(at + 16_384, values.length))
  return bag
}

/** Numbers without an order, always the same. */
const mixed = (count: number, different: number) =>
  Float64Array.from({ length: count }, (_, i) => ((i * 7919 + 13) % different) / 100 - 5)

const middle = (sorted: Float64Array) =>
  ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2

for (const count of [1, 2, 3, 4, 999, 1000, 1_000_001, 2_500_000, 2_500_001])
  test(`every place among ${count} values`, () => {
    const values = mixed(count, 10_007)
    const sorted = values.toSorted()
    const bag = bagOf(values)
    for (const share of [0, 0.1, 0.5, 0.99, 1]) {
      const index = Math.floor((count - 1) * share)
      assert.equal(bag.nth(index), sorted[index])
    }
    assert.equal(bagOf(values).middle(), middle(sorted))
    bag.clear()
    bag.add(Float64Array.of(3, 1, 2), 0, 3)
    assert.equal(bag.middle(), 2, 'it can be used again')
  })

test('the middle of two very large values is no overflow', () => {
  assert.equal(bagOf(Float64Array.of(2 ** 1023, 2 ** 1023)).middle(), 2 ** 1023)
})

test('values that make each round of the search useless take no longer', () => {
  const values = Float64Array.from({ length: 100_000 }, (_, i) => Math.min(i, 100_000 - i))
  assert.equal(bagOf(values).nth(50_000), values.toSorted()[50_000])
})

test('too many different values are refused', () => {
  const values = Float64Array.from({ length: 6_000_000 }, (_, i) => i)
  assert.throws(() => bagOf(values), TooManyValues)
})
