import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainNumber } from '../../src/lib/json-number.ts'
import { MAX_NUMBER_BYTES, writeNumber } from '../../src/lib/number-bytes.ts'
import { rounds } from '../support/rounds.ts'

const bytes = new Uint8Array(MAX_NUMBER_BYTES + 1)
const written = (value: number): string =>
  Buffer.from(bytes.buffer, 1, writeNumber(bytes, 1, value) - 1).toString('latin1')

test('writeNumber', () => {
  const f = (value: number) => assert.equal(written(value), plainNumber(value))

  for (const value of [0, -0, 7, -7, 20.5, -0.001, 0.0005, 1e15, 1e15 + 0.5, 1e12 + 0.125]) f(value)
  // Both ends of the range in which the digits are computed here.
  for (const value of [1 - 2 ** -53, 1 + 2 ** -52, 2 - 2 ** -52, 2 ** 24 - 2 ** -29, 2 ** 24])
    f(value)
  // In the middle between two decimals, the even one counts.
  for (const value of ['15.0889129638671875', '1.93051910400390625']) f(Number(value))
  for (const value of [Number.MAX_VALUE, -Number.MAX_VALUE, -5e-324, 2 ** 53, 1e21]) f(value)
  // The digits are rounded up across both halves of the fraction.
  for (const value of [3.0000000299999994, 1.0999999999999999, 4.199999999999999]) f(value)
})

test('property: writeNumber writes the digits of plainNumber', () => {
  const sixty = fc.array(fc.integer({ min: -99_999, max: 99_999 }), { minLength: 1, maxLength: 60 })
  const any = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: 1, max: 2 ** 24 }),
    fc.double({ noNaN: true, min: -300, max: 300 }),
    sixty.map((values) => values.reduce((sum, value) => sum + value / 100, 0) / values.length)
  )
  const same = fc.property(any, (value) => assert.equal(written(value), plainNumber(value)))
  fc.assert(same, { numRuns: rounds(100_000) })
})
