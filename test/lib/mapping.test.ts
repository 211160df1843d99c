import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandValue, compileMapping } from '../../src/lib/mapping/mapping.ts'
import { MappedMessage } from '../../src/lib/mapping/message.ts'
import { momentOf, ownMoment } from '../../src/lib/mapping/moment.ts'
import { parsePath } from '../../src/lib/mapping/path.ts'
import { MAX_MAPPED_BYTES, type ValueRule } from '../../src/lib/mapping/rule.ts'
import { fillTemplate, parseTemplate } from '../../src/lib/mapping/topic-template.ts'
import { unixMs } from '../../src/lib/unix-time.ts'

const arrival = unixMs(Date.parse('2026-05-01T12:00:00Z'))
const here = { arrival, zone: 'Europe/Stockholm' }

const rule = (fields: Partial<ValueRule>): ValueRule => ({
  ...{ path: '', topic: 'obj/x', table: {}, factor: 1, offset: 0, unit: '', timestamp: null },
  ...fields
})

function read(
  filter: string,
  values: Partial<ValueRule>[],
  { topic = 'dev/a/b', payload }: { topic?: string; payload: string | Buffer }
) {
  const mapping = compileMapping({ make: '', filter, values: values.map(rule) })
  if ('what' in mapping) throw new Error(`${mapping.at} ${mapping.what}`)
  return mapping.read(new MappedMessage(topic, Buffer.from(payload), here))
}

test('parsePath', () => {
  const f = (text: string, want: (string | null)[] | RegExp) => {
    const path = parsePath(text)
    if (want instanceof RegExp) assert.match(String(path), want, text)
    else
      assert.deepEqual(
        Array.from(path as [], (one: { key: string } | null) => one?.key ?? null),
        want,
        text
      )
  }

  f('', [])
  f('ENERGY.Power', ['ENERGY', 'Power'])
  f('switch:0.apower', ['switch:0', 'apower'])
  f('a\\.b.c', ['a.b', 'c'])
  f('a\\\\.b', ['a\\', 'b'])
  f('*.x.*', [null, 'x', null])
  f('\\*', ['*'])
  f('a*', ['a*'])
  f('a..b', /empty key/)
  f('.', /empty key/)
  f('a\\', /backslash/)
  f(Array(17).fill('a').join('.'), /more than 16 keys/)
  f('*.*.*.*.*', /more than 4 wildcards/)
  f('a'.repeat(513), /more than 512/)
})

test('fillTemplate', () => {
  const levels = ['dev', 'hall', '', 'a\u0007b']
  const f = (template: string, met: string[], want: string | undefined) => {
    const parsed = parseTemplate(template, met.length)
    assert.ok(typeof parsed !== 'string', `${template}: ${parsed}`)
    assert.equal(fillTemplate(parsed, levels, met), want, template)
  }

  f('obj/fixed', [], 'obj/fixed')
  f('obj/{1}/{2}', [], 'obj/dev/hall')
  f('obj/{3}/{4}', [], 'obj/_/a_b')
  f('obj/{5}', [], undefined)
  f('obj/{*}', ['key'], 'obj/key')
  f('obj/{*2}/{*1}-{2}', ['a', 'b'], 'obj/b/a-hall')
  f('obj/{*}', [''], 'obj/_')
  f('obj/{*}', ['a/b+c#d'], 'obj/a_b_c_d')
  f('obj/{*}', ['\ud800'], 'obj/_')
  f('obj/{*}', ['å 🙂'], 'obj/å 🙂')
  f('obj/{*}', ['__proto__'], 'obj/__proto__')
})

