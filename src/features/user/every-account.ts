import { type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'

export type Account = {
  id: number
  email: string
  first_name: string
  last_name: string
  role: string
  organisations: number[]
  has_password: boolean
  sms_login: boolean
  /** Unix milliseconds; 0: never. */
  expire_at: number
}

type Page = { search: string; after: number; limit: number }

/** All accounts of the platform, by id. For operators only: there is no scope. */
export async function listAccounts(
  registry: Registry,
  { search, after, limit }: Page
): Promise<{ accounts: Account[]; total: number }> {
  // Not `like`: here `%` and `_` are characters as others are.
  const names = sql`(users.email_folded || ' ' || lower(users.first_name) || ' ' || lower(users.last_name))`
  const wanted = search.toLowerCase()
  const isWanted = sql<SqlBool>`(${wanted} = '' or replace(${names}, ${wanted}, '') <> ${names})`
  const { total } = await registry
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(isWanted)
    .executeTakeFirstOrThrow()
  const rows = await registry
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select([
      ...(['users.id', 'users.email', 'users.first_name', 'users.last_name'] as const),
      ...(['users.sms_login', 'users.expire_at', 'users.password_hash'] as const),
      'roles.name as role'
    ])
    .where(isWanted)
    .where('users.id', '>', after)
    .orderBy('users.id')
    .limit(limit)
    .execute()
  const ids = rows.map(({ id }) => id)
  const links = await registry
    .selectFrom('user_organizations')
    .select(['user_id', 'organization_id'])
    .where(isOneOf(registry, sql.ref('user_id'), ids))
    .orderBy('organization_id')
    .execute()
  const accounts = rows.map(({ password_hash, sms_login, ...row }) => ({
    ...row,
    organisations: links
      .filter(({ user_id }) => user_id === row.id)
      .map(({ organization_id }) => organization_id),
    has_password: password_hash !== '',
    sms_login: sms_login === 1
  }))
  return { accounts, total: Number(total) }
}
