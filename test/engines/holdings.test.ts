import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openRegistry } from '../../src/registry/open.ts'
import { holdingsOf } from '../../src/routes.ts'

const declared = holdingsOf({ timezone: 'UTC' }).flatMap(({ tables = [] }) => tables)
const named = declared.map(({ table, column, owner }) => `${table}.${column} of ${owner}`)

type Reference = { table: string; column: string; owner: string; rule: string }

/** Columns that refer to an owner: by a foreign key, or by their name alone. */
async function ownersInSchema(): Promise<{ keys: Reference[]; names: string[] }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const registry = await openRegistry({ url: '', dataDir })
  const { rows: keys } = await sql<Reference>`
    select tables.name as "table", keys."from" as "column", keys."table" as owner,
      keys.on_delete as rule
    from sqlite_master as tables join pragma_foreign_key_list(tables.name) as keys
    where keys."table" in ('organizations', 'installations', 'users')`.execute(registry)
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select tables.name as "table", columns.name as "column"
    from sqlite_master as tables join pragma_table_info(tables.name) as columns
    where tables.type = 'table' and (columns.name like '%organization_id'
      or columns.name like '%installation_id' or columns.name like '%user_id')`.execute(registry)
  await registry.destroy()
  rmSync(dataDir, { recursive: true })
  return {
    keys: keys.map((key) => ({ ...key, owner: key.owner.slice(0, -1) })),
    names: columns.map(({ table, column }) => {
      const [owner = ''] = /organization|installation|user/.exec(column) ?? []
      return `${table}.${column} of ${owner}`
    })
  }
}

test('every column that names an owner is declared exactly once', async () => {
  const { keys, names } = await ownersInSchema()
  const byKey = keys.map(({ table, column, owner }) => `${table}.${column} of ${owner}`)
  assert.deepEqual(
    [...new Set([...byKey, ...names])].filter((name) => !named.includes(name)),
    []
  )
  assert.deepEqual(
    named.filter((name, at) => named.indexOf(name) !== at),
    []
  )
})

test('the declared effect of a deletion is what the database does', async () => {
  const { keys } = await ownersInSchema()
  for (const { table, column, owner, onDelete } of declared) {
    const key = keys.find((one) => one.table === table && one.column === column)
    const name = `${table}.${column} of ${owner}`
    assert.equal(
      onDelete === 'cascade',
      key?.rule === 'CASCADE',
      `${name}: ${onDelete}, ${key?.rule}`
    )
    // The database refuses to delete an owner whose rows are still there.
    if (onDelete === 'stays' || onDelete === 'later') assert.equal(key, undefined, name)
  }
})

test('a copy of an installation contains only tables that belong to installations', () => {
  const copied = declared.filter((one) => one.copied)
  assert(copied.length > 0)
  assert.deepEqual(
    copied.filter(({ owner }) => owner !== 'installation'),
    []
  )
})
