import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { SECOND } from '../../lib/unix-time.ts'
import type { Claims } from '../../registry/claims.ts'
import type { Registry } from '../../registry/tables.ts'
import { foldMarks } from './fold.ts'
import { sealOne } from './sealer.ts'

type Parts = { registry: Registry; claims: Pick<Claims, 'take'>; log: FastifyBaseLogger }

/** A round takes a few milliseconds, so that other requests do not wait long for the registry. */
const DOCUMENTS_PER_ROUND = 32
const ROUND_BUDGET = { tokens: 3000, ms: 5 }
const PAUSE_MS = SECOND / 4
const PAUSE_AFTER_FAILURE_MS = 10 * SECOND
/** Segments are not urgent: they use at most an eighth of the time. */
const PAUSE_PER_SEALING = 7

/**
 * Adds marked documents to the search index. Searches read the marks too, so a delay does no harm.
 * After a crash or a migration the marks are still there.
 */
export class Indexer {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #running: Promise<unknown> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = Promise.allSettled([this.#run(), this.#sealAll()])
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await wait(await this.#fold(), undefined, { signal, ref: false })
    }
  }

  /** Returns how long to pause: as long as the work took, so that it uses at most half the time. */
  async #fold(): Promise<number> {
    const { registry, log } = this.#parts
    const start = performance.now()
    try {
      const isMore = await foldMarks(registry, DOCUMENTS_PER_ROUND, ROUND_BUDGET)
      return isMore ? performance.now() - start : PAUSE_MS
    } catch (err) {
      log.error({ err }, 'the search index could not be updated; will try again later')
      return PAUSE_AFTER_FAILURE_MS
    }
  }

  async #sealAll(): Promise<void> {
    const { registry, claims, log } = this.#parts
    const { signal } = this.#stopping
    let start = performance.now()
    const rest = async () => {
      const worked = performance.now() - start
      await wait(worked * PAUSE_PER_SEALING, undefined, { signal, ref: false })
      start = performance.now()
    }
    while (!signal.aborted) {
      try {
        start = performance.now()
        if ((await claims.take('segments')) && (await sealOne(registry, rest))) continue
        await wait(SECOND, undefined, { signal, ref: false })
      } catch (err) {
        if (signal.aborted) return
        log.error({ err }, 'the search index could not be packed; will try again later')
        await wait(PAUSE_AFTER_FAILURE_MS, undefined, { signal, ref: false })
      }
    }
  }
}
