import { Fifo } from '../lib/fifo.ts'

/** Messages go on a few at a time. All at once they would be a new flood. */
const TICK_MS = 10
const MESSAGES_PER_TICK = 20

const NO_WAIT = Promise.resolve()

type Group = { count: number; left: PromiseWithResolvers<void> }

/**
 * Here messages wait that came too fast. They count as in flight, so their tenant is soon not read
 * any more. They wait for seconds, and each garbage collection copies what they keep in memory. So
 * messages that go on together share a promise.
 */
export class SlowLane {
  /** Oldest first. The last group still collects. */
  readonly #groups = new Fifo<Group>()
  #last: Group | undefined
  #timer: NodeJS.Timeout | undefined
  #isOpen = true

  /** Resolves when the message may go on. */
  wait(): Promise<void> {
    if (!this.#isOpen) return NO_WAIT
    const last = this.#collecting()
    last.count++
    return last.left.promise
  }

  /** All messages go on at once. */
  close(): void {
    this.#isOpen = false
    while (this.#groups.size > 0) this.#letGo()
  }

  #collecting(): Group {
    if (this.#last && this.#last.count < MESSAGES_PER_TICK) return this.#last
    const group = { count: 0, left: Promise.withResolvers<void>() }
    this.#last = group
    this.#groups.push(group)
    this.#timer ??= setInterval(() => this.#letGo(), TICK_MS)
    return group
  }

  #letGo(): void {
    const group = this.#groups.shift()
    if (group === this.#last) this.#last = undefined
    group?.left.resolve()
    if (this.#groups.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
