import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDefinition } from '../../src/lib/alarm/check.ts'
import {
  arrive,
  compileRule,
  judge,
  look,
  newState,
  nextLook,
  stateOf,
  storedState,
  type Transition,
  type Watch
} from '../../src/lib/alarm/judge.ts'
import type { RuleDefinition } from '../../src/lib/alarm/rule.ts'
import { MINUTE, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'

type Fields = Partial<RuleDefinition>
const ZONE = 'Europe/Stockholm'
/** A Monday, 12:00 local time. */
const NOON = Date.parse('2026-06-01T10:00:00Z')
const minute = (count: number): UnixMs => unixMs(NOON + count * MINUTE)

function watchOf(fields: Fields, meta: Readonly<Record<string, string>> = {}): Watch {
  const parsed = parseDefinition({ on: { topics: ['obj/x'] }, when: { above: 25 }, ...fields })
  if (typeof parsed === 'string') throw new Error(parsed)
  return compileRule(parsed, ZONE)((key) => meta[key])
}

/**
 * Readings as `minute: value` arrive at their timestamp, unless `arrives` says when. `look` looks at
 * the clock, and `hold` lets the time pass without silence. `rule` is another definition.
 */
type Step =
  | { at: number; value: number; arrives?: number }
  | { look: number }
  | { hold: number }
  | { rule: Fields; meta?: Readonly<Record<string, string>> }
const readings = (...pairs: [at: number, value: number][]): Step[] =>
  pairs.map(([at, value]) => ({ at, value }))

/** The transitions in minutes: `+10=26` is raised at minute 10 by 26, `-12` is cleared at 12. */
function run(fields: Fields, steps: readonly Step[], meta: Readonly<Record<string, string>> = {}) {
  let watch = watchOf(fields, meta)
  let state = newState()
  let held = 0
  const all: Transition[] = []
  const momentAt = (count: number) => ({ now: minute(count), running: minute(count) - held })
  for (const step of steps) {
    if ('rule' in step) watch = watchOf({ ...fields, ...step.rule }, step.meta ?? meta)
    else if ('hold' in step) held += step.hold * MINUTE
    else if ('look' in step) all.push(...look(watch, state, momentAt(step.look)))
    else {
      const reading = { timestamp: minute(step.at), value: step.value }
      all.push(...judge(watch, state, reading, momentAt(step.arrives ?? step.at)))
    }
    state = stateOf(JSON.parse(JSON.stringify(storedState(state))))
  }
  return all
    .map((one) => {
      const at = (one.at - NOON) / MINUTE
      return one.kind === 'raised' ? `+${at}=${one.value}` : `-${at}`
    })
    .join(' ')
}

const f = (fields: Fields, steps: readonly Step[], want: string) =>
  assert.equal(run(fields, steps), want, JSON.stringify({ fields, steps }))

test('each comparison', () => {
  const series = (when: RuleDefinition['when'], values: number[], want: string) =>
    f({ when }, readings(...values.map((value, i): [number, number] => [i, value])), want)

  series({ above: 25 }, [25, 25.1, 26, 25], '+1=25.1 -3')
  series({ below: 5 }, [5, 4.9, 4, 5], '+1=4.9 -3')
  series({ outside: [2, 8] }, [2, 8, 8.1, 8], '+2=8.1 -3')
  series({ outside: [2, 8] }, [5, 1.9, 9, 2], '+1=1.9 -3')
  series({ equals: 3 }, [2, 3, 3, 3.1, 3], '+1=3 -3 +4=3')
  series({ equals: 0 }, [-0], '+0=0')
  series({ changed_by: 2 }, [10, 11, 13, 13, 11, 10], '+2=13 -3 +4=11 -5')
  series({ changed_by: 0.1 }, [20.1, 20.2, 20.3, 20.35], '+1=20.2 -3')
  series({ rate_per_hour: 60 }, [0, 1, 2.5, 2.5, 0], '+2=2.5 -3 +4=0')
  series({ rate_per_hour: 6 }, [20.1, 20.2, 20.3, 20.5], '+3=20.5')
  series({ rate_per_hour: 0 }, [1, 1, 1.5, 1.5], '+2=1.5 -3')
})

test('the value before is the newest by timestamp', () => {
  f({ when: { changed_by: 5 } }, readings([0, 10], [2, 11], [1, 90], [3, 12]), '')
  f({ when: { changed_by: 5 } }, readings([0, 10], [0, 15]), '+0=15')
  f({ when: { rate_per_hour: 1 } }, readings([0, 10], [0, 90], [1, 90]), '')
  // A month of 1 an hour is no more than that.
  f({ when: { rate_per_hour: 1 } }, readings([0, 0], [60, 1], [43_260, 721]), '')
  f({ when: { rate_per_hour: 1 } }, readings([0, 0], [60, 1], [43_260, 722]), '+43260=722')
})

test('all and any are judged on one reading', () => {
  const all: RuleDefinition['when'] = { all: [{ above: 25 }, { changed_by: 2 }] }
  f({ when: all }, readings([0, 26], [1, 27], [2, 29], [3, 29]), '+2=29 -3')
  const any: RuleDefinition['when'] = { any: [{ above: 25 }, { below: 5 }] }
  f({ when: any }, readings([0, 20], [1, 26], [2, 4], [3, 5]), '+1=26 -3')
  const nested: RuleDefinition['when'] = {
    any: [{ equals: 1 }, { all: [{ above: 10 }, { any: [{ equals: 12 }, { equals: 13 }] }] }]
  }
  f({ when: nested }, readings([0, 11], [1, 12], [2, 13], [3, 1], [4, 14]), '+1=12 -4')
})

test('for: full at the first reading at or after begin + for', () => {
  const ten = { for: '10m' }
  f(ten, readings([0, 26], [5, 26], [9, 26]), '')
  f(ten, readings([0, 26], [5, 27], [10, 28]), '+10=28')
  f(ten, readings([0, 26], [30, 28]), '+10=28')
  f(ten, readings([0, 26], [5, 25], [6, 26], [15, 26], [16, 26]), '+16=26')
  // Nothing shows that it lasted.
  f(ten, readings([0, 26], [11, 25]), '')
  f(ten, readings([0, 26], [10, 27], [20, 25]), '+10=27 -20')
  f({ for: '' }, readings([0, 26]), '+0=26')
  f({ for: '0s' }, readings([0, 26]), '+0=26')
})

test('for: by the clock when no further reading comes', () => {
  const ten = { for: '10m' }
  f(ten, [...readings([0, 26]), { look: 9.99 }, { look: 10 }], '+10=26')
  f(ten, [...readings([0, 26], [4, 27]), { look: 10 }, { look: 11 }], '+10=27')
  // It arrived 3 minutes late: the clock waits, and the alarm began as it should have.
  f(ten, [{ at: 0, value: 26, arrives: 3 }, { look: 12 }], '')
  f(ten, [{ at: 0, value: 26, arrives: 3 }, { look: 12 }, { look: 13 }], '+10=26')
  f(
    ten,
    [
      { at: 0, value: 26, arrives: 3 },
      { at: 10, value: 26, arrives: 12 }
    ],
    '+10=26'
  )
  // What arrives after the clock spoke ends it, by its own timestamp.
  f(ten, [...readings([0, 26]), { look: 10 }, { at: 8, value: 20, arrives: 12 }], '+10=26 -8')
})

test('a reading that is older than the newest changes nothing', () => {
  const ten = { for: '10m' }
  f(ten, readings([0, 26], [5, 26], [3, 20], [10, 26]), '+10=26')
  f({}, readings([5, 26], [3, 20], [4, 30], [6, 25]), '+5=26 -6')
  f({}, readings([5, 20], [3, 26]), '')
  f({}, readings([5, 20], [5, 26], [5, 24]), '+5=26 -5')
})

test('hysteresis holds an open alarm only', () => {
  const two = { hysteresis: 2 }
  f(two, readings([0, 24], [1, 26], [2, 24], [3, 23.1], [4, 23], [5, 24]), '+1=26 -4')
  f({ ...two, for: '10m' }, readings([0, 26], [5, 24], [10, 26], [19, 26]), '')
  f({ ...two, when: { below: 5 } }, readings([0, 4], [1, 6.9], [2, 7]), '+0=4 -2')
  const outside = { when: { outside: [2, 8] } as const }
  const one = { ...outside, hysteresis: 1 }
  f(one, readings([0, 9], [1, 7.5], [2, 7]), '+0=9 -2')
  f(one, readings([0, 1], [1, 2.9], [2, 3]), '+0=1 -2')
  f(one, readings([0, 9], [1, 2.5], [2, 5]), '+0=9 -2')
  // More than half the width: the middle clears it.
  f({ ...outside, hysteresis: 9 }, readings([0, 9], [1, 4], [2, 5]), '+0=9 -2')
  f({ ...two, when: { equals: 3 } }, readings([0, 3], [1, 4]), '+0=3 -1')
  f({ ...two, when: { changed_by: 3 } }, readings([0, 3], [1, 6], [2, 8]), '+1=6 -2')
  f({ ...two, when: { rate_per_hour: 180 } }, readings([0, 0], [1, 4], [2, 6]), '+1=4 -2')
  f({ when: { above: 0.3 }, hysteresis: 0.1 }, readings([0, 0.4], [1, 0.2]), '+0=0.4 -1')
  const any: RuleDefinition['when'] = { any: [{ above: 25 }, { below: 5 }] }
  f({ ...two, when: any }, readings([0, 26], [1, 24], [2, 6], [3, 7]), '+0=26 -3')
})

test('silence runs by arrival', () => {
  const silent = { when: { silent_for: '10m' } }
  f(silent, [{ look: 100 }], '')
  f(silent, [...readings([0, 1]), { look: 9 }, { look: 10 }], '+10=1')
  f(silent, [...readings([0, 1]), { look: 12 }, ...readings([13, 2])], '+10=1 -13')
  f(silent, [...readings([0, 1], [9, 2]), { look: 18 }, { look: 19 }], '+19=2')
  // The timestamp says nothing about silence.
  f(silent, [{ at: 0, value: 1, arrives: 30 }, { look: 39 }, { look: 40 }], '+40=1')
  f(silent, [...readings([0, 1]), { look: 10 }, { at: 3, value: 2, arrives: 20 }], '+10=1 -3')
  // An old reading is an arrival, too.
  f(silent, [...readings([0, 1]), { at: -5, value: 2, arrives: 9 }, { look: 18 }], '')
  f(silent, [...readings([0, 1]), { look: 10 }, { at: -5, value: 2, arrives: 12 }], '+10=1 --5')
  f({ ...silent, for: '5m' }, [...readings([0, 1]), { look: 10 }, { look: 14 }], '')
  f({ ...silent, for: '5m' }, [...readings([0, 1]), { look: 15 }], '+15=1')
  f({ ...silent, for: '5m' }, [...readings([0, 1]), { look: 12 }, ...readings([13, 1])], '')
})

test('silence is held', () => {
  const silent = { when: { silent_for: '10m' } }
  f(silent, [...readings([0, 1]), { hold: 60 }, { look: 60 }, { look: 69 }], '')
  f(silent, [...readings([0, 1]), { hold: 60 }, { look: 71 }], '+70=1')
  const lasting = { ...silent, for: '5m' }
  f(lasting, [...readings([0, 1]), { look: 10 }, { hold: 60 }, { look: 74 }, { look: 75 }], '+15=1')
  // A value that lasts is not silence.
  f({ for: '10m' }, [...readings([0, 26]), { hold: 60 }, { look: 10 }], '+10=26')
})

test('silence beside comparisons', () => {
  const any = { when: { any: [{ above: 25 }, { silent_for: '10m' }] } }
  f(any, [...readings([0, 20]), { look: 10 }, ...readings([11, 26], [12, 20])], '+10=20 -12')
  f(any, [...readings([0, 26]), { look: 10 }, ...readings([11, 20])], '+0=26 -11')
  f(any, [...readings([0, 26], [1, 20]), { look: 10 }, { look: 11 }], '+0=26 -1 +11=20')
  const all = { when: { all: [{ above: 25 }, { silent_for: '10m' }] } }
  f(all, [...readings([0, 20]), { look: 10 }], '')
  f(
    all,
    [...readings([0, 26]), { look: 10 }, ...readings([11, 27]), { look: 21 }],
    '+10=26 -11 +21=27'
  )
  const both = { when: { all: [{ silent_for: '5m' }, { silent_for: '10m' }] } }
  f(both, [...readings([0, 1]), { look: 9 }, { look: 10 }], '+10=1')
})

test('a topic that sent something before it was watched can fall silent', () => {
  const watch = watchOf({
    when: { any: [{ silent_for: '10m' }, { below: 0 }] },
    schedule: { days: [1], from: '12:00', to: '13:00' }
  })
  const state = newState()
  assert.equal(nextLook(watch, state), undefined)
  arrive(state, { now: minute(0), running: 0 })
  assert.deepEqual(nextLook(watch, state), { running: 10 * MINUTE })
  assert.deepEqual(look(watch, state, { now: minute(10), running: 10 * MINUTE }), [
    { kind: 'raised', at: minute(10), value: null }
  ])
})

test('schedule: readings outside the hours do not meet the condition', () => {
  const schedule = { days: [1], from: '12:00', to: '13:00' }
  f({ schedule }, readings([-1, 26], [0, 26], [59, 26], [60, 26], [61, 26]), '+0=26 -60')
  f({ schedule, for: '10m' }, readings([-5, 26], [5, 26], [14, 26], [15, 26]), '+15=26')
  f({ schedule, for: '10m' }, readings([50, 26], [60, 26], [61, 26]), '')
  // The value before may lie outside.
  f({ schedule, when: { changed_by: 2 } }, readings([-1, 20], [0, 22]), '+0=22')
})

test('schedule: the clock raises at the beginning of the hours', () => {
  const schedule = { days: [0, 1], from: '12:00', to: '13:00' }
  const silent: Fields = { schedule, when: { silent_for: '10m' } }
  f(silent, [...readings([-30, 1]), { look: -20 }, { look: -1 }, { look: 0 }], '+0=1')
  f(silent, [...readings([-30, 1]), { look: -20 }, { look: 30 }], '+0=1')
  f(silent, [...readings([-5, 1]), { look: 5 }], '+5=1')
  f(silent, [...readings([55, 1]), { look: 65 }, { look: 200 }], '')
  f(
    { ...silent, for: '10m' },
    [...readings([-15, 1]), { look: -5 }, { look: 0 }, { look: 5 }],
    '+5=1'
  )
  // Pending over the end of the hours, without another reading: raised when they begin again.
  const sunday = -24 * 60
  const over = [...readings([sunday + 55, 26]), { look: sunday + 65 }, { look: -1 }]
  f({ schedule, for: '10m' }, [...over, { look: 0 }], '+0=26')
  f({ schedule, for: '10m' }, [...over, ...readings([1, 26])], '+0=26')
  f({ schedule, for: '10m' }, [...over, ...readings([1, 25])], '')
  // Full within the hours: a late look says the same.
  f({ schedule, for: '10m' }, [...readings([0, 26]), { look: 90 }], '+10=26')
})

test('numbers come from metadata', () => {
  const g = (when: RuleDefinition['when'], meta: Record<string, string>, want: string) =>
    assert.equal(run({ when }, [...readings([0, 1], [1, 26], [2, 20]), { look: 70 }], meta), want)

  const warning = { meta: 'warning' }
  g({ above: warning }, { warning: '25' }, '+1=26 -2')
  g({ above: warning }, { warning: ' 2.55e1 ' }, '+1=26 -2')
  for (const text of ['', 'high', '0x19', '25 C', 'Infinity', '1e999', 'NaN', '25,5']) {
    g({ above: warning }, { warning: text }, '')
  }
  g({ above: warning }, { Warning: '25' }, '')
  g({ outside: [{ meta: 'min' }, 25] }, { min: '2' }, '+0=1 -2')
  g({ outside: [{ meta: 'min' }, 25] }, { min: '25' }, '')
  g({ any: [{ above: warning }, { equals: 1 }] }, {}, '+0=1 -1')
  g({ all: [{ above: warning }, { equals: 26 }] }, {}, '')
  g({ changed_by: warning }, { warning: '25' }, '+1=26 -2')
  g({ changed_by: warning }, { warning: '0' }, '')
  g({ rate_per_hour: warning }, { warning: '-1' }, '')
  const age = { silent_for: { meta: 'max_age' } }
  g(age, { max_age: '600' }, '+12=20')
  g(age, { max_age: '1h' }, '+62=20')
  for (const text of ['4', '4s', '367d', '-600', '31622401', 'soon']) g(age, { max_age: text }, '')
  g(age, {}, '')
})

test('topics share the watch of a rule without metadata', () => {
  const compiled = (when: RuleDefinition['when']) =>
    compileRule(
      {
        ...{ on: { topics: ['obj/x'] }, when, for: '', hysteresis: 0 },
        ...{ schedule: null, message: '' }
      },
      ZONE
    )
  const plain = compiled({ any: [{ outside: [2, 8] }, { silent_for: '5s' }] })
  assert.equal(
    plain(() => '1'),
    plain(() => '2')
  )
  const meta = compiled({ any: [{ outside: [2, { meta: 'max' }] }, { silent_for: '5s' }] })
  assert.notEqual(
    meta(() => '3'),
    meta(() => '4')
  )
})

test('a change of when is judged at the next reading', () => {
  const ten = { for: '10m' }
  f({}, [...readings([0, 26]), { rule: { when: { above: 30 } } }, { look: 5 }], '+0=26')
  f({}, [...readings([0, 26]), { rule: { when: { above: 30 } } }, ...readings([1, 27])], '+0=26 -1')
  f({}, [...readings([0, 20]), { rule: { when: { above: 10 } } }, { look: 5 }], '')
  f({}, [...readings([0, 20]), { rule: { when: { above: 10 } } }, ...readings([1, 20])], '+1=20')
  // The clock does not raise what the rule no longer means.
  f(ten, [...readings([0, 26]), { rule: { when: { above: 30 } } }, { look: 10 }], '')
  // An old reading is not judged, so it does not judge the change either.
  f({}, [...readings([2, 26]), { rule: { when: { above: 30 } } }, ...readings([1, 1])], '+2=26')
  const silent = { when: { silent_for: '30m' } }
  f(silent, [...readings([0, 1]), { rule: { when: { silent_for: '10m' } } }, { look: 15 }], '+10=1')
  f({}, [...readings([0, 1]), { rule: { when: { silent_for: '10m' } } }, { look: 15 }], '+10=1')
  const either = { when: { any: [{ above: 10 }, { silent_for: '10m' }] } }
  f({}, [...readings([0, 20]), { rule: either }, { look: 5 }, { look: 10 }], '+10=20')
})

test('any other change keeps what is pending', () => {
  const ten = { for: '10m' }
  f(ten, [...readings([0, 26]), { rule: { for: '20m' } }, { look: 10 }, { look: 20 }], '+20=26')
  f(ten, [...readings([0, 26]), { rule: { for: '5m' } }, { look: 6 }], '+5=26')
  f(ten, [...readings([0, 26]), { rule: { hysteresis: 3 } }, ...readings([10, 26])], '+10=26')
  const later = { days: [1], from: '12:05', to: '13:00' }
  f(ten, [...readings([0, 26]), { rule: { schedule: later } }, { look: 10 }], '+10=26')
})

test('nextLook', () => {
  const g = (fields: Fields, at: [number, number][], want: unknown) => {
    const watch = watchOf(fields)
    const state = newState()
    for (const [count, value] of at) {
      const moment = { now: minute(count), running: count }
      judge(watch, state, { timestamp: minute(count), value }, moment)
    }
    assert.deepEqual(nextLook(watch, state), want)
  }

  g({}, [], undefined)
  g({}, [[0, 26]], undefined)
  g({}, [[0, 20]], undefined)
  g({ for: '10m' }, [[0, 20]], undefined)
  g({ for: '10m' }, [[0, 26]], { now: minute(10) })
  g(
    { for: '10m' },
    [
      [0, 26],
      [5, 27]
    ],
    { now: minute(10) }
  )
  g({ for: '10m', schedule: { days: [1, 2], from: '12:00', to: '12:05' } }, [[0, 26]], {
    now: minute(24 * 60)
  })
  g({ when: { silent_for: '10s' } }, [[3, 26]], { running: 10_003 })
  g({ when: { silent_for: '10s' }, for: '10m' }, [[3, 26]], { running: 10_003 })
  g({ when: { all: [{ above: 25 }, { silent_for: '10s' }] } }, [[3, 20]], undefined)
})

test('the state is small', () => {
  const watch = watchOf({ when: { any: [{ changed_by: 2 }, { silent_for: '10m' }] }, for: '2h' })
  const state = newState()
  assert.deepEqual(storedState(state), {})
  judge(watch, state, { timestamp: minute(0), value: 20.5 }, { now: minute(0), running: minute(0) })
  judge(watch, state, { timestamp: minute(1), value: 23.5 }, { now: minute(1), running: minute(1) })
  const stored = JSON.stringify(storedState(state))
  assert.deepEqual(Object.keys(JSON.parse(stored)), [...'tvpqabf'])
  assert.ok(stored.length < 130)
})
