import { type Expression, type Selectable, type SqlBool, sql } from 'kysely'
import { type Address, completeAddress } from '../lib/address.ts'
import type { MetaFilter } from '../lib/meta-filter.ts'
import { recordChange, recordChanges } from './changes.ts'
import { isOneOf } from './dialect.ts'
import { confirmedIds, requireConfirmed } from './id-reserves.ts'
import { flag, type Meta, matchesMeta, readMeta, writeMeta } from './meta.ts'
import { topOrganization } from './organizations.ts'
import { readInParts } from './parts.ts'
import type { Registry, Tables } from './tables.ts'

export type UserRow = Selectable<Tables['users']>

export type UserRecord = Omit<UserRow, 'address' | 'email_folded' | 'sms_login'> &
  Meta & {
    address: Address
    sms_login: boolean
    organisations: number[]
    assigned_installations: number[]
  }

/** The fields to write; an absent field keeps its value. */
export type UserFields = {
  email?: string
  password_hash?: string
  role_id?: number
  first_name?: string
  last_name?: string
  mobile?: string
  note?: string
  address?: Address
  sms_login?: boolean
  expire_at?: number
  organisations?: readonly number[]
  assigned_installations?: readonly number[]
  meta?: Readonly<Record<string, string>>
  protected_meta?: Readonly<Record<string, string>>
}

/**
 * The users that a principal can see: members of these organizations, users of these installations,
 * and the principal itself. `lostToo` adds users who belong to no organization.
 */
export type UserScope = {
  readonly organizationIds: readonly number[]
  readonly installationIds: readonly number[]
  readonly userId: number
  readonly lostToo: boolean
}

const toRow = ({ email, address, sms_login, ...fields }: UserFields) => {
  const {
    organisations: _o,
    assigned_installations: _a,
    meta: _m,
    protected_meta: _p,
    ...plain
  } = fields
  return {
    ...plain,
    ...(email !== undefined && { email, email_folded: email.toLowerCase() }),
    ...(address !== undefined && { address: JSON.stringify(address) }),
    ...(sms_login !== undefined && { sms_login: flag(sms_login) })
  }
}

/** Undefined: a user has this e-mail, in upper or lower case. */
export async function insertUser(
  registry: Registry,
  fields: UserFields & { email: string; role_id: number },
  now: number
): Promise<number | undefined> {
  const inserted = await registry
    .insertInto('users')
    .values({
      password_hash: '',
      first_name: '',
      last_name: '',
      mobile: '',
      note: '',
      address: JSON.stringify(completeAddress()),
      sms_login: 0,
      expire_at: 0,
      ...toRow(fields),
      email: fields.email,
      email_folded: fields.email.toLowerCase(),
      role_id: fields.role_id,
      created: now,
      updated: now
    })
    .onConflict((conflict) => conflict.column('email_folded').doNothing())
    .returning(['id', confirmedIds('user').as('confirmed')])
    .executeTakeFirst()
  if (!inserted) return undefined
  requireConfirmed(inserted.id, inserted.confirmed)
  await writeLinks(registry, inserted.id, fields)
  await recordChange(registry, 'user', inserted.id, now)
  return inserted.id
}

/** False: another user has the e-mail. */
export async function updateUser(
  registry: Registry,
  id: number,
  fields: UserFields,
  now: number
): Promise<boolean> {
  if (fields.email !== undefined) {
    const other = await findUserByEmail(registry, fields.email)
    if (other && other.id !== id) return false
  }
  await registry
    .updateTable('users')
    .set({ ...toRow(fields), updated: now })
    .where('id', '=', id)
    .execute()
  await writeLinks(registry, id, fields)
  await recordChange(registry, 'user', id, now)
  return true
}

async function writeLinks(registry: Registry, user_id: number, fields: UserFields): Promise<void> {
  const { organisations, assigned_installations } = fields
  // An empty list changes nothing, because nobody could reach a user without organizations.
  if (organisations?.length) {
    await registry.deleteFrom('user_organizations').where('user_id', '=', user_id).execute()
    const rows = [...new Set(organisations)].map((organization_id) => ({
      user_id,
      organization_id
    }))
    await registry.insertInto('user_organizations').values(rows).execute()
  }
  if (assigned_installations) {
    await registry.deleteFrom('user_installations').where('user_id', '=', user_id).execute()
    const ids = [...new Set(assigned_installations)]
    const rows = ids.map((installation_id) => ({ user_id, installation_id }))
    if (rows.length > 0) await registry.insertInto('user_installations').values(rows).execute()
  }
  await writeMeta(registry, 'user', user_id, fields)
}

