import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CalendarUnit, calendarBorders, isTimeZone } from '../../src/lib/calendar.ts'
import { DAY, HOUR, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'

const at = (text: string): UnixMs => unixMs(Date.parse(text))

test('calendarBorders', () => {
  const f = (
    [interval, zone]: [`${number}${CalendarUnit}`, string],
    [from, to]: [string, string],
    want: string[]
  ) => {
    const [, count, unit] = /^(\d+)(\w+)$/.exec(interval) ?? []
    const borders = calendarBorders({ unit: unit as CalendarUnit, count: Number(count) }, zone, {
      from: at(from),
      to: at(to)
    })
    assert.deepEqual(
      borders.map((border) => new Date(border).toISOString().replace(':00.000Z', 'Z')),
      want,
      `${interval} ${zone}`
    )
  }

  // A day of 23 hours and one of 25.
  f(
    ['1d', 'Europe/Stockholm'],
    ['2024-03-30T23:00Z', '2024-03-31T21:59Z'],
    ['2024-03-30T23:00Z', '2024-03-31T22:00Z']
  )
  f(
    ['1d', 'Europe/Stockholm'],
    ['2024-10-27T12:00Z', '2024-10-27T23:00Z'],
    ['2024-10-26T22:00Z', '2024-10-27T23:00Z', '2024-10-28T23:00Z']
  )
  // The clocks skip midnight, so the day begins at one.
  f(
    ['1d', 'America/Sao_Paulo'],
    ['2018-11-04T02:59Z', '2018-11-04T03:00Z'],
    ['2018-11-03T03:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z']
  )
  // The zone skipped the whole 30th of December.
  f(
    ['1d', 'Pacific/Apia'],
    ['2011-12-29T12:00Z', '2011-12-30T12:00Z'],
    ['2011-12-29T10:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z']
  )
  f(
    ['1d', 'UTC'],
    ['1970-01-01T00:00Z', '1970-01-01T00:00Z'],
    ['1970-01-01T00:00Z', '1970-01-02T00:00Z']
  )
  f(
    ['2d', 'Asia/Kathmandu'],
    ['2024-01-01T00:00Z', '2024-01-02T00:00Z'],
    ['2023-12-30T18:15Z', '2024-01-01T18:15Z', '2024-01-03T18:15Z']
  )
  f(
    ['1w', 'UTC'],
    ['2024-01-01T00:00Z', '2024-01-08T00:00Z'],
    ['2024-01-01T00:00Z', '2024-01-08T00:00Z', '2024-01-15T00:00Z']
  )
  f(
    ['1w', 'UTC'],
    ['1970-01-01T00:00Z', '1970-01-02T00:00Z'],
    ['1969-12-29T00:00Z', '1970-01-05T00:00Z']
  )
  f(
    ['1mo', 'America/New_York'],
    ['2024-03-01T04:59Z', '2024-03-15T00:00Z'],
    ['2024-02-01T05:00Z', '2024-03-01T05:00Z', '2024-04-01T04:00Z']
  )
  f(
    ['3mo', 'Europe/Stockholm'],
    ['2024-02-01T00:00Z', '2024-05-01T00:00Z'],
    ['2023-12-31T23:00Z', '2024-03-31T22:00Z', '2024-06-30T22:00Z']
  )
})

test('isTimeZone', () => {
  for (const name of ['UTC', 'Europe/Stockholm', 'Asia/Calcutta']) assert(isTimeZone(name), name)
  for (const name of [
    '',
    'Mars/Base',
    '+01:00',
    'Europe/Stockholm ',
    '../etc',
    '1',
    'Asia/Bang\u212aok'
  ]) {
    assert(!isTimeZone(name), name)
  }
})

test('a time zone is looked up once, whatever its spelling', (t) => {
  const week = { from: at('2024-03-28T00:00Z'), to: at('2024-04-03T00:00Z') }
  const want = calendarBorders({ unit: 'd', count: 1 }, 'Europe/Stockholm', week)
  const made = t.mock.method(Intl, 'DateTimeFormat')
  for (const zone of ['eUrope/stockholm', 'EUROPE/STOCKHOLM', 'europe/Stockholm']) {
    assert(isTimeZone(zone))
    assert.deepEqual(calendarBorders({ unit: 'd', count: 1 }, zone, week), want)
  }
  assert.equal(made.mock.callCount(), 0)
})

test('the days of half a century need few clock computations, and almost none the second time', (t) => {
  const all = { from: at('1970-01-02T00:00Z'), to: at('2026-01-01T00:00Z') }
  const looks = t.mock.getter(Intl.DateTimeFormat.prototype, 'format')
  const days = () => calendarBorders({ unit: 'd', count: 1 }, 'America/Denver', all)
  assert.equal(days().length, 20_455)
  assert(looks.mock.callCount() < 7000, `${looks.mock.callCount()} looks`)
  const before = looks.mock.callCount()
  days()
  assert(looks.mock.callCount() - before < 3)
})

test('time zones that changed back soon, and by unusual lengths, are correct', () => {
  const f = (zone: string, [from, to]: [string, string], want: Record<string, number>) => {
    const days = calendarBorders({ unit: 'd', count: 1 }, zone, { from: at(from), to: at(to) })
    const odd = days.slice(1).flatMap((next, i) => {
      const day = days[i] ?? next
      return next - day === DAY ? [] : [[new Date(day).toISOString(), (next - day) / HOUR]]
    })
    assert.deepEqual(Object.fromEntries(odd), want, zone)
  }
  f('America/Noronha', ['2000-09-01T00:00Z', '2000-12-01T00:00Z'], {
    '2000-10-08T02:00:00.000Z': 23,
    '2000-10-14T01:00:00.000Z': 25
  })
  f('America/Argentina/Tucuman', ['2004-05-01T00:00Z', '2004-08-01T00:00Z'], {
    '2004-05-31T03:00:00.000Z': 25,
    '2004-06-13T04:00:00.000Z': 23
  })
  f('Africa/Casablanca', ['2024-02-01T00:00Z', '2024-06-01T00:00Z'], {
    '2024-03-09T23:00:00.000Z': 25,
    '2024-04-14T00:00:00.000Z': 23
  })
  f('Africa/Monrovia', ['1972-01-01T12:00Z', '1972-02-01T00:00Z'], {
    '1972-01-07T00:44:30.000Z': 23 + 15.5 / 60
  })
})

test('each day begins at its first moment, at every clock change of every zone in ten years', () => {
  const window = { from: at('2016-01-01T00:00Z'), to: at('2026-01-01T00:00Z') }
  let changes = 0
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const dateOf = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
    const days = calendarBorders({ unit: 'd', count: 1 }, zone, window)
    assert((days[0] ?? Infinity) <= window.from && (days[1] ?? 0) > window.from, zone)
    assert((days.at(-1) ?? 0) > window.to && (days.at(-2) ?? Infinity) <= window.to, zone)
    for (const [i, day] of days.slice(0, -1).entries()) {
      const next = days[i + 1] ?? 0
      if (next - day === DAY) continue
      changes++
      const where = `${zone} ${new Date(day).toISOString()}`
      assert(next > day && next - day <= 27 * HOUR && next - day >= 21 * HOUR, where)
      const today = dateOf.format(day)
      assert.notEqual(dateOf.format(day - 1), today, where)
      assert.equal(dateOf.format(next - 1), today, where)
      assert.notEqual(dateOf.format(next), today, where)
      // There is no other date in between, whatever the clocks did.
      for (let hour = day; hour < next; hour = unixMs(hour + HOUR / 2)) {
        assert.equal(dateOf.format(hour), today, where)
      }
    }
    // Weeks and months begin at the begin of a day.
    const begins = new Set<number>(days)
    for (const unit of ['w', 'mo'] as const) {
      for (const border of calendarBorders({ unit, count: 1 }, zone, window).slice(1, -1)) {
        assert(begins.has(border), `${zone} ${unit} ${new Date(border).toISOString()}`)
      }
    }
  }
  assert(changes > 2500, `only ${changes} changes`)
})
