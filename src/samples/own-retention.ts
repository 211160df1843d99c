import type { FastifyBaseLogger } from 'fastify'
import type { History, MonthSize } from '../history/history.ts'
import { DAY, MINUTE, monthOf, type UnixMs, unixMs } from '../lib/unix-time.ts'
import type { Quotas } from '../quota/quotas.ts'
import { dropMonthsBefore } from '../quota/usage.ts'
import type { Registry } from '../registry/tables.ts'
import { cutAtMonths } from './months.ts'

type Parts = {
  registry: Registry
  history: History
  quotas: Pick<Quotas, 'shortened'>
  log: FastifyBaseLogger
}

/** Up to where the samples of an installation are removed. `isWhole`: all that are too old. */
type Reached = { to: UnixMs; isWhole: boolean }

/** One run works for so long. The next run goes on. */
const MAX_RUN_MS = MINUTE
/** Samples are removed in steps of a thirtieth of the time that they stay, but of a day at least. */
const STEPS = 30
const MAX_SPAN_MS = 31 * DAY
/** Spreads installations over the time of a step. It shares no factor with a day. */
const SPREAD_MS = 7919 * 1013

/**
 * [ADR-0048] Removes samples of installations that have fewer days than the platform. The latest
 * values stay. Only these installations are looked at.
 */
export class OwnRetention {
  readonly #parts: Parts
  #reached = new Map<number, Reached>()
  #isStopping = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The run ends soon. */
  stop(): void {
    this.#isStopping = true
  }

  async run(now: UnixMs, mostMs = MAX_RUN_MS): Promise<void> {
    const { registry, history, quotas, log } = this.#parts
    const end = performance.now() + mostMs
    const isOver = () => this.#isStopping || performance.now() >= end
    const { months } = await history.sizes()
    const reached = new Map<number, Reached>()
    let [installations, samples] = [0, 0]
    for await (const { id, days } of quotas.shortened()) {
      const before = this.#reached.get(id)
      const to = limitOf(id, days, now)
      if (before) reached.set(id, before)
      if (to < 0 || (before?.isWhole && to <= before.to) || isOver()) continue
      let removed = 0
      for (const window of windowsOf(before, to, months)) {
        if (isOver()) break
        const query = { installation_id: id, topics: undefined, ...window, keepsLatest: true }
        removed += await history.remove(query)
        reached.set(id, { to: window.to, isWhole: window.to === to })
      }
      const month = monthOf(unixMs(to + 1))
      if (reached.get(id)?.isWhole) await dropMonthsBefore(registry, month, id)
      if (removed === 0) continue
      installations++
      samples += removed
    }
    this.#reached = reached
    if (samples > 0)
      log.info({ installations, samples }, 'samples were removed because of their age')
  }
}

/**
 * One step at once, with older samples that arrived late. Many samples, as at first or with fewer
 * days than before, go by months.
 */
const windowsOf = (before: Reached | undefined, to: UnixMs, months: readonly MonthSize[]) =>
  before?.isWhole && to - before.to <= MAX_SPAN_MS
    ? [{ from: unixMs(0), to }]
    : cutAtMonths({ from: unixMs(before ? before.to + 1 : 0), to }, months)

/** The newest moment that is too old. It moves on by a step at a time. */
function limitOf(id: number, days: number, now: UnixMs): UnixMs {
  const step = Math.max(1, Math.floor(days / STEPS)) * DAY
  const phase = (id * SPREAD_MS) % step
  const steps = Math.floor((now - days * DAY - phase) / step)
  return unixMs(steps * step + phase - 1)
}
