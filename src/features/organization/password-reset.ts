import type { Deps } from '../../deps.ts'
import { sendResetKey } from '../../notify/password-key.ts'
import { mayHandOut } from '../../permission/delegation.ts'
import type { Principal } from '../../permission/principal.ts'
import { organizationsBelow } from '../../registry/organizations.ts'
import { listRoles } from '../../registry/roles.ts'
import { inTransaction } from '../../registry/transaction.ts'
import { forgetPasswords, usersToReset } from '../../registry/users.ts'

type Member = { id: number; email: string }

/** Deletes the passwords of members and returns the users who need a new one. [ADR-0024] */
export async function forcePasswordReset(
  deps: Deps,
  principal: Principal,
  id: number
): Promise<Member[]> {
  const { registry, directory, clock } = deps
  return inTransaction(registry, async (registry) => {
    const roles = await listRoles(registry)
    const users = await usersToReset(registry, {
      within: await organizationsBelow(registry, [id]),
      reach: [...principal.organizationsBelow],
      roles: roles.filter((role) => mayHandOut(principal, directory, role)).map(({ id }) => id),
      except: principal.userId
    })
    const ids = users.map((user) => user.id)
    await forgetPasswords(registry, ids, clock())
    return users
  })
}

/** Sends a key to each user, one after the other. */
export async function mailKeys(deps: Deps, users: readonly Member[]): Promise<void> {
  for (const user of users) {
    await sendResetKey(deps, user, 'forced').catch((err) =>
      deps.log.error({ err, user: user.id }, 'the key for a new password could not be sent')
    )
  }
}
