import { sql } from 'kysely'
import { fold } from '../lib/meta-filter.ts'
import { recordChange } from './changes.ts'
import { isOneOf } from './dialect.ts'
import type { Registry } from './tables.ts'

export type NewUser = {
  email: string
  password_hash: string
  role_id: number
  first_name: string
  last_name: string
  organisations: readonly number[]
  now: number
}

export async function insertUser(registry: Registry, user: NewUser): Promise<number> {
  const { organisations, now, ...row } = user
  const { id } = await registry
    .insertInto('users')
    .values({
      ...row,
      email_folded: fold(user.email),
      mobile: '',
      note: '',
      address: '{}',
      sms_login: 0,
      expire_at: 0,
      created: now,
      updated: now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (organisations.length > 0) {
    await registry
      .insertInto('user_organizations')
      .values(organisations.map((organization_id) => ({ user_id: id, organization_id })))
      .execute()
  }
  await recordChange(registry, 'identity', id, now)
  return id
}

export async function hasUsers(registry: Registry): Promise<boolean> {
  return (await registry.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export const findUser = (registry: Registry, id: number) =>
  registry.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

export const findUserByEmail = (registry: Registry, email: string) =>
  registry
    .selectFrom('users')
    .selectAll()
    .where('email_folded', '=', fold(email))
    .executeTakeFirst()

/** What decides a user's rights: the role, the organizations, the assigned installations. */
export async function readRights(registry: Registry, userId: number) {
  const user = await registry
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select(['users.id', 'users.email', 'users.expire_at', 'roles.priority', 'roles.permissions'])
    .where('users.id', '=', userId)
    .executeTakeFirst()
  if (!user) return undefined
  return {
    ...user,
    organizationIds: await organizationsOf(registry, userId),
    installationIds: await installationsOf(registry, userId)
  }
}

export async function organizationsOf(registry: Registry, userId: number): Promise<number[]> {
  const rows = await registry
    .selectFrom('user_organizations')
    .select('organization_id')
    .where('user_id', '=', userId)
    .orderBy('organization_id')
    .execute()
  return rows.map((row) => row.organization_id)
}

export async function installationsOf(registry: Registry, userId: number): Promise<number[]> {
  const rows = await registry
    .selectFrom('user_installations')
    .select('installation_id')
    .where('user_id', '=', userId)
    .orderBy('installation_id')
    .execute()
  return rows.map((row) => row.installation_id)
}

/** Of these users, the ones that belong to one of the organizations. */
export async function usersWithin(
  registry: Registry,
  ids: readonly number[],
  organizationIds: readonly number[]
): Promise<Set<number>> {
  const rows = await registry
    .selectFrom('user_organizations')
    .select('user_id')
    .distinct()
    .where(isOneOf(registry, sql.ref('user_id'), ids))
    .where(isOneOf(registry, sql.ref('organization_id'), organizationIds))
    .execute()
  return new Set(rows.map((row) => row.user_id))
}

export async function setPassword(
  registry: Registry,
  id: number,
  { password_hash, now }: { password_hash: string; now: number }
): Promise<void> {
  await registry
    .updateTable('users')
    .set({ password_hash, updated: now })
    .where('id', '=', id)
    .execute()
  await recordChange(registry, 'identity', id, now)
}
