/** Integer milliseconds since 1970. Seconds with decimals exist only at the HTTP and MQTT edge. */
export type UnixMs = number & { readonly unit: 'ms' }

/** As `2026-11-17T17:00:00Z`. */
export const isoSecond = (at: UnixMs): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

export const unixMs = (ms: number): UnixMs => Math.trunc(ms) as UnixMs

/** Rounds to the nearest millisecond, so that 1.001 s is 1001 ms in spite of its binary form. */
export const fromSeconds = (seconds: number): UnixMs => Math.round(seconds * 1000) as UnixMs

/** A time from a query, in seconds. One client sends a time before 1970 when it means none. */
export const momentOr = (none: UnixMs, given = -1): UnixMs =>
  given < 0 ? none : fromSeconds(given)

export const toSeconds = (ms: UnixMs): number => ms / 1000

/** The name of the month in UTC, such as `2025-11`. */
export const monthOf = (at: UnixMs): string => new Date(at).toISOString().slice(0, 7)

export const startOfMonth = (name: string): UnixMs => Date.parse(`${name}-01`) as UnixMs

/** The moment at which a month (`2025-11`, in UTC) ends. */
export function endOfMonth(name: string): UnixMs {
  const [year = 0, month = 0] = name.split('-').map(Number)
  return Date.UTC(year, month) as UnixMs
}

/** Whole seconds, the type of `created` and `updated`. */
export const toWholeSeconds = (ms: number): number => Math.floor(ms / 1000)

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
