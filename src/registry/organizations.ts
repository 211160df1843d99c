import { type Selectable, sql } from 'kysely'
import { type Address, completeAddress } from '../lib/address.ts'
import type { MetaFilter } from '../lib/meta-filter.ts'
import { recordChange, recordChanges } from './changes.ts'
import { isOneOf } from './dialect.ts'
import { confirmedIds, requireConfirmed } from './id-reserves.ts'
import { flag, type Meta, matchesMeta, readMeta, writeMeta } from './meta.ts'
import { readInParts } from './parts.ts'
import type { Registry, Tables } from './tables.ts'

type OrganizationRow = Selectable<Tables['organizations']>

export type OrganizationRecord = Omit<OrganizationRow, 'address' | 'force_sms_login'> &
  Meta & {
    address: Address
    force_sms_login: boolean
    children: { id: number; name: string }[]
  }

/** The fields to write; an absent field keeps its value. */
export type OrganizationFields = {
  name?: string
  parent_id?: number | null
  address?: Address
  email?: string
  phone?: string
  notes?: string
  force_sms_login?: boolean
  meta?: Readonly<Record<string, string>>
  protected_meta?: Readonly<Record<string, string>>
}

const toRow = ({
  meta: _m,
  protected_meta: _p,
  address,
  force_sms_login,
  ...plain
}: OrganizationFields) => ({
  ...plain,
  ...(address !== undefined && { address: JSON.stringify(address) }),
  ...(force_sms_login !== undefined && { force_sms_login: flag(force_sms_login) })
})

const MAX_ORGANIZATION_LEVELS = 32
const MAX_ORGANIZATIONS_PER_TENANT = 5000

export class TooManyOrganizations extends Error {
  readonly statusCode = 409
}

/** Throws unless these organizations fit below `parent`. `levels` is the depth of their tree. */
async function requireRoom(
  registry: Registry,
  parent: number,
  { ids, levels }: { ids: readonly number[]; levels: number }
): Promise<void> {
  const above = await organizationsAbove(registry, [parent])
  if (above.length + levels > MAX_ORGANIZATION_LEVELS) {
    throw new TooManyOrganizations(`organizations have at most ${MAX_ORGANIZATION_LEVELS} levels`)
  }
  const top = await topOrganization(registry)
  const tenant = (await tenantsOf(registry, [parent])).get(parent) ?? top
  // The limit is for tenants. Only those who reach the top organization create tenants.
  if (tenant === top) return
  const below = await organizationsBelow(registry, [tenant])
  if (new Set([...below, ...ids]).size > MAX_ORGANIZATIONS_PER_TENANT) {
    throw new TooManyOrganizations(
      `a tenant has at most ${MAX_ORGANIZATIONS_PER_TENANT} organizations, counting every level`
    )
  }
}

async function levelsBelow(registry: Registry, id: number): Promise<number> {
  const { rows } = await sql<{ levels: number }>`
    with recursive below(id, level) as (
      select id, 1 from organizations where id = ${id}
      union
      select child.id, below.level + 1
      from organizations as child join below on child.parent_id = below.id
      where below.level <= ${sql.lit(MAX_ORGANIZATION_LEVELS)}
    ) select max(level) as levels from below`.execute(registry)
  return Number(rows[0]?.levels ?? 1)
}

export async function insertOrganization(
  registry: Registry,
  fields: OrganizationFields & { name: string; parent_id: number | null },
  now: number
): Promise<number> {
  if (fields.parent_id !== null) {
    // The new organization has no id yet.
    await requireRoom(registry, fields.parent_id, { ids: [0], levels: 1 })
  }
  const { id, confirmed } = await registry
    .insertInto('organizations')
    .values({
      address: JSON.stringify(completeAddress()),
      email: '',
      phone: '',
      notes: '',
      force_sms_login: 0,
      ...toRow(fields),
      name: fields.name,
      parent_id: fields.parent_id,
      created: now,
      updated: now
    })
    .returning(['id', confirmedIds('organization').as('confirmed')])
    .executeTakeFirstOrThrow()
  requireConfirmed(id, confirmed)
  await writeMeta(registry, 'organization', id, fields)
  // Users who reach the parent now reach the new organization too.
  await recordChange(registry, 'tree', fields.parent_id ?? id, now)
  await recordChange(registry, 'quota', id, now)
  return id
}

