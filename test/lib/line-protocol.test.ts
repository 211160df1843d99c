import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  LineFault,
  LineProtocol,
  MAX_LINE_CHARACTERS,
  MAX_LINE_FIELDS,
  type Precision
} from '../../src/lib/line-protocol.ts'
import { everyBrokerTakes, isWithinTopicLimits } from '../../src/lib/topic.ts'

function read(text: string, precision?: Precision) {
  const lines = new LineProtocol(text, precision)
  const points = []
  try {
    for (let point = lines.next(); point; point = lines.next()) points.push(point)
  } catch (error) {
    assert(error instanceof LineFault)
    return { points, fault: `${error.line} ${error.message}` }
  }
  return { points, fault: undefined }
}

test('topics of line protocol', () => {
  const f = (line: string, ...topics: string[]) => {
    const { points, fault } = read(line)
    assert.equal(fault, undefined, line)
    assert.deepEqual(
      points.flatMap(({ fields }) => fields.map(({ topic }) => topic)),
      topics,
      line
    )
  }
  f('cpu usage=1', 'obj/cpu/usage')
  f('cpu,host=pi,cpu=cpu0 usage=1,idle=2', 'obj/cpu/cpu0/pi/usage', 'obj/cpu/cpu0/pi/idle')
  f('m,b=2,a=1,B=3,ab=4 f=1', 'obj/m/3/1/4/2/f')
  f('disk,path=/ free=1i', 'obj/disk/_/free')
  f('disk,path=/var/log free=1i', 'obj/disk/_var_log/free')
  f('a+b,t=#1 c#d=1', 'obj/a_b/_1/c_d')
  f('m,t=a\tb\u0001 f=1', 'obj/m/a_b_/f')
  f('m,t=\ufffe f=1', 'obj/m/_/f')
  f('m,t= f=1', 'obj/m/_/f')
  f('väder,ort=Åre temp=-4', 'obj/väder/Åre/temp')
  // Escaped characters, and backslashes that escape nothing.
  f('my\\,m\\ x\\=y f=1', 'obj/my,m x\\=y/f')
  f('m,a\\ \\,\\=b=c\\ \\,\\=d e\\ \\,\\=f=1', 'obj/m/c ,=d/e ,=f')
  f('m,t=C:\\dir f\\x=1', 'obj/m/C:\\dir/f\\x')
  f('m,t=a\\\\,b f=1', 'obj/m/a\\,b/f')
  f('m,t="q f=1', 'obj/m/"q/f')
  f('m,t=a=b f=1', 'obj/m/a=b/f')
  f('m   f=1   1', 'obj/m/f')
})

test('values of line protocol', () => {
  const f = (written: string, value: number | undefined) => {
    const { points, fault } = read(`m f=${written} 1`)
    if (value === undefined) {
      assert.equal(fault, `1 has a value that is no number: ${written}`)
      return
    }
    assert.equal(fault, undefined, written)
    assert(Object.is(points[0]?.fields[0]?.value, value), written)
  }
  f('1', 1)
  f('-1.5', -1.5)
  f('1.', 1)
  f('.5', 0.5)
  f('1e3', 1000)
  f('1.5E-3', 0.0015)
  f('-0', 0)
  f('1i', 1)
  f('-12i', -12)
  f('-0i', 0)
  f('12u', 12)
  f('18446744073709551615u', 2 ** 64)
  for (const text of ['t', 'T', 'true', 'True', 'TRUE']) f(text, 1)
  for (const text of ['f', 'F', 'false', 'False', 'FALSE']) f(text, 0)
  for (const text of '|NaN|Inf|-Inf|0x1|1_0|+1|--1|1.5i|-1u|1I|i|-|.|e3|1e|tRUE|yes|1e999'.split(
    '|'
  )) {
    f(text, undefined)
  }
})

test('texts are no values, and may contain anything', () => {
  const f = (fields: string, ...names: string[]) => {
    const { points, fault } = read(`m ${fields} 5000000\nn z=1`)
    assert.equal(fault, undefined, fields)
    assert.deepEqual(
      points.map(({ fields }) => fields.map(({ topic }) => topic.replace('obj/', ''))),
      [names.map((name) => `m/${name}`), ['n/z']],
      fields
    )
    assert.equal(points[0]?.timestamp, 5)
  }
  f('a="x"')
  f('a="",b=1', 'b')
  f('a=1,b="x, y=2 \\"z\\" \\\\",c=3', 'a', 'c')
  f('a="10 days,  3:04",b=1', 'b')
  f('a="C:\\dir",b=1', 'b')
  f('a="first\nsecond # third",b=1', 'b')
})

test('timestamps of line protocol', () => {
  const f = (written: string, precision: Precision | undefined, ms: number | undefined) =>
    assert.equal(read(`m f=1${written}`, precision).points[0]?.timestamp, ms, written)
  f(' 1700000000123456789', undefined, 1_700_000_000_123)
  f(' 1700000000123456789', 'ns', 1_700_000_000_123)
  f(' 1700000000123456', 'us', 1_700_000_000_123)
  f(' 1700000000123', 'ms', 1_700_000_000_123)
  f(' 1700000000', 's', 1_700_000_000_000)
  f(' 5', 'ns', 0)
  f(' 0', 's', 0)
  f('', 'ns', undefined)
  f('  ', 'ns', undefined)
  f('\r\n', 'ns', undefined)
  f(' 7\r\n', 'ms', 7)
  f('  7  ', 'ms', 7)
})

