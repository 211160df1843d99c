import type { FastifyBaseLogger } from 'fastify'
import type { History } from '../history/history.ts'
import { MOVER } from '../history/spool/groups.ts'
import { MAX_GROUP_BYTES, type Spool } from '../history/spool/spool.ts'
import { countText } from '../lib/count-text.ts'
import { Outage } from '../lib/outage.ts'
import { SECOND } from '../lib/unix-time.ts'
import type { Metrics } from '../metrics.ts'
import type { Intake } from './direct-writer.ts'

type Parts = {
  spool: Spool
  /** Samples that go to history without the spool. */
  direct?: Intake | undefined
  history: History
  metrics: Metrics
  hasRoom: () => boolean
  log: FastifyBaseLogger
  /** Samples that the last process left in the spool. */
  left?: number
  /** Samples up to this id are in history, and still in the spool. */
  onMoved?: (lastId: number) => void
}

const BATCH = { maxSamples: 200_000, maxBytes: 32 * 1024 * 1024 }
/** A longer pause makes larger batches. Each would delay the acknowledgements for longer. */
const PAUSE_MS = SECOND / 4
const MAX_PAUSE_MS = 30 * SECOND
/** Free space that stays in the spool for the next samples while the disk has room. */
const SPARE_BYTES = 16 * 1024 * 1024
/** [ADR-0046] Samples in history that the spool keeps for a reader that is behind. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024
/** The same when the disk is full up to its reserve. A reader that works needs no more. */
export const MAX_HELD_BYTES_WITHOUT_ROOM = MAX_GROUP_BYTES

/**
 * Moves samples from the spool to history, in order, several times a second. A repeated batch has
 * the same token.
 */
export class Mover {
  readonly #parts: Parts
  #timer: NodeJS.Timeout | undefined
  #moving: Promise<void> | undefined
  #stopped = false
  #failure: string | undefined
  #pauseMs = PAUSE_MS
  readonly #outage: Outage
  /** Of the samples that the last process left. */
  #left: number

  constructor(parts: Parts) {
    this.#parts = parts
    this.#left = parts.left ?? 0
    this.#outage = new Outage(parts.log, {
      fails: 'history does not take samples',
      back: 'history takes samples again'
    })
  }

  start(): void {
    if (this.#left > 0) {
      const text = `recovered ${countText(this.#left)} acknowledged values of the last run: they go to history now`
      this.#parts.log.info({ samples: this.#left }, text)
    }
    this.#schedule()
  }

  /** Why history does not take samples at the moment; undefined if it does. */
  get failure(): string | undefined {
    return this.#failure
  }

  /**
   * Resolves when everything that was on its way at the time of the call is in history; rejects if
   * that fails.
   */
  async flush(): Promise<void> {
    await (this.#parts.direct ?? this.#parts.spool).settled()
    await this.#moving?.catch(() => {})
    await this.#move()
  }

  /** After a failure, tries again at once. The pause may be long by then. */
  wake(): void {
    if (this.#failure === undefined || this.#stopped || this.#moving) return
    clearTimeout(this.#timer)
    this.#pauseMs = 0
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
        .then(
          () => this.#outage.worked(),
          (err) => this.#outage.failed(err)
        )
        .finally(() => this.#schedule())
    }, this.#pauseMs)
  }

  #move(): Promise<void> {
    this.#moving ??= this.#moveAll().finally(() => {
      this.#moving = undefined
    })
    return this.#moving
  }

  async #moveAll(): Promise<void> {
    const { hasRoom } = this.#parts
    try {
      try {
        await this.#moveBatches()
      } finally {
        // If the spool itself has filled the disk, only this lets acknowledgements go on.
        if (!hasRoom()) await this.#shrink(0, MAX_HELD_BYTES_WITHOUT_ROOM)
      }
      this.#failure = undefined
      this.#pauseMs = PAUSE_MS
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#pauseMs = Math.min(Math.max(this.#pauseMs, PAUSE_MS) * 2, MAX_PAUSE_MS)
      throw error
    }
  }

  async #moveBatches(): Promise<void> {
    const { spool, history, metrics, onMoved } = this.#parts
    for (;;) {
      const batch = await spool.take(MOVER, BATCH)
      if (!batch) return
      const rows = Buffer.from(batch.rows.buffer, batch.rows.byteOffset, batch.rows.byteLength)
      await history.append(rows, batch.token)
      onMoved?.(lastIdOf(rows))
      await spool.pass(MOVER, batch)
      metrics.moved(batch.count)
      this.#countLeft(batch.count)
      await this.#shrink(SPARE_BYTES, MAX_HELD_BYTES)
      // What arrived in the meantime waits for the next round: one batch instead of many small
      // ones.
      if (batch.isNewest) return
    }
  }

  /** A reader that is too far behind must not fill the disk. */
  async #shrink(spare: number, maxHeldBytes: number): Promise<void> {
    const { spool, log } = this.#parts
    for (const late of await spool.moveOn(maxHeldBytes)) {
      log.error(late, 'a reader of the spool is too far behind and has missed samples')
    }
    await spool.shrink(spare)
  }

  /** The spool is read in order, so the samples of the last run come first. */
  #countLeft(moved: number): void {
    if (this.#left === 0) return
    this.#left = Math.max(0, this.#left - moved)
    const text = 'the samples of the last run are in history'
    if (this.#left === 0) this.#parts.log.info({ samples: this.#parts.left }, text)
  }
}

/** Ids grow in the spool, and each line begins with one. */
const lastIdOf = (rows: Buffer): number =>
  Number.parseInt(rows.toString('latin1', rows.lastIndexOf('\n', -2) + 1), 10)
