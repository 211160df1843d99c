import type { Generated } from 'kysely'

declare module '../../registry/tables.ts' {
  interface Tables {
    notification_messages: {
      id: Generated<number>
      installation_id: number
      name: string
      text: string
      created: number
      updated: number
    }
    notification_outputs: {
      id: Generated<number>
      installation_id: number
      name: string
      notification_message_id: number
      notification_output_executor_id: number
      /** JSON map of text. */
      config: string
      /** The number of sends so far. It gives each send its slot in `notification_sends`. */
      sends: number
      created: number
      updated: number
    }
    notification_sends: { output_id: number; slot: number; sent: number; outcome: string }
  }
}
