import { hashPassword } from '../../access/password.ts'
import { hasEnded, hashToken, issueResetKey } from '../../access/tokens.ts'
import type { Deps } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { passwordFault } from '../../lib/password-rules.ts'
import { HOUR } from '../../lib/unix-time.ts'
import { lockUser } from '../../registry/dialect.ts'
import { countTokensSince, deleteToken, endSessions, findToken } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { findUserByEmail, updateUser } from '../../registry/users.ts'

const MAILS_PER_HOUR = 5

/** Sends the key, if there is such an account and it was not sent too many already. */
export async function sendResetKey(deps: Deps, email: string): Promise<void> {
  const { registry, clock, mail } = deps
  const user = await findUserByEmail(registry, email)
  if (!user) return
  const now = clock()
  const recent = { purpose: 'reset', since: now - HOUR } as const
  const key = await registry.transaction().execute(async (registry) => {
    await lockUser(registry, user.id)
    const isEnough = (await countTokensSince(registry, user.id, recent)) >= MAILS_PER_HOUR
    return isEnough ? undefined : issueResetKey(registry, user.id, now)
  })
  if (key === undefined) return
  await mail.send({
    kind: 'mail',
    to: user.email,
    subject: 'Your new password',
    text: mailText(key, deps.publicUrl)
  })
}

const mailText = (key: string, publicUrl: string): string =>
  [
    'Someone asked for a new password for this account. This key sets it, once, within 30 minutes:',
    '',
    key,
    '',
    `Without an app: PUT ${publicUrl}/api/v2/auth/reset_password with the key in the header X-API-Key`,
    'and the body {"password": "..."}.',
    '',
    'If it was not you, nothing has to be done.',
    ''
  ].join('\n')

/** Answers whose it is. The key is good once; a password that the rules refuse leaves it good. */
export async function setNewPassword(
  { registry, clock }: Deps,
  key: string,
  password: string
): Promise<number> {
  const token = await findToken(registry, hashToken(key), ['reset'])
  if (!token || hasEnded(token, clock())) throw badRequest('the key is not valid')
  const fault = passwordFault(password)
  if (fault) throw badRequest(fault)
  const password_hash = await hashPassword(password)
  const now = clock()
  await inTransaction(registry, async (registry) => {
    if (!(await deleteToken(registry, token, now))) throw badRequest('the key is not valid')
    await updateUser(registry, token.user_id, { password_hash }, now)
    await endSessions(registry, token.user_id, { now })
  })
  return token.user_id
}
