/** Keys that are remembered. When there are more, all are forgotten, and each may be told again. */
const MAX_KEYS = 10_000

/** Says of the same thing at most once in a while that it should be told. */
export class Seldom {
  readonly #everyMs: number
  readonly #toldAt = new Map<string, number>()

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** True if the key was not told for the time. It counts as told then. */
  isDue(key: string, now: number): boolean {
    const before = this.#toldAt.get(key)
    if (before !== undefined && now - before < this.#everyMs) return false
    if (this.#toldAt.size >= MAX_KEYS) this.#toldAt.clear()
    this.#toldAt.set(key, now)
    return true
  }
}
