import { sql } from 'kysely'
import { isPostgres } from './dialect.ts'
import type { Registry } from './tables.ts'

/** The bytes of the registry on disk. */
export async function registryBytes(registry: Registry): Promise<number> {
  const { rows } = await (isPostgres(registry)
    ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
    : sql<{ bytes: number }>`select page_count * page_size as bytes
        from pragma_page_count(), pragma_page_size()`
  ).execute(registry)
  return Number(rows[0]?.bytes)
}
