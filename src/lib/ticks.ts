/** Does work again and again. The pause begins when the work has ended. */
export class Ticks {
  readonly #pauseMs: number
  readonly #work: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()

  /** `work` does not reject. */
  constructor(pauseMs: number, work: () => Promise<void>) {
    this.#pauseMs = pauseMs
    this.#work = work
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#work().finally(() => {
        if (this.#timer) this.start()
      })
    }, this.#pauseMs)
  }

  /** Resolves when the work under way has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#working
  }
}
