import { DAY, SECOND, type UnixMs } from './unix-time.ts'

/** Days and weeks (from Monday) and months, as a zone's clocks and calendars show them. */
export type CalendarUnit = 'd' | 'w' | 'mo'

/** A time with one offset between local time and UTC; it ends where the next one begins. */
type Period = { from: number; offset: number }

/** The Monday of the week that 1 January 1970 is in, in days from it. */
const FIRST_MONDAY = -3

/** What is known of a zone: its clock, and the periods that begin in a year, found when asked for. */
type Zone = { clock: Intl.DateTimeFormat; years: Map<number, Period[]> }
const zones = new Map<string, Zone>()
/** Above the number of names that exist; spellings in odd case are names too. */
const MAX_ZONES = 2000

/** A name of the IANA time zone database, such as Europe/Stockholm. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && zoneOf(name) !== undefined
  } catch {
    return false
  }
}

/**
 * The first instants of every `count`-th local day, week or month, counted from those of 1970: from
 * the last one at or before `from` to the first one after `to`. A day that a zone left out has none.
 */
export function calendarBorders(
  { unit, count }: { unit: CalendarUnit; count: number },
  zoneName: string,
  { from, to }: { from: UnixMs; to: UnixMs }
): UnixMs[] {
  const { wallAt, stepAt } =
    unit === 'mo' ? months(count) : days(unit === 'w' ? 7 * count : count, unit)
  // Local time is at most a day away, so the step before is early enough.
  let step = stepAt(from) - 1
  const periods = offsetPeriods(zoneOf(zoneName), wallAt(step) - DAY, wallAt(stepAt(to) + 2) + DAY)
  const borders: UnixMs[] = []
  for (let border = -Infinity; border <= to; step++) {
    const next = firstInstantAt(wallAt(step), periods)
    if (next <= border) continue
    if (next <= from) borders.length = 0
    borders.push(next as UnixMs)
    border = next
  }
  return borders
}

/**
 * Around one local day, given as its midnight as if it were UTC: the first instant at which the
 * zone's clocks have reached a local time. A time they skip is reached right after the gap, one
 * they repeat the first time.
 */
export function localClock(zoneName: string, midnight: number): (wall: number) => UnixMs {
  const periods = offsetPeriods(zoneOf(zoneName), midnight - 2 * DAY, midnight + 3 * DAY)
  return (wall) => firstInstantAt(wall, periods) as UnixMs
}

/** `wallAt`: the local time at which a step begins, as if it were UTC; `stepAt`: the reverse. */
type Steps = { wallAt(step: number): number; stepAt(wall: number): number }

const months = (count: number): Steps => ({
  wallAt: (step) => Date.UTC(1970, step * count),
  stepAt: (wall) => {
    const date = new Date(wall)
    return Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / count)
  }
})

function days(count: number, unit: 'd' | 'w'): Steps {
  const origin = unit === 'w' ? FIRST_MONDAY * DAY : 0
  return {
    wallAt: (step) => origin + step * count * DAY,
    stepAt: (wall) => Math.floor((wall - origin) / (count * DAY))
  }
}

/** The first instant at which the local date and time has reached `wall`. */
function firstInstantAt(wall: number, periods: readonly Period[]): number {
  for (const [i, { from, offset }] of periods.entries()) {
    const instant = Math.max(from, wall - offset)
    if (instant < (periods[i + 1]?.from ?? Infinity)) return instant
  }
  return Infinity
}

/** The one that holds at `from` first. */
function offsetPeriods(zone: Zone, from: number, to: number): Period[] {
  const periods: Period[] = [{ from, offset: offsetAt(zone, from) }]
  for (let year = yearOf(from); year <= yearOf(to); year++) {
    let known = zone.years.get(year)
    if (!known) {
      known = changesBetween(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0))
      zone.years.set(year, known)
    }
    periods.push(...known.filter((period) => period.from > from))
  }
  return periods
}

const yearOf = (instant: number): number => new Date(instant).getUTCFullYear()

/** No zone ever changed its clocks twice within a day. */
function changesBetween(zone: Zone, from: number, to: number): Period[] {
  const changes: Period[] = []
  let last = offsetAt(zone, from - 1)
  for (let at = from - 1; at < to - 1; at += DAY) {
    const offset = offsetAt(zone, at + DAY)
    if (offset === last) continue
    let [before, after] = [at, at + DAY]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (offsetAt(zone, middle) === offset) after = middle
      else before = middle
    }
    changes.push({ from: after, offset })
    last = offset
  }
  return changes
}

/** Local time minus UTC, in milliseconds. */
function offsetAt({ clock }: Zone, instant: number): number {
  const whole = Math.floor(instant / SECOND) * SECOND
  const [month = 0, day, year = 0, hour, minute, second] = (
    clock.format(whole).match(/\d+/g) ?? []
  ).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - whole
}

function zoneOf(name: string): Zone {
  const known = zones.get(name)
  if (known) return known
  if (zones.size >= MAX_ZONES) zones.clear()
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric'
  })
  const zone = { clock, years: new Map() }
  zones.set(name, zone)
  return zone
}
