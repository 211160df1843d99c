/** The first bucket ends here, in seconds, and each further one is so many times as long. */
const FIRST = 0.000_1
const GROWTH = 1.15
const BUCKETS = 101

/** Quantiles of durations, about 15 % too long at most, in a fixed space. */
export class Quantiles {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0

  add(seconds: number): void {
    const place = seconds <= FIRST ? 0 : Math.ceil(Math.log(seconds / FIRST) / Math.log(GROWTH))
    const at = Math.min(place, BUCKETS - 1)
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#count++
  }

  /** In seconds; NaN if there were none. */
  at(share: number): number {
    if (this.#count === 0) return Number.NaN
    let left = Math.max(1, Math.ceil(share * this.#count))
    for (let at = 0; at < BUCKETS; at++) {
      left -= this.#counts[at] ?? 0
      if (left <= 0) return FIRST * GROWTH ** at
    }
    return Number.NaN
  }

  clear(): void {
    this.#counts.fill(0)
    this.#count = 0
  }
}
