import type { Generated } from 'kysely'

declare module '../../registry/tables.ts' {
  interface Tables {
    files: {
      id: Generated<number>
      /** One of the two is null. */
      installation_id: number | null
      organization_id: number | null
      hash: string
      name: string
      mime: string
      size: number
      created: number
      updated: number
    }
    /** The contents in the file store. */
    file_contents: {
      hash: string
      /**
       * When to check whether a file still refers to it, in Unix milliseconds; null = no check
       * needed.
       */
      look_at: number | null
    }
  }
}