test('parseTemplate, wrong ones', () => {
  const f = (template: string, why: RegExp, wildcards = 0) =>
    assert.match(String(parseTemplate(template, wildcards)), why, template)

  f('set/x', /begin with obj/)
  f('obj/', /begin with obj/)
  f('12/obj/x', /begin with obj/)
  f('obj/+/x', /no wildcards/)
  f('obj/a\nb', /control characters/)
  f('obj/{0}', /no placeholder/)
  f('obj/{*}', /too few wildcards/)
  f('obj/{*3}', /too few wildcards/, 2)
  f('obj/{name}', /braces/)
  f('obj/{', /braces/)
  f('obj/{}', /no placeholder/)
})

test('momentOf', () => {
  const f = (found: unknown, format: 's' | 'ms' | 'iso', want: string | undefined) => {
    const at = momentOf(found, format, here)
    assert.equal(at === undefined ? at : new Date(at).toISOString(), want, `${format} ${found}`)
  }

  f(1777636800.25, 's', '2026-05-01T12:00:00.250Z')
  f('1777636800', 's', '2026-05-01T12:00:00.000Z')
  f(1777636800250, 'ms', '2026-05-01T12:00:00.250Z')
  f(0, 's', '1970-01-01T00:00:00.000Z')
  f(-1, 's', undefined)
  f(1777636800 + 86_401, 's', undefined)
  f(true, 's', undefined)
  f(null, 'ms', undefined)
  f('soon', 's', undefined)
  f('2026-05-01T12:00:00Z', 'iso', '2026-05-01T12:00:00.000Z')
  f('2026-05-01T12:00:00.1239Z', 'iso', '2026-05-01T12:00:00.123Z')
  f('2022-07-18T09:34:15.775023242+00:00', 'iso', '2022-07-18T09:34:15.775Z')
  f('2026-05-01T12:00:00+02:00', 'iso', '2026-05-01T10:00:00.000Z')
  f('2026-05-01T12:00:00-0330', 'iso', '2026-05-01T15:30:00.000Z')
  // Without a zone it is local time, in summer and winter.
  f('2026-05-01T12:00:00', 'iso', '2026-05-01T10:00:00.000Z')
  f('2026-01-01 12:00', 'iso', '2026-01-01T11:00:00.000Z')
  f('2026-01-01', 'iso', '2025-12-31T23:00:00.000Z')
  // The clocks skip this hour.
  f('2026-03-29T02:30:00', 'iso', '2026-03-29T01:00:00.000Z')
  f('2026-02-30T12:00:00Z', 'iso', undefined)
  f('2026-05-01T24:00:00Z', 'iso', undefined)
  f('01.05.2026', 'iso', undefined)
  f(20260501, 'iso', undefined)
})

test('ownMoment, a clock that is not set', () => {
  const f = (found: unknown, want: string | undefined) => {
    const at = ownMoment(found, 'iso', here)
    assert.equal(at && new Date(at).toISOString(), want, String(found))
  }

  f(undefined, '2026-05-01T12:00:00.000Z')
  f(null, '2026-05-01T12:00:00.000Z')
  f('1970-01-01T00:00:12', '2026-05-01T12:00:00.000Z')
  f('1999-12-31T23:00:00Z', '2026-05-01T12:00:00.000Z')
  f('2000-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z')
  f('2026-05-03T12:00:00Z', undefined)
  f('yesterday', undefined)
})

