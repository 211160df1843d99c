/** A caller has as much under way as it may. */
export class TooManyAtOnce extends Error {}

/** Slow work that all share: callers take turns, so that nobody waits for all that another asked for. */
export class FairSlots {
  /** Under way at the same time, of all callers. */
  readonly #atOnce: number
  /** What waits, by caller; whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  readonly #counts = new Map<string, number>()
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Rejects with `TooManyAtOnce`, before anything was done, when the caller has `most` already. */
  async run<T>(caller: string, most: number, work: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(caller) ?? 0
    if (count >= most) throw new TooManyAtOnce()
    this.#counts.set(caller, count + 1)
    try {
      await this.#slot(caller)
      return await work().finally(() => this.#free())
    } finally {
      const left = (this.#counts.get(caller) ?? 1) - 1
      if (left > 0) this.#counts.set(caller, left)
      else this.#counts.delete(caller)
    }
  }

  #slot(caller: string): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running++
      return Promise.resolve()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(caller)
    if (queue) queue.push(resolve)
    else this.#waiting.set(caller, [resolve])
    return promise
  }

  /** The slot goes to the caller whose turn it is, who then stands at the end. */
  #free(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#running--
      return
    }
    const [caller, queue] = next
    const begin = queue.shift()
    this.#waiting.delete(caller)
    if (queue.length > 0) this.#waiting.set(caller, queue)
    begin?.()
  }
}
