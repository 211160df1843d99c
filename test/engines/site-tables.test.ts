import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openRegistry } from '../../src/registry/open.ts'
import { holdingsOf } from '../../src/routes.ts'
import { tableFates } from '../../src/site/left-behind.ts'

/** Tables with rows of an installation: by a declaration, a column, or a key to such a table. */
async function tablesOfInstallations(): Promise<string[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const registry = await openRegistry({ url: '', dataDir })
  const { rows: named } = await sql<{ name: string }>`
    select distinct tables.name from sqlite_master as tables join pragma_table_info(tables.name) as c
    where tables.type = 'table' and c.name like '%installation_id'`.execute(registry)
  const { rows: keys } = await sql<{ from: string; to: string }>`
    select tables.name as "from", keys."table" as "to"
    from sqlite_master as tables join pragma_foreign_key_list(tables.name) as keys`.execute(
    registry
  )
  await registry.destroy()
  rmSync(dataDir, { recursive: true })
  const declared = holdingsOf({ timezone: 'UTC' }).flatMap(({ tables = [] }) =>
    tables.filter(({ owner }) => owner === 'installation').map(({ table }) => table)
  )
  const found = new Set<string>([...declared, ...named.map(({ name }) => name)])
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const { from, to } of keys) if (found.has(to)) found.add(from)
  }
  return [...found].sort()
}

test('every table with rows of an installation is carried by an export, or it says why not', async () => {
  // Entries name their installation by the beginning of their topic only.
  const byTopic = ['installations', 'topic_blacklist']
  assert.deepEqual(
    [...new Set([...(await tablesOfInstallations()), ...byTopic])].sort(),
    Object.keys(tableFates).sort()
  )
})
