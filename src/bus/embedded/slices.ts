/** One or two milliseconds of work. */
const STEPS_PER_SLICE = 1000

/**
 * Cuts long work into slices. Each round of the event loop does one slice, and tenants take turns.
 * So long work does not delay short work.
 */
export class Slices {
  /** Tenants in the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #left = STEPS_PER_SLICE
  #isAsked = false

  /** Call this after some steps for a tenant. Undefined: the caller may go on at once. */
  pause(steps: number, tenant: string): Promise<void> | undefined {
    this.#left -= steps
    this.#ask()
    if (this.#left > 0 && this.#waiting.size === 0) return undefined
    return new Promise((resolve) => {
      const queue = this.#waiting.get(tenant)
      if (queue) queue.push(resolve)
      else this.#waiting.set(tenant, [resolve])
    })
  }

  #ask(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    setImmediate(() => {
      this.#isAsked = false
      this.#left = STEPS_PER_SLICE
      this.#wakeNext()
      if (this.#waiting.size > 0) this.#ask()
    })
  }

  #wakeNext(): void {
    for (const [tenant, queue] of this.#waiting) {
      this.#waiting.delete(tenant)
      queue.shift()?.()
      if (queue.length > 0) this.#waiting.set(tenant, queue)
      return
    }
  }
}
