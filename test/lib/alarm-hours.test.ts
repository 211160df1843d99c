import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OpenHours, timeOfDay } from '../../src/lib/alarm/hours.ts'
import type { Hours } from '../../src/lib/alarm/rule.ts'
import { DAY, MINUTE, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
import { showsHours } from '../support/alarm-model.ts'

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]
const at = (iso: string): UnixMs => unixMs(Date.parse(iso))

/** The spans of the hours between two moments, as `from/to` in UTC. */
function spans(hours: Hours, zone: string, from: string, to: string): string[] {
  const open = new OpenHours(hours, zone)
  const found: string[] = []
  let begin: string | undefined
  for (let moment = at(from); moment <= at(to); moment = unixMs(moment + MINUTE)) {
    const time = new Date(moment).toISOString().slice(11, 16)
    if (open.has(moment) && begin === undefined) begin = time
    if (!open.has(moment) && begin !== undefined) {
      found.push(`${begin}/${time}`)
      begin = undefined
    }
  }
  return begin === undefined ? found : [...found, `${begin}/`]
}

test('timeOfDay', () => {
  const f = (text: string, want: number | undefined) => assert.equal(timeOfDay(text), want, text)

  f('00:00', 0)
  f('08:30', 510)
  f('23:59', 1439)
  for (const text of [
    '24:00',
    '8:30',
    '08:60',
    '08.30',
    '08:30:00',
    ' 08:30',
    '',
    '-1:00',
    '٠٨:٣٠'
  ]) {
    f(text, undefined)
  }
})

test('the hours of a week', () => {
  const f = (hours: Hours, from: string, to: string, want: string[]) =>
    assert.deepEqual(spans(hours, 'Europe/Stockholm', from, to), want)

  // 2026-06-01 is a Monday. Local time is two hours ahead.
  const day = { from: '08:00', to: '17:00' }
  f({ days: [1], ...day }, '2026-06-01T00:00Z', '2026-06-02T23:59Z', ['06:00/15:00'])
  f({ days: [2, 1], ...day }, '2026-06-01T00:00Z', '2026-06-02T23:59Z', [
    ...['06:00/15:00', '06:00/15:00']
  ])
  f({ days: [0], ...day }, '2026-06-01T00:00Z', '2026-06-02T23:59Z', [])
  // Over midnight: Sunday's hours end on Monday.
  const night = { from: '22:00', to: '06:00' }
  f({ days: [0], ...night }, '2026-05-31T12:00Z', '2026-06-02T12:00Z', ['20:00/04:00'])
  f({ days: [6], ...night }, '2026-05-30T12:00Z', '2026-06-02T12:00Z', ['20:00/04:00'])
  // The same time twice is a whole day.
  const whole = { from: '00:00', to: '00:00' }
  f({ days: [1], ...whole }, '2026-05-31T12:00Z', '2026-06-02T12:00Z', ['22:00/22:00'])
  f({ days: [0, 6], ...whole }, '2026-05-29T12:00Z', '2026-06-02T12:00Z', ['22:00/22:00'])
  f({ days: EVERY_DAY, ...whole }, '2026-05-29T12:00Z', '2026-06-12T12:00Z', ['12:00/'])
  f({ days: EVERY_DAY, from: '18:00', to: '00:00' }, '2026-06-01T00:00Z', '2026-06-01T23:00Z', [
    '16:00/22:00'
  ])
})

