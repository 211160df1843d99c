import type { Question } from './search.ts'

/** Searches without blocking other requests, and stops when the caller has hung up. */
export type Searcher = {
  /** Returns the answer as JSON in UTF-8. Throws `PageTooLarge` if it gets too large. */
  search(question: Question, signal: AbortSignal): Promise<Uint8Array>
  close(): Promise<void>
}

/** The file of the registry on SQLite, or its server. */
export type SearchPlace = { file: string } | { url: string; timeoutMs: number }
