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

/**
 * Hours of a week, by what the clocks of a zone show. An hour that clocks show twice lies in them
 * twice. Hours over midnight belong to the day on which they begin.
 */
export class OpenHours {
  readonly #windows: readonly Window[]
  readonly #zone: string
  /** The span that was asked for last: mostly it is the next one, too. */
  #from = 0
  #to = 0
  #isOpen = false

  constructor({ days, from, to }: Hours, zone: string) {
    this.#windows = windowsOf(days, minuteOf(from) * MINUTE, minuteOf(to) * MINUTE)
    this.#zone = zone
  }

  has(at: UnixMs): boolean {
    if (at < this.#from || at >= this.#to) this.#find(at)
    return this.#isOpen
  }

  /** The first moment of the hours from `at` on. Infinity: there is none. */
  next(at: UnixMs): UnixMs {
    let moment = at
    for (let spans = 0; spans < MAX_SPANS; spans++) {
      if (this.has(moment)) return moment
      moment = this.#to as UnixMs
    }
    return Infinity as UnixMs
  }

  #find(at: UnixMs): void {
    const period = zonePeriod(this.#zone, at)
    const local = at + period.offset
    const inWeek = (((local + FIRST_WEEKDAY * DAY) % WEEK) + WEEK) % WEEK
    const week = at - inWeek
    const found = this.#windows.findIndex(({ to }) => inWeek < to)
    const window = this.#windows[found]
    this.#isOpen = window !== undefined && inWeek >= window.from
    const closedFrom = (found < 0 ? this.#windows.at(-1) : this.#windows[found - 1])?.to ?? 0
    const closedTo = window?.from ?? WEEK
    const span = this.#isOpen && window ? window : { from: closedFrom, to: closedTo }
    this.#from = Math.max(period.from, week + span.from)
    this.#to = Math.min(period.to, week + span.to)
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
