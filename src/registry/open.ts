import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { explainDamage } from '../lib/storage-fault.ts'
import { migrate } from './migrate.ts'
import { explainAt, postgresDialect, unhurriedDialect } from './postgres.ts'
import { sqliteDialect } from './sqlite.ts'
import type { Registry, Tables } from './tables.ts'

type Place = { url: string; dataDir: string }

/** Opens SQLite in the data directory or the PostgreSQL of the URL, and brings its schema up to date. */
export async function openRegistry(place: Place): Promise<Registry> {
  const registry = await openUnhurried(place, 'CARACAL_REGISTRY_URL')
  if (place.url === '') return registry
  await registry.destroy()
  return new Kysely<Tables>({ dialect: postgresDialect(place.url, {}) })
}

/** For whoever moves a whole registry: as `openRegistry`, and no statement takes too long. `setting` is where the URL was given. */
export async function openUnhurried({ url, dataDir }: Place, setting: string): Promise<Registry> {
  const dialect = url === '' ? sqliteDialect(sqliteFile(dataDir)) : unhurriedDialect(url)
  const registry = new Kysely<Tables>({ dialect })
  try {
    await migrate(registry)
  } catch (error) {
    await registry.destroy()
    if (url === '') {
      const lost = 'users, installations and all else in it are lost ("npm run caracal -- adopt")'
      throw explainDamage(error as Error, sqliteFile(dataDir), lost)
    }
    explainAt(setting, url)(error as Error)
  }
  // Password hashes live here, and a process with another mask may have made it.
  if (url === '') chmodSync(sqliteFile(dataDir), 0o600)
  return registry
}

export const sqliteFile = (dataDir: string): string => join(dataDir, 'registry.sqlite')
