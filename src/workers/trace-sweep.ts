import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Registry } from '../registry/tables.ts'
import { forgetTrace } from '../registry/trace.ts'

/** At a time, so that nobody else waits long for the registry. */
const ENTRIES = 500

/** Entries of the trace that are older go. */
export async function sweepTrace(registry: Registry, before: number): Promise<void> {
  while ((await forgetTrace(registry, before, ENTRIES)) === ENTRIES) await nextTurn()
}
