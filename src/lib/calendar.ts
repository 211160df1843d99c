import { DAY, HOUR, MINUTE, SECOND, type UnixMs } from './unix-time.ts'

/** Days and weeks (from Monday) and months, as a zone's clocks and calendars show them. */
export type CalendarUnit = 'd' | 'w' | 'mo'

/** A time with one offset between local time and UTC; it ends where the next one begins. */
type Period = { from: number; offset: number }

/** The Monday of the week that 1 January 1970 is in, in days from it. */
const FIRST_MONDAY = -3

/** What is known of a zone: its clock, and the periods that begin in a year, found when asked for. */
type Zone = { clock: Intl.DateTimeFormat; years: Map<number, Period[]> }
/** By canonical name, and by every name in lower case, so as many as exist however they are spelled. */
const zones = new Map<string, Zone>()
const spellings = new Map<string, Zone>()
/** Times far from today come from callers, too. */
const MAX_YEARS = 500

/** A name of the IANA time zone database, such as Europe/Stockholm. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z][\w+/-]*$/.test(name) && zoneOf(name) !== undefined
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
  const instantAt = firstInstants(periods)
  const borders: UnixMs[] = []
  for (let border = -Infinity; border <= to; step++) {
    const next = instantAt(wallAt(step))
    if (next <= border) continue
    if (next <= from) borders.length = 0
    borders.push(next)
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
  return firstInstants(offsetPeriods(zoneOf(zoneName), midnight - 2 * DAY, midnight + 3 * DAY))
}

/** Local time minus UTC, in milliseconds. */
export const zoneOffset = (zoneName: string, instant: number): number =>
  offsetAt(zoneOf(zoneName), instant)

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

/** The first instant at which the local date and time has reached `wall`; later walls go on from it. */
function firstInstants(periods: readonly Period[]): (wall: number) => UnixMs {
  let [at, last] = [0, -Infinity]
  return (wall) => {
    if (wall < last) at = 0
    last = wall
    while (wall - offsetOf(periods[at]) >= (periods[at + 1]?.from ?? Infinity)) at++
    return Math.max(periods[at]?.from ?? 0, wall - offsetOf(periods[at])) as UnixMs
  }
}

const offsetOf = (period: Period | undefined): number => period?.offset ?? 0

/** The one that holds at `from` first. */
function offsetPeriods(zone: Zone, from: number, to: number): Period[] {
  const periods: Period[] = [{ from, offset: offsetAt(zone, from) }]
  for (let year = yearOf(from); year <= yearOf(to); year++) {
    let known = zone.years.get(year)
    if (!known) {
      known = changesBetween(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0))
      if (zone.years.size >= MAX_YEARS) zone.years.clear()
      zone.years.set(year, known)
    }
    periods.push(...known.filter((period) => period.from > from))
  }
  return periods
}

const yearOf = (instant: number): number => new Date(instant).getUTCFullYear()

/** Brazil's north east gave up summer time after a week in 2000; no zone did sooner since 1970. */
const PROBE = 6 * DAY

/** The changes at `from` or later and before `to`. */
function changesBetween(zone: Zone, from: number, to: number): Period[] {
  const changes: Period[] = []
  let [before, last] = [from - SECOND, offsetAt(zone, from - SECOND)]
  while (before < to - SECOND) {
    const after = Math.min(before + PROBE, to - SECOND)
    const offset = offsetAt(zone, after)
    if (offset !== last) changes.push({ from: changeBetween(zone, before, after, offset), offset })
    before = after
    last = offset
  }
  return changes
}

/** The whole second at which the offset begins that holds at `after`; clocks change at no other. */
function changeBetween(zone: Zone, before: number, after: number, offset: number): number {
  let [low, high] = [before / SECOND, after / SECOND]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * SECOND) === offset) high = middle
    else low = middle
  }
  return high * SECOND
}

/** Local time minus UTC, in milliseconds. The shortest text with it is by far the fastest: `1 AM GMT+01:00`. */
function offsetAt({ clock }: Zone, instant: number): number {
  const text = clock.format(instant)
  const at = text.indexOf('GMT') + 3
  if (at === text.length) return 0
  const [hours = 0, minutes = 0, seconds = 0] = text
    .slice(at + 1)
    .split(':')
    .map(Number)
  const offset = hours * HOUR + minutes * MINUTE + seconds * SECOND
  return text[at] === '+' ? offset : -offset
}

function zoneOf(name: string): Zone {
  const spelling = name.toLowerCase()
  const known = spellings.get(spelling)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hour: 'numeric',
    timeZoneName: 'longOffset'
  })
  const canonical = clock.resolvedOptions().timeZone
  const zone = zones.get(canonical) ?? { clock, years: new Map() }
  zones.set(canonical, zone)
  spellings.set(spelling, zone)
  return zone
}
