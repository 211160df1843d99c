import type { Generated } from 'kysely'

/** block: samples are refused. ignore: samples are passed on but not stored. */
export type BlacklistMode = 'block' | 'ignore'

declare module '../../registry/tables.ts' {
  interface Tables {
    topic_blacklist: {
      id: Generated<number>
      topic: string
      mode: BlacklistMode
      enabled: Flag
      reason: string
      count: number
    }
  }
}
