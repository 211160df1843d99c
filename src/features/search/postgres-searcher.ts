import { Kysely, sql } from 'kysely'
import { SECOND } from '../../lib/unix-time.ts'
import { postgresDialect } from '../../registry/postgres/postgres.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { pauseUntil, type Question, search } from './search.ts'
import type { Searcher } from './searcher.ts'

/** More searches than this wait, so that searches never use all connections of the server. */
const MAX_CONNECTIONS = 4

/** Searches on its own connections. Each search reads one snapshot. */
export class PostgresSearcher implements Searcher {
  readonly #registry: Registry
  readonly #own: Registry
  readonly #encoder = new TextEncoder()

  constructor(registry: Registry, { url, timeoutMs }: { url: string; timeoutMs: number }) {
    this.#registry = registry
    const dialect = postgresDialect(url, {
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      query_timeout: timeoutMs + 5 * SECOND
    })
    this.#own = new Kysely<Tables>({ dialect })
  }

  async search(question: Question, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abandon = () => reject(signal.reason)
    signal.addEventListener('abort', abandon, { once: true })
    // If the caller hangs up, stop waiting for a connection.
    const searching = this.#onSnapshot(question, signal)
    searching.catch(() => {})
    try {
      return this.#encoder.encode(await Promise.race([searching, aborted]))
    } finally {
      signal.removeEventListener('abort', abandon)
    }
  }

  close(): Promise<void> {
    return this.#own.destroy()
  }

  #onSnapshot(question: Question, signal: AbortSignal): Promise<string> {
    return this.#own
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (snapshot) => {
        signal.throwIfAborted()
        const pid = await backendPid(snapshot)
        let cancelling: Promise<unknown> | undefined
        const cancel = () => {
          const query = sql`select pg_cancel_backend(${pid})`.execute(this.#registry)
          cancelling = query.catch(() => {})
        }
        signal.addEventListener('abort', cancel, { once: true })
        try {
          return await search(snapshot, question, pauseUntil(signal))
        } finally {
          signal.removeEventListener('abort', cancel)
          // Keep the connection until the cancel request is done, or it could cancel the next
          // search.
          await cancelling
        }
      })
  }
}

async function backendPid(registry: Registry): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(registry)
  return rows[0]?.pid ?? 0
}
