import { parentPort, workerData } from 'node:worker_threads'
import { Kysely } from 'kysely'
import { PageTooLarge } from '../lib/page-limit.ts'
import { pauseUntil, type Question, search } from './search.ts'
import type { ThreadAnswer, ThreadCall } from './search-thread.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Tables } from './tables.ts'

// The entry of the thread of SearchThread: several searches take turns on one connection.
const registry = new Kysely<Tables>({ dialect: sqliteDialect(workerData, { readOnly: true }) })
const running = new Map<number, AbortController>()
const encoder = new TextEncoder()

parentPort?.on('message', async (call: ThreadCall) => {
  if (call === 'close') return close()
  if ('cancel' in call) return running.get(call.cancel)?.abort()
  await answer(call)
})

async function answer({ id, question }: { id: number; question: Question }): Promise<void> {
  const controller = new AbortController()
  running.set(id, controller)
  try {
    const text = encoder.encode(await search(registry, question, pauseUntil(controller.signal)))
    parentPort?.postMessage({ id, text } satisfies ThreadAnswer, [text.buffer])
  } catch (thrown) {
    // A class does not survive the way to another thread.
    const error = thrown instanceof PageTooLarge ? 'too large' : thrown
    parentPort?.postMessage({ id, error } satisfies ThreadAnswer)
  } finally {
    running.delete(id)
  }
}

async function close(): Promise<void> {
  for (const controller of running.values()) controller.abort()
  await registry.destroy()
  parentPort?.close()
}
