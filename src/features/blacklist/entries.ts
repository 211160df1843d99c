import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../registry/changes.ts'
import { jsonRows } from '../../registry/dialect.ts'
import { flag } from '../../registry/meta.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'

type Row = Selectable<Tables['topic_blacklist']>
export type BlacklistEntry = Omit<Row, 'enabled'> & { enabled: boolean }
export type BlacklistFields = Omit<BlacklistEntry, 'id' | 'count'>

const toRow = ({ topic, mode, enabled, reason }: BlacklistFields) => ({
  ...{ topic, mode, reason },
  enabled: flag(enabled)
})
const toEntry = (row: Row): BlacklistEntry => ({ ...row, enabled: row.enabled === 1 })

export async function insertBlacklistEntry(
  registry: Registry,
  fields: BlacklistFields,
  now: number
): Promise<number> {
  const { id } = await registry
    .insertInto('topic_blacklist')
    .values({ ...toRow(fields), count: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordChange(registry, 'blacklist', id, now)
  return id
}

export async function updateBlacklistEntry(
  registry: Registry,
  { id, ...fields }: BlacklistFields & { id: number },
  now: number
): Promise<void> {
  await registry.updateTable('topic_blacklist').set(toRow(fields)).where('id', '=', id).execute()
  await recordChange(registry, 'blacklist', id, now)
}

export async function deleteBlacklistEntry(
  registry: Registry,
  id: number,
  now: number
): Promise<void> {
  await registry.deleteFrom('topic_blacklist').where('id', '=', id).execute()
  await recordChange(registry, 'blacklist', id, now)
}

/** All entries, sorted by id. */
export async function listBlacklist(registry: Registry): Promise<BlacklistEntry[]> {
  const rows = await registry.selectFrom('topic_blacklist').selectAll().orderBy('id').execute()
  return rows.map(toEntry)
}

export async function findBlacklistEntry(
  registry: Registry,
  id: number
): Promise<BlacklistEntry | undefined> {
  const row = await registry
    .selectFrom('topic_blacklist')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toEntry(row)
}

/** Adds the counts of this node to the counts of all nodes. */
export async function addBlacklistCounts(
  registry: Registry,
  counts: ReadonlyMap<number, number>
): Promise<void> {
  const added = [...counts].map(([id, more]) => ({ id, more }))
  const rows = jsonRows(registry, JSON.stringify(added), { id: 'bigint', more: 'bigint' })
  // The transaction lets one node write at a time, so that two nodes cannot deadlock.
  await inTransaction(registry, async (registry) => {
    await sql`update topic_blacklist set count = topic_blacklist.count + added.more
      from (select id, more from ${rows}) as added
      where topic_blacklist.id = added.id`.execute(registry)
  })
}