export async function updateOrganization(
  registry: Registry,
  id: number,
  fields: OrganizationFields,
  now: number
): Promise<void> {
  const decisive = ['parent_id', 'force_sms_login'] as const
  const before = await registry
    .updateTable('organizations')
    // This locks the row, so nobody changes it between this read and the write below.
    .set({ updated: now })
    .where('id', '=', id)
    .returning(decisive)
    .executeTakeFirst()
  const row = toRow(fields)
  if (row.parent_id && row.parent_id !== before?.parent_id) {
    const ids = await organizationsBelow(registry, [id])
    const levels = await levelsBelow(registry, id)
    await requireRoom(registry, row.parent_id, { ids, levels })
  }
  await registry
    .updateTable('organizations')
    .set({ ...row, updated: now })
    .where('id', '=', id)
    .execute()
  await writeMeta(registry, 'organization', id, fields)
  if (decisive.every((name) => row[name] === undefined || row[name] === before?.[name])) return
  // This concerns users who reached it, users below it, and users who reach its new place.
  await recordChange(registry, 'organization', id, now)
  if (row.parent_id) await recordChange(registry, 'tree', row.parent_id, now)
  if (row.parent_id !== undefined) await recordChange(registry, 'quota', id, now)
}

export async function findOrganization(
  registry: Registry,
  id: number
): Promise<OrganizationRecord | undefined> {
  const [found] = await readOrganizations(registry, [id], { meta: [], seesProtected: [] })
  return found
}

type OrganizationFilter = { meta: readonly MetaFilter[]; seesProtected: readonly number[] }

/**
 * The visible ones, sorted by id, in parts. `seesProtected` says where filters may use protected
 * metadata.
 */
export const listOrganizations = (
  registry: Registry,
  visible: readonly number[],
  filter: OrganizationFilter
): AsyncGenerator<OrganizationRecord[]> =>
  readInParts(
    visible.toSorted((a, b) => a - b),
    (ids) => readOrganizations(registry, ids, filter),
    filter.meta
  )

async function readOrganizations(
  registry: Registry,
  visible: readonly number[],
  filter: OrganizationFilter
): Promise<OrganizationRecord[]> {
  const seesProtected = isOneOf(registry, sql.ref('organizations.id'), filter.seesProtected)
  const rows = await registry
    .selectFrom('organizations')
    .selectAll()
    .where(isOneOf(registry, sql.ref('organizations.id'), visible))
    .where(matchesMeta('organization', filter.meta, seesProtected))
    .orderBy('id')
    .execute()
  const ids = rows.map(({ id }) => id)
  const metaOf = await readMeta(registry, 'organization', ids)
  const children = Map.groupBy(await childrenOf(registry, ids), ({ parent_id }) => parent_id)
  return rows.map((row) => ({
    ...row,
    address: completeAddress(JSON.parse(row.address)),
    force_sms_login: row.force_sms_login === 1,
    children: (children.get(row.id) ?? []).map(({ id, name }) => ({ id, name })),
    ...metaOf(row.id)
  }))
}

const childrenOf = (registry: Registry, ids: readonly number[]) =>
  registry
    .selectFrom('organizations')
    .select(['id', 'name', 'parent_id'])
    .where(isOneOf(registry, sql.ref<number>('parent_id'), ids))
    .orderBy('id')
    .execute()

