import assert from 'node:assert/strict'
import { test } from 'node:test'
import { phoneNumber } from '../../src/lib/phone-number.ts'

test('phoneNumber', () => {
  const f = (written: string, want: string | undefined) =>
    assert.equal(phoneNumber(written), want, written)

  f('+46700000000', '+46700000000')
  f('+46 70-000 00 00', '+46700000000')
  f('+46 (0)70 000 00 00', '+46700000000')
  f('070-000 00 00', '0700000000')
  f('(555) 010-0100', '5550100100')
  f('555.010.0100', '5550100100')
  f('08/123 45', '0812345')
  f('+1 (0800) 555', '+10800555')
  f('\u202a+46\u00a070\u2011000\u202c', '+4670000')
  f('  +1 2 ', '+12')
  f('', undefined)
  f('-', undefined)
  f('+', undefined)
  f('call me', undefined)
  f('070 000 00 00 (work)', undefined)
  f('1+2', undefined)
  f('1'.repeat(21), undefined)
})
