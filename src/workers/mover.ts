import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../history/history.ts'
import type { Spool } from '../history/spool.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'

type Parts = {
  spool: Spool
  history: History
  metrics: Metrics
  hasRoom: () => boolean
  log: FastifyBaseLogger
}

const BATCH = { maxSamples: 200_000, maxBytes: 32 * 1024 * 1024 }
/** Longer makes larger batches, and each a longer burst of work beside the acknowledgements. */
const PAUSE = SECOND / 4
const MAX_PAUSE = 30 * SECOND
/** Free space that the spool keeps for the next samples while the disk has room. */
const SPARE = 16 * 1024 * 1024

/** From the spool to history, in order, several times a second; a repeat carries the same token. */
export class Mover {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #moving: Promise<void> | undefined
  #stopped = false
  #failure: string | undefined
  #pause = PAUSE

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#schedule()
  }

  /** Why history does not take samples just now; undefined when it does. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Resolves when everything that was in the spool at the call is in history; rejects if it cannot be. */
  async flush(): Promise<void> {
    await this.#parts.spool.settled()
    await this.#moving?.catch(() => {})
    await this.#move()
  }

  /** Tries at once what failed before; the pause may be long by then. */
  wake(): void {
    if (this.#failure === undefined || this.#stopped || this.#moving) return
    clearTimeout(this.#timer)
    this.#pause = 0
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#moving?.catch(() => {})
  }

  #schedule(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#move()
        .catch((err) => this.#parts.log.error({ err }, 'history does not take samples'))
        .finally(() => this.#schedule())
    }, this.#pause)
  }

  #move(): Promise<void> {
    this.#moving ??= this.#moveAll().finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  async #moveAll(): Promise<void> {
    const { spool, history, metrics, hasRoom } = this.#parts
    try {
      for (;;) {
        const batch = await spool.take(BATCH)
        if (!batch) break
        const rows = Buffer.from(batch.rows.buffer, batch.rows.byteOffset, batch.rows.byteLength)
        await history.append(rows, batch.token)
        await spool.drop(batch)
        metrics.moved(batch.count)
        await spool.shrink(SPARE)
        // What arrived meanwhile waits for the next round and makes one batch instead of many small ones.
        if (batch.isNewest) break
      }
      // Nothing else would let acknowledgements go on when the spool itself has filled the disk.
      if (!hasRoom()) await spool.shrink(0)
      this.#failure = undefined
      this.#pause = PAUSE
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#pause = Math.min(Math.max(this.#pause, PAUSE) * 2, MAX_PAUSE)
      throw error
    }
  }
}
