import { type Selectable, type SqlBool, sql } from 'kysely'
import { deleteUnlessUsed } from '../../registry/delete-unused.ts'
import { isOneOf } from '../../registry/dialect.ts'
import type { Registry, Tables } from '../../registry/tables.ts'

type Row = Selectable<Tables['notification_executors']>

export type ExecutorRecord = Omit<Row, 'config'> & { config: Record<string, string> }
export type ExecutorFields = Pick<
  ExecutorRecord,
  'organization_id' | 'type' | 'name' | 'config' | 'secret'
>

const recordOf = (row: Row): ExecutorRecord => ({ ...row, config: JSON.parse(row.config) })

/** A condition for `notification_executors`: the installation's organization and those above it. */
export const isOfInstallation = (installationId: number) =>
  sql<SqlBool>`notification_executors.organization_id in (
    with recursive above(id, parent_id) as (
      select id, parent_id from organizations
      where id = (select organization_id from installations where id = ${installationId})
      union
      select parent.id, parent.parent_id
      from organizations as parent join above on parent.id = above.parent_id
    ) select id from above)`

export async function listInstallationExecutors(
  registry: Registry,
  installationId: number
): Promise<ExecutorRecord[]> {
  const rows = await registry
    .selectFrom('notification_executors')
    .selectAll()
    .where(isOfInstallation(installationId))
    .orderBy('id')
    .execute()
  return rows.map(recordOf)
}

export async function findInstallationExecutor(
  registry: Registry,
  installationId: number,
  id: number
): Promise<ExecutorRecord | undefined> {
  const row = await registry
    .selectFrom('notification_executors')
    .selectAll()
    .where('id', '=', id)
    .where(isOfInstallation(installationId))
    .executeTakeFirst()
  return row && recordOf(row)
}

const within = (registry: Registry, organizationIds: readonly number[]) =>
  isOneOf(registry, sql.ref('notification_executors.organization_id'), organizationIds)

export async function listExecutors(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<ExecutorRecord[]> {
  const rows = await registry
    .selectFrom('notification_executors')
    .selectAll()
    .where(within(registry, organizationIds))
    .orderBy('id')
    .execute()
  return rows.map(recordOf)
}

export async function findExecutor(
  registry: Registry,
  organizationIds: readonly number[],
  id: number
): Promise<ExecutorRecord | undefined> {
  const row = await registry
    .selectFrom('notification_executors')
    .selectAll()
    .where('id', '=', id)
    .where(within(registry, organizationIds))
    .executeTakeFirst()
  return row && recordOf(row)
}

export async function organizationOfExecutor(
  registry: Registry,
  id: number
): Promise<number | undefined> {
  const row = await registry
    .selectFrom('notification_executors')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.organization_id
}

/** Undefined if the organization already has `most` executors. */
export const insertExecutor = (
  registry: Registry,
  { config, ...fields }: ExecutorFields,
  { most, now }: { most: number; now: number }
): Promise<ExecutorRecord | undefined> =>
  registry.transaction().execute(async (registry) => {
    const { count } = await registry
      .selectFrom('notification_executors')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('organization_id', '=', fields.organization_id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= most) return undefined
    const row = await registry
      .insertInto('notification_executors')
      .values({ ...fields, config: JSON.stringify(config), created: now, updated: now })
      .returningAll()
      .executeTakeFirstOrThrow()
    return recordOf(row)
  })

/** Only the fields that are given are written. */
export async function updateExecutor(
  registry: Registry,
  organizationIds: readonly number[],
  id: number,
  { config, ...fields }: Partial<ExecutorFields> & { updated: number }
): Promise<ExecutorRecord | undefined> {
  const row = await registry
    .updateTable('notification_executors')
    .set({ ...fields, ...(config && { config: JSON.stringify(config) }) })
    .where('id', '=', id)
    .where(within(registry, organizationIds))
    .returningAll()
    .executeTakeFirst()
  return row && recordOf(row)
}

export const deleteExecutor = (
  registry: Registry,
  organizationIds: readonly number[],
  id: number
) =>
  deleteUnlessUsed(registry, {
    ...{ table: 'notification_executors', id },
    within: within(registry, organizationIds),
    usedIn: { table: 'notification_outputs', column: 'notification_output_executor_id' }
  })

/** Removes the executors of deleted organizations, and the outputs elsewhere that use them. */
export async function removeExecutors(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<void> {
  await registry
    .deleteFrom('notification_outputs')
    .where('notification_output_executor_id', 'in', (eb) =>
      eb.selectFrom('notification_executors').select('id').where(within(registry, organizationIds))
    )
    .execute()
  await registry
    .deleteFrom('notification_executors')
    .where(within(registry, organizationIds))
    .execute()
}
