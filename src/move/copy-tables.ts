import { sql } from 'kysely'
import type { Registry } from '../registry/tables.ts'

export type CopiedTable = {
  name: string
  columns: string[]
  /**
   * The primary key column, by which other rows refer to a row; undefined when there is no single
   * one.
   */
  key: string | undefined
  /** Columns that refer to another row of the same table. */
  ownReferences: string[]
}

/** The target creates these itself: by its migrations, or from the copied rows. */
const notCopied = /^(schema_migrations|search_.*|sqlite_.*)$/

/**
 * The tables of a registry, read from the schema of SQLite. No table refers to a table later in the
 * list.
 */
export async function tablesToCopy(sqlite: Registry): Promise<CopiedTable[]> {
  const { rows } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' order by name`.execute(sqlite)
  const tables = new Map<string, { table: CopiedTable; needs: string[] }>()
  for (const { name } of rows) {
    if (!notCopied.test(name)) tables.set(name, await describe(sqlite, name))
  }
  const ordered = new Map<string, CopiedTable>()
  const add = (name: string) => {
    const found = tables.get(name)
    if (!found || ordered.has(name)) return
    for (const needed of found.needs) add(needed)
    ordered.set(name, found.table)
  }
  for (const name of tables.keys()) add(name)
  return [...ordered.values()]
}

async function describe(sqlite: Registry, name: string) {
  const { rows: columns } = await sql<{ name: string; pk: number }>`
    select name, pk from pragma_table_info(${name}) order by name`.execute(sqlite)
  const { rows: references } = await sql<{ to: string; column: string }>`
    select "table" as "to", "from" as "column" from pragma_foreign_key_list(${name})`.execute(
    sqlite
  )
  const keys = columns.filter(({ pk }) => pk > 0)
  const table: CopiedTable = {
    name,
    columns: columns.map((column) => column.name),
    key: keys.length === 1 ? keys[0]?.name : undefined,
    ownReferences: references.filter(({ to }) => to === name).map(({ column }) => column)
  }
  return { table, needs: references.map(({ to }) => to).filter((to) => to !== name) }
}
