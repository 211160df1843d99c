import { parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import { PageTooLarge } from '../../lib/page-limit.ts'
import { answerCalls } from '../../lib/thread-calls.ts'
import { sqliteDialect } from '../../registry/sqlite/sqlite.ts'
import type { Tables } from '../../registry/tables.ts'
import { pauseUntil, type Question, search } from './search.ts'

// The entry of the thread of SearchThread: several searches take turns on one connection.
const registry = new Kysely<Tables>({ dialect: sqliteDialect(workerData, { readOnly: true }) })
const encoder = new TextEncoder()

const searches = {
  async search(question: Question, signal: AbortSignal): Promise<Uint8Array | 'too large'> {
    try {
      return encoder.encode(await search(registry, question, pauseUntil(signal)))
    } catch (error) {
      // A class does not survive the way to another thread.
      if (error instanceof PageTooLarge) return 'too large'
      throw error
    }
  },
  close: () => registry.destroy()
}
export type Searches = typeof searches

const bufferOf = (answer: unknown): ArrayBuffer[] =>
  answer instanceof Uint8Array ? [answer.buffer as ArrayBuffer] : []

if (parentPort) answerCalls(parentPort, searches, bufferOf)
