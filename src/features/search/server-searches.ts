import { Kysely, sql } from 'kysely'
import { SECOND } from '../../lib/unix-time.ts'
import { postgresDialect } from '../../registry/postgres/postgres.ts'
import { prepared } from '../../registry/prepared.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { pauseUntil, type Question, search } from './search.ts'
import { SetCache, setCacheBytes } from './sets.ts'

/** More searches than this wait, so that searches never use all connections of the server. */
const MAX_CONNECTIONS = 4
const PAGES_AT_ONCE = 64

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
        const pid = await beginOnServer(snapshot)
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

/**
 * The number of the backend. It compiles no query of this search: the server expects far more rows
 * of a bucket than there are, and compiling took up to 40 ms where reading takes one. And it may ask
 * the disk for many pages at once: the rows of a bucket are in hundreds of pages.
 */
export async function beginOnServer(registry: Registry): Promise<number> {
  const [row] = await begin(registry, [])
  return row?.pid ?? 0
}

/** Where a server cannot ask for more than one page, its setting is 0, and nothing else is allowed. */
const begin = prepared<{ pid: number }>((registry) => ({
  compile: () =>
    sql`select pg_backend_pid() as pid, set_config('jit', 'off', true),
      case when current_setting('effective_io_concurrency')::int > 0
        then set_config('effective_io_concurrency',
          greatest(current_setting('effective_io_concurrency')::int, ${sql.lit(PAGES_AT_ONCE)})::text,
          true) end`.compile(registry)
}))
