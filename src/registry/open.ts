import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import pg, { type PoolConfig } from 'pg'
import { migrate } from './migrate.ts'
import { preparedNames } from './prepared.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Registry, Tables } from './tables.ts'

/** Opens SQLite in the data directory or the PostgreSQL of the URL, and brings its schema up to date. */
export async function openRegistry(config: { url: string; dataDir: string }): Promise<Registry> {
  const registry = new Kysely<Tables>({ dialect: dialectOf(config) })
  try {
    await migrate(registry)
  } catch (error) {
    await registry.destroy()
    throw error
  }
  // Password hashes live here: for the owner's eyes only.
  if (config.url === '') chmodSync(sqliteFile(config.dataDir), 0o600)
  return registry
}

export const sqliteFile = (dataDir: string): string => join(dataDir, 'registry.sqlite')

const dialectOf = ({ url, dataDir }: { url: string; dataDir: string }): Dialect =>
  url === '' ? sqliteDialect(sqliteFile(dataDir)) : postgresDialect(url, {})

/** Hot queries are planned once for each connection. */
class PlanningClient extends pg.Client {
  override query(...[text, ...rest]: unknown[]): never {
    const name = preparedNames.get(String(text))
    const query = super.query as (...args: unknown[]) => never
    return name === undefined
      ? query.call(this, text, ...rest)
      : query.call(this, { name, text, values: rest[0] })
  }
}

export function postgresDialect(url: string, options: PoolConfig): Dialect {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
  }
  const pool = new pg.Pool({
    Client: PlanningClient,
    connectionString: url,
    max: 10,
    types,
    connectionTimeoutMillis: 5000,
    // A query nobody waits for any more must not keep a connection from the others.
    statement_timeout: 30_000,
    // A server that vanished says nothing at all.
    query_timeout: 35_000,
    keepAlive: true,
    ...options
  })
  // A connection that breaks fails its query, an idle one is replaced at the next; unheard, either
  // would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new PostgresDialect({ pool })
}
