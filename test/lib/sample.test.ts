import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainNumber } from '../../src/lib/json-number.ts'
import {
  decodeSamples,
  encodeSample,
  MAX_MSG_BYTES,
  parseReading,
  statusJson
} from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

const now = unixMs(1_800_000_000_000)

test('parseReading', () => {
  const f = (payload: string, want: unknown) =>
    assert.deepEqual(parseReading(Buffer.from(payload), now), want, payload)

  f('{"value":21.5}', { value: 21.5, timestamp: now, msg: '' })
  f('{"value":1,"timestamp":1700000000.123,"msg":"on"}', {
    value: 1,
    timestamp: 1_700_000_000_123,
    msg: 'on'
  })
  f('{"value":1,"timestamp":null,"msg":null}', { value: 1, timestamp: now, msg: '' })
  f('{"value":1,"timestamp":0}', { value: 1, timestamp: 0, msg: '' })
  f('{"value":1,"unit":"C"}', { value: 1, timestamp: now, msg: '' })
  f('Hello World', 'not json')
  f('', 'not json')
  f('{"temperature":21}', 'no numeric value')
  f('{"value":"21"}', 'no numeric value')
  f('{"value":1e999}', 'no numeric value')
  f('null', 'no numeric value')
  f('[1]', 'no numeric value')
  f('{"value":1,"timestamp":-1}', 'bad timestamp')
  f('{"value":1,"timestamp":"1700000000"}', 'bad timestamp')
  f('{"value":1,"timestamp":1800086400}', { value: 1, timestamp: 1_800_086_400_000, msg: '' })
  f('{"value":1,"timestamp":1800086400.001}', 'bad timestamp')
  f('{"value":1,"msg":5}', 'bad msg')
  const long = 'x'.repeat(MAX_MSG_BYTES)
  f(JSON.stringify({ value: 1, msg: long }), { value: 1, timestamp: now, msg: long })
  f(JSON.stringify({ value: 1, msg: `${long}x` }), 'msg too long')
  const wide = 'é'.repeat(MAX_MSG_BYTES / 2)
  f(JSON.stringify({ value: 1, msg: wide }), { value: 1, timestamp: now, msg: wide })
  f(JSON.stringify({ value: 1, msg: `${wide}x` }), 'msg too long')
  f(`{"value":1}${' '.repeat(2 ** 20 - 11)}`, { value: 1, timestamp: now, msg: '' })
  f(`{"value":1}${' '.repeat(2 ** 20 - 10)}`, 'too large')
  const noText = Buffer.from(`{"value":1,"msg":"${'x'.repeat(400_000)}"}`)
  noText.fill(0xff, 20, 300_000)
  assert.equal(parseReading(noText, now), 'msg too long')
  noText.fill(0xff, 20, 400_000)
  assert.equal(parseReading(noText, now), 'too large')
  const zero = parseReading(Buffer.from('{"value":-0}'), now)
  assert(typeof zero === 'object' && Object.is(zero.value, 0))
})

test('parseReading takes plain values', () => {
  const f = (payload: string, want: number | 'no numeric value' | 'not json') => {
    const reading = parseReading(Buffer.from(payload), now)
    assert.deepEqual(
      reading,
      typeof want === 'string' ? want : { value: want, timestamp: now, msg: '' },
      payload
    )
    assert(typeof reading === 'string' || !Object.is(reading.value, -0))
  }
  f('21.5', 21.5)
  f('-0.5e-3', -0.0005)
  f('1E+2', 100)
  f('-0', 0)
  f(' 7\r\n', 7)
  f('1e999', 'no numeric value')
  f('true', 1)
  f('false', 0)
  f('"21.5"', 21.5)
  f('"-0"', 0)
  f('"1e3"', 1000)
  f('"0"', 0)
  f('"1e999"', 'no numeric value')
  for (const text of '| | 1|1 |1\\n|+1|01|1.|.5|1,5|1 000|21 °C'.split('|')) {
    f(`"${text}"`, 'no numeric value')
  }
  for (const text of 'NaN|Infinity|-Infinity|0x10|0b1|1_0|1n|ON|true|١'.split('|')) {
    f(`"${text}"`, 'no numeric value')
  }
  for (const text of 'NaN|Infinity|0x10|+1|01|.5|1.|1,5|21 °C|ON|TRUE'.split('|')) {
    f(text, 'not json')
  }
  f('null', 'no numeric value')
  f('[21.5]', 'no numeric value')
  f('{"value":"21.5"}', 'no numeric value')
  f('{"value":true}', 'no numeric value')
})

test('a plain value is read as the same value in an object', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const want = parseReading(Buffer.from(JSON.stringify({ value })), now)
      for (const plain of [String(value), `"${value}"`]) {
        assert.deepEqual(parseReading(Buffer.from(plain), now), want)
      }
    })
  )
})

test('samples come back from the spool unchanged, whatever their text', () => {
  const sample = fc.record({
    id: fc.nat(),
    installation_id: fc.nat(),
    client_id: fc.nat(),
    topic: fc.string({ unit: 'binary' }),
    timestamp: fc.nat().map(unixMs),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((v) => (v === 0 ? 0 : v)),
    msg: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\', '\t\\t\n', '\0\\0', '\r'))
  })
  fc.assert(
    fc.property(fc.array(sample), (samples) => {
      const rows = Buffer.from(samples.map(encodeSample).join(''))
      const wellFormed = samples.map((s) => ({
        ...s,
        topic: s.topic.toWellFormed(),
        msg: s.msg.toWellFormed()
      }))
      assert.deepEqual([...decodeSamples(rows)], wellFormed)
    })
  )
})

test('plainNumber writes the same number without an exponent', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = plainNumber(value)
      assert.match(text, /^-?\d+(\.\d+)?$/)
      assert.equal(Number(text), value === 0 ? 0 : value)
    })
  )
  assert.equal(plainNumber(1e-7), '0.0000001')
  assert.equal(plainNumber(-1.5e-9), '-0.0000000015')
  assert.equal(plainNumber(1.25e22), '12500000000000000000000')
})

test('statusJson writes the JSON of the contract', () => {
  const sample = {
    id: 1,
    installation_id: 3,
    client_id: 1003,
    topic: '1003/obj/"x"',
    timestamp: unixMs(1_700_000_000_123),
    value: 1e-7,
    msg: 'a\n'
  }
  assert.deepEqual(JSON.parse(statusJson(sample)), {
    client_id: 1003,
    installation_id: 3,
    timestamp: 1_700_000_000.123,
    value: 1e-7,
    msg: 'a\n',
    topic: '1003/obj/"x"'
  })
})
