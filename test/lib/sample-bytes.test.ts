import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { encodeSample, encodeSource, type Sample } from '../../src/lib/sample.ts'
import { SampleRows } from '../../src/lib/sample-bytes.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { rounds } from '../support/rounds.ts'

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 21.5, -1e-7, 1e-6, 1e21, 5e-324, Number.MAX_VALUE, 1e20)
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', 'a\tb\\', 'é\n\r\0', 'x'.repeat(40_000), '\t'.repeat(60_000))
)
const sample: fc.Arbitrary<Sample> = fc.record({
  ...{ id: fc.maxSafeNat(), installation_id: fc.nat(), client_id: fc.nat() },
  ...{ topic: text, timestamp: fc.maxSafeNat().map(unixMs), value: number, msg: text }
})

test('property: SampleRows writes rows as encodeSample does', () => {
  const lists = fc.array(fc.array(sample, { maxLength: 5 }), { maxLength: 4 })
  const same = fc.property(lists, (batches) => {
    const rows = new SampleRows()
    for (const batch of batches) {
      for (const one of batch) rows.add(Buffer.from(encodeSource(one)), one)
      const want = Buffer.from(batch.map(encodeSample).join(''))
      assert.equal(rows.length, want.length)
      assert(rows.take().equals(want), JSON.stringify(batch).slice(0, 500))
    }
  })
  fc.assert(same, { numRuns: rounds(500) })
})
