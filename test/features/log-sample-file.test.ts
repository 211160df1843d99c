import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvFields, EndlessField } from '../../src/features/log/csv.ts'
import {
  checkFields,
  MAX_LINE_BYTES,
  numberBetween,
  numberOf,
  ownTopic,
  SampleFile
} from '../../src/features/log/sample-file.ts'
import { type LineForm, lineHeader, lineTopic, sampleLine } from '../../src/lib/sample-lines.ts'
import { DAY, unixMs } from '../../src/lib/unix-time.ts'
import { rounds } from '../support/rounds.ts'

const now = unixMs(1_800_000_000_000)

/** Reads a file in chunks of a size: samples as lists, faults as text with their line. */
function readFile(file: string | Buffer, form?: LineForm, size = 1 << 20): unknown[] {
  const bytes = Buffer.from(file as string)
  const found: unknown[] = []
  const reader = new SampleFile(
    form,
    (fields, line) => {
      const checked = checkFields(fields, now)
      if (typeof checked === 'string') found.push(`${line}: ${checked}`)
      else found.push([checked.timestamp, checked.topic, checked.value, checked.msg])
    },
    (message, line) => found.push(`${line}: ${message}`)
  )
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
  reader.end()
  return found
}

const one = [1500, 'obj/a', 21.5, '']

test('SampleFile', () => {
  const f = (file: string | Buffer, ...want: unknown[]) => {
    assert.deepEqual(readFile(file), want, String(file).slice(0, 200))
    assert.deepEqual(readFile(file, undefined, 1), want, 'byte by byte')
  }

  f('')
  f('\n\r\n  \n')
  f('timestamp,topic,value,msg\n')
  f('\ufefftimestamp,topic,value,msg\r\n1.5,obj/a,21.5,\r\n', one)
  f('1.5,obj/a,21.5', one)
  f('1.5,obj/a,21.5,x', [1500, 'obj/a', 21.5, 'x'])
  f('1.5,obj/a,21.5,timestamp', [1500, 'obj/a', 21.5, 'timestamp'])
  f('msg,value,Topic, TIMESTAMP ,more\nx,21.5,obj/a,1.5,y\n', [1500, 'obj/a', 21.5, 'x'])
  f('timestamp,topic,value\n1.5,obj/a,21.5\n', one)
  f('timestamp,topic,msg\n1.5,obj/a,x\n', '2: value must be a finite number')
  f('\n\n1.5,obj/a,x\n', '3: value must be a finite number')
  f('1.5,obj/a, +21.5e0 ,\n', one)
  // Records after the first one, with fewer and more fields than the header.
  f('1.5,obj/a,21.5\n1.5,obj/a,21.5\r\n1.5,obj/a,21.5,,,,\n1.5,obj/a,21.5,x,\r\n', one, one, one, [
    ...[1500, 'obj/a', 21.5, 'x']
  ])
  f(
    '1.5,obj/a,21.5\n1.5,obj/a\n1.5,obj/a,\r\n,,,\n\r\n1.5,obj/a,"21.5"\n',
    one,
    ...[
      ...[2, 3].map((line) => `${line}: value must be a finite number`),
      ...['4: timestamp must be a finite number', one]
    ]
  )
  f(
    'value,topic,timestamp\n21.5,obj/a,1.5,x\n21.5,obj/a\n',
    one,
    '3: timestamp must be a finite number'
  )
  for (const value of ['', ' ', '1e400', '0x10', '1_0', '1.2.3', 'NaN', 'Infinity', '.', '1e']) {
    f(`1.5,obj/a,${value},`, '1: value must be a finite number')
  }
  f(',obj/a,1,', '1: timestamp must be a finite number')
  f('-1,obj/a,1,', '1: timestamp must be between 1970 and one day from now')
  f(`${(now + DAY + 1) / 1000},obj/a,1,`, '1: timestamp must be between 1970 and one day from now')
  f('1.5\n', '1: topic must be text')
  f('1.5,"obj/a",21.5,"a ""b"", c"\n', [1500, 'obj/a', 21.5, 'a "b", c'])
  f(
    '1.5,obj/a,21.5,"a\r\nb\n\n""\n"\r\n1.5,obj/a,21.5,\n',
    [1500, 'obj/a', 21.5, 'a\r\nb\n\n"\n'],
    one
  )
  f('1.5,obj/a,21.5,"open\n1.5,obj/a,21.5,\n', '1: a quoted field is not closed')
  f('1.5,obj/a,21.5,5" pipe\n1.5,obj/a,21.5,\n', '1: quotes must enclose a whole field', one)
  f('1.5,obj/a,21.5,"a"b\n1.5,obj/a,21.5,\n', '1: quotes must enclose a whole field', one)
  f('1.5,obj/a,21.5,a\0b\n', [1500, 'obj/a', 21.5, 'a\0b'])
  f(
    Buffer.concat([Buffer.from('1.5,obj/a,21.5,\n1,'), Buffer.from([0xff, 10]), Buffer.from('x')]),
    one,
    '2: not valid UTF-8',
    '3: timestamp must be a finite number'
  )

  const line = '{"timestamp":1.5,"topic":"obj/a","value":21.5}'
  f(line, one)
  f(`\ufeff\n${line}\r\n\r\n${line}`, one, one)
  f('{"client_id":7,"timestamp":1.5,"value":21.5,"msg":null,"topic":"obj/a"}', one)
  f('{"timestamp":1.5,"topic":"obj/a","value":21.5,"msg":"\\ud800"}', [
    1500,
    'obj/a',
    21.5,
    '\ufffd'
  ])
  f('{"timestamp":1,"topic":"obj/a","value":-0}', [1000, 'obj/a', 0, ''])
  f('{"timestamp":1,"topic":"obj/a","value":1e400}', '1: value must be a finite number')
  f('{"timestamp":1,"topic":"obj/a","value":"1"}', '1: value must be a finite number')
  f('{"timestamp":1,"topic":7,"value":1}', '1: topic must be text')
  f('{"topic":"obj/a","value":1}', '1: timestamp must be a finite number')
  f('{"timestamp":1,"topic":"obj/a","value":1,"msg":2}', '1: msg must be text')
  f(
    `{\n${line}\n[1]\nnull\n1\n`,
    '1: not a JSON object',
    one,
    '3: timestamp must be a finite number',
    '4: not a JSON object',
    '5: not a JSON object'
  )
})

