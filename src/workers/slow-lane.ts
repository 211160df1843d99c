import { Fifo } from '../lib/fifo.ts'

/** A few at a time, at an even pace: what is let go in a crowd would be a new flood. */
const TICK_MS = 10
const AT_A_TICK = 20

/** Where messages wait that came too fast. They count as in flight, so their tenants are soon read no further. */
export class SlowLane {
  readonly #waiting = new Fifo<() => void>()
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  /** Resolves when it is its turn. */
  wait(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.#timer ??= setInterval(() => this.#letGo(AT_A_TICK), TICK_MS)
    return promise
  }

  /** Nobody waits any longer. */
  close(): void {
    this.#isOpen = false
    this.#letGo(this.#waiting.size)
  }

  #letGo(count: number): void {
    for (let i = 0; i < count; i++) this.#waiting.shift()?.()
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
