import { Kysely, sql } from 'kysely'
import { fillIndex } from '../features/search/fold.ts'
import { lockForMigration } from '../registry/dialect.ts'
import { migrate } from '../registry/migrate.ts'
import { sqliteDialect } from '../registry/sqlite/sqlite.ts'
import type { Registry, Tables } from '../registry/tables.ts'
import { type CopiedRow, columnsOf, countRows, readRows } from './copy-rows.ts'
import type { CopiedTable } from './copy-tables.ts'

type Copy = {
  tables: readonly CopiedTable[]
  /** A registry on SQLite. */
  from: Registry
  /** A registry on PostgreSQL with the same schema. */
  to: Registry
  onRows: (count: number) => void
  onIndexed: (count: number) => void
}

/**
 * Copies every row with its id and builds a new search index, in one transaction: everything is
 * copied or nothing. Answers false, and writes nothing, when the target already has data.
 */
export const copyRegistry = ({ tables, from, to, onRows, onIndexed }: Copy): Promise<boolean> =>
  to.transaction().execute(async (to) => {
    await lockForMigration(to)
    const names = sql.join(tables.map(({ name }) => sql.table(name)))
    await sql`lock table ${names} in share row exclusive mode`.execute(to)
    if (!(await isNew(to, tables))) return false
    for (const { name } of tables.toReversed()) {
      await sql`delete from ${sql.table(name)}`.execute(to)
    }
    for (const table of tables) {
      for await (const rows of readRows(from, table)) {
        await insert(to, table, rows)
        onRows(rows.length)
      }
      for await (const rows of table.ownReferences.length > 0 ? readRows(from, table) : []) {
        await setReferences(to, table, rows)
      }
    }
    await setSequences(from, to, tables)
    await fillIndex(to, onIndexed)
    return true
  })

/** True when no table has more rows than the migrations create. */
export async function isNew(registry: Registry, tables: readonly CopiedTable[]): Promise<boolean> {
  const untouched = new Kysely<Tables>({ dialect: sqliteDialect(':memory:') })
  try {
    await migrate(untouched)
    for (const table of tables) {
      if ((await countRows(registry, table)) > (await countRows(untouched, table))) return false
    }
    return true
  } finally {
    await untouched.destroy()
  }
}

/** References within the same table are set later, because the other row may not exist yet. */
async function insert(to: Registry, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  const alone = Object.fromEntries(table.ownReferences.map((column) => [column, null]))
  const json = JSON.stringify(rows.map((row) => ({ ...row, ...alone })))
  const { name } = table
  await sql`insert into ${sql.table(name)} (${columnsOf(table)})
    select ${columnsOf(table)} from json_populate_recordset(null::${sql.table(name)}, ${json}::json)
  `.execute(to)
}

async function setReferences(
  to: Registry,
  { name, key, ownReferences }: CopiedTable,
  rows: readonly CopiedRow[]
): Promise<void> {
  if (key === undefined) throw new Error(`${name} refers to itself and has no key`)
  const json = JSON.stringify(rows)
  const columns = ownReferences.map(
    (column) => sql`${sql.ref(column)} = ${sql.ref(`given.${column}`)}`
  )
  await sql`update ${sql.table(name)} as stored set ${sql.join(columns)}
    from json_populate_recordset(null::${sql.table(name)}, ${json}::json) as given
    where ${sql.ref(`stored.${key}`)} = ${sql.ref(`given.${key}`)}`.execute(to)
}

/** No id is given out again, even when its row is deleted. */
async function setSequences(
  from: Registry,
  to: Registry,
  tables: readonly CopiedTable[]
): Promise<void> {
  const { rows } = await sql<{ name: string; seq: number }>`
    select name, seq from sqlite_sequence where seq > 0`.execute(from)
  for (const { name, seq } of rows) {
    const key = tables.find((table) => table.name === name)?.key
    if (key === undefined) continue
    await sql`select setval(pg_get_serial_sequence(${name}, ${key}), ${seq})`.execute(to)
  }
}
