import { type Dialect, PostgresDialect } from 'kysely'
import pg, { type ClientConfig, type PoolConfig } from 'pg'
import { postgresPlace } from '../lib/postgres-url.ts'
import { SECOND } from '../lib/unix-time.ts'
import { preparedNames } from './prepared.ts'

/** A connection that rested for longer is asked before it is given out. */
const RESTED = SECOND
const PROBE = { text: 'select 1', query_timeout: 3 * SECOND }

class RegistryClient extends pg.Client {
  heardAt = performance.now()

  constructor(config?: ClientConfig) {
    super(config)
    this.once('connect', () => this.#heard(undefined))
  }

  override query(...[text, ...rest]: unknown[]): never {
    // Hot queries are planned once for each connection.
    const name = preparedNames.get(String(text))
    const query = super.query as (...args: unknown[]) => Promise<unknown>
    const asked =
      name === undefined
        ? query.call(this, text, ...rest)
        : query.call(this, { name, text, values: rest[0] })
    return asked.then(this.#heard, this.#failed) as never
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
      // For the pool it would be as good as any other.
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
    // A query nobody waits for any more must not keep a connection from the others.
    statement_timeout: 30 * SECOND,
    // A server that vanished says nothing at all.
    query_timeout: 35 * SECOND,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5 * SECOND,
    ...options
  })
  let suspectedAt = Number.NEGATIVE_INFINITY
  // A connection that breaks fails its query, an idle one is replaced at the next; unheard, either
  // would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) =>
    client.on('error', () => {
      suspectedAt = performance.now()
    })
  )
  const connect = async () => {
    for (;;) {
      const client = (await pool.connect()) as pg.PoolClient & RegistryClient
      // A server or firewall that restarts forgets all who rest at once.
      const isTrusted = client.heardAt > suspectedAt
      const isFresh = performance.now() - client.heardAt < RESTED
      if (isTrusted && (isFresh || (await client.answers()))) return client
      client.release(true)
      // It would wait for an answer to its farewell.
      client.connection.stream.destroy()
    }
  }
  return new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } })
}

/** One line that names the setting to look at, and never the URL as a whole. */
export const explainAt =
  (setting: string, url: string) =>
  (error: Error & { code?: string }): never => {
    // One of several addresses that all refuse says nothing by itself.
    const why = error.message || error.code
    throw new Error(`${setting}: ${postgresPlace(url).server}: ${why}`, { cause: error })
  }

/** For work that takes as long as it takes, whatever the URL says. */
export const unhurriedDialect = (url: string): Dialect =>
  postgresDialect(url.replaceAll(/(?<=[?&])(statement|query)_timeout=[^&]*/g, ''), {
    statement_timeout: 0,
    query_timeout: 0
  })