test('the hours when clocks change', () => {
  const f = (zone: string, window: string, [from, to]: [string, string], want: string[]) => {
    const [begin = '', end = ''] = window.split('-')
    const hours = { days: EVERY_DAY, from: begin, to: end }
    assert.deepEqual(spans(hours, zone, from, to), want, `${zone} ${window}`)
  }

  // 02:00 becomes 03:00 at 01:00 UTC.
  const spring: [string, string] = ['2026-03-28T23:00Z', '2026-03-29T22:00Z']
  f('Europe/Stockholm', '01:00-05:00', spring, ['00:00/03:00'])
  f('Europe/Stockholm', '02:30-05:00', spring, ['01:00/03:00'])
  f('Europe/Stockholm', '01:00-02:30', spring, ['00:00/01:00'])
  f('Europe/Stockholm', '02:15-02:45', spring, [])
  f('Europe/Stockholm', '08:00-17:00', spring, ['06:00/15:00'])
  // 03:00 becomes 02:00 at 01:00 UTC: clocks show the hour from 02:00 twice.
  const autumn: [string, string] = ['2026-10-24T22:00Z', '2026-10-25T23:00Z']
  f('Europe/Stockholm', '01:00-05:00', autumn, ['23:00/04:00'])
  f('Europe/Stockholm', '02:15-02:45', autumn, ['00:15/00:45', '01:15/01:45'])
  f('Europe/Stockholm', '02:30-05:00', autumn, ['00:30/01:00', '01:30/04:00'])
  f('Europe/Stockholm', '08:00-17:00', autumn, ['07:00/16:00'])
  // Half an hour, at 15:00 UTC.
  const howe: [string, string] = ['2026-04-04T12:00Z', '2026-04-05T12:00Z']
  f('Australia/Lord_Howe', '01:45-02:15', howe, ['14:45/15:00', '15:15/15:45'])
  // Midnight becomes 01:00.
  const cairo: [string, string] = ['2026-04-23T12:00Z', '2026-04-24T12:00Z']
  f('Africa/Cairo', '00:30-02:00', cairo, ['22:00/23:00'])
  f('Africa/Cairo', '22:00-00:30', cairo, ['20:00/22:00'])
  // 30 December 2011 does not exist.
  const apia: [string, string] = ['2011-12-29T10:00Z', '2011-12-31T09:59Z']
  f('Pacific/Apia', '08:00-17:00', apia, ['18:00/03:00', '18:00/03:00'])
})

test('a day that clocks skip has no hours', () => {
  const friday = new OpenHours({ days: [5], from: '08:00', to: '17:00' }, 'Pacific/Apia')
  assert.equal(friday.next(at('2011-12-25T00:00Z')), at('2012-01-05T18:00Z'))
})

const zones = [
  ...['UTC', 'Europe/Stockholm', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo'],
  ...['Africa/Casablanca', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Apia', 'Asia/Beirut'],
  ...['America/St_Johns', 'Pacific/Chatham', 'Africa/Monrovia', 'America/Nuuk']
]
const timeText = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map((pair) => pair.map((part) => String(part).padStart(2, '0')).join(':'))
const anyHours: fc.Arbitrary<Hours> = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  from: timeText,
  to: timeText
})

test('a moment lies in the hours when a clock of the zone shows such a time', () => {
  const moment = fc.integer({ min: 0, max: Date.UTC(2040, 0) }).map(unixMs)
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      anyHours,
      fc.array(fc.tuple(moment, fc.array(fc.integer({ min: -2 * DAY, max: 2 * DAY })))),
      (zone, hours, moments) => {
        const open = new OpenHours(hours, zone)
        for (const [base, steps] of moments) {
          for (const one of [base, ...steps.map((step) => unixMs(Math.max(0, base + step)))]) {
            assert.equal(open.has(one), showsHours(hours, zone, one), new Date(one).toISOString())
          }
        }
      }
    ),
    { numRuns: 300 }
  )
})

test('next is the first moment in the hours', () => {
  // Around changes of the clocks in 2026, and around the day that Apia skipped.
  const changes = [
    ...['2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-04-04T15:00Z', '2026-10-03T15:30Z'],
    ...['2026-04-23T22:00Z', '2026-10-29T21:00Z', '2026-03-08T07:00Z', '2011-12-30T10:00Z']
  ].map(at)
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      anyHours,
      fc.constantFrom(...changes),
      fc.integer({ min: -2 * 24 * 60, max: 24 * 60 }),
      (zone, hours, change, minutes) => {
        const from = unixMs(change + minutes * MINUTE)
        const next = new OpenHours(hours, zone).next(from)
        assert.ok(showsHours(hours, zone, next))
        if (next > from) assert.ok(!showsHours(hours, zone, unixMs(next - 1)))
        // The minutes in between are outside. Hours of less than 7 minutes may lie between two looks.
        for (let moment: number = from; moment < next; moment += 7 * MINUTE) {
          assert.ok(!showsHours(hours, zone, unixMs(moment)), new Date(moment).toISOString())
        }
      }
    ),
    { numRuns: 150 }
  )
})