test('compileMapping, values of one path', () => {
  const f = (payload: string, value: Partial<ValueRule>, want: number[] | string) => {
    const outcome = read('dev/#', [value], { payload })
    assert.ok(outcome)
    const got = outcome.refused[0]?.reason ?? outcome.values.map((one) => one.value)
    assert.deepEqual(got, want, `${payload} ${JSON.stringify(value)}`)
  }
  const table = { ON: 1, OFF: 0 }

  f('21.5', {}, [21.5])
  f('"21.5"', {}, [21.5])
  f(' 21.5\n', {}, [21.5])
  f('true', {}, [1])
  f('false', {}, [0])
  f('-0', {}, [0])
  f('ON', { table }, [1])
  f('"OFF"', { table }, [0])
  f('ON\n', { table }, [1])
  f('ON', { table, factor: 10, offset: 2 }, [12])
  f('OPEN', { table }, 'a word that the table does not have')
  f('7', { table }, [7])
  f('1', { table: { 1: 100 } }, [100])
  f('true', { table: { true: 5 } }, [5])
  f('ON', {}, 'no numeric value')
  for (const bad of ['NaN', '0x10', '1,5', '21.5 C', 'Infinity', '.5', '+1', '01', 'null', '[]']) {
    f(bad, {}, 'no numeric value')
  }
  f('{"a": 1', {}, 'not json')
  f('1e308', { factor: 1e308 }, 'no numeric value')
  f('212', { factor: 5 / 9, offset: -160 / 9 }, [100])
  f('{"a": {"b": 4}}', { path: 'a.b' }, [4])
  f('{"a.b": 4}', { path: 'a\\.b' }, [4])
  f('{"a": [1, {"b": 2}]}', { path: 'a.1.b' }, [2])
  f('{"a": [1]}', { path: 'a.length' }, [])
  f('{"0": 3}', { path: '0' }, [3])
  // What is not in the message is left out.
  f('{"a": 1}', { path: 'b' }, [])
  f('{"a": 1}', { path: 'a.b' }, [])
  f('Online', { path: 'a' }, [])
  f('{"a": 1}', { path: 'constructor' }, [])
  f('{"a": 1}', { path: '__proto__' }, [])
  f('{"__proto__": 8}', { path: '__proto__' }, [8])
  // What is named and cannot be read fails.
  f('{"a": null}', { path: 'a' }, 'no numeric value')
  f('{"a": "x"}', { path: 'a' }, 'no numeric value')
  f('{"a": {}}', { path: 'a' }, 'no numeric value')
  // What `*` meets is left out if it is no value.
  f('{"a": 1, "b": "x", "c": null, "d": {}, "e": "2", "f": true}', { path: '*' }, [1, 2, 1])
  f('{"P1": "ON", "Time": "now"}', { path: '*', table }, [1])
  f('{"x": {"t": 1}, "y": {"t": 2}, "z": 3}', { path: '*.t' }, [1, 2])
  f('{"x": {"t": 1}, "y": {"t": "none"}}', { path: '*.t' }, 'no numeric value')
  f('[[1, 2], [3]]', { path: '*.*' }, [1, 2, 3])
  f('7', { path: '*' }, [])
})

test('compileMapping, all values of a message or none', () => {
  const payload = '{"t": 1777636800, "a": 1, "b": "x", "c": 3}'
  const timestamp = { path: 't', format: 's' as const }
  const good = read(
    'dev/+/b',
    [
      { path: 'a', topic: 'obj/{2}/a', unit: 'W', timestamp },
      { path: 'c', topic: 'obj/c' }
    ],
    {
      payload
    }
  )
  assert.deepEqual(good, {
    values: [
      {
        topic: 'obj/a/a',
        value: 1,
        timestamp: 1777636800000,
        unit: 'W',
        name: '',
        isWritable: false
      },
      { topic: 'obj/c', value: 3, timestamp: arrival, unit: '', name: '', isWritable: false }
    ],
    refused: []
  })
  const values = [{ path: 'a' }, { path: 'b' }, { path: 'c', topic: 'obj/{9}' }, { path: 'gone' }]
  assert.deepEqual(read('dev/#', values, { payload }), {
    values: [],
    refused: [
      { path: 'b', reason: 'no numeric value' },
      { path: 'c', reason: 'bad topic' }
    ]
  })
  const late = [{ path: 'a', timestamp: { path: 'b', format: 'iso' as const } }]
  assert.deepEqual(read('dev/#', late, { payload })?.refused, [
    { path: 'a', reason: 'bad timestamp' }
  ])
  const none = [{ path: 'a', timestamp: { path: 'gone', format: 'iso' as const } }]
  assert.equal(read('dev/#', none, { payload })?.values[0]?.timestamp, arrival)
  assert.equal(read('dev/c/#', [{ path: 'a' }], { payload }), undefined)
  assert.equal(read('dev/#', [{ path: 'a' }], { payload: '' }), undefined)
})