test('lines, comments and faults of line protocol', () => {
  const f = (text: string, lines: number[], fault?: string) =>
    assert.deepEqual(
      { ...read(text), points: read(text).points.map(({ line }) => line) },
      { points: lines, fault },
      text
    )
  f('', [])
  f('\n \n\t\r\n', [])
  f('# a comment m f=1', [])
  f('m f=1\n\n  # x\r\n  m f=2\r\nm f=3', [1, 4, 5])
  f('m f="a\nb\nc"\nm f=1', [1, 4])
  f('m f=1\nm\nm f=1', [1], '2 has no fields')
  f('m f=1\n,a=1 f=1', [1], '2 has no measurement')
  f('m,a f=1', [], '1 has a tag that is not name=value')
  f('m,=a f=1', [], '1 has a tag that is not name=value')
  f('m, f=1', [], '1 has a tag that is not name=value')
  f('m f', [], '1 has a field that is not name=value')
  f('m =1', [], '1 has a field that is not name=value')
  f('m f=1,', [], '1 has a field that is not name=value')
  f('m f=1,,g=1', [], '1 has a field that is not name=value')
  f('m a b=1', [], '1 has a field that is not name=value')
  f('m f=\nm g=1', [], '1 has a value that is no number: ')
  f('m f=1 x', [], '1 has a timestamp that is no whole number: x')
  f('m f=1 1.5', [], '1 has a timestamp that is no whole number: 1.5')
  f('m f=1 -1', [], '1 has a timestamp that is no whole number: -1')
  f('m f=1 1 2', [], '1 has a timestamp that is no whole number: 1 2')
  f(
    'm f=1 12345678901234567890',
    [],
    '1 has a timestamp that is no whole number: 12345678901234567890'
  )
  f('m f="x', [], '1 has a text without an end')
  f('m f=1\nm f="x\ny\n', [1], '2 has a text without an end')
  f('m f="x"y', [], '1 has something after the end of a text')
  f(`m f=${'x'.repeat(100)}`, [], `1 has a value that is no number: ${'x'.repeat(40)}...`)
  const long = 'x'.repeat(MAX_LINE_CHARACTERS)
  const tooLong = `is longer than ${MAX_LINE_CHARACTERS} characters`
  f(`${long} f=1`, [], `1 ${tooLong}`)
  f(`m f=1\nm ${long}=1\n`, [1], `2 ${tooLong}`)
  f(`m f=${long} 1`, [], `1 ${tooLong}`)
  f(`m f="${long}"`, [], `1 ${tooLong}`)
  f(`m${' '.repeat(MAX_LINE_CHARACTERS)}f=1`, [], `1 ${tooLong}`)
  f(`# ${long}${long}\nm f="${long.slice(10)}"`, [2])
  const fields = Array.from({ length: MAX_LINE_FIELDS }, (_, i) => `f${i}=1`).join()
  f(`m ${fields}`, [1])
  f(`m ${fields},x=1`, [], `1 has more than ${MAX_LINE_FIELDS} fields`)
})

/** As Telegraf writes them: a text never ends with a backslash there. */
const escaped = (text: string, characters: RegExp) => text.replace(characters, '\\$&')
const word = fc
  .string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'ab1 ,=\\"/+#é\t') })
  .filter((text) => !/\\$|^[ \t#]|^$/.test(text))
const point = fc.record({
  measurement: word,
  tags: fc.dictionary(word, word, { maxKeys: 4 }),
  fields: fc.dictionary(word, fc.double({ noNaN: true, noDefaultInfinity: true }), {
    ...{ minKeys: 1, maxKeys: 4 }
  }),
  ms: fc.option(fc.nat(), { nil: undefined })
})

test('what was written as line protocol is read as the same values', () => {
  const level = (text: string) => text.replace(/[/+#\t]/g, '_')
  fc.assert(
    fc.property(fc.array(point, { maxLength: 5 }), (points) => {
      const text = points.map(({ measurement, tags, fields, ms }) => {
        const write = (name: string) => escaped(name, /[ ,=]/g)
        const head = [escaped(measurement, /[ ,]/g)]
        for (const [name, value] of Object.entries(tags))
          head.push(`${write(name)}=${write(value)}`)
        const values = Object.entries(fields).map(([name, value]) => `${write(name)}=${value}`)
        return `${head.join()} ${values.join()}${ms === undefined ? '' : ` ${ms}`}\n`
      })
      const { points: found, fault } = read(text.join(''), 'ms')
      assert.equal(fault, undefined)
      assert.deepEqual(
        found.map(({ fields, timestamp }) => ({ fields, timestamp })),
        points.map(({ measurement, tags, fields, ms }) => {
          const names = Object.keys(tags).sort()
          const levels = [measurement, ...names.map((name) => tags[name] ?? '')].map(level)
          return {
            timestamp: ms,
            fields: Object.entries(fields).map(([name, value]) => ({
              topic: `obj/${levels.join('/')}/${level(name)}`,
              value: value === 0 ? 0 : value
            }))
          }
        })
      )
    }),
    { numRuns: 500 }
  )
})

test('hostile line protocol ends with topics that every broker takes, or with a fault', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...'mf1,= \\"#\n\r\t\0/+'), maxLength: 200 })
  )
  fc.assert(
    fc.property(hostile, (text) => {
      // As it comes from bytes.
      const { points, fault } = read(text.toWellFormed())
      const lines = text.split('\n').length
      for (const { fields, line, timestamp } of points) {
        assert(line <= lines)
        assert(timestamp === undefined || timestamp >= 0)
        for (const { topic, value } of fields) {
          assert(Number.isFinite(value))
          if (isWithinTopicLimits(topic)) assert(everyBrokerTakes(topic), JSON.stringify(topic))
        }
      }
      if (fault) assert(Number.parseInt(fault, 10) <= lines, fault)
    }),
    { numRuns: 3000 }
  )
})
