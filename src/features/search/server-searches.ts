import { Kysely, sql } from 'kysely'
import { SECOND } from '../../lib/unix-time.ts'
import { postgresDialect } from '../../registry/postgres/postgres.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { pauseUntil, type Question, search } from './search.ts'
import { SetCache, setCacheBytes } from './sets.ts'

/** More searches than this wait, so that searches never use all connections of the server. */
const MAX_CONNECTIONS = 4

/** Searches on PostgreSQL, with connections of their own. Each search reads one snapshot. */
export class ServerSearches {
  readonly #registry: Registry
  readonly #cache = new SetCache(setCacheBytes)
  /** Ends the queries of searches whose caller has hung up. It connects when it is needed. */
  readonly #canceller: Registry

  constructor({ url, timeoutMs }: { url: string; timeoutMs: number }) {
    const registry = (max: number) =>
      new Kysely<Tables>({
        dialect: postgresDialect(url, {
          max,
          connectionTimeoutMillis: timeoutMs,
          statement_timeout: timeoutMs,
          query_timeout: timeoutMs + 5 * SECOND
        })
      })
    this.#registry = registry(MAX_CONNECTIONS)
    this.#canceller = registry(1)
  }

  search(question: Question, signal: AbortSignal): Promise<string> {
    return this.#registry
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (snapshot) => {
        signal.throwIfAborted()
        const pid = await backendPid(snapshot)
        let cancelling: Promise<unknown> | undefined
        const cancel = () => {
          const query = sql`select pg_cancel_backend(${pid})`.execute(this.#canceller)
          cancelling = query.catch(() => {})
        }
        signal.addEventListener('abort', cancel, { once: true })
        try {
          return await search(snapshot, question, pauseUntil(signal), { cache: this.#cache })
        } finally {
          signal.removeEventListener('abort', cancel)
          // Keep the connection until the cancel request is done, or it could cancel the next
          // search.
          await cancelling
        }
      })
  }

  async close(): Promise<void> {
    await Promise.all([this.#registry.destroy(), this.#canceller.destroy()])
  }
}

async function backendPid(registry: Registry): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(registry)
  return rows[0]?.pid ?? 0
}
