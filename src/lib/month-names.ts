import { endOfMonth, monthOf, startOfMonth, type UnixMs, unixMs } from './unix-time.ts'

/** Names of months in UTC, quickly: moments of the same month mostly come together. */
export class MonthNames {
  #last = { name: '', from: unixMs(0), to: unixMs(0) }

  /** Such as `2025-11`. */
  at(moment: UnixMs): string {
    const { from, to } = this.#last
    if (moment < from || moment >= to) {
      const name = monthOf(moment)
      this.#last = { name, from: startOfMonth(name), to: endOfMonth(name) }
    }
    return this.#last.name
  }
}
