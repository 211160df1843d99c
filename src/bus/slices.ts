/** About a millisecond or two of work. */
const STEPS_PER_SLICE = 1000

/**
 * Long work in slices: one slice in each round of the event loop, tenants in turn. So nobody who
 * asks for much work holds up those who ask for little.
 */
export class Slices {
  /** Whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #left = STEPS_PER_SLICE
  #isAsked = false

  /** After these steps for a tenant: undefined when more can follow at once. */
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
