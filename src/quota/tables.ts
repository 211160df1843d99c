import type { Overrides, PayerKind } from '../lib/quota.ts'

declare module '../registry/tables.ts' {
  interface Tables {
    /** The own quotas of an owner. They replace the defaults. */
    quotas: { kind: PayerKind; id: number; name: keyof Overrides; quota: number }
    /** Bytes of samples that an owner was charged for; see usage.ts. */
    usage: {
      kind: PayerKind
      id: number
      /** The last day with samples, in days since 1970, and the bytes that arrived on it. */
      day: number
      day_bytes: number
      /** All bytes; 0 for organizations, because the rows of their installations have them. */
      bytes: number
      /** All messages that were accepted since messages are counted, on all nodes. */
      messages: number
      /** By the clock of the database. A node finds by it what other nodes wrote. */
      updated: number
    }
    /**
     * The same bytes by the month of the sample (`2025-11`). A row goes when history drops its
     * month.
     */
    usage_months: { installation_id: number; month: string; bytes: number }
  }
}
