import { randomInt } from 'node:crypto'
import { type Expression, type SqlBool, sql } from 'kysely'
import type { MetaFilter } from '../lib/meta-filter.ts'
import type { Scope } from '../lib/scope.ts'
import { recordChange } from './changes.ts'
import { isOneOf } from './dialect.ts'
import { confirmedIds, requireConfirmed } from './id-reserves.ts'
import { type Meta, matchesMeta, readMeta, writeMeta } from './meta.ts'
import { readInParts } from './parts.ts'
import { markForSearch, markObjects } from './search-marks.ts'
import type { Registry } from './tables.ts'

export type InstallationRef = { id: number; client_id: number; organization_id: number }

export type InstallationRecord = InstallationRef &
  Meta & {
    name: string
    notes: string
    timezone: string
    capabilities: string[]
    created: number
    users: number[]
  }

export type InstallationFilter = {
  organizationIds?: readonly number[] | undefined
  meta: readonly MetaFilter[]
}

/** The fields to write; an absent field keeps its value. */
export type InstallationFields = {
  name?: string
  notes?: string
  timezone?: string
  organization_id?: number
  users?: readonly number[]
  meta?: Readonly<Record<string, string>>
  protected_meta?: Readonly<Record<string, string>>
}

/** Client ids differ from installation ids on purpose, so a mix-up shows at once. */
const FIRST_CLIENT_ID = 1000
/** Reading so many takes the event loop some milliseconds. */
const REFS_PER_PART = 2000

export const clientIdOfInstallation = (id: number): number => FIRST_CLIENT_ID + id
export const idOfClientId = (clientId: number): number => clientId - FIRST_CLIENT_ID

export async function insertInstallation(
  registry: Registry,
  fields: InstallationFields & { name: string; organization_id: number },
  now: number
): Promise<number> {
  const { id, confirmed } = await registry
    .insertInto('installations')
    .values({
      // A unique placeholder: the real client id needs the id of the row.
      client_id: -randomInt(2 ** 47),
      organization_id: fields.organization_id,
      name: fields.name,
      notes: fields.notes ?? '',
      timezone: fields.timezone ?? '',
      capabilities: '[]',
      created: now,
      updated: now
    })
    .returning(['id', confirmedIds('installation').as('confirmed')])
    .executeTakeFirstOrThrow()
  requireConfirmed(id, confirmed)
  await registry
    .updateTable('installations')
    .set({ client_id: clientIdOfInstallation(id) })
    .where('id', '=', id)
    .execute()
  await writeLinks(registry, id, fields, now)
  await markForSearch(registry, 'installation', [id])
  await recordChange(registry, 'installation', id, now)
  return id
}

/**
 * An id for an installation that will be there later. Until `placeInstallation`, it is among the
 * deleted installations: what already belongs to it is erased after the time `until`, or by the
 * next start.
 */
export const reserveInstallation = (
  registry: Registry,
  organization_id: number,
  { now, until }: { now: number; until: number }
): Promise<InstallationRef> =>
  registry.transaction().execute(async (registry) => {
    const { id, confirmed } = await registry
      .insertInto('installations')
      .values({
        ...{ client_id: -randomInt(2 ** 47), organization_id, name: '', notes: '', timezone: '' },
        ...{ capabilities: '[]', created: now, updated: now }
      })
      .returning(['id', confirmedIds('installation').as('confirmed')])
      .executeTakeFirstOrThrow()
    requireConfirmed(id, confirmed)
    await registry.deleteFrom('installations').where('id', '=', id).execute()
    await registry.insertInto('erasures').values({ installation_id: id, created: until }).execute()
    return { id, client_id: clientIdOfInstallation(id), organization_id }
  })

