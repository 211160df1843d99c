import type { Deps } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { hashPassword } from '../../identity/password.ts'
import { hasEnded, hashToken } from '../../identity/tokens.ts'
import { passwordFault } from '../../lib/password-rules.ts'
import { sendResetKey } from '../../notify/password-key.ts'
import { isForAdministrators } from '../../permission/delegation.ts'
import { confirmRegistration, findRegistration } from '../../registry/registrations.ts'
import type { Registry } from '../../registry/tables.ts'
import { deleteToken, endSessions, findToken, type TokenRow } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { findUserByEmail, updateUser } from '../../registry/users.ts'

/** Sends a key if the account exists. */
export async function askForResetKey(deps: Deps, email: string): Promise<void> {
  const user = await findUserByEmail(deps.registry, email)
  if (user) await sendResetKey(deps, user, 'asked')
}

type Change = { password_hash: string; now: number }

/** Returns the user id. The key works once. It stays valid if the rules refuse the password. */
export async function setNewPassword(
  { registry, clock }: Deps,
  key: string,
  password: string
): Promise<number> {
  const apply = await whatOpens(registry, hashToken(key), clock())
  if (!apply) throw badRequest('the key is not valid')
  const fault = passwordFault(password)
  if (fault) throw badRequest(fault)
  const password_hash = await hashPassword(password, hashToken(key))
  return inTransaction(registry, async (registry) => {
    const userId = await apply(registry, { password_hash, now: clock() })
    if (userId === undefined) throw badRequest('the key is not valid')
    return userId
  })
}

/** Finds what the key does: it sets the password of an account, or completes a registration. */
async function whatOpens(registry: Registry, hash: string, now: number) {
  const token = await findToken(registry, hash, ['reset'])
  if (token && !hasEnded(token, now)) return replacePassword(token)
  const registration = await findRegistration(registry, hash)
  if (!registration || registration.expires <= now) return undefined
  return (registry: Registry, change: Change) =>
    confirmRegistration(registry, registration, { ...change, isTooMuch: isForAdministrators })
}

const replacePassword =
  (token: TokenRow) =>
  async (registry: Registry, { password_hash, now }: Change): Promise<number | undefined> => {
    if (!(await deleteToken(registry, token, now))) return undefined
    await updateUser(registry, token.user_id, { password_hash }, now)
    await endSessions(registry, token.user_id, { now })
    return token.user_id
  }
