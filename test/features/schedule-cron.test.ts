import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CronField,
  type CronTexts,
  nextRun,
  parseCron,
  parseField
} from '../../src/features/schedule/cron.ts'
import { DAY, HOUR, MINUTE, type UnixMs, unixMs } from '../../src/lib/unix-time.ts'

const every: CronTexts = { minute: '*', hour: '*', day_of_month: '*', day_of_week: '*', month: '*' }
const at = (text: string): UnixMs => unixMs(Date.parse(text))

test('parseField', () => {
  const f = (field: CronField, text: string, want: number[] | undefined) =>
    assert.deepEqual(parseField(field, text), want, `${field} ${text}`)
  f('minute', '0', [0])
  f('minute', '59', [59])
  f('minute', '60', undefined)
  f('minute', '05', [5])
  f('minute', '30,0,15,0', [0, 15, 30])
  f('minute', '*/15', [0, 15, 30, 45])
  f('minute', '10-14', [10, 11, 12, 13, 14])
  f('minute', '10-20/5', [10, 15, 20])
  f('minute', ' 1, 2 ', [1, 2])
  f('hour', '*/6', [0, 6, 12, 18])
  f('hour', '24', undefined)
  f('day_of_month', '0,30', [0, 30])
  f('day_of_month', '31', undefined)
  f('day_of_week', '7', [0])
  f('day_of_week', '0,7', [0])
  f('day_of_week', '5-7', [0, 5, 6])
  f('day_of_week', '8', undefined)
  f('month', '0-11', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  f('month', '12', undefined)
  for (const text of [
    '',
    'x',
    '-1',
    '1-',
    '5-1',
    '1/2',
    '*/0',
    '1,,2',
    '* *',
    '1.5',
    '1e1',
    '**'
  ]) {
    f('minute', text, undefined)
  }
})

test('nextRun', () => {
  const f = (fields: Partial<CronTexts>, zone: string, after: string, want: string | undefined) => {
    const next = nextRun(parseCron({ ...every, ...fields }), zone, at(after))
    assert.equal(next && new Date(next).toISOString(), want && new Date(at(want)).toISOString())
  }
  f({}, 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z')
  f({}, 'UTC', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01:00Z')
  f({ minute: '30', hour: '6' }, 'UTC', '2026-01-01T06:30:00Z', '2026-01-02T06:30:00Z')
  f({ minute: '30', hour: '6' }, 'Europe/Stockholm', '2026-01-01T00:00Z', '2026-01-01T05:30:00Z')
  f({ minute: '0', hour: '0' }, 'Pacific/Kiritimati', '2026-01-01T00:00Z', '2026-01-01T10:00:00Z')
  f({ minute: '0', hour: '0' }, 'Pacific/Pago_Pago', '2026-01-01T00:00Z', '2026-01-01T11:00:00Z')
  // Days of the month and months count from 0.
  const first = { minute: '0', hour: '0', day_of_month: '0', month: '0' }
  f(first, 'UTC', '2026-01-01T00:00Z', '2027-01-01T00:00:00Z')
  const leap = { minute: '0', hour: '0', day_of_month: '28', month: '1' }
  f(leap, 'UTC', '2026-01-01T00:00Z', '2028-02-29T00:00:00Z')
  f(leap, 'UTC', '2096-03-01T00:00Z', '2104-02-29T00:00:00Z')
  f({ ...leap, day_of_month: '29' }, 'UTC', '2026-01-01T00:00Z', undefined)
  // 2026-01-04 is a Sunday.
  for (const day_of_week of ['0', '7']) {
    f({ minute: '0', hour: '0', day_of_week }, 'UTC', '2026-01-01T00:00Z', '2026-01-04T00:00:00Z')
  }
  // One of the two kinds of days must match, as in cron.
  const either = { minute: '0', hour: '0', day_of_month: '1', day_of_week: '0' }
  f(either, 'UTC', '2026-01-01T00:00Z', '2026-01-02T00:00:00Z')
  f(either, 'UTC', '2026-01-02T00:00Z', '2026-01-04T00:00:00Z')
  // The hour from two to three is skipped, and in autumn it comes twice.
  const halfPastTwo = { minute: '30', hour: '2' }
  f(halfPastTwo, 'Europe/Stockholm', '2026-03-28T12:00Z', '2026-03-29T01:00:00Z')
  f(halfPastTwo, 'Europe/Stockholm', '2026-03-29T01:00Z', '2026-03-30T00:30:00Z')
  f(halfPastTwo, 'Europe/Stockholm', '2026-10-24T12:00Z', '2026-10-25T00:30:00Z')
  f(halfPastTwo, 'Europe/Stockholm', '2026-10-25T00:30Z', '2026-10-26T01:30:00Z')
  // The zone skips a whole day.
  f(
    { minute: '0', hour: '12', day_of_month: '29' },
    'Pacific/Apia',
    '2011-12-29T12:00Z',
    '2011-12-30T10:00:00Z'
  )
})

test('nextRun computes clock times only for days that match', (t) => {
  const looks = t.mock.getter(Intl.DateTimeFormat.prototype, 'format')
  const leap = parseCron({ ...every, minute: '0', hour: '0', day_of_month: '28', month: '1' })
  let last: UnixMs | undefined = at('2026-01-01T00:00Z')
  for (let year = 2028; year < 2096; year += 4) {
    last = nextRun(leap, 'America/Denver', last ?? at('2026-01-01T00:00Z'))
    assert.equal(last, at(`${year}-02-29T07:00Z`))
  }
  assert(looks.mock.callCount() < 2500, `${looks.mock.callCount()} looks`)
})

/** Every clock change of the last ten years, each one once, even if many zones have it. */
function transitions(): { zone: string; at: number }[] {
  const found = new Map<string, { zone: string; at: number }>()
  const end = Math.floor(Date.now() / DAY) * DAY
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const wall = wallClock(zone)
    const offset = (instant: number) => wall(instant) - instant
    const step = 5 * DAY
    for (let time = end - 3653 * DAY; time < end; time += step) {
      if (offset(time) === offset(time + step)) continue
      let [before, after] = [time, time + step]
      while (after - before > MINUTE) {
        const middle = Math.floor((before + after) / 2 / MINUTE) * MINUTE
        if (offset(middle) === offset(time)) before = middle
        else after = middle
      }
      found.set(`${after} ${offset(before)} ${offset(after)}`, { zone, at: after })
    }
  }
  return [...found.values()]
}

/** Local time of an instant as if it were UTC. */
function wallClock(zone: string): (instant: number) => number {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric'
  })
  return (instant) => {
    const [month = 0, day, year = 0, hour, minute] = (
      clock.format(instant).match(/\d+/g) ?? []
    ).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute)
  }
}

