import { offsetAt, wallOf } from '../plot/zone.ts'

/** As in src/features/schedule/cron.ts. Days of the month and months begin with 0; Sunday is 0 and 7. */
export const cronFields = ['minute', 'hour', 'day_of_month', 'day_of_week', 'month'] as const
export type CronField = (typeof cronFields)[number]
export type CronTexts = Readonly<Record<CronField, string>>
export type Cron = Readonly<Record<CronField, readonly number[]>>

const ranges: Record<CronField, readonly [least: number, most: number]> = {
  minute: [0, 59],
  hour: [0, 23],
  day_of_month: [0, 30],
  day_of_week: [0, 7],
  month: [0, 11]
}
/** How many values a field has if it restricts nothing. */
const sizes: Record<CronField, number> = {
  ...{ minute: 60, hour: 24, day_of_month: 31, day_of_week: 7, month: 12 }
}

/** The values of a field, sorted; undefined: it cannot be read. An empty one has all. */
export function readField(field: CronField, text: string): number[] | undefined {
  const [least, most] = ranges[field]
  const values = new Set<number>()
  for (const part of (text || '*').split(',')) {
    const match = /^\s*(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?\s*$/.exec(part)
    if (!match) return undefined
    const [, star, first, last, step] = match
    if (step !== undefined && (Number(step) === 0 || (!star && last === undefined)))
      return undefined
    const from = star ? least : Number(first)
    const to = star ? most : Number(last ?? first)
    if (from < least || to > most || from > to) return undefined
    for (let value = from; value <= to; value += Number(step ?? 1))
      values.add(field === 'day_of_week' ? value % 7 : value)
  }
  return [...values].sort((a, b) => a - b)
}

/** Undefined: a field cannot be read. */
export function readCron(texts: CronTexts): Cron | undefined {
  const minute = readField('minute', texts.minute)
  const hour = readField('hour', texts.hour)
  const day_of_month = readField('day_of_month', texts.day_of_month)
  const day_of_week = readField('day_of_week', texts.day_of_week)
  const month = readField('month', texts.month)
  if (!minute || !hour || !day_of_month || !day_of_week || !month) return undefined
  return { minute, hour, day_of_month, day_of_week, month }
}

export const isEvery = (field: CronField, values: readonly number[]): boolean =>
  values.length === sizes[field]

/** `isMoved`: the clock skips the planned time, so it runs at the first moment after it. */
export type NextRun = { at: number; isMoved: boolean }

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** 29 February comes at least once in eight years; a later date never comes. */
const MAX_DAYS_AHEAD = 9 * 366

/**
 * The runs after the moment, in milliseconds, as the platform plans them: a local time that the zone
 * skips runs at the first moment after it, one that it repeats runs once. [ADR-0015]
 */
export function nextRuns(cron: Cron, zone: string, after: number, count: number): NextRun[] {
  const runs: NextRun[] = []
  let last = after
  // Local time is at most a day away from UTC.
  let end = Math.floor(after / DAY) - 1 + MAX_DAYS_AHEAD
  for (let day = Math.floor(after / DAY) - 1; day <= end; day++) {
    const midnight = day * DAY
    if (!matchesDay(cron, new Date(midnight))) continue
    if (instantAt(zone, midnight + DAY - MINUTE) <= last) continue
    for (const run of runsOfDay(cron, zone, midnight, last)) {
      runs.push(run)
      if (runs.length === count) return runs
      last = run.at
      end = day + MAX_DAYS_AHEAD
    }
  }
  return runs
}

function* runsOfDay(
  cron: Cron,
  zone: string,
  midnight: number,
  after: number
): Generator<NextRun, void, undefined> {
  let last = after
  for (const hour of cron.hour) {
    const start = midnight + hour * HOUR
    if (instantAt(zone, start + HOUR - MINUTE) <= last) continue
    for (const minute of cron.minute) {
      const wall = start + minute * MINUTE
      const at = instantAt(zone, wall)
      if (at <= last) continue
      last = at
      yield { at, isMoved: wallOf(zone, at) !== wall }
    }
  }
}

/** As in cron: if both kinds of days are restricted, one match is enough. */
function matchesDay(cron: Cron, date: Date): boolean {
  if (!cron.month.includes(date.getUTCMonth())) return false
  const isDayOfMonth = cron.day_of_month.includes(date.getUTCDate() - 1)
  const isDayOfWeek = cron.day_of_week.includes(date.getUTCDay())
  if (isEvery('day_of_month', cron.day_of_month)) return isDayOfWeek
  if (isEvery('day_of_week', cron.day_of_week)) return isDayOfMonth
  return isDayOfMonth || isDayOfWeek
}

/** When a clock in the zone first shows `wall`, or the end of the gap if it skips that time. */
function instantAt(zone: string, wall: number): number {
  const before = wall - offsetAt(zone, wall - DAY)
  if (wallOf(zone, before) === wall) return before
  const after = wall - offsetAt(zone, wall + DAY)
  if (wallOf(zone, after) === wall) return after
  let [low, high] = [Math.min(before, after), Math.max(before, after)]
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000
    if (wallOf(zone, middle) > wall) high = middle
    else low = middle
  }
  return high
}
