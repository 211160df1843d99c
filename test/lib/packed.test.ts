import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  packInts,
  packTexts,
  packValues,
  regularSteps,
  unpack,
  unpackTexts
} from '../../src/lib/packed.ts'
import { rounds } from '../support/rounds.ts'

type Pack = (numbers: Float64Array) => Buffer

const there = (numbers: readonly number[], pack: Pack): number[] =>
  Array.from(unpack(pack(Float64Array.from(numbers)), numbers.length))

/** From -200 to 200. */
const noise = (i: number): number => ((Math.imul(i + 1, 0x9e3779b1) >>> 8) % 401) - 200
const jittered = (i: number, step: number): number => START + Math.round(i * step) + noise(i)

const START = 1_790_000_000_000
const columns: [what: string, numbers: number[], pack: Pack][] = [
  ['one time', [START], packInts],
  ['times of one minute', [START, START + 60_000, START + 120_000], packInts],
  ['times with a gap of years', [0, 60_000, START, START + 1], packInts],
  ['equal times', [START, START, START], packInts],
  ['ids', [START * 1000, START * 1000 + 1, START * 1000 + 59_999_123], packInts],
  ['ids too far apart for differences', [1, 2 ** 53 - 1, 5], packInts],
  ['a difference that takes each width', [0, 1, 200, 70_000, 2e7, 5e9, 2e12, 3e14, 0], packInts],
  ['times around a line', Array.from({ length: 500 }, (_, i) => jittered(i, 60_000)), packInts],
  ['a clock that is slow', Array.from({ length: 500 }, (_, i) => jittered(i, 60_003.2)), packInts],
  ['delays, few of them long', [17, 3, 99, 3_600_123, 5, 60, 7e12, 41, 8, 12], packInts],
  ['a line without noise', Array.from({ length: 500 }, (_, i) => Math.round(i * 0.37)), packInts],
  [
    'a line of decimals',
    Array.from({ length: 500 }, (_, i) => Math.round(i * 0.37) / 10),
    packValues
  ],
  ['a line that falls', Array.from({ length: 500 }, (_, i) => jittered(i, -0.37)), packInts],
  ['noise around nothing', Array.from({ length: 500 }, (_, i) => noise(i) / 100), packValues],
  ['two decimals', [20.01, 20.02, -3.5, 0], packValues],
  ['six decimals', [0.000001, 0.1, 1], packValues],
  ['seven decimals', [0.0000001, 0.1, 1], packValues],
  ['thirds', [1 / 3, 2 / 3, 1], packValues],
  ['the greatest and the smallest', [1e308, -1e308, 5e-324, Number.MAX_VALUE], packValues],
  ['negative zero', [-0, 0, 1], packValues],
  ['a large number with decimals', [4_503_599_627_370.49, 0.01], packValues],
  ['nothing', [], packValues]
]

for (const [what, numbers, pack] of columns)
  test(`${what} are the same after packing`, () => assert.deepEqual(there(numbers, pack), numbers))

test('any values and whole numbers are the same after packing', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -100_000, max: 100_000 }).map((n) => n / 100),
    fc.integer()
  )
  fc.assert(
    fc.property(fc.array(value, { maxLength: 300 }), (values) => {
      assert.deepEqual(there(values, packValues), values)
    }),
    { numRuns: rounds(1000) }
  )
  const walk = fc.record({
    slope: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    rests: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -1000, max: 1000 })), {
      maxLength: 300
    }),
    strays: fc.array(fc.tuple(fc.nat(299), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })))
  })
  fc.assert(
    fc.property(walk, ({ slope, rests, strays }) => {
      const numbers = rests.map((rest, i) => START + Math.round(i * slope) + rest)
      for (const [i, stray] of strays) if (i in numbers) numbers[i] = START + stray
      assert.deepEqual(there(numbers, packInts), numbers)
    }),
    { numRuns: rounds(1000) }
  )
  fc.assert(
    fc.property(fc.array(fc.maxSafeNat(), { maxLength: 300 }), (numbers) => {
      assert.deepEqual(there(numbers, packInts), numbers)
    }),
    { numRuns: rounds(1000) }
  )
})

test('regular times need no bytes of their own', () => {
  const times = Float64Array.from({ length: 10_000 }, (_, i) => START + i * 60_000)
  const packed = packInts(times)
  assert.equal(packed.length, 20)
  assert.deepEqual(regularSteps(packed), { first: START, step: 60_000 })
  times[5000] = START
  assert.equal(regularSteps(packInts(times)), undefined)
  assert.equal(regularSteps(packValues(Float64Array.of(0.5, 1, 1.5))), undefined)
})

test('times around a line take hardly more bytes than the noise has', () => {
  const count = 10_000
  const times = Float64Array.from({ length: count }, (_, i) => jittered(i, 60_003.2))
  const bits = (8 * packInts(times).length) / count
  // There are 401 different distances from the line.
  assert.ok(bits < Math.log2(401) + 1, `${bits} bits a time`)
})

test('texts are the same after packing', () => {
  const texts = ['', 'é😀', '', 'x'.repeat(100_000), 'on', 'on']
  assert.deepEqual(unpackTexts(packTexts(texts), texts.length), texts)
  assert.deepEqual(unpackTexts(packTexts([]), 0), [])
})
