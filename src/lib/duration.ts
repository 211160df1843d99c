import { DAY, HOUR, MINUTE, SECOND } from './unix-time.ts'

const units: ReadonlyMap<string, number> = new Map([
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY]
])
const MAX_MS = 366 * DAY

/** Milliseconds of a text such as `15m`, `6h` or `1d`; undefined if it is nothing from 1m to 366d. */
export function durationOf(text: string): number | undefined {
  const ms = text.endsWith('s') ? undefined : shortDurationOf(text)
  return ms !== undefined && ms >= MINUTE ? ms : undefined
}

/** The same with seconds, as `90s`, and from 0. */
export function shortDurationOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,8})([smhd])$/.exec(text) ?? []
  const ms = Number(count) * (units.get(unit) ?? Number.NaN)
  return ms <= MAX_MS ? ms : undefined
}
