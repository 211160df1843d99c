import { Fifo } from '../lib/fifo.ts'

/** Messages go on a few at a time. All at once they would be a new flood. */
const TICK_MS = 10
const MESSAGES_PER_TICK = 20

/**
 * Here messages wait that came too fast. They count as in flight, so their tenant is soon not read
 * any more.
 */
export class SlowLane {
  readonly #waiting = new Fifo<() => void>()
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  /** Resolves when the message may go on. */
  wait(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.#timer ??= setInterval(() => this.#letGo(MESSAGES_PER_TICK), TICK_MS)
    return promise
  }

  /** All messages go on at once. */
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
