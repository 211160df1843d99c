import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { SECOND } from '../lib/unix-time.ts'
import { foldMarks } from '../registry/search-fold.ts'
import type { Registry } from '../registry/tables.ts'

type Parts = { registry: Registry; log: FastifyBaseLogger }

/** At a time: a few milliseconds, so that nobody waits long for the registry. */
const DOCUMENTS = 32
const BUDGET = { tokens: 3000, ms: 5 }
const PAUSE = SECOND / 4
const PAUSE_AFTER_FAILURE = 10 * SECOND

/**
 * Brings what was marked into the search index. Searches look at marks too, so nothing depends on
 * how soon it runs; what a crash or a migration leaves behind is still marked.
 */
export class Indexer {
  readonly #parts: Parts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = this.#run().catch(() => {})
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

  /** Answers how long to rest: as long as the work took, so at most half the time goes into it. */
  async #fold(): Promise<number> {
    const { registry, log } = this.#parts
    const start = performance.now()
    try {
      const isMore = await foldMarks(registry, DOCUMENTS, BUDGET)
      return isMore ? performance.now() - start : PAUSE
    } catch (err) {
      log.error({ err }, 'the search index could not follow; tried again later')
      return PAUSE_AFTER_FAILURE
    }
  }
}
