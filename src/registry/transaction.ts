import { lockChanges } from './dialect.ts'
import type { Registry } from './tables.ts'

/**
 * Everything that changes who may what, and what they may it on, goes through here: such writes come
 * one after another, so a check and its write are one, and no two of them wait for each other.
 */
export const inTransaction = <T>(
  registry: Registry,
  work: (registry: Registry) => Promise<T>
): Promise<T> =>
  registry.transaction().execute(async (registry) => {
    await lockChanges(registry)
    return work(registry)
  })
