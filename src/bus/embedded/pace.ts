import { SECOND } from '../../lib/unix-time.ts'

/**
 * The pace is faster than the quota. So a tenant that sends too much reaches its quota in some
 * minutes, and is told so.
 */
const PACE_PER_RATE = 1.25
/** So many messages a second slow down nobody, so every tenant may send them. */
const MIN_MESSAGES_PER_SECOND = 2000
/** The messages of this time may come at once. More would delay the messages behind them. */
const BURST_MS = 10

/** How fast the messages of one tenant are read while other tenants are connected. [ADR-0038] */
export class Pace {
  #left = 0
  #most = 0

  constructor(rate: number) {
    this.rise(rate, BURST_MS)
  }

  get hasOne(): boolean {
    return this.#left >= 1
  }

  get isFull(): boolean {
    return this.#left >= this.#most
  }

  get isUnlimited(): boolean {
    return this.#left === Number.POSITIVE_INFINITY
  }

  take(): void {
    this.#left--
  }

  /**
   * Adds what came free in this time. A tenant that was alone may have taken too much; it owes
   * nothing.
   */
  rise(rate: number, elapsedMs: number): void {
    const perMs = Math.max(rate * PACE_PER_RATE, MIN_MESSAGES_PER_SECOND) / SECOND
    this.#most = perMs * BURST_MS
    this.#left = Math.min(Math.max(this.#left, 0) + perMs * elapsedMs, this.#most)
  }
}
