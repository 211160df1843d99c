import type { Registry } from './tables.ts'

export type Migration = {
  name: string
  /**
   * Programs that do not know this migration can use the registry after it: it only adds tables,
   * indexes, and columns with a default, and their rows still mean the same. [ADR-0059]
   */
  isAdditive?: true
  up: (registry: Registry) => Promise<void>
}
