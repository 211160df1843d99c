import type { Selectable } from 'kysely'
import type { Registry, Tables } from '../../registry/tables.ts'

export type EdgeAppInstance = Selectable<Tables['edge_app_instances']>
export type EdgeAppInstanceFields = Pick<EdgeAppInstance, 'app_id' | 'version' | 'name' | 'config'>

export const listInstances = (
  registry: Registry,
  installation_id: number
): Promise<EdgeAppInstance[]> =>
  registry
    .selectFrom('edge_app_instances')
    .selectAll()
    .where('installation_id', '=', installation_id)
    .orderBy('id')
    .execute()

export const findInstance = (
  registry: Registry,
  installation_id: number,
  id: number
): Promise<EdgeAppInstance | undefined> =>
  registry
    .selectFrom('edge_app_instances')
    .selectAll()
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()

/** Whether one of the installations uses one of these versions of the app. */
export async function isConfigured(
  registry: Registry,
  app_id: number,
  installationIds: readonly number[],
  versions: readonly string[]
): Promise<boolean> {
  if (installationIds.length === 0) return false
  const row = await registry
    .selectFrom('edge_app_instances')
    .select('id')
    .where('app_id', '=', app_id)
    .where('installation_id', 'in', installationIds)
    .where('version', 'in', versions)
    .executeTakeFirst()
  return row !== undefined
}

export const insertInstance = (
  registry: Registry,
  installation_id: number,
  fields: EdgeAppInstanceFields,
  now: number
): Promise<EdgeAppInstance> =>
  registry
    .insertInto('edge_app_instances')
    .values({ installation_id, ...fields, created: now, updated: now })
    .returningAll()
    .executeTakeFirstOrThrow()

export const updateInstance = (
  registry: Registry,
  installation_id: number,
  id: number,
  fields: EdgeAppInstanceFields,
  now: number
): Promise<EdgeAppInstance | undefined> =>
  registry
    .updateTable('edge_app_instances')
    .set({ ...fields, updated: now })
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .returningAll()
    .executeTakeFirst()

export async function deleteInstance(
  registry: Registry,
  installation_id: number,
  id: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('edge_app_instances')
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
