/** Runs one round at a time. Whoever asks during a round gets the next one, shared by all who do. */
export class Rounds {
  /** How many have begun. */
  count = 0
  readonly #run: () => Promise<void>
  #current: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  ask(): Promise<void> {
    if (this.#current) {
      this.#next ??= this.#current.then(() => {
        this.#next = undefined
        return this.ask()
      })
      return this.#next
    }
    this.count++
    this.#current = this.#run().finally(() => {
      this.#current = undefined
    })
    return this.#current
  }
}
