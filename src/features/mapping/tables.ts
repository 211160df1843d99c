import type { Generated } from 'kysely'

declare module '../../registry/tables.ts' {
  interface Tables {
    /** Of an installation or of an organization; the other id is null. */
    mappings: {
      id: Generated<number>
      installation_id: number | null
      organization_id: number | null
      name: string
      active: Flag
      /** Empty: the values are declared. */
      make: string
      filter: string
      create_missing: Flag
      /** JSON: the declared values, as in answers. */
      rules: string
      created: number
      updated: number
    }
    /**
     * Topics for which a mapping has looked for a function, or made one. A function that somebody
     * deletes is not made again.
     */
    mapped_functions: { installation_id: number; topic: string }
  }
}
