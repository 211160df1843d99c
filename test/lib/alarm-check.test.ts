import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDefinition } from '../../src/lib/alarm/check.ts'
import { compileRule, judge, look, newState, nextLook } from '../../src/lib/alarm/judge.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { rounds } from '../support/rounds.ts'

const base = { on: { topics: ['obj/x'] }, when: { above: 25 } }
const full = {
  ...base,
  ...{ for: '10m', hysteresis: 2, message: 'Too warm: {{.payload.value}}' },
  schedule: { days: [1, 2], from: '08:00', to: '17:00' }
}

/** `want` is the fault; undefined: there is none. */
const f = (fields: object, want?: string) => {
  const parsed = parseDefinition({ ...base, ...fields })
  const fault = typeof parsed === 'string' ? parsed : undefined
  assert.equal(fault, want, JSON.stringify(fields)?.slice(0, 200))
}
/** The fault is at this place. */
const at = (fields: object, place: string) => {
  const parsed = parseDefinition({ ...base, ...fields })
  assert.ok(typeof parsed === 'string', `${JSON.stringify(fields)} has no fault`)
  assert.equal(parsed.split(' ')[0], place, parsed)
}

test('a definition has its defaults and nothing else', () => {
  assert.deepEqual(parseDefinition({ ...base, id: 3, name: 'x', constructor: 1 }), {
    ...base,
    ...{ for: '', hysteresis: 0, schedule: null, message: '' }
  })
  assert.deepEqual(parseDefinition(full), full)
  assert.deepEqual(parseDefinition({ ...full, for: null, schedule: null }), {
    ...{ ...full, for: '', schedule: null }
  })
  for (const given of [null, undefined, 3, 'x', [], [base], true]) {
    assert.equal(parseDefinition(given), 'rule must be an object')
  }
  assert.equal(parseDefinition({}), 'on must be an object')
  assert.equal(parseDefinition({ on: base.on }), 'when must be an object')
})

test('on', () => {
  f({ on: { topics: ['obj/x', 'obj/+/y', 'obj/#', '7/obj/z', '#'] } })
  f({ on: { type: 'temperature', meta: { room: 'freezer' } } })
  f({ on: { meta: { room: '' } } })
  f({ on: { type: '', meta: {} } })
  f({ on: {} }, 'on must have topics, or type and meta')
  f({ on: { topics: ['obj/x'], type: 'x' } }, 'on must have only topics')
  f({ on: { type: 'x', device: 3 } }, 'on must have only type, meta')
  f({ on: { topics: [] } }, 'on/topics must have at least one topic')
  f({ on: { topics: 'obj/x' } }, 'on/topics must be a list')
  const wrong = [
    ...['', 'obj/+x', 'obj/#/x', 'obj/x#', 'a\0b', 'a\u0007b', 'a\ufffeb', 'a\ud800b'],
    ...['$SYS/x', '$share/g/obj/x', '/'.repeat(70), 'é'.repeat(600)]
  ]
  for (const topic of wrong) {
    f({ on: { topics: ['a', topic] } }, 'on/topics/1 must be a topic or an MQTT topic filter')
  }
  for (const topic of [null, 3, ['obj/x'], {}]) {
    f({ on: { topics: [topic] } }, 'on/topics/0 must be a text')
  }
  const topics = Array.from({ length: 1001 }, (_, i) => `obj/${i}`)
  f({ on: { topics: topics.slice(1) } })
  f({ on: { topics } }, 'on/topics must have at most 1000 topics')
  const long = topics.slice(1).map((topic) => `${topic}/${'x'.repeat(300)}`)
  f({ on: { topics: long } }, 'on/topics must have at most 262144 characters in all')
  f({ on: { type: 'x'.repeat(255) } })
  f({ on: { type: 'x'.repeat(256) } }, 'on/type must have at most 255 characters')
  f({ on: { type: 3 } }, 'on/type must be a text')
  f({ on: { type: 'x', meta: { room: 3 } } }, 'on/meta/room must be a text')
  f({ on: { type: 'x', meta: { '': 'x' } } }, 'on/meta must have a key of metadata')
  f({ on: { meta: { ['k'.repeat(256)]: '' } } }, 'on/meta must have at most 255 characters')
  f({ on: { meta: { room: 'x'.repeat(1025) } } }, 'on/meta/room must have at most 1024 characters')
  const keys = Object.fromEntries(topics.slice(0, 21).map((key) => [key, '']))
  f({ on: { meta: keys } }, 'on/meta must have at most 20 keys')
})

