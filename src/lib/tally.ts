/** Sums by key. A key with the sum 0 takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>()
  #total = 0

  of(key: string): number {
    return this.#sums.get(key) ?? 0
  }

  get total(): number {
    return this.#total
  }

  /** A negative amount subtracts. */
  add(key: string, amount: number): void {
    const sum = this.of(key) + amount
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
    this.#total += amount
  }
}
