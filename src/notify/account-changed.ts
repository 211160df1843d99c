import type { Deps } from '../deps.ts'

export type AccountChange = 'password' | 'e-mail address' | 'mobile number'

/** `password and mobile number`. */
export const namesOf = (changes: readonly AccountChange[]): string => changes.join(' and ')

/** What every address of the account is told. Nothing that somebody wrote goes into the mail. */
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

/** Tells the address the account had, and the one it has now. It is never waited for. */
export function tellAccountChanged(
  { mail, publicUrl, log }: Pick<Deps, 'mail' | 'publicUrl' | 'log'>,
  user: { id: number; addresses: readonly string[] },
  changes: readonly AccountChange[]
): void {
  const text = notice(changes, publicUrl())
  for (const to of new Set(user.addresses)) {
    mail
      .send({ kind: 'mail', to, subject: 'Your account was changed', text })
      .catch((err) => log.error({ err, user: user.id }, 'a changed account could not be told'))
  }
}
