import { localClock } from '../../lib/calendar.ts'
import { DAY, HOUR, MINUTE, type UnixMs } from '../../lib/unix-time.ts'

/** [contract: Schedule] Days of the month and months begin with 0; Sunday is 0 and 7. */
export const cronFields = ['minute', 'hour', 'day_of_month', 'day_of_week', 'month'] as const
export type CronField = (typeof cronFields)[number]
export type CronTexts = Record<CronField, string>

/** The values of each field, sorted. `every...` is true if the field has all values. */
export type Cron = Record<CronField, readonly number[]> & {
  everyDayOfMonth: boolean
  everyDayOfWeek: boolean
}

const ranges: Record<CronField, readonly [least: number, most: number]> = {
  minute: [0, 59],
  hour: [0, 23],
  day_of_month: [0, 30],
  day_of_week: [0, 7],
  month: [0, 11]
}

/**
 * Reads lists of numbers, ranges `1-5` and steps `0-59/15`, `1-9/2`. Undefined if the text is
 * wrong.
 */
export function parseField(field: CronField, text: string): number[] | undefined {
  const [least, most] = ranges[field]
  const values = new Set<number>()
  for (const part of text.split(',')) {
    const match = /^\s*(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?\s*$/.exec(part)
    if (!match) return undefined
    const [, star, first, last, step] = match
    // A step needs a range or `*`.
    if (step !== undefined && (Number(step) === 0 || (!star && last === undefined)))
      return undefined
    const from = star ? least : Number(first)
    const to = star ? most : Number(last ?? first)
    if (from < least || to > most || from > to) return undefined
    for (let value = from; value <= to; value += Number(step ?? 1)) {
      values.add(field === 'day_of_week' ? value % 7 : value)
    }
  }
  return [...values].sort((a, b) => a - b)
}

/** The fields must be valid for `parseField`. */
export function parseCron(texts: CronTexts): Cron {
  const values = (field: CronField) => parseField(field, texts[field]) ?? []
  return {
    minute: values('minute'),
    hour: values('hour'),
    day_of_month: values('day_of_month'),
    day_of_week: values('day_of_week'),
    month: values('month'),
    everyDayOfMonth: values('day_of_month').length === 31,
    everyDayOfWeek: values('day_of_week').length === 7
  }
}

/** In days. 29 February comes at least once in eight years; a later date never comes. */
const MAX_DAYS_AHEAD = 9 * 366

/**
 * The first run after the moment. A local time that the zone skips runs at the next moment that
 * exists; a local time that it repeats runs once. Undefined if there is no run, as on 30 February.
 */
export function nextRun(cron: Cron, zone: string, after: UnixMs): UnixMs | undefined {
  // Local time is at most a day away from UTC.
  const firstDay = Math.floor(after / DAY) - 1
  for (let day = firstDay; day <= firstDay + MAX_DAYS_AHEAD; day++) {
    const midnight = day * DAY
    const date = new Date(midnight)
    if (!cron.month.includes(date.getUTCMonth())) {
      day = lastOfMonth(date)
      continue
    }
    if (!matchesDay(cron, date)) continue
    const instantAt = localClock(zone, midnight)
    if (instantAt(midnight + DAY - 1) <= after) continue
    for (const hour of cron.hour) {
      const wall = midnight + hour * HOUR
      if (instantAt(wall + HOUR - 1) <= after) continue
      const minute = cron.minute.find((minute) => instantAt(wall + minute * MINUTE) > after)
      if (minute !== undefined) return instantAt(wall + minute * MINUTE)
    }
  }
  return undefined
}

const lastOfMonth = (date: Date): number =>
  Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0) / DAY

/** As in cron: if both kinds of days are restricted, one match is enough. */
function matchesDay(cron: Cron, date: Date): boolean {
  const isDayOfMonth = cron.day_of_month.includes(date.getUTCDate() - 1)
  const isDayOfWeek = cron.day_of_week.includes(date.getUTCDay())
  if (cron.everyDayOfMonth) return isDayOfWeek
  if (cron.everyDayOfWeek) return isDayOfMonth
  return isDayOfMonth || isDayOfWeek
}
