import {
  type ColumnDefinitionBuilder,
  type Expression,
  PostgresAdapter,
  type RawBuilder,
  type SqlBool,
  sql
} from 'kysely'
import type { Registry } from './tables.ts'

/** Every difference between SQLite and PostgreSQL has a name here. */

export const isPostgres = (registry: Registry): boolean =>
  registry.getExecutor().adapter instanceof PostgresAdapter

/** Ids rise. No id is given out twice, even after the newest row was deleted. */
export const idColumn =
  (registry: Registry) =>
  (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder =>
    isPostgres(registry)
      ? column.primaryKey().generatedByDefaultAsIdentity()
      : column.primaryKey().autoIncrement()

/** SQLite wants exactly `integer` for a row id; PostgreSQL's `integer` has only 32 bits. */
export const integerType = (registry: Registry): 'integer' | 'bigint' =>
  isPostgres(registry) ? 'bigint' : 'integer'

/** `column IN (ids)` with one bound parameter, however many ids there are. */
export const isOneOf = (
  registry: Registry,
  column: Expression<number>,
  ids: readonly number[]
): RawBuilder<SqlBool> =>
  isPostgres(registry)
    ? sql<SqlBool>`${column} = any(${ids}::bigint[])`
    : sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(ids)}))`

export const isOneOfTexts = (
  registry: Registry,
  column: Expression<string>,
  texts: readonly string[]
): RawBuilder<SqlBool> =>
  isPostgres(registry)
    ? sql<SqlBool>`${column} = any(${texts}::text[])`
    : sql<SqlBool>`${column} in (select value from json_each(${JSON.stringify(texts)}))`

/** The ids as a table with the column `value`. */
export const valuesOf = (registry: Registry, ids: readonly number[]): RawBuilder<unknown> =>
  isPostgres(registry)
    ? sql`unnest(${ids}::bigint[]) as ids(value)`
    : sql`json_each(${JSON.stringify(ids)})`

/** The objects of a JSON list as a table with these columns, in the order of the list. */
export const jsonRows = (
  registry: Registry,
  json: string,
  columns: Readonly<Record<string, 'bigint' | 'text'>>
): RawBuilder<unknown> => {
  const names = Object.keys(columns)
  if (isPostgres(registry)) {
    const typed = names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns[name] ?? 'text')}`)
    return sql`json_to_recordset(${json}::json) as given(${sql.join(typed)})`
  }
  const values = names.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
  return sql`(select ${sql.join(values)} from json_each(${json}))`
}

/** Milliseconds by the clock of the database. All nodes share that clock. */
export const databaseNow = (registry: Registry): RawBuilder<number> =>
  isPostgres(registry)
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`

/** Nobody else changes the row until the transaction ends. SQLite has only one writer anyway. */
export const forUpdate = (registry: Registry): RawBuilder<unknown> =>
  isPostgres(registry) ? sql`for update` : sql``

/** Nobody deletes the row until the transaction ends. */
export const forKeyShare = (registry: Registry): RawBuilder<unknown> =>
  isPostgres(registry) ? sql`for key share` : sql``

/** Skips rows that another node has locked. */
export const skipLocked = (registry: Registry): RawBuilder<unknown> =>
  isPostgres(registry) ? sql`for update skip locked` : sql``

/**
 * Holds a lock until the transaction ends, so two starting nodes do not migrate at the same time.
 */
export async function lockForMigration(registry: Registry): Promise<void> {
  if (!isPostgres(registry)) return
  await sql`set local statement_timeout = 0`.execute(registry)
  await sql`select pg_advisory_xact_lock(72616361)`.execute(registry)
}

/** Writers wait until the transaction ends, so change numbers become visible in their order. */
export async function lockChanges(registry: Registry): Promise<void> {
  if (isPostgres(registry)) await sql`select pg_advisory_xact_lock(72616362)`.execute(registry)
}

export const CHANGES_CHANNEL = 'caracal_changes'

/** Other nodes hear of the change when the transaction is committed. */
export async function announceChange(registry: Registry): Promise<void> {
  if (isPostgres(registry)) await sql`select pg_notify(${CHANGES_CHANNEL}, '')`.execute(registry)
}

/** Until the transaction ends, nobody else counts or sends SMS for this user. */
export async function lockUser(registry: Registry, id: number): Promise<void> {
  if (isPostgres(registry))
    await sql`select 1 from users where id = ${id} for update`.execute(registry)
}

export async function hasTable(registry: Registry, name: string): Promise<boolean> {
  const found = isPostgres(registry)
    ? await sql`select 1 from information_schema.tables
        where table_schema = current_schema() and table_name = ${name}`.execute(registry)
    : await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(
        registry
      )
  return found.rows.length > 0
}

export type IdTable = 'organizations' | 'users' | 'installations' | 'modelx'

/** The last id that each table gave out. A table that gave out no id may be missing. */
export async function lastIds(
  registry: Registry,
  tables: readonly IdTable[]
): Promise<Map<string, number>> {
  const { rows } = isPostgres(registry)
    ? await sql<{
        name: string
        last: number
      }>`${sql.join(tables.map(lastOfSequence), sql` union all `)}`.execute(registry)
    : await sql<{ name: string; last: number }>`
        select name, seq as last from sqlite_sequence where name in (${sql.join(tables)})`.execute(
        registry
      )
  return new Map(rows.map(({ name, last }) => [name, last]))
}

const lastOfSequence = (table: IdTable) =>
  sql`select ${table} as name, case when is_called then last_value else 0 end as last
    from ${sql.table(`${table}_id_seq`)}`

/** The next id that the table gives out is greater than this one. */
export async function raiseLastId(registry: Registry, table: IdTable, id: number): Promise<void> {
  if (isPostgres(registry)) {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${id})`.execute(registry)
    return
  }
  const { numAffectedRows } =
    await sql`update sqlite_sequence set seq = ${id} where name = ${table}`.execute(registry)
  if (numAffectedRows === 0n) {
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${id})`.execute(registry)
  }
}

/** New ids of the table, for rows that must know their id before they are inserted. */
export async function takeIds(
  registry: Registry,
  table: 'alarms',
  count: number
): Promise<number[]> {
  if (count === 0) return []
  if (isPostgres(registry)) {
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence(${table}, 'id')) as id
      from generate_series(1, ${count}::bigint)`.execute(registry)
    return rows.map(({ id }) => Number(id))
  }
  const raised = await sql<{ seq: number }>`
    update sqlite_sequence set seq = seq + ${count} where name = ${table} returning seq`.execute(
    registry
  )
  const last = raised.rows[0]?.seq ?? count
  if (raised.rows.length === 0) {
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${count})`.execute(registry)
  }
  return Array.from({ length: count }, (_, i) => last - count + 1 + i)
}
