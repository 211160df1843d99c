import type { Clock } from './clock.ts'
import { SECOND } from './unix-time.ts'

/** So many times within any such time, for each key. */
export class RateLimit {
  readonly #clock: Clock
  readonly #most: number
  readonly #window: number
  /** In the order of their last use. */
  readonly #uses = new Map<number, number[]>()

  constructor(clock: Clock, { most, window }: { most: number; window: number }) {
    this.#clock = clock
    this.#most = most
    this.#window = window
  }

  /** Seconds until the key may go on; 0 = it may now, and this use is counted. */
  take(key: number): number {
    const now = this.#clock()
    this.#forget(now)
    const recent = (this.#uses.get(key) ?? []).filter((at) => at > now - this.#window)
    const oldest = recent.at(-this.#most)
    if (oldest !== undefined) return Math.ceil((oldest + this.#window - now) / SECOND)
    this.#uses.delete(key)
    this.#uses.set(key, [...recent, now])
    return 0
  }

  #forget(now: number): void {
    for (const [key, uses] of this.#uses) {
      if ((uses.at(-1) ?? 0) > now - this.#window) break
      this.#uses.delete(key)
    }
  }
}
