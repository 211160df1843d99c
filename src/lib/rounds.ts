/** Runs one round at a time. All who ask during a round share the next round. */
export class Rounds {
  /** The number of rounds that have begun. */
  count = 0
  readonly #run: () => Promise<void>
  #current: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  ask(): Promise<void> {
    if (this.#current) {
      const begin = () => {
        this.#next = undefined
        return this.ask()
      }
      // A round that failed is told to those who asked for it, and not to those after them.
      this.#next ??= this.#current.then(begin, begin)
      return this.#next
    }
    this.count++
    this.#current = this.#run().finally(() => {
      this.#current = undefined
    })
    return this.#current
  }
}
