import { type Selectable, sql } from 'kysely'
import type { MountPlace } from '../lib/mount.ts'
import { recordChange } from './changes.ts'
import { isOneOf } from './dialect.ts'
import type { Registry, Tables, TokenPurpose } from './tables.ts'

export type TokenRow = Selectable<Tables['tokens']>

/**
 * In front of the hash of a mounted key. A program that does not know mounts does not find such a
 * key; it would take it for one without a mount. [ADR-0062]
 */
const MOUNTED = 'mount$'

export type NewToken = Pick<TokenRow, 'user_id' | 'hash' | 'purpose'> &
  Partial<
    Pick<
      TokenRow,
      'expires' | 'session_timeout' | 'name' | 'agent' | 'address' | 'permissions' | 'code_hash'
    >
  > & { mount?: MountPlace | undefined; now: number }

export async function insertToken(
  registry: Registry,
  { now, mount, ...row }: NewToken
): Promise<number> {
  const { id } = await registry
    .insertInto('tokens')
    .values({
      expires: 0,
      session_timeout: 0,
      name: '',
      agent: '',
      address: '',
      permissions: null,
      code_hash: '',
      tries: 0,
      ...row,
      hash: mount ? MOUNTED + row.hash : row.hash,
      mount_installation_id: mount?.installation_id ?? null,
      mount_prefix: mount?.prefix ?? null,
      created: now,
      last_used: now
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const findToken = (
  registry: Registry,
  hash: string,
  purposes: readonly TokenPurpose[]
): Promise<TokenRow | undefined> =>
  registry
    .selectFrom('tokens')
    .selectAll()
    .where('hash', 'in', [hash, MOUNTED + hash])
    .where('purpose', 'in', purposes)
    .executeTakeFirst()

export const mountOf = ({
  mount_installation_id,
  mount_prefix
}: Pick<TokenRow, 'mount_installation_id' | 'mount_prefix'>): MountPlace | undefined =>
  mount_installation_id === null || mount_prefix === null
    ? undefined
    : { installation_id: mount_installation_id, prefix: mount_prefix }

export async function existingTokens(
  registry: Registry,
  ids: readonly number[]
): Promise<number[]> {
  const rows = await registry
    .selectFrom('tokens')
    .select('id')
    .where(isOneOf(registry, sql.ref('tokens.id'), ids))
    .execute()
  return rows.map(({ id }) => id)
}

/** The sessions and API keys of a user, oldest first. */
export const listTokens = (registry: Registry, userId: number): Promise<TokenRow[]> =>
  registry
    .selectFrom('tokens')
    .selectAll()
    .where('user_id', '=', userId)
    .where('purpose', 'in', ['session', 'key'])
    .orderBy('id')
    .execute()

export async function touchToken(
  registry: Registry,
  id: number,
  used: { now: number; agent: string; address: string }
): Promise<void> {
  await registry
    .updateTable('tokens')
    .set({ last_used: used.now, agent: used.agent, address: used.address })
    .where('id', '=', id)
    .execute()
}

/** Counts one guess. False when there were already `most` guesses. */
export async function countTry(registry: Registry, id: number, most: number): Promise<boolean> {
  const { numUpdatedRows } = await registry
    .updateTable('tokens')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('tries', '<', most)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** When several callers try at once, exactly one gets true. */
export async function deleteToken(
  registry: Registry,
  { id, user_id }: { id: number; user_id: number },
  now: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('tokens')
    .where('id', '=', id)
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await recordChange(registry, 'user', user_id, now)
  return numDeletedRows > 0n
}

/** Ends the sessions of a user, pending sign-ins and reset keys. API keys stay. */
export async function endSessions(
  registry: Registry,
  userId: number,
  { now, except }: { now: number; except?: number | undefined }
): Promise<void> {
  await registry
    .deleteFrom('tokens')
    .where('user_id', '=', userId)
    .where('purpose', '!=', 'key')
    .$if(except !== undefined, (query) => query.where('id', '!=', except ?? 0))
    .execute()
  await recordChange(registry, 'user', userId, now)
}

export async function countTokensSince(
  registry: Registry,
  userId: number,
  { purpose, since }: { purpose: TokenPurpose; since: number }
): Promise<number> {
  const { count } = await registry
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('created', '>', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function deleteExpiredTokens(registry: Registry, now: number): Promise<void> {
  await registry
    .deleteFrom('tokens')
    .where((eb) =>
      eb.or([
        eb.and([eb('expires', '>', 0), eb('expires', '<=', now)]),
        eb.and([
          eb('session_timeout', '>', 0),
          eb(eb('last_used', '+', eb.ref('session_timeout')), '<=', now)
        ])
      ])
    )
    .execute()
}

/**
 * The times at which SMS were sent to a user, oldest first. Older entries than `since` are deleted.
 */
export async function smsSince(
  registry: Registry,
  userId: number,
  since: number
): Promise<number[]> {
  await registry.deleteFrom('sms_log').where('created', '<=', since).execute()
  const rows = await registry
    .selectFrom('sms_log')
    .select('created')
    .where('user_id', '=', userId)
    .orderBy('created')
    .execute()
  return rows.map(({ created }) => created)
}

export async function noteSms(registry: Registry, userId: number, now: number): Promise<void> {
  await registry.insertInto('sms_log').values({ user_id: userId, created: now }).execute()
}