/** These organizations and all organizations below them. */
export async function organizationsBelow(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive below(id) as (
      select id from organizations where id in (${sql.join(ids)})
      union
      select child.id from organizations as child join below on child.parent_id = below.id
    ) select id from below order by id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** Every organization with its parent. */
export const readParents = (registry: Registry) =>
  registry.selectFrom('organizations').select(['id', 'parent_id']).execute()

/** The root of the tree. It was created first: its id is 1, unless parts were adopted. */
export async function topOrganization(registry: Registry): Promise<number> {
  const row = await registry
    .selectFrom('organizations')
    .select('id')
    .where('parent_id', 'is', null)
    .orderBy('id')
    .executeTakeFirst()
  return row?.id ?? 0
}

/**
 * The tenant of each organization: its ancestor (or itself) directly below the top organization.
 * The top organization is its own tenant.
 */
export async function tenantsOf(
  registry: Registry,
  ids: readonly number[]
): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: number; tenant: number }>`
    with recursive above(id, tenant, parent_id) as (
      select id, id, parent_id from organizations where ${isOneOf(registry, sql.ref('id'), ids)}
      union
      select above.id, parent.id, parent.parent_id
      from organizations as parent join above on parent.id = above.parent_id
      where parent.parent_id is not null
    ) select id, tenant from above where parent_id is null
      or parent_id in (select id from organizations where parent_id is null)`.execute(registry)
  return new Map(rows.map(({ id, tenant }) => [id, tenant]))
}

/** These organizations and all organizations above them. */
export async function organizationsAbove(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    with recursive above(id, parent_id) as (
      select id, parent_id from organizations where id in (${sql.join(ids)})
      union
      select parent.id, parent.parent_id
      from organizations as parent join above on parent.id = above.parent_id
    ) select id from above order by id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** True when one of these organizations, or one above them, requires a second factor. */
export async function forcesSmsLogin(registry: Registry, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return false
  const { rows } = await sql`
    with recursive above(id, parent_id, force_sms_login) as (
      select id, parent_id, force_sms_login from organizations where id in (${sql.join(ids)})
      union
      select parent.id, parent.parent_id, parent.force_sms_login
      from organizations as parent join above on parent.id = above.parent_id
    ) select 1 from above where force_sms_login = 1 limit 1`.execute(registry)
  return rows.length > 0
}

export async function hasChildren(registry: Registry, ids: readonly number[]): Promise<boolean> {
  const child = await registry
    .selectFrom('organizations')
    .select('id')
    .where(isOneOf(registry, sql.ref<number>('parent_id'), ids))
    .limit(1)
    .executeTakeFirst()
  return child !== undefined
}

/** Users who are members of these organizations and of no others. */
export async function usersOnlyIn(registry: Registry, ids: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from user_organizations
    where ${isOneOf(registry, sql.ref('organization_id'), ids)} and user_id not in (
      select user_id from user_organizations
      where not ${isOneOf(registry, sql.ref('organization_id'), ids)})`.execute(registry)
  return rows.map(({ user_id }) => user_id)
}

export async function installationsIn(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  const rows = await registry
    .selectFrom('installations')
    .select('id')
    .where(isOneOf(registry, sql.ref('organization_id'), ids))
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes only the organizations and memberships. Delete what belongs to them first. */
export async function deleteOrganizations(
  registry: Registry,
  ids: readonly number[],
  now: number
): Promise<void> {
  // Remove the links to parents first, so that the rows can be deleted in any order.
  await registry
    .updateTable('organizations')
    .set({ parent_id: null })
    .where(isOneOf(registry, sql.ref('organizations.id'), ids))
    .execute()
  await registry
    .deleteFrom('organizations')
    .where(isOneOf(registry, sql.ref('organizations.id'), ids))
    .execute()
  await recordChanges(registry, 'organization', ids, now)
  await recordChanges(registry, 'quota', ids, now)
}

export const findOrganizationByName = (registry: Registry, name: string) =>
  registry.selectFrom('organizations').select('id').where('name', '=', name).executeTakeFirst()