test('compileMapping, the time beside each value of a list', () => {
  const outcome = read(
    '#',
    [{ path: 'log.*.v', topic: 'obj/v', timestamp: { path: 'log.*.t', format: 's' } }],
    { payload: '{"log": [{"t": 10, "v": 1}, {"t": 20, "v": 2}, {"v": 3}]}' }
  )
  assert.deepEqual(
    outcome?.values.map(({ value, timestamp }) => [value, timestamp]),
    [
      [1, 10_000],
      [2, 20_000],
      [3, arrival]
    ]
  )
})

test('compileMapping, wrong declarations', () => {
  const f = (fields: object, at: string, what: RegExp) => {
    const fault = compileMapping({ make: '', filter: 'dev/#', values: [rule({})], ...fields })
    assert.ok('what' in fault, JSON.stringify(fields))
    assert.equal(fault.at, at)
    assert.match(fault.what, what)
  }

  f({ filter: '' }, 'filter', /must be given/)
  f({ filter: 'a/#/b' }, 'filter', /topic filter/)
  f({ filter: 'a\u0001/#' }, 'filter', /topic filter/)
  f({ filter: 'obj/#' }, 'filter', /not begin with obj/)
  f({ filter: 'set/#' }, 'filter', /not begin with set/)
  f({ values: [] }, 'values', /at least one/)
  f({ make: 'tasmota' }, 'values', /must be empty/)
  f({ values: Array(101).fill(rule({})) }, 'values', /at most 100/)
  f({ values: [rule({}), rule({ path: 'a..b' })] }, 'values/1/path', /empty key/)
  f({ values: [rule({ topic: 'x' })] }, 'values/0/topic', /obj/)
  f(
    { values: [rule({ timestamp: { path: '*', format: 's' } })] },
    'values/0/timestamp/path',
    /wildcards/
  )
})

test('a hostile message ends soon', () => {
  const many = JSON.stringify(Array.from({ length: 1001 }, (_, i) => i))
  assert.equal(read('#', [{ path: '*' }], { payload: many })?.refused[0]?.reason, 'too many values')
  const wide = JSON.stringify(Array.from({ length: 12_000 }, () => []))
  const stars = Array.from({ length: 100 }, () => ({ path: '*.*' }))
  const refused = read('#', stars, { payload: wide })?.refused ?? []
  assert.equal(refused.length, 99, 'the first one looked at every place and found nothing')
  const deep = '['.repeat(30_000) + ']'.repeat(30_000)
  assert.deepEqual(read('#', [{ path: '*.*.*.*' }], { payload: deep })?.values, [])
  const large = `"${'x'.repeat(MAX_MAPPED_BYTES)}"`
  assert.equal(read('#', [{}], { payload: large })?.refused[0]?.reason, 'too large')
  const long = JSON.stringify({ ['k'.repeat(1100)]: 1 })
  assert.equal(
    read('#', [{ path: '*', topic: 'obj/{*}' }], { payload: long })?.refused[0]?.reason,
    'bad topic'
  )
  assert.equal(
    read('#', [{}], { payload: Buffer.from([0xff, 0xfe]) })?.refused[0]?.reason,
    'no numeric value'
  )
})

test('commandValue', () => {
  const f = (payload: string, want: number | undefined) =>
    assert.equal(commandValue(Buffer.from(payload)), want, payload)

  f('{"value": 1, "timestamp": 2, "msg": ""}', 1)
  f('{"value": "0"}', 0)
  f('1', 1)
  f('"1"', 1)
  f('true', 1)
  f('{"value": {}}', undefined)
  f('{"x": 1}', undefined)
  f('[1]', undefined)
  f('ON', undefined)
  f(' '.repeat(2000), undefined)
})