test('SampleFile refuses lines above the limit', () => {
  const long = 'x'.repeat(2 * 1024 * 1024)
  const tooLong = `longer than ${MAX_LINE_BYTES} bytes`
  for (const size of [1000, 65_536, 1 << 22]) {
    assert.deepEqual(readFile(`1.5,obj/a,21.5,${long}\n1.5,obj/a,21.5,\n`, 'csv', size), [
      `1: ${tooLong}`,
      one
    ])
    assert.deepEqual(
      readFile(`${long}\n{"timestamp":1.5,"topic":"obj/a","value":21.5}\n${long}`, 'ndjson', size),
      [`1: ${tooLong}`, one, `3: ${tooLong}`]
    )
    // Inside quotes the begin of the next record cannot be found.
    for (const field of [`"${long}"`, `"${'x\n'.repeat(1024 * 1024)}"`]) {
      assert.throws(() => readFile(`1.5,obj/a,21.5,${field}\n`, 'csv', size), EndlessField)
    }
  }
})

test('SampleFile reads what an export writes', () => {
  const samples = fc.array(
    fc.record({
      topic: fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => `obj/${text}`),
      timestamp: fc.nat(now).map(unixMs),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      msg: fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())
    })
  )
  const forms = fc.constantFrom<LineForm>('csv', 'ndjson')
  fc.assert(
    fc.property(samples, forms, fc.integer({ min: 1, max: 50 }), (stored, form, size) => {
      const lines = stored.map((one) => sampleLine(form, lineTopic(form, `7/${one.topic}`), one))
      const want = stored.map((s) => [s.timestamp, s.topic, s.value, s.msg])
      assert.deepEqual(readFile(lineHeader(form) + lines.join(''), form, size), want)
    })
  )
})

test('property: a number is read in place as from a text of its own', () => {
  const digits = fc.stringMatching(/^[-+]?[0-9]{0,20}(\.[0-9]{0,18})?(e[-+]?[0-9]{1,3})?$/)
  const noise = fc.stringMatching(/^[-+ .0-9a-fx_]{0,8}$/)
  const usual = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
  const same = fc.property(fc.oneof(digits, noise, usual), (text) =>
    assert(Object.is(numberBetween(`,${text},1`, 1, text.length + 1), numberOf(text)), text)
  )
  fc.assert(same, { numRuns: rounds(20_000) })
})

test('csvFields', () => {
  const f = (record: string, want: string[] | undefined) =>
    assert.deepEqual(csvFields(record), want, record)

  f('', [''])
  f('a,b', ['a', 'b'])
  f('a,b\r', ['a', 'b'])
  f(',,', ['', '', ''])
  f('"a","",b', ['a', '', 'b'])
  f('"a""b",c', ['a"b', 'c'])
  f('"a\r\nb"', ['a\r\nb'])
  f('""', [''])
  f('"",', ['', ''])
  f('""""', ['"'])
  f('"', undefined)
  f('"a"b', undefined)
  f('a"b', undefined)
  f('"a" ,b', undefined)
})

test('ownTopic', () => {
  const f = (topic: string, want: string | RegExp) => {
    const own = ownTopic(7, topic)
    if (want instanceof RegExp) assert.match(String(own), want, topic)
    else assert.deepEqual(own, { topic: want })
  }

  f('obj/a', '7/obj/a')
  f('7/obj/a', '7/obj/a')
  f('obj/7/obj/a', '7/obj/7/obj/a')
  f('obj/\ud800', '7/obj/\ufffd')
  f('8/obj/a', /another installation/)
  f('77/obj/a', /another installation/)
  f('7/7/obj/a', /another installation/)
  f('', /topic must be obj/)
  f('obj', /topic must be obj/)
  f('obj/', /topic must be obj/)
  f('7/set/a', /topic must be obj/)
  f('/obj/a', /topic must be obj/)
  f('obj/+', /must not have \+/)
  f('obj/#', /must not have \+/)
  f('obj/a\0', /NUL/)
  f(`obj/${'x'.repeat(1019)}`, /64 levels and 1024 bytes/)
  f(`obj/${'a/'.repeat(62)}x`, /64 levels and 1024 bytes/)
})
