/** Sums by key; a key without a sum takes no memory. */
export class Tally {
  readonly #sums = new Map<string, number>()
  #total = 0

  of(key: string): number {
    return this.#sums.get(key) ?? 0
  }

  get total(): number {
    return this.#total
  }

  /** Less than nothing takes away again. */
  add(key: string, amount: number): void {
    const sum = this.of(key) + amount
    if (sum === 0) this.#sums.delete(key)
    else this.#sums.set(key, sum)
    this.#total += amount
  }
}