/** Links, tokens, phones and metadata are deleted with the user. [contract: User] */
export async function deleteUser(registry: Registry, id: number, now: number): Promise<void> {
  await registry.deleteFrom('users').where('id', '=', id).execute()
  await recordChange(registry, 'user', id, now)
}

export async function hasMembers(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<boolean> {
  const found = await registry
    .selectFrom('user_organizations')
    .select('user_id')
    .where(isOneOf(registry, sql.ref('organization_id'), organizationIds))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function hasUsers(registry: Registry): Promise<boolean> {
  return (await registry.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export const findUser = (registry: Registry, id: number): Promise<UserRow | undefined> =>
  registry.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

export async function existingUsers(registry: Registry, ids: readonly number[]): Promise<number[]> {
  const rows = await registry
    .selectFrom('users')
    .select('id')
    .where(isOneOf(registry, sql.ref('users.id'), ids))
    .execute()
  return rows.map(({ id }) => id)
}

/** For lists that show many users with nothing but their names. */
export async function namesOfUsers(
  registry: Registry,
  ids: readonly number[]
): Promise<Map<number, string>> {
  const rows = await registry
    .selectFrom('users')
    .select(['id', 'email', 'first_name', 'last_name'])
    .where(isOneOf(registry, sql.ref('users.id'), ids))
    .execute()
  return new Map(
    rows.map(({ id, email, first_name, last_name }) => [
      id,
      `${first_name} ${last_name}`.trim() || email
    ])
  )
}

export const findUserByEmail = (registry: Registry, email: string): Promise<UserRow | undefined> =>
  registry
    .selectFrom('users')
    .selectAll()
    .where('email_folded', '=', email.toLowerCase())
    .executeTakeFirst()

export async function readUser(registry: Registry, id: number): Promise<UserRecord | undefined> {
  const row = await findUser(registry, id)
  return row && (await withLinks(registry, [row]))[0]
}

/** Sorted by id, in parts. */
export async function* listUsers(
  registry: Registry,
  scope: UserScope,
  filter: { meta: readonly MetaFilter[]; seesProtected: UserScope }
): AsyncGenerator<UserRecord[]> {
  const all = await registry
    .selectFrom('users')
    .select('id')
    .where(isUserWithin(registry, scope))
    .orderBy('id')
    .execute()
  const read = async (ids: readonly number[]) => {
    const rows = await registry
      .selectFrom('users')
      .selectAll()
      .where(isOneOf(registry, sql.ref('users.id'), ids))
      .where(matchesMeta('user', filter.meta, isUserWithin(registry, filter.seesProtected)))
      .orderBy('id')
      .execute()
    return withLinks(registry, rows)
  }
  const ids = all.map(({ id }) => id)
  yield* readInParts(ids, read, filter.meta)
}

/** Those of these users who are within the scope. */
export async function visibleUsers(
  registry: Registry,
  ids: readonly number[],
  scope: UserScope
): Promise<Set<number>> {
  const rows = await registry
    .selectFrom('users')
    .select('id')
    .where(isOneOf(registry, sql.ref('users.id'), ids))
    .where(isUserWithin(registry, scope))
    .execute()
  return new Set(rows.map((row) => row.id))
}

/** Only those who reach the top organization can see such a user. */
const isLost = sql<SqlBool>`not exists (
  select 1 from user_organizations as uo where uo.user_id = users.id)`

/** Users who belong to no organization. */
export async function lostUsers(registry: Registry): Promise<{ id: number; email: string }[]> {
  return registry.selectFrom('users').select(['id', 'email']).where(isLost).orderBy('id').execute()
}

/** A condition for queries that read from `users`. */
export const isUserWithin = (registry: Registry, scope: UserScope): Expression<SqlBool> =>
  sql<SqlBool>`(users.id = ${scope.userId}
    or (${sql.lit(flag(scope.lostToo))} = 1 and ${isLost})
    or exists (select 1 from user_organizations as uo where uo.user_id = users.id
      and ${isOneOf(registry, sql.ref('uo.organization_id'), scope.organizationIds)})
    or exists (select 1 from user_installations as ui where ui.user_id = users.id
      and ${isOneOf(registry, sql.ref('ui.installation_id'), scope.installationIds)}))`

async function withLinks(registry: Registry, rows: UserRow[]): Promise<UserRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const metaOf = await readMeta(registry, 'user', ids)
  const organizations = await linksOf(registry, 'organization', ids)
  const installations = await linksOf(registry, 'installation', ids)
  return rows.map(({ email_folded: _, ...row }) => ({
    ...row,
    address: completeAddress(JSON.parse(row.address)),
    sms_login: row.sms_login === 1,
    organisations: organizations.get(row.id) ?? [],
    assigned_installations: installations.get(row.id) ?? [],
    ...metaOf(row.id)
  }))
}

async function linksOf(
  registry: Registry,
  target: 'organization' | 'installation',
  userIds: readonly number[]
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ user_id: number; target_id: number }>`
    select user_id, ${sql.ref(`${target}_id`)} as target_id from ${sql.table(`user_${target}s`)}
    where ${isOneOf(registry, sql.ref('user_id'), userIds)} order by target_id`.execute(registry)
  const found = new Map<number, number[]>()
  for (const { user_id, target_id } of rows) {
    const ids = found.get(user_id)
    if (ids) ids.push(target_id)
    else found.set(user_id, [target_id])
  }
  return found
}

/** What decides a user's rights: the role, the organizations, the assigned installations. */
export async function readRights(registry: Registry, userId: number) {
  const user = await registry
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'users.expire_at', 'role_id', 'roles.priority', 'roles.permissions'])
    .where('users.id', '=', userId)
    .executeTakeFirst()
  return (
    user && {
      ...user,
      organizationIds: await organizationsOf(registry, userId),
      installationIds: (await linksOf(registry, 'installation', [userId])).get(userId) ?? []
    }
  )
}

