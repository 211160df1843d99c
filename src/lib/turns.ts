/** Steps of less than a microsecond each: a millisecond at once, also on a slow machine. */
const STEPS = 1000
/** For steps of which nobody knows how long they take. */
const TURN_MS = 2

/** Whoever waits to go on with long work. */
const waiting: (() => void)[] = []

/** One of them goes on in each round of the event loop, however many there are. */
function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn)
  })

/** Counts the steps of long work, so that others have a turn in between. */
export class Turns {
  #left = STEPS
  #began = performance.now()

  /** True when it is time to await `next`. */
  isOver(steps = 1): boolean {
    this.#left -= steps
    return this.#left <= 0
  }

  /** The same by the clock, which is asked each time. */
  isLate(): boolean {
    return performance.now() - this.#began >= TURN_MS
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#left = STEPS
    this.#began = performance.now()
  }
}
