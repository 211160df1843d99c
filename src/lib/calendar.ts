import { DAY, HOUR, MINUTE, SECOND, type UnixMs } from './unix-time.ts'

/** Days, weeks (from Monday) and months in the local time of a zone. */
export type CalendarUnit = 'd' | 'w' | 'mo'

/** A period with one offset between local time and UTC. It ends where the next one begins. */
type Period = { from: number; offset: number }

/** The Monday of the week of 1 January 1970, in days from that date. */
const FIRST_MONDAY_DAYS = -3

/** A zone's clock, and the periods that begin in each year. They are computed when needed. */
type Zone = { clock: Intl.DateTimeFormat; years: Map<number, Period[]> }
/** By canonical name, and by every name in lower case. So the number of entries is bounded. */
const zones = new Map<string, Zone>()
const spellings = new Map<string, Zone>()
/** Callers may also ask for times far from today. */
const MAX_YEARS_PER_ZONE = 500

/** A name of the IANA time zone database, such as Europe/Stockholm. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z][\w+/-]*$/.test(name) && zoneOf(name) !== undefined
  } catch {
    return false
  }
}

/**
 * The first instant of every `count`-th local day, week or month, counted from 1970: from the last
 * one at or before `from` to the first one after `to`. A day that a zone skipped has no instant.
 */
export function calendarBorders(
  { unit, count }: { unit: CalendarUnit; count: number },
  zoneName: string,
  { from, to }: { from: UnixMs; to: UnixMs }
): UnixMs[] {
  const { wallAt, stepAt } =
    unit === 'mo' ? months(count) : days(unit === 'w' ? 7 * count : count, unit)
  // Local time differs from UTC by at most a day, so the previous step is early enough.
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
 * For one local day, given by its midnight as if it were UTC: finds the first instant at which the
 * zone's clocks reach a local time. For a skipped time this is the end of the gap. For a repeated
 * time this is the first of the two.
 */
export function localClock(zoneName: string, midnight: number): (wall: number) => UnixMs {
  return firstInstants(offsetPeriods(zoneOf(zoneName), midnight - 2 * DAY, midnight + 3 * DAY))
}

/** Local time minus UTC, in milliseconds. */
export const zoneOffset = (zoneName: string, instant: number): number =>
  offsetAt(zoneOf(zoneName), instant)

/**
 * The period with one offset that `instant` lies in: the part of it within three days of `instant`.
 */
export function zonePeriod(
  zoneName: string,
  instant: number
): { from: number; to: number; offset: number } {
  const to = instant + 3 * DAY
  const periods = offsetPeriods(zoneOf(zoneName), instant - 3 * DAY, to)
  const at = periods.findLastIndex(({ from }) => from <= instant)
  const { from, offset } = periods[at] ?? { from: instant, offset: 0 }
  return { from, to: Math.min(to, periods[at + 1]?.from ?? to), offset }
}

/** `wallAt`: the local time at which a step begins, as if it were UTC; `stepAt`: the opposite. */
type Steps = { wallAt(step: number): number; stepAt(wall: number): number }

const months = (count: number): Steps => ({
  wallAt: (step) => Date.UTC(1970, step * count),
  stepAt: (wall) => {
    const date = new Date(wall)
    return Math.floor(((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()) / count)
  }
})

function days(count: number, unit: 'd' | 'w'): Steps {
  const origin = unit === 'w' ? FIRST_MONDAY_DAYS * DAY : 0
  return {
    wallAt: (step) => origin + step * count * DAY,
    stepAt: (wall) => Math.floor((wall - origin) / (count * DAY))
  }
}

/** Finds the first instant at which the local time reaches `wall`. Later calls go on from there. */
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

/** The period at `from` comes first. */
function offsetPeriods(zone: Zone, from: number, to: number): Period[] {
  const periods: Period[] = [{ from, offset: offsetAt(zone, from) }]
  for (let year = yearOf(from); year <= yearOf(to); year++) {
    let known = zone.years.get(year)
    if (!known) {
      known = changesBetween(zone, Date.UTC(year, 0), Date.UTC(year + 1, 0))
      if (zone.years.size >= MAX_YEARS_PER_ZONE) zone.years.clear()
      zone.years.set(year, known)
    }
    periods.push(...known.filter((period) => period.from > from))
  }
  return periods
}

const yearOf = (instant: number): number => new Date(instant).getUTCFullYear()

/**
 * No zone since 1970 changed twice in less than a week: the shortest summer time was a week in Brazil,
 * 2000.
 */
const PROBE_EVERY_MS = 6 * DAY

/** The changes from `from` (inclusive) to `to` (exclusive). */
function changesBetween(zone: Zone, from: number, to: number): Period[] {
  const changes: Period[] = []
  let [before, last] = [from - SECOND, offsetAt(zone, from - SECOND)]
  while (before < to - SECOND) {
    const after = Math.min(before + PROBE_EVERY_MS, to - SECOND)
    const offset = offsetAt(zone, after)
    if (offset !== last) changes.push({ from: changeBetween(zone, before, after, offset), offset })
    before = after
    last = offset
  }
  return changes
}

/** The whole second at which the offset at `after` begins. Clocks change only at whole seconds. */
function changeBetween(zone: Zone, before: number, after: number, offset: number): number {
  let [low, high] = [before / SECOND, after / SECOND]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(zone, middle * SECOND) === offset) high = middle
    else low = middle
  }
  return high * SECOND
}

/**
 * Local time minus UTC, in milliseconds. The shortest text with the offset, `1 AM GMT+01:00`, is by
 * far the fastest.
 */
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
