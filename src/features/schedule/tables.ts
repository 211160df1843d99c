import type { Generated } from 'kysely'

/** A run is taken before it is published, so that no other node runs it too. */
export type RunOutcome = 'taken' | 'published' | 'failed' | 'skipped'

declare module '../../registry/tables.ts' {
  interface Tables {
    schedules: {
      id: Generated<number>
      installation_id: number
      active: Flag
      topic: string
      value: number
      minute: string
      hour: string
      day_of_month: string
      day_of_week: string
      month: string
      executor: string
      created: number
      updated: number
      /** Unix milliseconds; null = never, or the platform does not run it. */
      next_run: number | null
      /** The time zone in which `next_run` was calculated. */
      zone: string
      /** The number of runs so far. It gives each run its slot in `schedule_runs`. */
      runs: number
    }
    schedule_runs: {
      schedule_id: number
      slot: number
      planned: number
      ran: number
      outcome: RunOutcome
    }
  }
}
