import { type Selectable, sql } from 'kysely'
import type { PayerKind } from '../lib/quota.ts'
import { databaseNow, isOneOf, jsonRows } from '../registry/dialect.ts'
import type { Registry, Tables } from '../registry/tables.ts'
import { inTransaction } from '../registry/transaction.ts'

export type UsageRow = Selectable<Tables['usage']>
/** What is added to a row. */
export type UsageCharge = Omit<UsageRow, 'updated'>
export type MonthBytes = Selectable<Tables['usage_months']>

const chargeColumns = {
  kind: 'text',
  id: 'bigint',
  day: 'bigint',
  day_bytes: 'bigint',
  bytes: 'bigint',
  messages: 'bigint'
} as const
const monthColumns = { installation_id: 'bigint', month: 'text', bytes: 'bigint' } as const

/** Adds what this node counted to the counts of all nodes. Skips owners that were deleted. */
export const addUsage = (
  registry: Registry,
  charges: readonly UsageCharge[],
  months: readonly MonthBytes[]
): Promise<void> =>
  // The transaction lets one node write at a time, so that two nodes cannot deadlock.
  inTransaction(registry, async (registry) => {
    await sql`insert into usage (kind, id, day, day_bytes, bytes, messages, updated)
      select kind, id, day, day_bytes, bytes, messages, ${databaseNow(registry)}
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
        messages = usage.messages + excluded.messages,
        updated = excluded.updated`.execute(registry)
    if (months.length === 0) return
    await sql`insert into usage_months (installation_id, month, bytes)
      select installation_id, month, bytes
      from ${jsonRows(registry, JSON.stringify(months), monthColumns)}
      where installation_id in (select id from installations)
      on conflict (installation_id, month) do update
        set bytes = usage_months.bytes + excluded.bytes`.execute(registry)
  })

/** The rows of all owners, or those written since a time by the clock of the database. */
export const readUsage = (registry: Registry, since = 0): Promise<UsageRow[]> =>
  registry.selectFrom('usage').selectAll().where('updated', '>=', since).execute()

/** Raises these months to what history had before usage was counted. */
export const raiseMonths = (registry: Registry, months: readonly MonthBytes[]): Promise<void> =>
  inTransaction(registry, (registry) => raiseMonthsWithin(registry, months))

/** The same in the transaction of the caller. */
export async function raiseMonthsWithin(
  registry: Registry,
  months: readonly MonthBytes[]
): Promise<void> {
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
}

/** Samples of the month were removed: subtracts so many bytes, or all that it has. */
export const giveBackMonth = (
  registry: Registry,
  { installation_id, month, bytes }: MonthBytes
): Promise<void> =>
  inTransaction(registry, async (registry) => {
    const ofMonth = await registry
      .selectFrom('usage_months')
      .select('bytes')
      .where('installation_id', '=', installation_id)
      .where('month', '=', month)
      .executeTakeFirst()
    const gone = Math.min(ofMonth?.bytes ?? 0, bytes)
    if (gone <= 0) return
    await sql`update usage_months set bytes = bytes - ${gone}
      where installation_id = ${installation_id} and month = ${month}`.execute(registry)
    await sql`update usage set bytes = bytes - ${gone}, updated = ${databaseNow(registry)}
      where kind = 'installation' and id = ${installation_id}`.execute(registry)
  })

/**
 * Removes all earlier months, because history has dropped them; with an id only those of one
 * installation.
 */
export const dropMonthsBefore = (
  registry: Registry,
  month: string,
  installation_id?: number
): Promise<void> =>
  inTransaction(registry, async (registry) => {
    const whose =
      installation_id === undefined ? sql`` : sql`and installation_id = ${installation_id}`
    await sql`update usage set bytes = usage.bytes - gone.bytes, updated = ${databaseNow(registry)}
      from (select installation_id, cast(sum(bytes) as bigint) as bytes
        from usage_months where month < ${month} ${whose} group by installation_id) as gone
      where usage.kind = 'installation' and usage.id = gone.installation_id`.execute(registry)
    await sql`delete from usage_months where month < ${month} ${whose}`.execute(registry)
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

/** Whether the history from before usage was counted is included. */
export async function hasUsage(registry: Registry): Promise<boolean> {
  const row = await registry.selectFrom('platform').select('has_usage').executeTakeFirstOrThrow()
  return row.has_usage === 1
}

export async function confirmUsage(registry: Registry): Promise<void> {
  await registry.updateTable('platform').set({ has_usage: 1 }).execute()
}
