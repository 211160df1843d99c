import { MINUTE, SECOND } from './unix-time.ts'

type Log = {
  error(fields: object, text: string): void
  info(fields: object, text: string): void
}

/** While it lasts, the log repeats the line so often. */
const REPEAT_EVERY_MS = MINUTE

/** Says in the log when something stops working, repeats it, and says when it works again. */
export class Outage {
  readonly #log: Log
  readonly #texts: { fails: string; back: string }
  #began: number | undefined
  #told = 0

  constructor(log: Log, texts: { fails: string; back: string }) {
    this.#log = log
    this.#texts = texts
  }

  failed(err: unknown): void {
    const now = performance.now()
    if (this.#began !== undefined && now - this.#told < REPEAT_EVERY_MS) return
    this.#began ??= now
    this.#told = now
    this.#log.error({ err }, this.#texts.fails)
  }

  worked(): void {
    if (this.#began === undefined) return
    const seconds = Math.round((performance.now() - this.#began) / SECOND)
    this.#began = undefined
    this.#log.info({ seconds }, this.#texts.back)
  }
}
