import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { MAX_WHEN_PARTS, parseDefinition } from '../../src/lib/alarm/check.ts'
import {
  compileRule,
  judge,
  look,
  newState,
  nextLook,
  stateOf,
  storedState,
  type Transition
} from '../../src/lib/alarm/judge.ts'
import { Replay } from '../../src/lib/alarm/replay.ts'
import type { RuleDefinition, When } from '../../src/lib/alarm/rule.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { type ModelAlarm, modelAlarms, modelRule, type Tick } from '../support/alarm-model.ts'
import { rounds } from '../support/rounds.ts'

const TICK = 5 * MINUTE
/** Clocks change in each of them: an hour, half an hour, at midnight, and not at all. */
const places = [
  { zone: 'Europe/Stockholm', near: '2026-03-29T01:00Z' },
  { zone: 'Europe/Stockholm', near: '2026-10-25T01:00Z' },
  { zone: 'Australia/Lord_Howe', near: '2026-04-04T15:00Z' },
  { zone: 'Australia/Lord_Howe', near: '2026-10-03T15:30Z' },
  { zone: 'Africa/Cairo', near: '2026-04-23T22:00Z' },
  { zone: 'UTC', near: '2026-12-31T23:00Z' }
]

const value = fc.integer({ min: 0, max: 7 })
const minutes = (max: number) => fc.integer({ min: 1, max }).map((count) => `${5 * count}m`)
const comparison: fc.Arbitrary<When> = fc.oneof(
  value.map((bound): When => ({ above: bound })),
  value.map((bound): When => ({ below: bound })),
  fc
    .tuple(value, fc.integer({ min: 4, max: 6 }))
    .map(([low, width]): When => ({ outside: [low - 1, low + width] })),
  value.map((bound): When => ({ equals: bound })),
  fc.integer({ min: 1, max: 5 }).map((by): When => ({ changed_by: by })),
  fc.integer({ min: 0, max: 40 }).map((rate): When => ({ rate_per_hour: rate })),
  minutes(6).map((lasting): When => ({ silent_for: lasting }))
)
const { when } = fc.letrec<{ when: When }>((tie) => {
  const parts = fc.array(tie('when'), { minLength: 2, maxLength: 3 })
  return {
    when: fc.oneof(
      { depthSize: 'small', maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: comparison },
      parts.map((all): When => ({ all })),
      parts.map((any): When => ({ any }))
    )
  }
})
const partsOf = (when: When): number =>
  Object.values(when)
    .flat()
    .reduce((sum, part) => sum + (typeof part === 'object' ? partsOf(part) : 0), 0) || 1
