import { TooManyValues } from '../../lib/aggregation.ts'
import { middleOf, nthOf } from './select.ts'

/** More values are counted instead of kept: of most sensors only few are different. */
const MAX_KEPT = 1_000_000
/** Two numbers for each. */
const MAX_DIFFERENT = 4_000_000

/** The values of a bucket, for a median or percentile. */
export class ValueBag {
  #kept = new Float64Array(256)
  #keptCount = 0
  /** Different values in order, and how often each came. */
  #different = new Float64Array(0)
  #counts = new Float64Array(0)
  #counted = 0

  clear(): void {
    this.#keptCount = 0
    if (this.#counted === 0) return
    this.#counted = 0
    this.#different = this.#counts = new Float64Array(0)
  }

  add(values: Float64Array, begin: number, end: number): void {
    const needed = this.#keptCount + end - begin
    if (needed > this.#kept.length) {
      const larger = new Float64Array(Math.max(needed, 2 * this.#kept.length))
      larger.set(this.#kept.subarray(0, this.#keptCount))
      this.#kept = larger
    }
    this.#kept.set(values.subarray(begin, end), this.#keptCount)
    this.#keptCount = needed
    if (needed > MAX_KEPT) this.#countKept()
  }

  /** The value at `index` if all were sorted. */
  nth(index: number): number {
    if (this.#counted === 0) return nthOf(this.#kept, this.#keptCount, index)
    this.#countKept()
    let before = 0
    for (let i = 0; i < this.#counts.length; i++) {
      before += this.#counts[i] as number
      if (before > index) return this.#different[i] as number
    }
    return Number.NaN
  }

  /** The middle one, or the mean of both middle ones. */
  middle(): number {
    if (this.#counted === 0) return middleOf(this.#kept, this.#keptCount)
    const count = this.#counted + this.#keptCount
    const [lower, upper] = [this.nth((count - 1) >> 1), this.nth(count >> 1)]
    return lower / 2 + upper / 2
  }

  #countKept(): void {
    if (this.#keptCount === 0) return
    const sorted = this.#kept.subarray(0, this.#keptCount).sort()
    const [old, oldCounts] = [this.#different, this.#counts]
    const different = new Float64Array(old.length + sorted.length)
    const counts = new Float64Array(different.length)
    let [size, from, at] = [0, 0, 0]
    while (from < old.length || at < sorted.length) {
      const value = Math.min(old[from] ?? Infinity, sorted[at] ?? Infinity)
      let count = 0
      if (old[from] === value) count += oldCounts[from++] as number
      while (sorted[at] === value) {
        at++
        count++
      }
      different[size] = value
      counts[size++] = count
    }
    if (size > MAX_DIFFERENT) throw new TooManyValues()
    this.#different = different.slice(0, size)
    this.#counts = counts.slice(0, size)
    this.#counted += this.#keptCount
    this.#keptCount = 0
  }
}
