/** Random choices that a seed repeats (mulberry32). */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to just below 1. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from 0 to `most - 1`. */
  below(most: number): number {
    return Math.floor(this.roll() * most)
  }

  chance(part: number): boolean {
    return this.roll() < part
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error('there is nothing to choose from')
    return list[this.below(list.length)] as T
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => ({ one, order: this.roll() }))
      .sort((a, b) => a.order - b.order)
      .map(({ one }) => one)
  }
}

/** The dice of one request: it does not depend on the requests before it. */
export const diceOf = (seed: number, number: number): Dice =>
  new Dice(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35))
