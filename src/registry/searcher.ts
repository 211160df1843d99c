import { sqliteFile } from './open.ts'
import { PostgresSearcher } from './postgres-searcher.ts'
import type { Question } from './search.ts'
import { SearchThread } from './search-thread.ts'
import type { Registry } from './tables.ts'

/** Searches beside everything else, and stops as soon as nobody waits for the answer. */
export type Searcher = {
  /** The answer as JSON text in UTF-8. Throws `PageTooLarge` when that would be. */
  search(question: Question, signal: AbortSignal): Promise<Uint8Array>
  close(): Promise<void>
}

/** SQLite answers on the thread that asks, so it gets one; PostgreSQL works elsewhere anyway. */
export const openSearcher = (
  registry: Registry,
  { url, dataDir, timeoutMs }: { url: string; dataDir: string; timeoutMs: number }
): Searcher =>
  url === ''
    ? new SearchThread(sqliteFile(dataDir))
    : new PostgresSearcher(registry, { url, timeoutMs })
