import type { Generated } from 'kysely'
import type { Severity } from '../../lib/alarm/rule.ts'

declare module '../../registry/tables.ts' {
  interface Tables {
    /** Of an installation or of an organization; the other id is null. */
    rules: {
      id: Generated<number>
      installation_id: number | null
      organization_id: number | null
      name: string
      active: Flag
      severity: Severity
      /** JSON: `on`, `when`, `for`, `hysteresis`, `schedule` and `message`, as in answers. */
      definition: string
      created: number
      updated: number
    }
  }
}
