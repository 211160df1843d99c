import { type SqlBool, sql } from 'kysely'
import { deleteUnlessUsed } from '../../registry/delete-unused.ts'
import { isOneOf } from '../../registry/dialect.ts'
import { flag } from '../../registry/meta.ts'
import type { Registry } from '../../registry/tables.ts'

export type EdgeAppFields = {
  name: string
  category: string
  tags: readonly string[]
  short_description: string
  description: string
  source_url: string
  official: boolean
  public: boolean
}

export type EdgeAppRecord = EdgeAppFields & {
  id: number
  publisher: { id: number; name: string }
  /** At least one version has a name. */
  isPublished: boolean
  created: number
  updated: number
}

const select = (registry: Registry) =>
  registry
    .selectFrom('edge_apps')
    .innerJoin('organizations', 'organizations.id', 'edge_apps.publisher_id')
    .selectAll('edge_apps')
    .select('organizations.name as publisher_name')
    .select(
      sql<number>`(select count(*) from edge_app_versions as v
        where v.app_id = edge_apps.id and v.name is not null)`.as('named')
    )

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>

const recordOf = ({ publisher_id, publisher_name, named, ...row }: Row): EdgeAppRecord => ({
  ...row,
  tags: JSON.parse(row.tags),
  official: row.official === 1,
  public: row.public === 1,
  publisher: { id: publisher_id, name: publisher_name },
  isPublished: Number(named) > 0
})

export async function findEdgeApp(
  registry: Registry,
  id: number
): Promise<EdgeAppRecord | undefined> {
  const row = await select(registry).where('edge_apps.id', '=', id).executeTakeFirst()
  return row && recordOf(row)
}

/** Which apps to list: those of some publishers, and with `isPublicToo` the public ones. */
export type EdgeAppScope = {
  publisherIds: readonly number[]
  isPublicToo: boolean
  /** Also the apps that are configured on these installations; for gateways. */
  installationIds?: readonly number[]
}

export async function listEdgeApps(
  registry: Registry,
  scope: EdgeAppScope
): Promise<EdgeAppRecord[]> {
  const rows = await select(registry)
    .where(isWithin(registry, scope))
    .orderBy('edge_apps.id')
    .execute()
  return rows.map(recordOf)
}

function isWithin(
  registry: Registry,
  { publisherIds, isPublicToo, installationIds = [] }: EdgeAppScope
) {
  return sql<SqlBool>`(
    ${isOneOf(registry, sql.ref('edge_apps.publisher_id'), publisherIds)}
    or (${isPublicToo ? 1 : 0} = 1 and edge_apps.public = 1 and exists (
      select 1 from edge_app_versions as v where v.app_id = edge_apps.id and v.name is not null))
    or exists (select 1 from edge_app_instances as i where i.app_id = edge_apps.id
      and ${isOneOf(registry, sql.ref('i.installation_id'), installationIds)}))`
}

export async function isEdgeAppWithin(
  registry: Registry,
  id: number,
  scope: EdgeAppScope
): Promise<boolean> {
  const row = await registry
    .selectFrom('edge_apps')
    .select('id')
    .where('id', '=', id)
    .where(isWithin(registry, scope))
    .executeTakeFirst()
  return row !== undefined
}

const columnsOf = ({ tags, official, public: isPublic, ...fields }: Partial<EdgeAppFields>) => ({
  ...fields,
  ...(tags && { tags: JSON.stringify(tags) }),
  ...(official !== undefined && { official: flag(official) }),
  ...(isPublic !== undefined && { public: flag(isPublic) })
})

export async function insertEdgeApp(
  registry: Registry,
  publisher_id: number,
  fields: EdgeAppFields,
  now: number
): Promise<number> {
  const { id } = await registry
    .insertInto('edge_apps')
    .values({
      publisher_id,
      ...fields,
      tags: JSON.stringify(fields.tags),
      official: flag(fields.official),
      public: flag(fields.public),
      created: now,
      updated: now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Reads, checks and writes in one transaction. Writes only the given fields. `check` may throw. */
export async function updateEdgeApp(
  registry: Registry,
  id: number,
  fields: Partial<EdgeAppFields>,
  now: number
): Promise<void> {
  await registry
    .updateTable('edge_apps')
    .set({ ...columnsOf(fields), updated: now })
    .where('id', '=', id)
    .execute()
}

/** Deletes an app with its versions, but not while an installation uses it. */
export const deleteEdgeApp = (registry: Registry, publisher_id: number, id: number) =>
  deleteUnlessUsed(registry, {
    ...{ table: 'edge_apps', id },
    within: sql`publisher_id = ${publisher_id}`,
    usedIn: { table: 'edge_app_instances', column: 'app_id' }
  })

/** When the publisher is deleted, the organization above takes over its apps. */
export async function moveEdgeApps(
  registry: Registry,
  from: readonly number[],
  to: number
): Promise<void> {
  await registry
    .updateTable('edge_apps')
    .set({ publisher_id: to })
    .where(isOneOf(registry, sql.ref('publisher_id'), from))
    .execute()
}
