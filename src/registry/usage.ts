import { type Selectable, sql } from 'kysely'
import type { PayerKind } from '../lib/quota.ts'
import { databaseNow, isOneOf, jsonRows } from './dialect.ts'
import type { Registry, Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

export type UsageRow = Selectable<Tables['usage']>
/** What is added to a row. */
export type UsageCharge = Omit<UsageRow, 'updated'>
export type MonthBytes = Selectable<Tables['usage_months']>

const chargeColumns = {
  kind: 'text',
  id: 'bigint',
  day: 'bigint',
  day_bytes: 'bigint',
  bytes: 'bigint'
} as const
const monthColumns = { installation_id: 'bigint', month: 'text', bytes: 'bigint' } as const

/** Adds what this node counted to what all of them did; owners that are gone are passed over. */
export const addUsage = (
  registry: Registry,
  charges: readonly UsageCharge[],
  months: readonly MonthBytes[]
): Promise<void> =>
  // One node after the other, so that no two wait for each other's rows.
  inTransaction(registry, async (registry) => {
    await sql`insert into usage (kind, id, day, day_bytes, bytes, updated)
      select kind, id, day, day_bytes, bytes, ${databaseNow(registry)}
      from ${jsonRows(registry, JSON.stringify(charges), chargeColumns)}
      where (kind = 'installation' and id in (select id from installations))
        or (kind = 'organization' and id in (select id from organizations))
      on conflict (kind, id) do update set
        day_bytes = case
          when usage.day = excluded.day then usage.day_bytes + excluded.day_bytes
          when usage.day < excluded.day then excluded.day_bytes
          else usage.day_bytes end,
        day = case when usage.day < excluded.day then excluded.day else usage.day end,
        bytes = usage.bytes + excluded.bytes,
        updated = excluded.updated`.execute(registry)
    if (months.length === 0) return
    await sql`insert into usage_months (installation_id, month, bytes)
      select installation_id, month, bytes
      from ${jsonRows(registry, JSON.stringify(months), monthColumns)}
      where installation_id in (select id from installations)
      on conflict (installation_id, month) do update
        set bytes = usage_months.bytes + excluded.bytes`.execute(registry)
  })

/** Of all owners, or of those that were written since a moment by the clock of the database. */
export const readUsage = (registry: Registry, since = 0): Promise<UsageRow[]> =>
  registry.selectFrom('usage').selectAll().where('updated', '>=', since).execute()

/** What history had of these months before anybody counted: nobody has less than that. */
export const raiseMonths = (registry: Registry, months: readonly MonthBytes[]): Promise<void> =>
  inTransaction(registry, async (registry) => {
    await sql`insert into usage_months (installation_id, month, bytes)
      select installation_id, month, bytes
      from ${jsonRows(registry, JSON.stringify(months), monthColumns)}
      where installation_id in (select id from installations)
      on conflict (installation_id, month) do update set bytes = case
        when usage_months.bytes < excluded.bytes then excluded.bytes
        else usage_months.bytes end`.execute(registry)
    const ids = [...new Set(months.map(({ installation_id }) => installation_id))]
    await sql`insert into usage (kind, id, day, day_bytes, bytes, updated)
      select 'installation', installation_id, 0, 0, cast(sum(bytes) as bigint),
        ${databaseNow(registry)}
      from usage_months where ${isOneOf(registry, sql.ref('installation_id'), ids)}
      group by installation_id
      on conflict (kind, id) do update
        set bytes = excluded.bytes, updated = excluded.updated`.execute(registry)
  })

/** History has nothing from before this month any more. */
export const dropMonthsBefore = (registry: Registry, month: string): Promise<void> =>
  inTransaction(registry, async (registry) => {
    await sql`update usage set bytes = usage.bytes - gone.bytes, updated = ${databaseNow(registry)}
      from (select installation_id, cast(sum(bytes) as bigint) as bytes
        from usage_months where month < ${month} group by installation_id) as gone
      where usage.kind = 'installation' and usage.id = gone.installation_id`.execute(registry)
    await registry.deleteFrom('usage_months').where('month', '<', month).execute()
  })

export async function deleteUsage(
  registry: Registry,
  kind: PayerKind,
  ids: readonly number[]
): Promise<void> {
  await registry
    .deleteFrom('usage')
    .where('kind', '=', kind)
    .where(isOneOf(registry, sql.ref('id'), ids))
    .execute()
  if (kind === 'organization') return
  await registry
    .deleteFrom('usage_months')
    .where(isOneOf(registry, sql.ref('installation_id'), ids))
    .execute()
}

/** Whether what history had before usage was counted is in. */
export async function hasUsage(registry: Registry): Promise<boolean> {
  const row = await registry.selectFrom('platform').select('has_usage').executeTakeFirstOrThrow()
  return row.has_usage === 1
}

export async function confirmUsage(registry: Registry): Promise<void> {
  await registry.updateTable('platform').set({ has_usage: 1 }).execute()
}
