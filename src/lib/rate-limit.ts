import type { Clock } from './clock.ts'
import { SECOND } from './unix-time.ts'

/** So that made-up keys cannot fill the memory. */
const MAX_REMEMBERED_KEYS = 100_000

/** Allows each key `most` uses within any `windowMs`. */
export class RateLimit<Key> {
  readonly #clock: Clock
  readonly #most: number
  readonly #windowMs: number
  /** In the order of the last use. */
  readonly #uses = new Map<Key, number[]>()

  constructor(clock: Clock, { most, windowMs }: { most: number; windowMs: number }) {
    this.#clock = clock
    this.#most = most
    this.#windowMs = windowMs
  }

  /** Seconds until the key may be used again; 0: it may be used now, and this use is counted. */
  take(key: Key): number {
    const seconds = this.wait(key)
    if (seconds === 0) this.count(key)
    return seconds
  }

  /** Seconds until the key may be used again; 0 means now. */
  wait(key: Key): number {
    const oldest = this.#uses.get(key)?.at(-this.#most)
    if (oldest === undefined) return 0
    return Math.max(0, Math.ceil((oldest + this.#windowMs - this.#clock()) / SECOND))
  }

  /** Counts a use, also one that is not allowed. */
  count(key: Key): void {
    const now = this.#clock()
    const recent = (this.#uses.get(key) ?? []).filter((at) => at > now - this.#windowMs)
    this.#uses.delete(key)
    this.#uses.set(key, [...recent, now].slice(-this.#most))
    for (const [oldest, uses] of this.#uses) {
      const isOver = (uses.at(-1) ?? 0) <= now - this.#windowMs
      if (!isOver && this.#uses.size <= MAX_REMEMBERED_KEYS) break
      this.#uses.delete(oldest)
    }
  }

  /** The key may not be used for so many seconds. */
  block(key: Key, seconds: number): void {
    const oldest = this.#clock() + seconds * SECOND - this.#windowMs
    this.#uses.delete(key)
    this.#uses.set(key, new Array<number>(this.#most).fill(oldest))
  }

  /** The last use does not count. */
  takeBack(key: Key): void {
    this.#uses.get(key)?.pop()
  }

  forget(key: Key): void {
    this.#uses.delete(key)
  }
}
