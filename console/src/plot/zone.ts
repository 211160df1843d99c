import { dateFormat } from '../formats.ts'

/** Times in the zone of an installation. Instants and wall times are milliseconds. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Its shortest text with the offset: `1 AM GMT+01:00`. */
const clockOf = (zone: string): Intl.DateTimeFormat =>
  dateFormat('en-US', { timeZone: zone, hour: 'numeric', timeZoneName: 'longOffset' })

/** The zone itself, or the one of the browser if this name is unknown here. */
export function zoneOr(zone: string | undefined): string {
  try {
    if (zone) return clockOf(zone).resolvedOptions().timeZone
  } catch {
    // The name is not in the database of this browser.
  }
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Wall time minus UTC. */
export function offsetAt(zone: string, instant: number): number {
  const text = clockOf(zone).format(instant)
  const at = text.indexOf('GMT') + 3
  if (at === text.length) return 0
  const [hours = 0, minutes = 0, seconds = 0] = text
    .slice(at + 1)
    .split(':')
    .map(Number)
  const offset = hours * HOUR + minutes * MINUTE + seconds * SECOND
  return text[at] === '+' ? offset : -offset
}

/** What a clock on the wall shows, as if it were UTC. */
export const wallOf = (zone: string, instant: number): number => instant + offsetAt(zone, instant)

/** When a wall clock shows `wall`: the first time if it does so twice. A skipped time is moved on. */
export function instantOf(zone: string, wall: number): number {
  const before = wall - offsetAt(zone, wall - DAY)
  if (wallOf(zone, before) === wall) return before
  const after = wall - offsetAt(zone, wall + DAY)
  return wallOf(zone, after) === wall ? after : Math.max(before, after)
}

/** `2026-11-16T21:30` for a field of date and time. */
export const wallText = (zone: string, instant: number): string =>
  new Date(wallOf(zone, instant)).toISOString().slice(0, 16)

/** The opposite of `wallText`; undefined if the text is no time. */
export function readWallText(zone: string, text: string): number | undefined {
  const wall = Date.parse(`${text}Z`)
  return Number.isFinite(wall) ? instantOf(zone, wall) : undefined
}

/** `2026-11-16T21:30:00.000+01:00`. */
export function isoText(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant)
  const minutes = Math.abs(Math.trunc(offset / MINUTE))
  const two = (n: number) => String(n).padStart(2, '0')
  const sign = offset < 0 ? '-' : '+'
  const wall = new Date(instant + offset).toISOString().slice(0, -1)
  return `${wall}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** `ms` below a day, else a count of days, months or years of the calendar. */
export type TickStep = { ms: number } | { days: number } | { months: number }

const steps: readonly TickStep[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((ms) => ({ ms })),
  ...[1, 2, 5, 10, 15, 30].map((s) => ({ ms: s * SECOND })),
  ...[1, 2, 5, 10, 15, 30].map((min) => ({ ms: min * MINUTE })),
  ...[1, 2, 3, 6, 12].map((h) => ({ ms: h * HOUR })),
  ...[1, 2, 7, 14].map((days) => ({ days })),
  ...[1, 2, 3, 6, 12, 24, 60, 120].map((months) => ({ months }))
]

const MONDAY_DAYS = -3
const lengthOf = (step: TickStep): number =>
  'ms' in step ? step.ms : 'days' in step ? step.days * DAY : step.months * 30 * DAY

/** The finest round step with at most `count` ticks in the span. */
export const tickStep = (span: number, count: number): TickStep =>
  steps.find((step) => span / lengthOf(step) <= count) ?? { months: 120 }

/** Round wall times from `from` to `to`, also on days on which the clock changes. */
export function timeTicks(zone: string, from: number, to: number, step: TickStep): number[] {
  const ticks: number[] = []
  if ('ms' in step) {
    for (let at = nextTick(zone, from - 1, step.ms); at <= to; at = nextTick(zone, at, step.ms)) {
      ticks.push(at)
    }
    return ticks
  }
  const wallAt = 'days' in step ? dayAt(step.days) : monthAt(step.months)
  const wall = wallOf(zone, from)
  const length = lengthOf(step)
  // Months differ in length, so the search begins early.
  let n = Math.floor(wall / length) - ('days' in step ? 1 : 12)
  if ('months' in step) n = Math.floor(monthsSince1970(wall) / step.months)
  for (; ; n++) {
    const at = instantOf(zone, wallAt(n))
    if (at > to) return ticks
    if (at >= from) ticks.push(at)
  }
}

const dayAt = (days: number) => (n: number) => (n * days + (days % 7 === 0 ? MONDAY_DAYS : 0)) * DAY
const monthAt = (months: number) => (n: number) => Date.UTC(1970, n * months)
const monthsSince1970 = (wall: number): number => {
  const date = new Date(wall)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** The next instant after `at` whose wall time is a multiple of `step`. */
function nextTick(zone: string, at: number, step: number): number {
  const before = offsetAt(zone, at)
  const next = (Math.floor((at + before) / step) + 1) * step - before
  if (wallOf(zone, next) % step === 0) return next
  // The clock changed in between.
  const after = offsetAt(zone, next)
  const lower = Math.floor((next + after) / step) * step - after
  return lower > at && wallOf(zone, lower) % step === 0 ? lower : lower + step
}

/** A label for each tick. Above the first one of a day, month or year its name is added. */
export function tickLabels(
  { zone, locale }: { zone: string; locale: string },
  ticks: readonly number[],
  step: TickStep
): string[] {
  const text = (options: Intl.DateTimeFormatOptions) => {
    const format = dateFormat(locale, { timeZone: zone, ...options })
    return (at: number) => format.format(at)
  }
  const [fine, coarse] = labelFormats(step).map(text)
  if (!fine || !coarse) return []
  let last = ''
  return ticks.map((at) => {
    const name = coarse(at)
    const isNew = name !== last
    last = name
    return isNew ? `${fine(at)}\n${name}` : fine(at)
  })
}

function labelFormats(step: TickStep): Intl.DateTimeFormatOptions[] {
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const
  const clock = { hour: '2-digit', minute: '2-digit' } as const
  if ('months' in step) {
    return step.months < 12
      ? [{ month: 'short' }, { year: 'numeric' }]
      : [{ year: 'numeric' }, { era: undefined, year: 'numeric' }]
  }
  if ('days' in step) {
    return step.days === 1
      ? [{ weekday: 'short', day: 'numeric' }, { month: 'long' }]
      : [{ day: 'numeric', month: 'short' }, { year: 'numeric' }]
  }
  if (step.ms < SECOND) return [{ ...clock, second: '2-digit', fractionalSecondDigits: 3 }, day]
  return step.ms < MINUTE ? [{ ...clock, second: '2-digit' }, day] : [clock, day]
}
