import { zonePeriod } from '../calendar.ts'
import { DAY, MINUTE, type UnixMs } from '../unix-time.ts'
import type { Hours } from './rule.ts'

const WEEK = 7 * DAY
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4
/** Each is three days or less. A zone may skip the hours of a week, but not those of months. */
const MAX_SPANS = 100

/** From the begin of a week on Sunday, in local time. */
type Window = { from: number; to: number }

/** A time in which the answer is the same. */
type Span = { from: number; to: number; isOpen: boolean }
/** Many topics share the hours, and not all have values of the same day. */
const MAX_KEPT_SPANS = 8

/**
 * Hours of a week, by what the clocks of a zone show. An hour that clocks show twice lies in them
 * twice. Hours over midnight belong to the day on which they begin. The same time twice is a whole
 * day.
 */
export class OpenHours {
  readonly #windows: readonly Window[]
  readonly #zone: string
  /** The newest first. */
  readonly #kept: Span[] = []

  constructor({ days, from, to }: Hours, zone: string) {
    this.#windows = windowsOf(days, minuteOf(from) * MINUTE, minuteOf(to) * MINUTE)
    this.#zone = zone
  }

  has(at: UnixMs): boolean {
    return this.#spanAt(at).isOpen
  }

  /** The first moment of the hours from `at` on. Infinity: there is none. */
  next(at: UnixMs): UnixMs {
    let moment = at
    for (let spans = 0; spans < MAX_SPANS; spans++) {
      const { isOpen, to } = this.#spanAt(moment)
      if (isOpen) return moment
      moment = to as UnixMs
    }
    return Infinity as UnixMs
  }

  #spanAt(at: UnixMs): Span {
    for (const span of this.#kept) if (at >= span.from && at < span.to) return span
    const span = this.#find(at)
    if (this.#kept.unshift(span) > MAX_KEPT_SPANS) this.#kept.pop()
    return span
  }

  #find(at: UnixMs): Span {
    const period = zonePeriod(this.#zone, at)
    const local = at + period.offset
    const inWeek = (((local + FIRST_WEEKDAY * DAY) % WEEK) + WEEK) % WEEK
    const week = at - inWeek
    const index = this.#windows.findIndex(({ to }) => inWeek < to)
    const window = this.#windows[index] ?? { from: WEEK, to: WEEK }
    const isOpen = inWeek >= window.from
    const before = index < 0 ? this.#windows.length : index
    const from = isOpen ? window.from : (this.#windows[before - 1]?.to ?? 0)
    return {
      from: Math.max(period.from, week + from),
      to: Math.min(period.to, week + (isOpen ? window.to : window.from)),
      isOpen
    }
  }
}

/** Sorted and apart from each other. */
function windowsOf(days: readonly number[], from: number, to: number): Window[] {
  const length = to > from ? to - from : to - from + DAY
  const begins = [...new Set(days)].map((day) => day * DAY + from)
  const parts = begins.flatMap((begin): Window[] => {
    const end = begin + length
    if (end <= WEEK) return [{ from: begin, to: end }]
    return [
      { from: begin, to: WEEK },
      { from: 0, to: end - WEEK }
    ]
  })
  const windows: Window[] = []
  for (const part of parts.sort((a, b) => a.from - b.from)) {
    const last = windows.at(-1)
    if (last && part.from <= last.to) last.to = Math.max(last.to, part.to)
    else windows.push({ ...part })
  }
  return windows
}

/** Minutes from midnight to `08:30`. Undefined: this is no time of a day. */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

const minuteOf = (text: string): number => timeOfDay(text) ?? 0
