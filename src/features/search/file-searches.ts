import { Kysely } from 'kysely'
import { sqliteDialect } from '../../registry/sqlite/sqlite.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { pauseUntil, type Question, search } from './search.ts'
import { SetCache, setCacheBytes } from './sets.ts'

/** Several searches take turns on one connection to the file. */
export class FileSearches {
  readonly #registry: Registry
  readonly #cache = new SetCache(setCacheBytes)

  constructor(file: string) {
    this.#registry = new Kysely<Tables>({ dialect: sqliteDialect(file, { readOnly: true }) })
  }

  search(question: Question, signal: AbortSignal): Promise<string> {
    return search(this.#registry, question, pauseUntil(signal), { cache: this.#cache })
  }

  close(): Promise<void> {
    return this.#registry.destroy()
  }
}
