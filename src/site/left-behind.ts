import { sql } from 'kysely'
import type { Registry, Tables } from '../registry/tables.ts'

/** Something of the installation that does not come along. */
export type LeftBehind = { what: string; count: number; names: string[]; why: string }

/** So many names are listed; `count` has all. */
const MAX_NAMES = 100

/**
 * What happens to each table with rows of an installation. `carried`: they are in the file.
 * `made anew`: the import makes them from the rest. Else: why they stay. A test compares this with
 * the schema. [ADR-0053]
 */
export const tableFates = {
  installations: 'carried',
  installation_meta: 'carried',
  modelx: 'carried',
  schedules: 'carried',
  notification_messages: 'carried',
  notification_outputs: 'carried',
  edge_app_instances: 'carried',
  boards: 'carried',
  mappings: 'carried',
  rules: 'carried',
  files: 'carried',
  quotas: 'carried',
  topic_blacklist: 'carried',
  modelx_counts: 'made anew',
  mapped_functions: 'made anew',
  alarm_states: 'made anew',
  alarm_causes: 'made anew',
  usage: 'made anew',
  usage_months: 'made anew',
  erasures: 'made anew',
  user_installations: 'users belong to their platform: assign users after the import',
  gateways: 'a password is not stored in a readable form: give the gateway new credentials',
  certificates: 'a certificate belongs to its platform: give the devices new certificates',
  tokens: 'keys belong to their users: give the devices new keys with a mount',
  trace: 'the trace says what happened on its platform',
  alarm_groups: 'messages about alarms stay with the alarms',
  alarm_group_members: 'messages about alarms stay with the alarms',
  alarm_message_groups: 'messages about alarms stay with the alarms',
  alarm_escalations: 'messages about alarms stay with the alarms',
  alarms: 'alarms name rules and users of the platform that raised them',
  schedule_runs: 'past runs of schedules belong to the platform that ran them',
  notification_sends: 'past notifications belong to the platform that sent them'
} as const satisfies Partial<Record<keyof Tables, string>>

/** Lists what the installation has and the file has not. */
export async function findLeftBehind(
  registry: Registry,
  installationId: number
): Promise<LeftBehind[]> {
  const users = await registry
    .selectFrom('user_installations')
    .innerJoin('users', 'users.id', 'user_installations.user_id')
    .select('email')
    .where('installation_id', '=', installationId)
    .orderBy('user_id')
    .execute()
  const { rows } = await sql<
    Record<'gateways' | 'certificates' | 'keys' | 'trace' | 'alarms' | 'runs' | 'sends', number>
  >`select
    (select count(*) from gateways where installation_id = ${installationId}) as gateways,
    (select count(*) from certificates where installation_id = ${installationId}
      and revoked is null) as certificates,
    (select count(*) from tokens where mount_installation_id = ${installationId}) as keys,
    (select count(*) from trace where installation_id = ${installationId}) as trace,
    (select count(*) from alarms where installation_id = ${installationId}) as alarms,
    (select count(*) from schedule_runs join schedules on schedules.id = schedule_id
      where installation_id = ${installationId}) as runs,
    (select count(*) from notification_sends join notification_outputs on
      notification_outputs.id = output_id where installation_id = ${installationId}) as sends
    `.execute(registry)
  const { certificates = 0 } = rows[0] ?? {}
  const { gateways = 0, keys = 0, trace = 0, alarms = 0, runs = 0, sends = 0 } = rows[0] ?? {}
  const names = users.slice(0, MAX_NAMES).map(({ email }) => email)
  const counted: LeftBehind[] = [
    { what: 'assigned users', count: users.length, names, why: tableFates.user_installations },
    { what: 'gateway credentials', count: gateways, names: [], why: tableFates.gateways },
    { what: 'certificates', count: certificates, names: [], why: tableFates.certificates },
    { what: 'keys with a mount', count: keys, names: [], why: tableFates.tokens },
    { what: 'trace entries', count: trace, names: [], why: tableFates.trace },
    { what: 'alarms', count: alarms, names: [], why: tableFates.alarms },
    { what: 'runs of schedules', count: runs, names: [], why: tableFates.schedule_runs },
    { what: 'sent notifications', count: sends, names: [], why: tableFates.notification_sends }
  ]
  return counted
    .map((one) => ({ ...one, count: Number(one.count) }))
    .filter(({ count }) => count > 0)
}
