import { localClock } from '../calendar.ts'
import { DAY, fromSeconds, HOUR, MINUTE, SECOND, type UnixMs } from '../unix-time.ts'
import { numberOf } from './number.ts'
import type { TimestampFormat } from './rule.ts'

/** When and where a message arrived. */
export type Arrival = { readonly arrival: UnixMs; readonly zone: string }

/** Undefined: it is no moment that a sample can have. That is one from 1970 to tomorrow. */
export function momentOf(
  found: unknown,
  format: TimestampFormat,
  { arrival, zone }: Arrival
): UnixMs | undefined {
  const at = format === 'iso' ? isoMoment(found, zone) : unixMoment(found, format)
  return at !== undefined && at >= 0 && at <= arrival + DAY ? at : undefined
}

/** A device that has no clock yet shows the year 1970. */
const YEAR_2000 = Date.UTC(2000, 0)

/**
 * The time that a message of a make has: arrival if it has none. Undefined: it is wrong.
 */
export function ownMoment(
  found: unknown,
  format: TimestampFormat,
  at: Arrival
): UnixMs | undefined {
  if (found === undefined || found === null) return at.arrival
  const moment = format === 'iso' ? isoMoment(found, at.zone) : unixMoment(found, format)
  if (moment === undefined) return undefined
  if (moment < YEAR_2000) return at.arrival
  return moment <= at.arrival + DAY ? moment : undefined
}

function unixMoment(found: unknown, format: 's' | 'ms'): UnixMs | undefined {
  if (typeof found !== 'number' && typeof found !== 'string') return undefined
  const value = numberOf(found, undefined)
  if (value === undefined) return undefined
  return format === 's' ? fromSeconds(value) : (Math.round(value) as UnixMs)
}

/** Far enough for a long time. The rules of a zone are computed for each year. */
const MAX_YEAR = 2100

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z)|([+-])(\d\d):?(\d\d)?)?)?$/i

function isoMoment(found: unknown, zone: string): UnixMs | undefined {
  const match = typeof found === 'string' && found.length <= 40 ? ISO.exec(found) : null
  if (!match) return undefined
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', utc, sign] = match
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day))
  const date = new Date(midnight)
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  // No zone needs to be known for a time that no sample can have.
  const isPossible = isDate && Number(year) >= 1969 && Number(year) <= MAX_YEAR
  if (!isPossible || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return undefined
  const wall =
    midnight +
    Number(hour) * HOUR +
    Number(minute) * MINUTE +
    Number(second) * SECOND +
    Number(fraction.padEnd(3, '0').slice(0, 3))
  if (utc) return wall as UnixMs
  if (!sign) return clockOf(zone, midnight)(wall)
  const offset = Number(match[10]) * HOUR + Number(match[11] ?? 0) * MINUTE
  return (wall - (sign === '-' ? -offset : offset)) as UnixMs
}

/** Messages of a day mostly come from few zones. */
const MAX_CLOCKS = 64
const clocks = new Map<string, (wall: number) => UnixMs>()

function clockOf(zone: string, midnight: number): (wall: number) => UnixMs {
  const name = `${midnight} ${zone}`
  const known = clocks.get(name)
  if (known) return known
  if (clocks.size >= MAX_CLOCKS) clocks.clear()
  const clock = localClock(zone, midnight)
  clocks.set(name, clock)
  return clock
}
