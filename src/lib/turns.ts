import { setImmediate as nextTurn } from 'node:timers/promises'

/** Steps of less than a microsecond each: a millisecond at once, also on a slow machine. */
const STEPS = 1000

/** Counts the steps of long work, so that others have a turn in between. */
export class Turns {
  #left = STEPS

  /** True when it is time to await `next`. */
  isOver(steps = 1): boolean {
    this.#left -= steps
    return this.#left <= 0
  }

  async next(): Promise<void> {
    this.#left = STEPS
    await nextTurn()
  }
}
