import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely } from 'kysely'
import { explainDamage } from '../lib/storage-fault.ts'
import type { Claims } from './claims.ts'
import { copyBefore } from './copy-before.ts'
import { type MigrationHooks, migrate, migrations, type Upgrade } from './migrate.ts'
import { soleClaims } from './sqlite/claims.ts'
import { LOST, sqliteDialect } from './sqlite/sqlite.ts'
import type { Registry, Tables } from './tables.ts'

/** A platform on SQLite does not need the client of PostgreSQL. */
const postgres = () => import('./postgres/postgres.ts')

type Place = {
  url: string
  dataDir: string
  /** Hears that the schema of a registry that was there before is about to change. */
  onMigrate?: (upgrade: Upgrade & { copy: string | undefined }) => void
} & Pick<MigrationHooks, 'onNewer' | 'isShared'>

/**
 * Opens SQLite in the data directory or the PostgreSQL of the URL, and brings its schema up to
 * date.
 */
export async function openRegistry(place: Place): Promise<Registry> {
  const registry = await openUnhurried(place, 'CARACAL_REGISTRY_URL')
  if (place.url === '') return registry
  await registry.destroy()
  const { postgresDialect } = await postgres()
  return new Kysely<Tables>({ dialect: postgresDialect(place.url, {}) })
}

/**
 * Like `openRegistry`, but statements have no time limit. `setting` names where the URL was given.
 */
export async function openUnhurried(
  { url, dataDir, onMigrate, ...hooks }: Place,
  setting: string
): Promise<Registry> {
  const dialect =
    url === '' ? sqliteDialect(sqliteFile(dataDir)) : (await postgres()).unhurriedDialect(url)
  const registry = new Kysely<Tables>({ dialect })
  try {
    const before = async (upgrade: Upgrade) => {
      const copy = url === '' ? await copyBefore(registry, sqliteFile(dataDir), upgrade) : undefined
      onMigrate?.({ ...upgrade, copy })
    }
    await migrate(registry, migrations, { before, ...hooks })
  } catch (error) {
    await registry.destroy()
    if (url === '') {
      throw explainDamage(error as Error, sqliteFile(dataDir), LOST)
    }
    const { explainAt } = await postgres()
    explainAt(setting, url)(error as Error)
  }
  // The file holds password hashes. A process with another umask may have created it.
  if (url === '') chmodSync(sqliteFile(dataDir), 0o600)
  return registry
}

/** A registry on a server as it is: its schema is not brought up to date. */
export const openUnchanged = async (url: string): Promise<Registry> =>
  new Kysely<Tables>({ dialect: (await postgres()).unhurriedDialect(url) })

export const sqliteFile = (dataDir: string): string => join(dataDir, 'registry.sqlite')

/**
 * `isAlone`: this node keeps history, broker or files in its own directory, so no other node can
 * use this registry. A registry in a file always belongs to the one process that holds its
 * directory.
 */
export async function openClaims(url: string, isAlone: boolean): Promise<Claims> {
  if (url === '') return soleClaims
  const [{ PostgresClaims }, { explainAt }] = await Promise.all([
    import('./postgres/claims.ts'),
    postgres()
  ])
  return PostgresClaims.open(url, isAlone).catch(explainAt('CARACAL_REGISTRY_URL', url))
}
