import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Registry } from '../../registry/tables.ts'
import { forgetTrace } from './entries.ts'

/** Deletes in small groups, so that other requests do not wait long for the registry. */
const ENTRIES_PER_ROUND = 500

/** Deletes entries of the trace that are older than `before`. */
export async function sweepTrace(registry: Registry, before: number): Promise<void> {
  while ((await forgetTrace(registry, before, ENTRIES_PER_ROUND)) === ENTRIES_PER_ROUND)
    await nextTurn()
}
