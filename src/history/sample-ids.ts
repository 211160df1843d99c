import { type UnixMs, unixMs } from '../lib/unix-time.ts'

const IDS_PER_MS = 1000

/** When the sample with this id arrived. */
export const arrivalOf = (id: number): UnixMs => unixMs(Math.floor(id / IDS_PER_MS))

/** Ids rise with arrival, even after a restart and when the clock goes back. */
export class SampleIds {
  #last: number

  /** `last`: the greatest id that was given out. */
  constructor(last: number) {
    this.#last = last
  }

  /** The greatest id that was given out. */
  get last(): number {
    return this.#last
  }

  next(arrival: number): number {
    return this.take(1, arrival)
  }

  /** The first of `count` consecutive ids. */
  take(count: number, arrival: number): number {
    const first = Math.max(this.#last + 1, arrival * IDS_PER_MS)
    this.#last = first + count - 1
    return first
  }
}
