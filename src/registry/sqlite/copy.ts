import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type { RegistryLineage } from '../../lib/lineage.ts'
import { copySqlite, openSqliteToRead, type SqliteCopy } from '../../lib/sqlite-file.ts'
import { sqliteFile } from '../open.ts'
import { readRegistryLineage } from '../platform.ts'
import type { Tables } from '../tables.ts'
import { sqliteDialect } from './sqlite.ts'

export const REGISTRY_FILE = 'registry.sqlite'

/** Copies the registry of a data directory while it is in use. */
export const copyRegistry = (dataDir: string, to: string): SqliteCopy =>
  copySqlite(sqliteFile(dataDir), join(to, REGISTRY_FILE))

/** The number of the last migration, and the lineage. */
export async function readRegistryCopy(
  file: string
): Promise<{ schema: number; lineage: RegistryLineage }> {
  const registry = new Kysely<Tables>({ dialect: sqliteDialect(file, { readOnly: true }) })
  try {
    const { number } = await registry
      .selectFrom('schema_migrations')
      .select((eb) => eb.fn.max('number').as('number'))
      .executeTakeFirstOrThrow()
    return { schema: number ?? 0, lineage: await readRegistryLineage(registry) }
  } finally {
    await registry.destroy()
  }
}

/** The contents that files of the registry refer to, with one of the files. */
export function* contentsNamedIn(file: string): Generator<{ hash: string; name: string }> {
  const copy = openSqliteToRead(file)
  try {
    const rows = copy.prepare('SELECT hash, min(name) AS name FROM files GROUP BY hash').iterate()
    for (const { hash, name } of rows) yield { hash: String(hash), name: String(name) }
  } finally {
    copy.close()
  }
}

/** Installations that are there or about to be erased. */
export function installationsIn(file: string): Set<number> {
  const copy = openSqliteToRead(file)
  try {
    return new Set([
      ...idsOf(copy, 'SELECT id FROM installations'),
      ...idsOf(copy, 'SELECT installation_id AS id FROM erasures')
    ])
  } finally {
    copy.close()
  }
}

const idsOf = (copy: DatabaseSync, sql: string): number[] =>
  copy
    .prepare(sql)
    .all()
    .map(({ id }) => Number(id))
