import type { Clock } from '../lib/clock.ts'
import type { Refusal } from '../lib/sample.ts'
import { Seldom } from '../lib/seldom.ts'
import { MINUTE } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'

type Parts = {
  metrics: Metrics
  clock: Clock
  log: { warn(fields: object, text: string): void }
}

/** Each reason is logged so often. */
const LOG_EVERY_MS = MINUTE

/** Counts each refused message, and logs some of them, with the place to look. */
export class Refusals {
  readonly #parts: Parts
  readonly #lines = new Seldom(LOG_EVERY_MS)
  readonly #sinceLine = new Map<Refusal, number>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** `installationOf`: whose ledger shows the message; asked only for a line. Topic and payload stay in the ledger. */
  note(reason: Refusal, sender: string, installationOf: () => number | undefined): void {
    const { metrics, clock, log } = this.#parts
    metrics.refused(reason)
    const refused = (this.#sinceLine.get(reason) ?? 0) + 1
    this.#sinceLine.set(reason, refused)
    if (!this.#lines.isDue(reason, clock())) return
    this.#sinceLine.set(reason, 0)
    const installation = installationOf()
    const look = `GET /api/v2/ledger${installation === undefined ? '' : `/${installation}`}`
    log.warn({ reason, refused, sender, look }, 'messages were refused: the ledger shows them')
  }
}