test('a topic that is given twice is watched once', () => {
  const parsed = parseDefinition({ ...base, on: { topics: ['obj/x', 'obj/y', 'obj/x'] } })
  assert.deepEqual(typeof parsed === 'string' || parsed.on, { topics: ['obj/x', 'obj/y'] })
})

test('when', () => {
  const meta = { meta: 'warning' }
  for (const word of ['above', 'below', 'equals']) {
    for (const bound of [0, -1.5, 1e300, meta]) f({ when: { [word]: bound } })
    for (const bound of ['25', null, true, Number.NaN, Number.POSITIVE_INFINITY]) {
      f({ when: { [word]: bound } }, `when/${word} must be a number`)
    }
    at({ when: { [word]: [25] } }, `when/${word}`)
  }
  f({ when: { above: { meta: '' } } }, 'when/above/meta must have a key of metadata')
  f({ when: { above: { meta: 3 } } }, 'when/above/meta must be a text')
  f({ when: { above: {} } }, 'when/above/meta must be a text')
  f({ when: { above: { meta: 'x', or: 3 } } }, 'when/above must have only meta')
  f({ when: { outside: [2, 8] } })
  f({ when: { outside: [meta, 8] } })
  f({ when: { outside: [8, 8] } }, 'when/outside must have the lower number first')
  f({ when: { outside: [8, 2] } }, 'when/outside must have the lower number first')
  for (const list of [[2], [2, 8, 9], []]) {
    f({ when: { outside: list } }, 'when/outside must be a list of two numbers')
  }
  f({ when: { outside: [2, '8'] } }, 'when/outside/1 must be a number')
  f({ when: { changed_by: 0 } }, 'when/changed_by must be above 0')
  f({ when: { changed_by: meta } })
  f({ when: { rate_per_hour: 0 } })
  f({ when: { rate_per_hour: -1 } }, 'when/rate_per_hour must not be negative')
  for (const given of ['5s', '90s', '10m', '2h', '366d', '31622400s', meta]) {
    f({ when: { silent_for: given } })
  }
  for (const given of ['4s', '367d', '31622401s', '1h30m', '10', '10 m', '-10m', '1.5h', '', 600]) {
    at({ when: { silent_for: given } }, 'when/silent_for')
  }
  for (const given of [{}, { over: 3 }, { above: 1, below: 0 }, { constructor: 1 }]) {
    assert.match(
      String(parseDefinition({ ...base, when: given })),
      /^when must have one of above, /
    )
  }
  const proto: unknown = JSON.parse('{"__proto__":{"above":1}}')
  at({ when: proto }, 'when')
})

test('when has 4 levels and 20 parts', () => {
  const one = { above: 1 }
  const nest = (levels: number): object =>
    levels === 1 ? one : { [levels % 2 ? 'all' : 'any']: [one, nest(levels - 1)] }
  f({ when: nest(4) })
  f({ when: nest(5) }, 'when must be at most 4 levels deep')
  f({ when: { any: Array(20).fill(one) } })
  f({ when: { any: Array(21).fill(one) } }, 'when must have at most 20 parts')
  const ten = { all: Array(10).fill(one) }
  f({ when: { any: [ten, ten] } })
  f({ when: { any: [ten, ten, one] } }, 'when must have at most 20 parts')
  f({ when: { all: [one] } }, 'when/all must have two or more parts')
  f({ when: { any: [] } }, 'when/any must have two or more parts')
  f({ when: { any: one } }, 'when/any must be a list')
  f(
    { when: { any: [one, { all: [one, { below: 'x' }] }] } },
    'when/any/1/all/1/below must be a number'
  )
  f({ when: { any: [one, null] } }, 'when/any/1 must be an object')
})