export async function organizationsOf(registry: Registry, userId: number): Promise<number[]> {
  return (await linksOf(registry, 'organization', [userId])).get(userId) ?? []
}

/**
 * How many other users of the top organization have every permission (`#`) and have not expired.
 */
export async function otherAdministrators(
  registry: Registry,
  { without, role, now }: { without: readonly number[]; role?: number; now: number }
): Promise<number> {
  const top = await topOrganization(registry)
  const roles = await registry.selectFrom('roles').select(['id', 'permissions']).execute()
  const all = roles
    .filter(({ id, permissions }) => id !== role && JSON.parse(permissions)['#'] === true)
    .map(({ id }) => id)
  const users = await registry
    .selectFrom('users')
    .select('id')
    .where(isOneOf(registry, sql.ref('role_id'), all))
    .where((eb) => eb.or([eb('expire_at', '=', 0), eb('expire_at', '>', now)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('user_organizations as uo')
          .select('uo.user_id')
          .whereRef('uo.user_id', '=', 'users.id')
          .where('uo.organization_id', '=', top)
      )
    )
    .execute()
  return users.filter(({ id }) => !without.includes(id)).length
}

/**
 * Users with a password and one of these roles. They belong to an organization of `within`, and to
 * none outside `reach`.
 */
export async function usersToReset(
  registry: Registry,
  {
    within,
    reach,
    roles,
    except
  }: {
    within: readonly number[]
    reach: readonly number[]
    roles: readonly number[]
    except: number
  }
): Promise<{ id: number; email: string }[]> {
  const { rows } = await sql<{ id: number; email: string }>`
    select users.id, users.email from users
    where users.password_hash <> '' and users.id <> ${except}
      and ${isOneOf(registry, sql.ref('users.role_id'), roles)}
      and exists (select 1 from user_organizations as uo where uo.user_id = users.id
        and ${isOneOf(registry, sql.ref('uo.organization_id'), within)})
      and not exists (select 1 from user_organizations as uo where uo.user_id = users.id
        and not ${isOneOf(registry, sql.ref('uo.organization_id'), reach)})
    order by users.id`.execute(registry)
  return rows
}

/** Deletes the passwords and ends all sessions. API keys stay. */
export async function forgetPasswords(
  registry: Registry,
  ids: readonly number[],
  now: number
): Promise<void> {
  if (ids.length === 0) return
  await registry
    .updateTable('users')
    .set({ password_hash: '', updated: now })
    .where(isOneOf(registry, sql.ref('users.id'), ids))
    .execute()
  await registry
    .deleteFrom('tokens')
    .where(isOneOf(registry, sql.ref('user_id'), ids))
    .where('purpose', '!=', 'key')
    .execute()
  await recordChanges(registry, 'user', ids, now)
}
