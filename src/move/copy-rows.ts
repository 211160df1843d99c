import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { isPostgres } from '../registry/dialect.ts'
import type { Registry } from '../registry/tables.ts'
import type { CopiedTable } from './copy-tables.ts'

export type CopiedRow = Record<string, number | string | null>

/** Read at a time. One row may be a megabyte. */
const ROWS_PER_READ = 256

/** Every row, in any order. */
export const readRows = (registry: Registry, table: CopiedTable): AsyncGenerator<CopiedRow[]> =>
  isPostgres(registry) ? readByCursor(registry, table) : readByRowId(registry, table)

async function* readByRowId(registry: Registry, table: CopiedTable): AsyncGenerator<CopiedRow[]> {
  for (let last = -1; ; ) {
    const { rows } = await sql<CopiedRow & { row_id: number }>`
      select rowid as row_id, ${columnsOf(table)} from ${sql.table(table.name)}
      where rowid > ${last} order by rowid limit ${sql.lit(ROWS_PER_READ)}`.execute(registry)
    const end = rows.at(-1)
    if (!end) return
    last = end.row_id
    yield rows.map(({ row_id: _, ...row }) => row)
  }
}

async function* readByCursor(registry: Registry, table: CopiedTable): AsyncGenerator<CopiedRow[]> {
  const transaction = await registry.startTransaction().execute()
  try {
    await sql`declare copied no scroll cursor for
      select ${columnsOf(table)} from ${sql.table(table.name)}`.execute(transaction)
    while (true) {
      const { rows } = await sql<CopiedRow>`fetch ${sql.lit(ROWS_PER_READ)} from copied`.execute(
        transaction
      )
      if (rows.length === 0) return
      yield rows
    }
  } finally {
    await transaction.rollback().execute()
  }
}

export const columnsOf = ({ columns }: CopiedTable) =>
  sql.join(columns.map((column) => sql.ref(column)))

/**
 * The contents of a table: the number of rows and the sum of their hashes. The order does not
 * matter.
 */
export type Digest = { rows: number; sum: string }

export async function digestOf(
  registry: Registry,
  table: CopiedTable,
  onRows: (count: number) => void
): Promise<Digest> {
  let [count, sum] = [0, 0n]
  for await (const rows of readRows(registry, table)) {
    for (const row of rows) sum += hashOf(table.columns.map((column) => row[column]))
    count += rows.length
    onRows(rows.length)
  }
  return { rows: count, sum: BigInt.asUintN(128, sum).toString(16) }
}

/** The drivers of both engines give numbers, texts and null in the same form. */
function hashOf(values: readonly unknown[]): bigint {
  const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex')
  return BigInt(`0x${digest.slice(0, 32)}`)
}

export async function countRows(registry: Registry, { name }: CopiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(name)}`.execute(registry)
  return rows[0]?.count ?? 0
}