const timeText = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 11 }))
  .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(5 * m).padStart(2, '0')}`)
const schedule = fc.oneof(
  fc.constant(null),
  fc.record({
    days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 4, maxLength: 7 }),
    from: timeText,
    to: timeText
  })
)
const rules = fc.record({
  when: when.filter((one) => partsOf(one) <= MAX_WHEN_PARTS),
  for: fc.oneof(fc.constant(''), minutes(6)),
  hysteresis: fc.integer({ min: 0, max: 2 }),
  schedule
})

/** What happens in one tick. */
type Happening = {
  /** How many ticks before its arrival each reading was taken; a clock may be ahead. */
  readings: readonly { age: number; value: number }[]
  runs: boolean
  extraLook: boolean
  restart: boolean
  /** So many ticks pass before it. */
  gap: number
}
const happening: fc.Arbitrary<Happening> = fc.record({
  readings: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    {
      weight: 3,
      arbitrary: fc.array(
        fc.record({
          age: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -2, max: 6 })),
          value
        }),
        { maxLength: 3 }
      )
    }
  ),
  runs: fc.boolean().chain((rare) => (rare ? fc.boolean() : fc.constant(true))),
  extraLook: fc.boolean(),
  restart: fc.boolean(),
  gap: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 12 }))
})

function ticksOf(happenings: readonly Happening[], start: number): (Tick & Partial<Happening>)[] {
  let now = unixMs(start)
  const ticks: (Tick & Partial<Happening>)[] = []
  for (const one of happenings) {
    for (let i = 0; i < one.gap; i++) {
      ticks.push({ now, runs: one.runs, arrivals: [] })
      now = unixMs(now + TICK)
    }
    const arrivals = one.readings.map(({ age, value }) => ({
      timestamp: unixMs(now - age * TICK),
      value
    }))
    ticks.push({ now, runs: one.runs, arrivals, extraLook: one.extraLook, restart: one.restart })
    now = unixMs(now + TICK)
  }
  return ticks
}

function definitionOf(fields: Partial<RuleDefinition>): RuleDefinition {
  const parsed = parseDefinition({ on: { topics: ['obj/x'] }, message: '', ...fields })
  if (typeof parsed === 'string') throw new Error(parsed)
  return parsed
}

function note(alarms: ModelAlarm[], transitions: readonly Transition[]): void {
  for (const one of transitions) {
    const last = alarms.at(-1)
    if (one.kind === 'raised') alarms.push({ raised: one.at, value: one.value, cleared: null })
    else if (last) last.cleared = one.at
  }
}

const scenario = fc.record({
  rule: rules,
  place: fc.constantFrom(...places),
  startTicks: fc.integer({ min: -60, max: 20 }),
  happenings: fc.array(happening, { minLength: 1, maxLength: 60, size: 'max' })
})

const RUNS = rounds(3000)

test('the judge says what the model says, whatever happens', () => {
  let raised = 0
  fc.assert(
    fc.property(scenario, ({ rule, place, startTicks, happenings }) => {
      const definition = definitionOf(rule)
      const watch = compileRule(definition, place.zone)(() => undefined)
      const model = modelRule(definition, watch.forMs, place.zone)
      const ticks = ticksOf(happenings, Date.parse(place.near) + startTicks * TICK)
      const alarms: ModelAlarm[] = []
      let state = newState()
      let running = 0
      for (const [i, { now, runs, arrivals, extraLook, restart }] of ticks.entries()) {
        if (runs) running += TICK
        const moment = { now, running }
        for (const reading of arrivals) note(alarms, judge(watch, state, reading, moment))
        if (restart) state = stateOf(JSON.parse(JSON.stringify(storedState(state))))
        const next = nextLook(watch, state)
        const isDue = next && ('now' in next ? next.now <= now : next.running <= running)
        if (extraLook || isDue) note(alarms, look(watch, state, moment))
        const after = nextLook(watch, state)
        if (after) assert.ok('now' in after ? after.now > now : after.running > running)
        if (restart) state = stateOf(JSON.parse(JSON.stringify(storedState(state))))
        // Each step is compared in the first ones, then only now and then: the model is slow.
        if (i < 10 || i % 16 === 0 || i === ticks.length - 1) {
          assert.deepEqual(alarms, modelAlarms(model, ticks.slice(0, i + 1), TICK))
        }
      }
      raised += alarms.length
    }),
    { numRuns: RUNS }
  )
  assert.ok(raised > RUNS, `only ${raised} alarms: the scenarios show too little`)
})

test('a late reading ends silence, but no alarm that the newest reading keeps open by hysteresis', () => {
  const when: When = {
    all: [
      { any: [{ below: 4 }, { silent_for: '5m' }] },
      { any: [{ above: 0 }, { silent_for: '5m' }] }
    ]
  }
  const watch = compileRule(definitionOf({ when, hysteresis: 1 }), 'UTC')(() => undefined)
  const state = newState()
  const start = Date.parse('2026-11-19T12:00Z')
  const momentAt = (minute: number) => {
    const now = unixMs(start + minute * MINUTE)
    return { now, running: now }
  }
  const arrives = (minute: number, value: number, taken = minute) =>
    judge(watch, state, { timestamp: momentAt(taken).now, value }, momentAt(minute))
  assert.deepEqual(arrives(0, 0), [])
  assert.deepEqual(look(watch, state, momentAt(5)), [
    { kind: 'raised', at: momentAt(5).now, value: 0 }
  ])
  assert.deepEqual(arrives(6, 0, -10), [])
  assert.deepEqual(arrives(7, 0), [])
  assert.deepEqual(arrives(8, 6), [{ kind: 'cleared', at: momentAt(8).now }])
})

test('a look that comes late says what it would have said in time', () => {
  fc.assert(
    fc.property(scenario, ({ rule, place, startTicks, happenings }) => {
      const watch = compileRule(definitionOf(rule), place.zone)(() => undefined)
      const start = Date.parse(place.near) + startTicks * TICK
      const ticks = ticksOf(happenings, start).filter(({ arrivals }) => arrivals.length > 0)
      const [inTime, late] = [newState(), newState()]
      for (const { now, arrivals } of ticks) {
        for (const reading of arrivals) {
          judge(watch, inTime, reading, { now, running: now })
          judge(watch, late, reading, { now, running: now })
        }
      }
      const end = unixMs(start + 1000 * TICK)
      const [said, saidLate]: [ModelAlarm[], ModelAlarm[]] = [[], []]
      for (let next = nextLook(watch, inTime); next; next = nextLook(watch, inTime)) {
        const at = unixMs('now' in next ? next.now : next.running)
        if (at > end) break
        note(said, look(watch, inTime, { now: at, running: at }))
      }
      note(saidLate, look(watch, late, { now: end, running: end }))
      assert.deepEqual(saidLate, said)
    }),
    { numRuns: RUNS / 4 }
  )
})

test('a replay in any pieces says what the model says of readings in order', () => {
  fc.assert(
    fc.property(scenario, fc.integer({ min: 1, max: 50 }), (given, piece) => {
      const { rule, place, startTicks, happenings } = given
      const definition = definitionOf(rule)
      const watch = compileRule(definition, place.zone)(() => undefined)
      const start = unixMs(Date.parse(place.near) + startTicks * TICK)
      const inOrder = happenings.map((one) => ({
        ...one,
        runs: true,
        readings: one.readings.map(({ value }) => ({ age: 0, value }))
      }))
      const ticks = ticksOf(inOrder, start)
      const to = unixMs((ticks.at(-1)?.now ?? start) + 1)
      const replay = new Replay(watch, { from: start, to })
      const readings = ticks.flatMap(({ arrivals }) => arrivals)
      for (let at = 0; at < readings.length; at += piece) {
        const some = readings.slice(at, at + piece)
        const times = Float64Array.from(some, ({ timestamp }) => timestamp)
        replay.addAll(
          times,
          Float64Array.from(some, ({ value }) => value)
        )
      }
      const model = modelAlarms(modelRule(definition, watch.forMs, place.zone), ticks, TICK)
      assert.deepEqual(
        replay.finish(),
        model.map(({ raised, cleared, value }) => ({
          ...{ raised_at: raised, cleared_at: cleared, value }
        }))
      )
    }),
    { numRuns: RUNS / 2 }
  )
})

/** The clock may step back or ahead, the rule may change, and timestamps are what they are. */
const wild = fc.record({
  rules: fc.array(rules, { minLength: 2, maxLength: 4 }),
  place: fc.constantFrom(...places),
  steps: fc.array(
    fc.record({
      rule: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.nat({ max: 3 })),
      now: fc.integer({ min: -3 * TICK, max: 9 * TICK }),
      held: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat({ max: 4 * TICK })),
      reading: fc.option(fc.record({ age: fc.integer({ min: -TICK, max: 3 * TICK }), value })),
      isSent: fc.boolean()
    }),
    { maxLength: 60, size: 'max' }
  )
})

test('a state stays sound when the clock steps and the rule changes', () => {
  fc.assert(
    fc.property(wild, ({ rules, place, steps }) => {
      const watches = rules.map((rule) =>
        compileRule(definitionOf(rule), place.zone)(() => undefined)
      )
      let [watch = assert.fail()] = watches
      let [state, isOpen, now, held] = [newState(), false, Date.parse(place.near), 0]
      const follow = (transitions: readonly Transition[]) => {
        for (const one of transitions) {
          assert.equal(one.kind, isOpen ? 'cleared' : 'raised')
          assert.ok(Number.isSafeInteger(one.at))
          isOpen = !isOpen
          if (one.kind === 'raised') assert.ok(!watch.hours || watch.hours.has(one.at))
        }
        assert.equal(!Number.isNaN(state.o), isOpen)
        assert.equal(!Number.isNaN(state.b), !Number.isNaN(state.f) || !Number.isNaN(state.s))
        assert.ok(Number.isNaN(state.b) || Number.isNaN(state.o))
        assert.ok(state.m === 0 || !Number.isNaN(state.b) || !Number.isNaN(state.o))
      }
      for (const step of steps) {
        watch = watches[(step.rule ?? -1) % watches.length] ?? watch
        now += step.now
        held += step.held
        const moment = { now: unixMs(now), running: now - held }
        if (step.reading && step.isSent) {
          const timestamp = unixMs(now - step.reading.age)
          const before = { ...state }
          follow(judge(watch, state, { timestamp, value: step.reading.value }, moment))
          if (timestamp < before.t) {
            assert.deepEqual([state.t, state.v], [before.t, before.v])
            if (before.m === 0) assert.deepEqual({ ...before, a: state.a }, state)
          }
        }
        follow(look(watch, state, moment))
        const seen = structuredClone(state)
        assert.deepEqual(look(watch, state, moment), [])
        assert.deepEqual(state, seen)
        const next = nextLook(watch, state)
        if (next) assert.ok('now' in next ? next.now > now : next.running > now - held)
        state = stateOf(JSON.parse(JSON.stringify(storedState(state))))
        assert.deepEqual(state, seen)
      }
    }),
    { numRuns: RUNS }
  )
})
