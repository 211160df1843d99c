import type { Deps } from '../deps.ts'

export type AccountChange = 'password' | 'e-mail address' | 'mobile number'

/** For example `password and mobile number`. */
export const namesOf = (changes: readonly AccountChange[]): string => changes.join(' and ')

/** The mail to every address of the account. It contains no text that a caller wrote. */
const notice = (changes: readonly AccountChange[], publicUrl: string): string =>
  [
    `The ${namesOf(changes)} of your account was changed`,
    'by somebody who was signed in as you. The other sign-ins have ended;',
    'API keys still work.',
    '',
    'If it was not you, tell your administrator now.',
    '',
    publicUrl,
    ''
  ].join('\n')

/**
 * Sends the mail to the old and the new address of the account. Does not wait for the mail server.
 */
export function tellAccountChanged(
  { mail, publicUrl, log }: Pick<Deps, 'mail' | 'publicUrl' | 'log'>,
  user: { id: number; addresses: readonly string[] },
  changes: readonly AccountChange[]
): void {
  const text = notice(changes, publicUrl())
  for (const to of new Set(user.addresses)) {
    mail
      .send({ kind: 'mail', to, subject: 'Your account was changed', text })
      .catch((err) =>
        log.error({ err, user: user.id }, 'the mail about a changed account could not be sent')
      )
  }
}
