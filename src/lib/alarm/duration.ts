import { shortDurationOf } from '../duration.ts'
import { DAY, SECOND } from '../unix-time.ts'

const MIN_SILENCE_MS = 5 * SECOND
const MAX_SILENCE_MS = 366 * DAY

/** Milliseconds of `for`; empty is 0. Undefined: it is no duration, or above 366 days. */
export const lastingOf = (text: string): number | undefined =>
  text === '' ? 0 : shortDurationOf(text)

/** Milliseconds of `silent_for`. Undefined: it is no duration from 5 seconds to 366 days. */
export const silenceOf = (text: string): number | undefined => silenceWithin(shortDurationOf(text))

export const silenceWithin = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms >= MIN_SILENCE_MS && ms <= MAX_SILENCE_MS ? ms : undefined
