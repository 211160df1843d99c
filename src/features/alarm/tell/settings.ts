import type { Severity } from '../../../lib/alarm/rule.ts'
import type { Registry } from '../../../registry/tables.ts'

export const channels = ['mail', 'sms', 'push', 'webhook'] as const
export type Channel = (typeof channels)[number]

/** How a user is told of alarms. */
export type AlarmSettings = {
  severities: Severity[]
  channels: Channel[]
  /** Hours without messages, in the zone of the installation. */
  quiet: { from: string; to: string } | null
  /** The time of one message a day, or empty. */
  digest: string
  /** Who is told if nobody acknowledges the alarm. */
  escalate: { after: string; user_id: number } | null
  webhook: string
}

/** Of a user who stored none: nobody is told without having asked for it. */
const noSettings: AlarmSettings = {
  severities: [],
  channels: [],
  quiet: null,
  digest: '',
  escalate: null,
  webhook: ''
}

export const settingsFrom = (json: string): AlarmSettings => JSON.parse(json)

export async function readSettings(registry: Registry, userId: number): Promise<AlarmSettings> {
  const row = await registry
    .selectFrom('alarm_settings')
    .select('settings')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ? settingsFrom(row.settings) : noSettings
}

export async function writeSettings(
  registry: Registry,
  userId: number,
  settings: AlarmSettings,
  now: number
): Promise<void> {
  const row = { settings: JSON.stringify(settings), updated: now }
  await registry
    .insertInto('alarm_settings')
    .values({ user_id: userId, ...row })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
}
