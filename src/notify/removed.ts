import type { Deps } from '../deps.ts'
import { Turns } from '../lib/turns.ts'
import type { InstallationRef } from '../registry/installations.ts'
import { tellChange } from './change.ts'

/** What follows when installations are gone from the registry: their news, then their values. */
export async function tellRemoved(
  deps: Deps,
  installations: readonly InstallationRef[],
  silent = false
): Promise<void> {
  const turns = new Turns()
  for (const { client_id } of installations) {
    if (turns.isLate()) await turns.next()
    await tellChange(deps, { kind: 'installation', client_id }, silent)
  }
  await deps.directory.catchUp()
  if (installations.length > 0) deps.eraseHistory()
}
