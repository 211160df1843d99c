import type { Deps } from '../../deps.ts'
import { noMobileNumber, tooManySms, tooManyTries, unauthorized } from '../../http/errors.ts'
import type { Origin, Verified } from '../../identity/identity.ts'
import { isCodeOf, issuePending, issueToken } from '../../identity/tokens.ts'
import { phoneNumber } from '../../lib/phone-number.ts'
import { HOUR } from '../../lib/unix-time.ts'
import { lockUser } from '../../registry/dialect.ts'
import { countTry, deleteToken, noteSms, smsSince, type TokenRow } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { findUser } from '../../registry/users.ts'

const SMS_PER_HOUR = 10
const MAX_TRIES = 5

/** [contract: States] none -> authenticated, or none -> pending second factor. */
export async function login(deps: Deps, { user, needsSecondFactor }: Verified, origin: Origin) {
  const { registry, clock } = deps
  if (!needsSecondFactor) return { token: await issueToken(registry, user.id, clock(), origin) }
  if (!phoneNumber(user.mobile)) throw noMobileNumber()
  await allowSms(deps, user.id)
  const { token, code } = await issuePending(registry, user.id, clock())
  // Not awaited: a slow SMS provider must not delay the sign-in.
  deps.sms
    .send({ kind: 'sms', to: user.mobile, text: `Your Caracal code is ${code}`, code })
    .catch((err) => deps.log.error({ err, user: user.id }, 'the sign-in code could not be sent'))
  return { token, nextstep: 'smslogin' }
}

/** Counts and records in one transaction, so that parallel sign-ins are all counted. */
function allowSms({ registry, clock }: Deps, userId: number): Promise<void> {
  return registry.transaction().execute(async (registry) => {
    await lockUser(registry, userId)
    const now = clock()
    const sent = await smsSince(registry, userId, now - HOUR)
    const first = sent.at(-SMS_PER_HOUR)
    if (first !== undefined) throw tooManySms(Math.ceil((first + HOUR - now) / 1000))
    await noteSms(registry, userId, now)
  })
}

/**
 * [contract: States] pending second factor -> authenticated. The code works once, for this token.
 */
export async function finishLogin(
  { registry, identity, clock }: Deps,
  pending: TokenRow,
  { challenge, origin }: { challenge: string; origin: Origin }
): Promise<{ token: string }> {
  const user = await findUser(registry, pending.user_id)
  if (!user || challenge === '') throw unauthorized()
  const retryAfter = await identity.throttle.take(user.email, origin.address)
  if (retryAfter > 0) throw tooManyTries(retryAfter)
  // Counted before the check, so that parallel guesses are all counted.
  const isHeard = await countTry(registry, pending.id, MAX_TRIES)
  if (!isHeard || !isCodeOf(pending, challenge)) throw unauthorized()
  const isFirst = await inTransaction(registry, (registry) =>
    deleteToken(registry, pending, clock())
  )
  if (!isFirst) throw unauthorized()
  await identity.throttle.succeeded(user.email, origin.address)
  return { token: await issueToken(registry, user.id, clock(), origin) }
}
