/** About a millisecond or two of work. */
const STEPS_PER_SLICE = 1000

/**
 * Long work in slices: one slice in each round of the event loop, whoever works, in turn. So nobody
 * who asks for much work holds up those who ask for little.
 */
export class Slices {
  readonly #waiting: (() => void)[] = []
  #left = STEPS_PER_SLICE
  #isAsked = false

  /** After these steps: undefined when more can follow at once. */
  pause(steps: number): Promise<void> | undefined {
    this.#left -= steps
    this.#ask()
    if (this.#left > 0 && this.#waiting.length === 0) return undefined
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    setImmediate(() => {
      this.#isAsked = false
      this.#left = STEPS_PER_SLICE
      this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#ask()
    })
  }
}
