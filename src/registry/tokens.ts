import { recordChange } from './changes.ts'
import type { Registry } from './tables.ts'

export type NewToken = { user_id: number; hash: string; expires: number; now: number }

export async function insertToken(registry: Registry, token: NewToken): Promise<void> {
  const { now, ...row } = token
  await registry
    .insertInto('tokens')
    .values({ ...row, purpose: 'session', created: now, last_used: now })
    .execute()
}

export const findToken = (registry: Registry, hash: string) =>
  registry
    .selectFrom('tokens')
    .select(['id', 'user_id', 'expires', 'last_used'])
    .where('hash', '=', hash)
    .where('purpose', '=', 'session')
    .executeTakeFirst()

export async function touchToken(registry: Registry, id: number, now: number): Promise<void> {
  await registry.updateTable('tokens').set({ last_used: now }).where('id', '=', id).execute()
}

export async function deleteToken(registry: Registry, id: number, now: number): Promise<void> {
  await registry.transaction().execute(async (registry) => {
    await registry.deleteFrom('tokens').where('id', '=', id).execute()
    await recordChange(registry, 'identity', id, now)
  })
}

/** Tokens past their end, or unused for longer than `idle`. */
export async function deleteExpiredTokens(
  registry: Registry,
  { now, idle }: { now: number; idle: number }
): Promise<number> {
  const { numDeletedRows } = await registry
    .deleteFrom('tokens')
    .where((eb) => eb.or([eb('expires', '<=', now), eb('last_used', '<=', now - idle)]))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
