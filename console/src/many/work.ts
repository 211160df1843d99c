/** One of many things to do. `name`: of what it is done on. */
export type Task = { name: string; run: () => Promise<unknown> }
export type Failure = { name: string; why: string }

export type Progress = {
  total: number
  done: number
  failures: readonly Failure[]
  state: 'runs' | 'stops' | 'over'
}

const AT_ONCE = 4

/** Does many things, some at a time. It can be stopped; what has begun is finished. */
export class Work {
  readonly #tasks: Task[]
  readonly #whyOf: (error: Error) => string
  readonly #show: (progress: Progress) => void
  progress: Progress

  /** `show` gets every step of the progress. */
  constructor(
    tasks: readonly Task[],
    { whyOf, show }: { whyOf: (error: Error) => string; show: (progress: Progress) => void }
  ) {
    this.#tasks = [...tasks]
    this.#whyOf = whyOf
    this.#show = show
    this.progress = { total: tasks.length, done: 0, failures: [], state: 'runs' }
  }

  readonly stop = (): void => {
    if (this.progress.state === 'runs') this.#step({ state: 'stops' })
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#runSome()))
    this.#step({ state: 'over' })
  }

  async #runSome(): Promise<void> {
    while (this.progress.state === 'runs') {
      const task = this.#tasks.shift()
      if (!task) return
      try {
        await task.run()
      } catch (error) {
        const failure = { name: task.name, why: this.#whyOf(error as Error) }
        this.#step({ failures: [...this.progress.failures, failure] })
      }
      this.#step({ done: this.progress.done + 1 })
    }
  }

  #step(changed: Partial<Progress>): void {
    this.progress = { ...this.progress, ...changed }
    this.#show(this.progress)
  }
}