test('at every clock change of ten years no run is lost and none comes twice', () => {
  const changes = transitions()
  assert(changes.length > 300, `${changes.length} changes`)
  const crons: Partial<CronTexts>[] = [{ minute: '*/5' }, { minute: '30', hour: '0-3' }]
  for (const { zone, at } of changes) {
    const wall = wallClock(zone)
    const [from, to] = [at - 2 * HOUR, at + 2 * HOUR]
    const walls: number[] = []
    for (let time = from; time <= to; time += MINUTE) walls.push(wall(time))
    for (const texts of crons) {
      const cron = parseCron({ ...every, ...texts })
      const isTime = (local: number) => {
        const date = new Date(local)
        return cron.minute.includes(date.getUTCMinutes()) && cron.hour.includes(date.getUTCHours())
      }
      // Goes through the local time minute by minute; a time that comes for the first time runs.
      const want: number[] = []
      let reached = walls[0] ?? 0
      for (const [i, local] of walls.entries()) {
        let isDue = false
        for (let time = reached + MINUTE; time <= local; time += MINUTE) isDue ||= isTime(time)
        if (isDue) want.push(from + i * MINUTE)
        reached = Math.max(reached, local)
      }
      const got: number[] = []
      let last = unixMs(from)
      while (true) {
        const next = nextRun(cron, zone, last)
        if (next === undefined || next > to) break
        got.push(next)
        last = next
      }
      assert.deepEqual(got, want, `${zone} ${new Date(at).toISOString()} ${JSON.stringify(texts)}`)
    }
  }
})
