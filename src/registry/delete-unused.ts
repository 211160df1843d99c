import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { forUpdate } from './dialect.ts'
import type { Registry, Tables } from './tables.ts'

type Row = {
  table: keyof Tables
  id: number
  within: RawBuilder<SqlBool>
  /** The column by which other rows refer to this one. */
  usedIn: { table: keyof Tables; column: string }
}

/** The row is locked during the check, so nobody can begin to use it before it is deleted. */
export const deleteUnlessUsed = (
  registry: Registry,
  { table, id, within, usedIn }: Row
): Promise<'deleted' | 'missing' | 'used'> =>
  registry.transaction().execute(async (registry) => {
    const row = sql`from ${sql.table(table)} where id = ${id}`
    const found = await sql`select id ${row} and ${within} ${forUpdate(registry)}`.execute(registry)
    if (found.rows.length === 0) return 'missing'
    const user = await sql`select id from ${sql.table(usedIn.table)}
      where ${sql.ref(usedIn.column)} = ${id} limit 1`.execute(registry)
    if (user.rows.length > 0) return 'used'
    await sql`delete ${row}`.execute(registry)
    return 'deleted'
  })
