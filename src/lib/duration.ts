import { DAY, HOUR, MINUTE } from './unix-time.ts'

const units: ReadonlyMap<string, number> = new Map([
  ['m', MINUTE],
  ['h', HOUR],
  ['d', DAY]
])
const MAX_MS = 366 * DAY

/** Milliseconds of a text such as `15m`, `6h` or `1d`; undefined if it is nothing from 1m to 366d. */
export function durationOf(text: string): number | undefined {
  const [, count = '0', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ms = Number(count) * (units.get(unit) ?? 0)
  return ms >= MINUTE && ms <= MAX_MS ? ms : undefined
}
