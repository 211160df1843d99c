import type { Origin, Verified } from '../../access/identity.ts'
import { isCodeOf, issuePending, issueToken } from '../../access/tokens.ts'
import type { Deps } from '../../deps.ts'
import { noMobileNumber, tooManySms, tooManyTries, unauthorized } from '../../http/errors.ts'
import { phoneNumber } from '../../lib/phone-number.ts'
import { HOUR } from '../../lib/unix-time.ts'
import { lockUser } from '../../registry/dialect.ts'
import { countTry, deleteToken, noteSms, smsSince, type TokenRow } from '../../registry/tokens.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { findUser } from '../../registry/users.ts'

const SMS_PER_HOUR = 10
const TRIES = 5

/** [contract: States] none -> authenticated, or none -> pending second factor. */
export async function login(deps: Deps, { user, needsSecondFactor }: Verified, origin: Origin) {
  const { registry, clock } = deps
  if (!needsSecondFactor) return { token: await issueToken(registry, user.id, clock(), origin) }
  if (!phoneNumber(user.mobile)) throw noMobileNumber()
  await allowSms(deps, user.id)
  const { token, code } = await issuePending(registry, user.id, clock())
  // Not waited for: a provider that hangs must not hang the sign-in.
  deps.sms
    .send({ kind: 'sms', to: user.mobile, text: `Your Caracal code is ${code}`, code })
    .catch((err) => deps.log.error({ err, user: user.id }, 'the sign-in code could not be sent'))
  return { token, nextstep: 'smslogin' }
}

/** Counted and noted in one go, so that ten at once are ten. */
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

/** [contract: States] pending second factor -> authenticated. The code is good once, for this token. */
export async function finishLogin(
  { registry, identity, clock }: Deps,
  pending: TokenRow,
  { challenge, origin }: { challenge: string; origin: Origin }
): Promise<{ token: string }> {
  const user = await findUser(registry, pending.user_id)
  if (!user || challenge === '') throw unauthorized()
  const retryAfter = identity.throttle.wait(user.email, origin.address)
  if (retryAfter > 0) throw tooManyTries(retryAfter)
  identity.throttle.tried(user.email, origin.address)
  // Counted before it is looked at, so that five guesses at once are five.
  const isHeard = await countTry(registry, pending.id, TRIES)
  if (!isHeard || !isCodeOf(pending, challenge)) throw unauthorized()
  const isFirst = await inTransaction(registry, (registry) =>
    deleteToken(registry, pending, clock())
  )
  if (!isFirst) throw unauthorized()
  identity.throttle.succeeded(user.email, origin.address)
  return { token: await issueToken(registry, user.id, clock(), origin) }
}