test('for, hysteresis, schedule and message', () => {
  for (const lasting of ['', '0s', '1s', '10m', '366d']) f({ for: lasting })
  for (const lasting of ['10', 'm', '367d', '8785h', '1h30m', '１0m', '10m\n', '999999999s']) {
    at({ for: lasting }, 'for')
  }
  f({ for: 600 }, 'for must be a text')
  f({ hysteresis: 0.5 })
  const zero = parseDefinition({ ...base, hysteresis: -0 })
  assert.ok(typeof zero !== 'string' && Object.is(zero.hysteresis, 0))
  f({ hysteresis: -1 }, 'hysteresis must not be negative')
  f({ hysteresis: '1' }, 'hysteresis must be a number')
  const hours = { days: [0, 6], from: '22:00', to: '06:00' }
  f({ schedule: hours })
  f({ schedule: { ...hours, days: [] } }, 'schedule/days must have one to seven days')
  f({ schedule: { ...hours, days: Array(8).fill(1) } }, 'schedule/days must have one to seven days')
  for (const day of [7, -1, 1.5, '1', null]) {
    f({ schedule: { ...hours, days: [day] } }, 'schedule/days/0 must be a day from 0 (Sunday) to 6')
  }
  f({ schedule: { ...hours, from: '24:00' } }, 'schedule/from must be a time as 08:00')
  f({ schedule: { ...hours, to: 600 } }, 'schedule/to must be a time as 08:00')
  f({ schedule: { ...hours, zone: 'UTC' } }, 'schedule must have only days, from, to')
  f({ schedule: [] }, 'schedule must be an object')
  f({ message: 'x'.repeat(4096) })
  f({ message: 'x'.repeat(4097) }, 'message must have at most 4096 characters')
  f({ message: null }, 'message must be a text')
})

const words = [
  ...['on', 'topics', 'type', 'meta', 'when', 'above', 'below', 'outside', 'equals', 'changed_by'],
  ...['rate_per_hour', 'silent_for', 'all', 'any', 'for', 'hysteresis', 'schedule', 'days', 'from'],
  ...['to', 'message', '__proto__', 'constructor', 'toString', 'length', '0']
]
const scalar = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 25, 1e308, '', '10m', '08:00', 'obj/x', '#', '\ud800'),
  fc.double(),
  fc.string()
)
const { hostile } = fc.letrec<{ hostile: unknown }>((tie) => ({
  hostile: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    scalar,
    fc.array(tie('hostile'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...words), tie('hostile')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries))
  )
}))
const RUNS = rounds(20_000)

/** What was taken works, and stays as it is when it is given again. */
function survives(given: unknown): boolean {
  const parsed = parseDefinition(given)
  if (typeof parsed === 'string') {
    assert.match(parsed, /^(rule|on|when|for|hysteresis|schedule|message)[ /]/)
    assert.ok(parsed.length < 400)
    return false
  }
  assert.deepEqual(parseDefinition(JSON.parse(JSON.stringify(parsed))), parsed)
  const watch = compileRule(parsed, 'Europe/Stockholm')(() => '5')
  const state = newState()
  for (const value of [0, -1e308, 1e308, 25, 25]) {
    const moment = { now: unixMs(1.8e12), running: 1.8e12 }
    judge(watch, state, { timestamp: unixMs(1.8e12), value }, moment)
    look(watch, state, { now: unixMs(1.9e12), running: 1.9e12 })
    nextLook(watch, state)
  }
  return true
}

test('hostile definitions are refused or work', () => {
  fc.assert(
    fc.property(hostile, (given) => {
      survives(JSON.parse(JSON.stringify(given) ?? 'null'))
    }),
    { numRuns: RUNS }
  )
  assert.equal(({} as Record<string, unknown>)['above'], undefined)
})

test('a right definition with one hostile place is refused or works', () => {
  const places = fc.constantFrom(...Object.keys(full)) as fc.Arbitrary<keyof typeof full>
  let right = 0
  fc.assert(
    fc.property(places, hostile, fc.constantFrom('', ...words), (place, value, inside) => {
      const there: unknown = full[place]
      const isObject = typeof there === 'object' && there !== null
      const put = inside !== '' && isObject ? { ...there, [inside]: value } : value
      if (survives({ ...full, [place]: put })) right++
    }),
    { numRuns: RUNS }
  )
  assert.ok(right > 20, `only ${right} were right`)
})

test('a huge or deep definition is refused before it is walked', () => {
  const g = (fields: object, want: RegExp) =>
    assert.match(String(parseDefinition({ ...base, ...fields })), want)

  // As a tree this has 2^100000 parts.
  let deep: object = { above: 1 }
  for (let i = 0; i < 100_000; i++) deep = { all: [deep, deep] }
  g({ when: deep }, /^when must be at most 4 levels deep$/)
  const many = Array(1_000_000).fill({ any: [{ above: 1 }, { above: 1 }] })
  g({ when: { any: many } }, /^when must have at most 20 parts$/)
  g({ on: { topics: many } }, /^on\/topics must have at most 1000 topics$/)
  g({ schedule: { ...full.schedule, days: many } }, /^schedule\/days must have one to seven days$/)
  g({ message: 'x'.repeat(10_000_000) }, /^message must have at most 4096 characters$/)
  g({ for: '9'.repeat(10_000_000) }, /^for must be /)
})
