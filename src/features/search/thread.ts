import { Worker } from 'node:worker_threads'
import { PageTooLarge } from '../../lib/page-limit.ts'
import { ThreadCalls } from '../../lib/thread-calls.ts'
import type { Question } from './search.ts'
import type { Searcher, SearchPlace } from './searcher.ts'
import type { Searches } from './worker.ts'

/**
 * Searches in a thread, which the first search starts: SQLite works on the thread that calls it,
 * and on PostgreSQL a search computes for up to 20 ms. If the thread breaks, its searches fail, and
 * the next one starts another.
 */
export class SearchThread implements Searcher {
  readonly #place: SearchPlace
  #thread: ThreadCalls<Searches> | undefined

  constructor(place: SearchPlace) {
    this.#place = place
  }

  async search(question: Question, signal: AbortSignal): Promise<Uint8Array> {
    if (!this.#thread || this.#thread.failure) this.#thread = this.#start()
    const answer = await this.#thread.call('search', [question], { signal })
    if (answer === 'too large') throw new PageTooLarge()
    return answer
  }

  async close(): Promise<void> {
    await this.#thread?.close()
  }

  #start(): ThreadCalls<Searches> {
    const url = new URL('./worker.ts', import.meta.url)
    return new ThreadCalls(new Worker(url, { workerData: this.#place }), { name: 'search' })
  }
}
