import type { Static } from 'typebox'
import type { Deps } from '../../deps.ts'
import { hashToken, newToken, RESET_FOR_MS } from '../../identity/tokens.ts'
import { completeAddress } from '../../lib/address.ts'
import { HOUR } from '../../lib/unix-time.ts'
import { MAILS_PER_HOUR, mailKey, sendResetKey } from '../../notify/password-key.ts'
import {
  countOpenRegistrations,
  countRegistrationsOf,
  insertRegistration
} from '../../registry/registrations.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { findUserByEmail } from '../../registry/users.ts'
import { policyFor } from './policies.ts'
import type { Registration } from './schema.ts'

const MAX_OPEN_PER_POLICY = 1000

/** Sends a key if a policy allows the address. Using the key creates the account. [ADR-0024] */
export async function register(deps: Deps, body: Static<typeof Registration>): Promise<void> {
  const { registry, clock, log } = deps
  const { email, first_name, last_name } = body
  const known = await findUserByEmail(registry, email)
  if (known) return sendResetKey(deps, known, 'known')
  const policy = await policyFor(registry, email)
  if (!policy) return
  const key = newToken()
  const isNoted = await inTransaction(registry, async (registry) => {
    const now = clock()
    if ((await countRegistrationsOf(registry, email, now - HOUR)) >= MAILS_PER_HOUR) return false
    if ((await countOpenRegistrations(registry, policy.id, now)) >= MAX_OPEN_PER_POLICY) {
      log.warn({ policy: policy.id }, 'too many open registrations for one policy')
      return false
    }
    await insertRegistration(registry, {
      key_hash: hashToken(key),
      policy_id: policy.id,
      ...{ email, first_name, last_name },
      address: JSON.stringify(completeAddress(body.address ?? {})),
      created: now,
      expires: now + RESET_FOR_MS
    })
    return true
  })
  if (isNoted) await mailKey(deps, email, key, 'registered')
}
