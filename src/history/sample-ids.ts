const IDS_PER_MS = 1000

/** Ids rise with arrival, also over restarts and when the clock steps back. */
export class SampleIds {
  #last: number

  /** `last`: the greatest id given out so far. */
  constructor(last: number) {
    this.#last = last
  }

  next(arrival: number): number {
    return this.take(1, arrival)
  }

  /** The first of `count` ids that follow each other. */
  take(count: number, arrival: number): number {
    const first = Math.max(this.#last + 1, arrival * IDS_PER_MS)
    this.#last = first + count - 1
    return first
  }
}
