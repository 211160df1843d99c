import type { Generated } from 'kysely'
import type { Severity } from '../../lib/alarm/rule.ts'

declare module '../../registry/tables.ts' {
  interface Tables {
    alarms: {
      id: Generated<number>
      installation_id: number
      /** 0: the gateway of the installation is gone. The rule may be deleted. */
      rule_id: number
      topic: string
      severity: Severity
      raised_at: number
      acknowledged_at: number | null
      acknowledged_by: number | null
      note: string
      cleared_at: number | null
      value: number | null
      message: string
      /** 0: it was raised by an import or by old values, so nobody is told. */
      is_told: Flag
    }
    /** What the rules of an installation have seen so far, in parts of a limited size. */
    alarm_states: { installation_id: number; part: number; state: string }
  }
}
