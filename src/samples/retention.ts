import type { FastifyBaseLogger } from 'fastify'
import type { History, MonthSize } from '../history/history.ts'
import { DAY, endOfMonth, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'

type Parts = {
  history: History
  metrics: Metrics
  log: FastifyBaseLogger
  /** 0: samples stay for ever. */
  retentionDays: number
  /** In bytes; 0: no limit. */
  budget: number
  /** Younger samples stay, whatever the budget is. */
  floorDays: number
}

/**
 * [ADR-0013] Drops whole months: first those that are too old, then the oldest while history is too
 * large.
 */
export class Retention {
  readonly #parts: Parts
  #excess = 0
  #warned = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Bytes over the budget that were too young to be dropped at the last run. */
  get excess(): number {
    return this.#excess
  }

  async run(now: UnixMs): Promise<void> {
    const { history, retentionDays, budget } = this.#parts
    if (retentionDays > 0) {
      this.#tell(await history.dropBefore(unixMs(now - retentionDays * DAY)), 'age')
    }
    if (budget > 0) await this.#keepBudget(now)
  }

  async #keepBudget(now: UnixMs): Promise<void> {
    const { history, budget, floorDays } = this.#parts
    const floor = now - floorDays * DAY
    for (;;) {
      const { bytes, months } = await history.sizes()
      this.#excess = Math.max(bytes - budget, 0)
      const [oldest] = months
      if (this.#excess === 0) return
      if (!oldest || endOfMonth(oldest.name) > floor) return this.#warn(now)
      this.#tell(await history.dropBefore(endOfMonth(oldest.name)), 'budget')
    }
  }

  #tell(dropped: readonly MonthSize[], reason: 'age' | 'budget'): void {
    const { log, metrics } = this.#parts
    for (const { name: month, bytes } of dropped) {
      log.info({ month, reason, bytes }, 'a month of history was dropped')
      metrics.droppedMonth(reason)
    }
  }

  #warn(now: UnixMs): void {
    if (now - this.#warned < DAY) return
    this.#warned = now
    const { log, floorDays } = this.#parts
    log.warn(
      { excess: this.#excess, floorDays },
      'history is larger than CARACAL_HISTORY_BUDGET_MB, and the rest of it is too young to be dropped'
    )
  }
}
