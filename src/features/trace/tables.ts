import type { Generated } from 'kysely'
import type { TraceAction, TraceObject } from '../../lib/trace.ts'

declare module '../../registry/tables.ts' {
  interface Tables {
    /** Who changed what, and when. */
    trace: {
      id: Generated<number>
      timestamp: number
      /** 0 = a gateway, or a caller who was not signed in. */
      user_id: number
      method: string
      path: string
      action: TraceAction
      object_type: TraceObject
      /** 0 = not known. */
      object_id: number
      /** The installation or organization of the object at that time; null = none. */
      installation_id: number | null
      organization_id: number | null
      description: string
      /** Where the caller is; empty = not known. */
      address: string
    }
    /** Deleted organizations, and the organizations that were above them. */
    organization_heirs: { organization_id: number; heir_id: number }
  }
}
