import { badRequest } from '../../http/errors.ts'
import { hashToken, newToken } from '../../identity/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import type { MountPlace } from '../../lib/mount.ts'
import { isTopicFilter } from '../../lib/topic.ts'
import type { Registry } from '../../registry/tables.ts'
import { endSessions, insertToken } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { insertUser, type UserFields, updateUser } from '../../registry/users.ts'
import { checkRolePlace, keepAdministrator } from './account.ts'

type Place = { registry: Registry; clock: Clock }

/** The fields have passed all other checks. */
export async function createUser(
  { registry, clock }: Place,
  fields: UserFields & { email: string; role_id: number; organisations: readonly number[] }
): Promise<number> {
  const id = await inTransaction(registry, async (registry) => {
    await checkRolePlace(registry, fields.role_id, fields.organisations)
    return insertUser(registry, fields, clock())
  })
  if (id === undefined) throw badRequest('email is taken')
  return id
}

/** Ends the sessions of the user, except the one that makes the change. API keys stay. */
export const storePassword = (
  { registry, clock }: Place,
  userId: number,
  { password_hash, except }: { password_hash: string; except?: number | undefined }
): Promise<void> =>
  inTransaction(registry, async (registry) => {
    await updateUser(registry, userId, { password_hash }, clock())
    await endSessions(registry, userId, { now: clock(), except })
  })

/** The account and its keys stop working now, and its sessions end. */
export const disableUser = ({ registry, clock }: Place, userId: number): Promise<void> =>
  inTransaction(registry, async (registry) => {
    const now = clock()
    await keepAdministrator(registry, userId, now)
    // The column has whole seconds at the edge; a moment that is just over ends the account at once.
    await updateUser(registry, userId, { expire_at: Math.floor(now / 1000) * 1000 }, now)
    await endSessions(registry, userId, { now })
  })

/** Keys work again. Sessions have ended. */
export const enableUser = ({ registry, clock }: Place, userId: number): Promise<void> =>
  inTransaction(registry, async (registry) => {
    await updateUser(registry, userId, { expire_at: 0 }, clock())
  })

export function requirePermissionNames(permissions: readonly string[] | undefined): void {
  const wrong = permissions?.find((name) => !isTopicFilter(name))
  if (wrong !== undefined) throw badRequest(`permissions: "${wrong}" is not a permission`)
}

/** Answers the key, which is shown once. Only its hash is stored. */
export async function createKey(
  { registry, clock }: Place,
  userId: number,
  key: {
    name: string
    expires: number
    session_timeout: number
    permissions: readonly string[] | undefined
    length?: number | undefined
    mount?: MountPlace | undefined
  }
): Promise<{ id: number; token: string }> {
  const now = clock()
  if (key.expires > 0 && key.expires <= now) throw badRequest('expire is in the past')
  const token = newToken(key.length)
  const id = await insertToken(registry, {
    user_id: userId,
    hash: hashToken(token),
    purpose: 'key',
    name: key.name,
    expires: key.expires,
    session_timeout: key.session_timeout,
    permissions: key.permissions ? JSON.stringify(key.permissions) : null,
    mount: key.mount,
    now
  })
  return { id, token }
}
