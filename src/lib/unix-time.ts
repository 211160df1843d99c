/** Milliseconds since 1970, integer. Seconds with decimals exist only at the HTTP and MQTT edge. */
export type UnixMs = number & { readonly unit: 'ms' }

export const unixMs = (ms: number): UnixMs => Math.trunc(ms) as UnixMs

/** Rounds to the nearest millisecond, so 1.001 s is 1001 ms whatever its binary form. */
export const fromSeconds = (seconds: number): UnixMs => Math.round(seconds * 1000) as UnixMs

/** What a query says in seconds; before 1970 is how one client says nothing. */
export const momentOr = (none: UnixMs, given = -1): UnixMs =>
  given < 0 ? none : fromSeconds(given)

export const toSeconds = (ms: UnixMs): number => ms / 1000

/** The name of the month in UTC, such as `2025-11`. */
export const monthOf = (at: UnixMs): string => new Date(at).toISOString().slice(0, 7)

export const startOfMonth = (name: string): UnixMs => Date.parse(`${name}-01`) as UnixMs

/** The moment at which a month (`2025-11`, in UTC) is over. */
export function endOfMonth(name: string): UnixMs {
  const [year = 0, month = 0] = name.split('-').map(Number)
  return Date.UTC(year, month) as UnixMs
}

/** Whole seconds, as `created` and `updated` are typed. */
export const toWholeSeconds = (ms: number): number => Math.floor(ms / 1000)

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