/** False if the reserved installation was erased meanwhile, or may be by now. */
export async function holdReserved(
  registry: Registry,
  id: number,
  { now, until }: { now: number; until: number }
): Promise<boolean> {
  const { numUpdatedRows } = await registry
    .updateTable('erasures')
    .set({ created: until })
    .where('installation_id', '=', id)
    .where('created', '>', now)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Nobody needs the reserved installation any more. */
export async function giveUpReserved(registry: Registry, id: number, now: number): Promise<void> {
  await registry
    .updateTable('erasures')
    .set({ created: now })
    .where('installation_id', '=', id)
    .execute()
}

/**
 * Makes a reserved installation visible, in the caller's transaction. False if it was erased
 * meanwhile.
 */
export async function placeInstallation(
  registry: Registry,
  { id, client_id, organization_id }: InstallationRef,
  {
    capabilities,
    created,
    ...fields
  }: InstallationFields & { name: string; capabilities: readonly string[]; created: number },
  now: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('erasures')
    .where('installation_id', '=', id)
    .where('created', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  const { name, notes = '', timezone = '' } = fields
  await registry
    .insertInto('installations')
    .values({
      ...{ id, client_id, organization_id, name, notes, timezone, created, updated: now },
      capabilities: JSON.stringify(capabilities)
    })
    .execute()
  await writeLinks(registry, id, fields, now)
  await markForSearch(registry, 'installation', [id])
  await recordChange(registry, 'installation', id, now)
  return true
}

/** The ids of at most two installations with this name. */
export async function installationsNamed(registry: Registry, name: string): Promise<number[]> {
  const rows = await registry
    .selectFrom('installations')
    .select('id')
    .where('name', '=', name)
    .orderBy('id')
    .limit(2)
    .execute()
  return rows.map(({ id }) => id)
}

export async function updateInstallation(
  registry: Registry,
  id: number,
  fields: InstallationFields,
  now: number
): Promise<void> {
  const { name, notes, timezone, organization_id } = fields
  const before = await registry
    .selectFrom('installations')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirst()
  await registry
    .updateTable('installations')
    .set({ name, notes, timezone, organization_id, updated: now })
    .where('id', '=', id)
    .execute()
  await writeLinks(registry, id, fields, now)
  await markForSearch(registry, 'installation', [id])
  // The search index knows the organization of each object.
  const isMoved = organization_id !== undefined && organization_id !== before?.organization_id
  if (isMoved) await markObjects(registry, id)
  await recordChange(registry, 'installation', id, now)
}

async function writeLinks(
  registry: Registry,
  id: number,
  fields: InstallationFields,
  now: number
): Promise<void> {
  if (fields.users) await assign(registry, id, new Set(fields.users), now)
  await writeMeta(registry, 'installation', id, fields)
}

/** Replaces the assigned users. */
async function assign(
  registry: Registry,
  id: number,
  users: ReadonlySet<number>,
  now: number
): Promise<void> {
  const before = await registry
    .deleteFrom('user_installations')
    .where('installation_id', '=', id)
    .returning('user_id')
    .execute()
  const rows = [...users].map((user_id) => ({ user_id, installation_id: id }))
  if (rows.length > 0) await registry.insertInto('user_installations').values(rows).execute()
  const isSame = before.length === users.size && before.every(({ user_id }) => users.has(user_id))
  if (!isSame) await recordChange(registry, 'assignment', id, now)
}

/** The users that any of these installations is assigned to. */
export async function assignedUsers(registry: Registry, ids: readonly number[]): Promise<number[]> {
  const rows = await registry
    .selectFrom('user_installations')
    .select('user_id')
    .distinct()
    .where(isOneOf(registry, sql.ref('installation_id'), ids))
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export async function hasInstallations(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<boolean> {
  const found = await registry
    .selectFrom('installations')
    .select('id')
    .where(isOneOf(registry, sql.ref('organization_id'), organizationIds))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Deletes the row and its links at once. Objects and history follow in the background, see
 * erasures.
 */
export async function deleteInstallations(
  registry: Registry,
  ids: readonly number[],
  now: number
): Promise<void> {
  for (const id of ids) {
    await assign(registry, id, new Set(), now)
    await registry.deleteFrom('installations').where('id', '=', id).execute()
    await registry.deleteFrom('modelx_counts').where('installation_id', '=', id).execute()
    await markForSearch(registry, 'installation', [id])
    await registry.insertInto('erasures').values({ installation_id: id, created: now }).execute()
    await recordChange(registry, 'installation', id, now)
    await recordChange(registry, 'gateway', id, now)
  }
}

export const pendingErasures = (registry: Registry) =>
  registry.selectFrom('erasures').select(['installation_id', 'created']).execute()

export async function finishErasure(registry: Registry, installationId: number): Promise<void> {
  await registry.deleteFrom('erasures').where('installation_id', '=', installationId).execute()
}

/** Installations in their shortest form. */
export const readInstallationRefs = (
  registry: Registry,
  ids: readonly number[]
): Promise<InstallationRef[]> =>
  registry
    .selectFrom('installations')
    .select(['id', 'client_id', 'organization_id'])
    .where(isOneOf(registry, sql.ref('installations.id'), ids))
    .execute()

/** For lists that show many installations with nothing but their names. */
export async function namesOfInstallations(
  registry: Registry,
  ids: readonly number[]
): Promise<Map<number, string>> {
  const rows = await registry
    .selectFrom('installations')
    .select(['id', 'name'])
    .where(isOneOf(registry, sql.ref('installations.id'), ids))
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** All of them by id, in parts. */
export async function* readAllInstallationRefs(
  registry: Registry
): AsyncGenerator<InstallationRef[]> {
  for (let after = 0; ; ) {
    const part = await registry
      .selectFrom('installations')
      .select(['id', 'client_id', 'organization_id'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(REFS_PER_PART)
      .execute()
    const last = part.at(-1)
    if (!last) return
    yield part
    after = last.id
  }
}

export async function findInstallation(
  registry: Registry,
  id: number
): Promise<InstallationRecord | undefined> {
  const row = await registry
    .selectFrom('installations')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && (await withLinks(registry, [row]))[0]
}

/** Sorted by id, in parts. `seesProtected` says where filters may use protected metadata. */
export async function* listInstallations(
  registry: Registry,
  scope: Scope,
  { filter, seesProtected }: { filter: InstallationFilter; seesProtected: Scope }
): AsyncGenerator<InstallationRecord[]> {
  const all = await registry
    .selectFrom('installations')
    .select('id')
    .where(isWithin(registry, scope))
    .$if(filter.organizationIds !== undefined, (query) =>
      query.where(isOneOf(registry, sql.ref('organization_id'), filter.organizationIds ?? []))
    )
    .orderBy('id')
    .execute()
  const read = async (ids: readonly number[]) => {
    const rows = await registry
      .selectFrom('installations')
      .selectAll()
      .where(isOneOf(registry, sql.ref('installations.id'), ids))
      .where(matchesMeta('installation', filter.meta, isWithin(registry, seesProtected)))
      .orderBy('id')
      .execute()
    return withLinks(registry, rows)
  }
  const ids = all.map(({ id }) => id)
  yield* readInParts(ids, read, filter.meta)
}

/** A condition for queries that read from `installations`. */
export function isWithin(registry: Registry, scope: Scope): Expression<SqlBool> {
  const here = sql<SqlBool>`(
    ${isOneOf(registry, sql.ref('installations.organization_id'), scope.organizationIds)}
    or ${isOneOf(registry, sql.ref('installations.id'), scope.installationIds)})`
  return scope.within ? sql<SqlBool>`(${here} and ${isWithin(registry, scope.within)})` : here
}

type Row = Omit<InstallationRecord, keyof Meta | 'users' | 'capabilities'> & {
  capabilities: string
}

async function withLinks(registry: Registry, rows: Row[]): Promise<InstallationRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const metaOf = await readMeta(registry, 'installation', ids)
  const links = await registry
    .selectFrom('user_installations')
    .select(['installation_id', 'user_id'])
    .where(isOneOf(registry, sql.ref('installation_id'), ids))
    .orderBy('user_id')
    .execute()
  const users = Map.groupBy(links, (link) => link.installation_id)
  return rows.map((row) => ({
    ...row,
    ...metaOf(row.id),
    capabilities: JSON.parse(row.capabilities),
    users: (users.get(row.id) ?? []).map((link) => link.user_id)
  }))
}
