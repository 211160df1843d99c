import type { Deps } from '../deps.ts'
import { Turns } from '../lib/turns.ts'
import type { InstallationRef } from '../registry/installations.ts'
import type { Registry } from '../registry/tables.ts'
import { inTransaction } from '../registry/transaction.ts'
import { tellChange } from './change.ts'

/**
 * Deletes installations in one transaction, sends the notifications, then erases their history.
 * The directory waits for the notifications, otherwise nobody would have the right to get them.
 */
export async function removeAndTell(
  deps: Deps,
  remove: (registry: Registry) => Promise<readonly InstallationRef[]>,
  silent = false
): Promise<void> {
  const told = Promise.withResolvers<void>()
  let installations: readonly InstallationRef[]
  try {
    installations = await inTransaction(deps.registry, async (registry) => {
      const gone = await remove(registry)
      deps.directory.waitFor(told.promise)
      return gone
    })
    const turns = new Turns()
    for (const { client_id } of installations) {
      if (turns.isLate()) await turns.next()
      await tellChange(deps, { kind: 'installation', client_id }, silent)
    }
  } finally {
    told.resolve()
  }
  await deps.directory.catchUp()
  if (installations.length > 0) deps.eraseHistory()
}
