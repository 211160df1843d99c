import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDefinition } from '../../src/lib/alarm/check.ts'
import { compileRule } from '../../src/lib/alarm/judge.ts'
import { MAX_TRIED_ALARMS, Replay } from '../../src/lib/alarm/replay.ts'
import type { RuleDefinition } from '../../src/lib/alarm/rule.ts'
import { MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'

const START = Date.parse('2026-06-01T10:00:00Z')
const minute = (count: number) => unixMs(START + count * MINUTE)

function replayOf(fields: Partial<RuleDefinition>, from: number, to: number): Replay {
  const parsed = parseDefinition({ on: { topics: ['obj/x'] }, when: { above: 25 }, ...fields })
  if (typeof parsed === 'string') throw new Error(parsed)
  const watch = compileRule(parsed, 'Europe/Stockholm')(() => undefined)
  return new Replay(watch, { from: minute(from), to: minute(to) })
}

/** Alarms as `raised/cleared=value` in minutes. */
function f(
  fields: Partial<RuleDefinition>,
  [from, to]: [number, number],
  readings: [at: number, value: number][],
  want: string
) {
  const replay = replayOf(fields, from, to)
  for (const [at, value] of readings) replay.add(minute(at), value)
  const inMinutes = (at: number | null) => (at === null ? '' : (at - START) / MINUTE)
  const found = replay
    .finish()
    .map((one) => `${inMinutes(one.raised_at)}/${inMinutes(one.cleared_at)}=${one.value}`)
  assert.equal(found.join(' '), want)
}

test('a replay looks at the clock between the readings and to the end', () => {
  f(
    {},
    [0, 60],
    [
      [0, 26],
      [5, 20],
      [7, 27]
    ],
    '0/5=26 7/=27'
  )
  f(
    { for: '10m' },
    [0, 60],
    [
      [0, 26],
      [5, 20],
      [7, 27]
    ],
    '17/=27'
  )
  f({ for: '10m' }, [0, 17], [[7, 27]], '')
  // No reading showed that it lasted, but the clock did.
  f(
    { for: '10m' },
    [0, 60],
    [
      [0, 26],
      [11, 20]
    ],
    '10/11=26'
  )
  f(
    { for: '10m' },
    [0, 60],
    [
      [0, 26],
      [10, 20]
    ],
    ''
  )
  const silent = { when: { silent_for: '10m' } }
  f(
    silent,
    [0, 60],
    [
      [0, 1],
      [10, 2],
      [25, 3]
    ],
    '20/25=2 35/=3'
  )
  f(silent, [0, 60], [], '')
  const hours = { days: [1], from: '12:30', to: '13:00' }
  f(
    { ...silent, schedule: hours },
    [0, 60],
    [
      [0, 1],
      [35, 2]
    ],
    '30/35=1 45/=2'
  )
})

test('readings outside the time', () => {
  f(
    {},
    [10, 20],
    [
      [0, 26],
      [5, 20],
      [8, 26],
      [12, 20],
      [15, 26],
      [20, 20]
    ],
    '8/12=26 15/=26'
  )
  f(
    { when: { changed_by: 5 } },
    [10, 20],
    [
      [8, 20],
      [12, 25]
    ],
    '12/=25'
  )
  f({ when: { silent_for: '10m' } }, [10, 20], [[-60, 1]], '-50/=1')
})

test('a value that flaps fills the list, and the rest is not judged', () => {
  const replay = replayOf({}, 0, 1e9)
  let judged = 0
  for (; !replay.isFull && judged < 100_000; judged++) {
    replay.add(unixMs(START + judged * SECOND), judged % 2 ? 20 : 26)
  }
  assert.equal(judged, 2 * MAX_TRIED_ALARMS)
  replay.add(unixMs(START + judged * SECOND), 26)
  assert.equal(replay.finish().length, MAX_TRIED_ALARMS)
})
