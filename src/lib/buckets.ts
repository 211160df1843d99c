/** How many figures are at most as large as each bound. */
export class Buckets {
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  sum = 0
  count = 0

  /** `bounds` rise. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length)
  }

  add(figure: number): void {
    this.sum += figure
    this.count++
    for (let at = 0; at < this.#bounds.length; at++) {
      if (figure > (this.#bounds[at] ?? 0)) continue
      this.#counts[at] = (this.#counts[at] ?? 0) + 1
      return
    }
  }

  /** Each bound counts the figures of the smaller ones too. The last one is infinity. */
  upTo(): { bound: number; count: number }[] {
    let count = 0
    const rows = this.#bounds.map((bound, at) => {
      count += this.#counts[at] ?? 0
      return { bound, count }
    })
    return [...rows, { bound: Number.POSITIVE_INFINITY, count: this.count }]
  }
}
