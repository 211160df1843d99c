import type { Deps } from '../deps.ts'
import { issueResetKey } from '../identity/tokens.ts'
import { HOUR } from '../lib/unix-time.ts'
import { lockUser } from '../registry/dialect.ts'
import { countTokensSince } from '../registry/tokens.ts'

export const MAILS_PER_HOUR = 5

/** The first lines of the mail, by reason. Mail servers may break longer lines. */
const reasons = {
  asked: ['Someone asked for a new password for this account.'],
  forced: [
    'Your organization asks everybody for a new password.',
    'The old one and the open sign-ins have ended.'
  ],
  registered: ['Someone registered with this e-mail address.'],
  known: ['Someone registered with this e-mail address, which has an account.']
}
export type KeyReason = keyof typeof reasons

/**
 * Sends a key that sets the password of an account. Sends nothing after too many keys in an hour.
 */
export async function sendResetKey(
  deps: Deps,
  user: { id: number; email: string },
  reason: KeyReason
): Promise<void> {
  const { registry, clock } = deps
  const now = clock()
  const recent = { purpose: 'reset', since: now - HOUR } as const
  const key = await registry.transaction().execute(async (registry) => {
    await lockUser(registry, user.id)
    const isEnough = (await countTokensSince(registry, user.id, recent)) >= MAILS_PER_HOUR
    return isEnough ? undefined : issueResetKey(registry, user.id, now)
  })
  if (key !== undefined) await mailKey(deps, user.email, key, reason)
}

/**
 * The key has a line of its own. The mail contains no text that a caller wrote. The link has the
 * key in its fragment, which a browser sends to no server.
 */
export async function mailKey(
  { mail, publicUrl }: Deps,
  to: string,
  key: string,
  reason: KeyReason
): Promise<void> {
  const url = `${publicUrl()}/api/v2/auth/reset_password`
  const text = [
    ...reasons[reason],
    'Open this page within 30 minutes and choose a password:',
    '',
    `${publicUrl()}/new-password#key=${key}`,
    '',
    'Apps and programs ask for the key alone. It works once:',
    '',
    key,
    '',
    'By a program, with the key in the header X-API-Key',
    'and the body {"password": "..."}:',
    '',
    `PUT ${url}`,
    '',
    ...(reason === 'forced'
      ? ['For another key, with the body {"email": "..."}:', '', `POST ${url}`]
      : ['If it was not you, nothing has to be done.']),
    ''
  ].join('\n')
  const subject = reason === 'registered' ? 'Your registration' : 'Your new password'
  await mail.send({ kind: 'mail', to, subject, text, key })
}
