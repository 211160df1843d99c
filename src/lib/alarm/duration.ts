import { DAY, HOUR, MINUTE, SECOND } from '../unix-time.ts'

const units: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY]
])
/** Of `for` and `silent_for`. */
export const MAX_LASTING_MS = 366 * DAY
export const MIN_SILENCE_MS = 5 * SECOND

/** Milliseconds of `90s`, `10m`, `2h` or `3d`. Undefined: it is none of them, or above 366 days. */
export function lastingOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (units.get(unit) ?? Number.NaN)
  return ms <= MAX_LASTING_MS ? ms : undefined
}

/** As `lastingOf`, from 5 seconds. */
export function silenceOf(text: string): number | undefined {
  const ms = lastingOf(text)
  return ms !== undefined && ms >= MIN_SILENCE_MS ? ms : undefined
}
