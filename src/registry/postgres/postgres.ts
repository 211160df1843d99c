import { type Dialect, PostgresDialect } from 'kysely'
import pg, { type ClientConfig, type PoolConfig } from 'pg'
import { postgresPlace } from '../../lib/postgres-url.ts'
import { SECOND } from '../../lib/unix-time.ts'
import { preparedNames } from '../prepared.ts'

/** A connection that was idle for longer is tested before use. */
const PROBE_AFTER_IDLE_MS = SECOND
const PROBE = { text: 'select 1', query_timeout: 3 * SECOND }

/** `copy ... to stdout`. Its bytes come as they are; all else comes as text, twice as long. */
class Copy extends pg.Query {
  readonly #parts: Buffer[] = []

  /** The client calls it, and uses the memory of the chunk again. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#parts.push(Buffer.from(chunk))
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

class RegistryClient extends pg.Client {
  heardAt = performance.now()

  constructor(config?: ClientConfig) {
    super(config)
    this.once('connect', () => this.#heard(undefined))
  }

  override query(...[text, ...rest]: unknown[]): never {
    // PostgreSQL plans a hot query once per connection.
    const name = preparedNames.get(String(text))
    const query = super.query as (...args: unknown[]) => Promise<unknown>
    const isCopy = String(text).startsWith('copy ')
    const asked = isCopy
      ? this.#copy(String(text))
      : name === undefined
        ? query.call(this, text, ...rest)
        : query.call(this, { name, text, values: rest[0] })
    return asked.then(this.#heard, this.#failed) as never
  }

  /** One row, with all bytes. */
  #copy(text: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const copy = new Copy(text)
    const query = super.query as (...args: unknown[]) => unknown
    query.call(this, copy, (error: Error | null) =>
      error ? reject(error) : resolve({ command: 'COPY', rows: [{ bytes: copy.bytes }] })
    )
    return promise
  }

  answers(): Promise<boolean> {
    return (this as pg.Client).query(PROBE).then(
      () => true,
      () => false
    )
  }

  #heard = (answer: unknown): unknown => {
    this.heardAt = performance.now()
    return answer
  }

  #failed = (error: Error): never => {
    if (error.message === 'Query read timeout') {
      this.emit('error', error)
      // Otherwise the pool would use this connection again.
      void this.end()
    }
    throw error
  }
}

export function postgresDialect(url: string, options: PoolConfig): Dialect {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
  }
  const pool = new pg.Pool({
    Client: RegistryClient,
    connectionString: url,
    max: 10,
    types,
    connectionTimeoutMillis: 5 * SECOND,
    // A query that nobody waits for must not block a connection.
    statement_timeout: 30 * SECOND,
    // A server that disappeared sends no answer at all.
    query_timeout: 35 * SECOND,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5 * SECOND,
    ...options
  })
  let suspectedAt = Number.NEGATIVE_INFINITY
  // A broken connection fails its query, and the pool replaces an idle one. Without a listener each
  // error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) =>
    client.on('error', () => {
      suspectedAt = performance.now()
    })
  )
  const connect = async () => {
    for (;;) {
      const client = (await pool.connect()) as pg.PoolClient & RegistryClient
      // A server or firewall that restarts drops all idle connections at once.
      const isTrusted = client.heardAt > suspectedAt
      const isFresh = performance.now() - client.heardAt < PROBE_AFTER_IDLE_MS
      if (isTrusted && (isFresh || (await client.answers()))) return client
      client.release(true)
      // Do not wait: the server may never answer the end of the connection.
      client.connection.stream.destroy()
    }
  }
  return new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
}

/** One line that names the setting to check. It never shows the whole URL. */
export const explainAt =
  (setting: string, url: string) =>
  (error: Error & { code?: string }): never => {
    // When all addresses of a host refuse, the error has no message of its own.
    const why = error.message || error.code
    throw new Error(`${setting}: ${postgresPlace(url).server}: ${why}`, { cause: error })
  }

/** Without time limits, even when the URL sets them. */
export const unhurriedDialect = (url: string): Dialect =>
  postgresDialect(url.replaceAll(/(?<=[?&])(statement|query)_timeout=[^&]*/g, ''), {
    statement_timeout: 0,
    query_timeout: 0
  })
