import { sql } from 'kysely'
import type { Registry, Tables } from './tables.ts'

/** Reads the whole table. */
export async function countTable(registry: Registry, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from ${sql.table(table)}`.execute(registry)
  return Number(rows[0]?.count)
}
