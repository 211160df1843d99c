import { parentPort, workerData } from 'node:worker_threads'
import { PageTooLarge } from '../../lib/page-limit.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { FileSearches } from './file-searches.ts'
import type { Question } from './search.ts'
import type { SearchPlace } from './searcher.ts'

// The entry of the thread of SearchThread.
const place: SearchPlace = workerData
const own = 'file' in place ? new FileSearches(place.file) : await onServer(place)
const encoder = new TextEncoder()

/** A platform on SQLite does not need the client of PostgreSQL. */
async function onServer(server: Extract<SearchPlace, { url: string }>) {
  const { ServerSearches } = await import('./server-searches.ts')
  return new ServerSearches(server)
}

const searches = {
  async search(question: Question, signal: AbortSignal): Promise<Uint8Array | 'too large'> {
    try {
      return encoder.encode(await own.search(question, signal))
    } catch (error) {
      // A class does not survive the way to another thread.
      if (error instanceof PageTooLarge) return 'too large'
      throw error
    }
  },
  close: () => own.close()
}
export type Searches = typeof searches

const bufferOf = (answer: unknown): ArrayBuffer[] =>
  answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : []

if (parentPort) answerCalls(parentPort, searches, bufferOf)
