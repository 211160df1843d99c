/**
 * Each step takes less than a microsecond, so a turn takes a millisecond, even on a slow machine.
 */
const STEPS_PER_TURN = 1000
/** For steps whose length is not known. */
const TURN_MS = 2

/** Long work that waits to go on. */
const waiting: (() => void)[] = []

/** Only one of them goes on in each round of the event loop. */
function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn)
  })

/** Counts the steps of long work, so that other work gets turns in between. */
export class Turns {
  #left = STEPS_PER_TURN
  #began = performance.now()

  /** True when it is time to await `next`. */
  isOver(steps = 1): boolean {
    this.#left -= steps
    return this.#left <= 0
  }

  /** The same, but by the clock. */
  isLate(): boolean {
    return performance.now() - this.#began >= TURN_MS
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#left = STEPS_PER_TURN
    this.#began = performance.now()
  }
}
