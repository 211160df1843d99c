import { lockChanges } from './dialect.ts'
import type { Registry } from './tables.ts'

/**
 * Every change of users, permissions or installations goes through here. Such writes run one after
 * another, so a check and its write belong together, and two writes cannot block each other.
 */
export const inTransaction = <T>(
  registry: Registry,
  work: (registry: Registry) => Promise<T>
): Promise<T> =>
  registry.transaction().execute(async (registry) => {
    await lockChanges(registry)
    return work(registry)
  })
