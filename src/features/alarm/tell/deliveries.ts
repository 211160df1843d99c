import { type Selectable, sql } from 'kysely'
import { isOneOf } from '../../../registry/dialect.ts'
import type { Registry, Tables } from '../../../registry/tables.ts'

const DELIVERIES_SHOWN = 1000
/** Of one alarm. It is in few of them: when it was raised, when it was cleared. */
const MAX_GROUPS = 100

export type Delivery = Pick<
  Selectable<Tables['alarm_messages']>,
  'user_id' | 'channel' | 'address' | 'result'
> & { at: number }

/** Newest first. Undefined if the installation has no such alarm. */
export async function listDeliveries(
  registry: Registry,
  installationId: number,
  alarmId: number
): Promise<Delivery[] | undefined> {
  const alarm = await registry
    .selectFrom('alarms')
    .select('id')
    .where('id', '=', alarmId)
    .where('installation_id', '=', installationId)
    .executeTakeFirst()
  if (!alarm) return undefined
  const members = await registry
    .selectFrom('alarm_group_members')
    .select(['group_id', 'how'])
    .where('alarm_id', '=', alarmId)
    .orderBy('group_id', 'desc')
    .limit(MAX_GROUPS)
    .execute()
  const ids = members.map(({ group_id }) => group_id)
  const isIn = isOneOf(registry, sql.ref('group_id'), ids)
  const { rows } = await sql<Delivery & { group_id: number }>`
    select user_id, channel, address, result, group_id, coalesce(tried_at, created) as at
    from alarm_message_groups join alarm_messages on alarm_messages.id = message_id
    where ${isIn} order by message_id desc limit ${sql.lit(DELIVERIES_SHOWN)}`.execute(registry)
  const { rows: firsts } = await sql<{ user_id: number; group_id: number }>`
    select user_id, min(group_id) as group_id
    from alarm_message_groups join alarm_messages on alarm_messages.id = message_id
    where ${isIn} group by user_id`.execute(registry)
  const firstOf = new Map(firsts.map(({ user_id, group_id }) => [user_id, group_id]))
  const howOf = new Map(members.map(({ group_id, how }) => [group_id, how]))
  // The end is told to those who knew of the begin. Others got the message for another alarm.
  return rows
    .filter(
      ({ user_id, group_id }) =>
        howOf.get(group_id) !== 'cleared' || (firstOf.get(user_id) ?? group_id) < group_id
    )
    .map(({ group_id: _, ...delivery }) => delivery)
}
