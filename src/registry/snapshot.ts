import { Kysely } from 'kysely'
import { isPostgres } from './dialect.ts'
import { sqliteFile } from './open.ts'
import { sqliteDialect } from './sqlite/sqlite.ts'
import type { Registry, Tables } from './tables.ts'

/**
 * Everything that `work` reads is as it was at one moment, however long it takes, and nobody waits
 * for it.
 */
export async function inSnapshot<T>(
  registry: Registry,
  dataDir: string,
  work: (snapshot: Registry) => Promise<T>
): Promise<T> {
  if (isPostgres(registry)) {
    return registry.transaction().setIsolationLevel('repeatable read').execute(work)
  }
  // A connection of its own: the other one is used in turn by everybody.
  const dialect = sqliteDialect(sqliteFile(dataDir), { readOnly: true })
  const reader = new Kysely<Tables>({ dialect })
  try {
    return await reader.transaction().execute(work)
  } finally {
    await reader.destroy()
  }
}
