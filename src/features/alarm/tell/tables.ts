import type { Generated } from 'kysely'
import type { Severity } from '../../../lib/alarm/rule.ts'
import type { Channel } from './settings.ts'

declare module '../../../registry/tables.ts' {
  interface Tables {
    alarm_settings: {
      user_id: number
      /** JSON, as in answers. */
      settings: string
      updated: number
    }
    /** One row: the keys by which push services know this platform. */
    push_keys: { id: number; public_key: string; private_key: string }
    push_subscriptions: {
      id: Generated<number>
      user_id: number
      endpoint: string
      p256dh: string
      auth: string
      created: number
    }
    /** Alarms of an installation that are told together. */
    alarm_groups: {
      id: Generated<number>
      installation_id: number
      severity: Severity
      /** 1: no message of these causes went before. 0: what was held after one. */
      is_first: Flag
      created: number
      /** When it is complete. */
      due_at: number
      /** When it was given to the messages of people; null: it still grows. */
      told_at: number | null
    }
    alarm_group_members: { group_id: number; alarm_id: number; how: HowChanged }
    /** When the next message about a rule (0: the gateway) of an installation may be. */
    alarm_causes: { installation_id: number; rule_id: number; next_at: number }
    /** What a user gets or got on a channel. */
    alarm_messages: {
      id: Generated<number>
      user_id: number
      channel: Channel
      /** As it is shown. */
      address: string
      /** The end of the quiet hours or the time of the digest; 0: it goes out at once. */
      held_until: number
      created: number
      due_at: number
      tries: number
      tried_at: number | null
      /** 1: it is still to be sent. */
      is_pending: Flag
      /** `sent`, `failed: ...` or `held`. */
      result: string
    }
    alarm_message_groups: {
      message_id: number
      group_id: number
      /** 0, or how many escalations led to this user. */
      level: number
    }
    alarm_escalations: {
      group_id: number
      /** Who is told then. */
      user_id: number
      level: number
      due_at: number
      is_done: Flag
    }
  }
}

/** `over`: it was raised and cleared while nobody could be told. */
export type HowChanged = 'raised' | 'cleared' | 'over'
