import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type Dialect, Kysely } from 'kysely'
import { migrate } from './migrate.ts'
import { postgresDialect } from './postgres.ts'
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
