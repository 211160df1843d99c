/** What a clock has missed so far, and since when it stands still. In the time of the clock above it. */
export type Held = { held: number; since: number | undefined }

/**
 * A clock that stands still at times. It runs behind another clock, and never back: what happened
 * before the last pause counts as if it happened at its end.
 */
export class HeldClock {
  #held: number
  #since: number | undefined
  #resumed: number

  /** `now`: by the clock above it. */
  constructor({ held, since }: Held, now: number) {
    this.#held = held
    this.#since = since
    this.#resumed = since ?? now
  }

  get isHeld(): boolean {
    return this.#since !== undefined
  }

  get state(): Held {
    return { held: this.#held, since: this.#since }
  }

  /** What this clock shows at a time of the clock above it. */
  at(time: number): number {
    const reached = Math.max(time, this.#resumed)
    return Math.min(reached, this.#since ?? reached) - this.#held
  }

  /** When this clock will show `shown`, if it goes on. Undefined: it stands still. */
  when(shown: number): number | undefined {
    return this.#since === undefined ? shown + this.#held : undefined
  }

  hold(now: number): void {
    this.#since ??= Math.max(now, this.#resumed)
  }

  goOn(now: number): void {
    if (this.#since === undefined) return
    this.skip(this.#since, now)
    this.#since = undefined
  }

  /** The clock above it went from one time to another one, and this one stands still for that. */
  skip(from: number, to: number): void {
    this.#held += to - from
    this.#resumed = to
  }
}
