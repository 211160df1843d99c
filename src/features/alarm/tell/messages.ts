import { type Selectable, type SqlBool, sql } from 'kysely'
import { HOUR, MINUTE, SECOND } from '../../../lib/unix-time.ts'
import { forUpdate, isOneOf } from '../../../registry/dialect.ts'
import type { Registry, Tables } from '../../../registry/tables.ts'
import type { Channel } from './settings.ts'

export type MessageRow = Selectable<Tables['alarm_messages']>

/** Groups of several installations share a message: it waits for others, but not for longer. */
const WAITS_FOR_MS = 1.5 * SECOND
const WAITS_AT_MOST_MS = 4 * SECOND

/** Messages to a user within an hour. What is above is held, and told together. */
export const MESSAGES_PER_HOUR: Readonly<Record<Channel, number>> = {
  mail: 30,
  sms: 10,
  push: 60,
  webhook: 360
}
const DELIVERIES_SHOWN = 1000

export type Recipient = { user_id: number; channel: Channel; address: string; held_until: number }

/** Gives a group to the next message of a user on a channel. `level`: of an escalation. */
export async function addToMessage(
  registry: Registry,
  { user_id, channel, address, held_until }: Recipient,
  { groupId, level, now }: { groupId: number; level: number; now: number }
): Promise<void> {
  // What is on its way has been tried, and gets nothing more.
  const open = await registry
    .selectFrom('alarm_messages')
    .select(['id', 'created', 'due_at'])
    .where('user_id', '=', user_id)
    .where('channel', '=', channel)
    .where('tried_at', 'is', null)
    .where('held_until', '=', held_until)
    .where('is_pending', '=', 1)
    .modifyEnd(forUpdate(registry))
    .executeTakeFirst()
  const id = open?.id ?? (await insertMessage(registry))
  await registry
    .insertInto('alarm_message_groups')
    .values({ message_id: id, group_id: groupId, level })
    .onConflict((conflict) => conflict.columns(['message_id', 'group_id']).doUpdateSet({ level }))
    .execute()
  if (!open || held_until > 0) return
  const due_at = Math.min(open.created + WAITS_AT_MOST_MS, now + WAITS_FOR_MS)
  if (due_at <= open.due_at) return
  await registry.updateTable('alarm_messages').set({ due_at }).where('id', '=', id).execute()

  async function insertMessage(registry: Registry): Promise<number> {
    const { id } = await registry
      .insertInto('alarm_messages')
      .values({
        ...{ user_id, channel, address, held_until, created: now, tries: 0, tried_at: null },
        ...{ due_at: held_until || now + WAITS_FOR_MS, is_pending: 1, result: 'held' }
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  }
}

/** Notes that a user could not be told. */
export async function noteFailure(
  registry: Registry,
  { user_id, channel, address }: Omit<Recipient, 'held_until'>,
  { groupId, level, result, now }: { groupId: number; level: number; result: string; now: number }
): Promise<void> {
  const { id } = await registry
    .insertInto('alarm_messages')
    .values({
      ...{ user_id, channel, address, held_until: 0, created: now, due_at: now, tries: 0 },
      ...{ tried_at: now, is_pending: 0, result }
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await registry
    .insertInto('alarm_message_groups')
    .values({ message_id: id, group_id: groupId, level })
    .execute()
}

/** By the time they are due. What was made in the future comes from a clock that was set back. */
export const dueMessages = (
  registry: Registry,
  now: number,
  { limit, without }: { limit: number; without: readonly number[] }
): Promise<MessageRow[]> =>
  registry
    .selectFrom('alarm_messages')
    .selectAll()
    .where('is_pending', '=', sql.lit(1))
    .where((eb) =>
      eb.or([
        eb('due_at', '<=', now),
        eb.and([eb('held_until', '=', 0), eb('created', '>', now + MINUTE)])
      ])
    )
    .where(sql<SqlBool>`not ${isOneOf(registry, sql.ref('id'), without)}`)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** When the user may get a message on the channel; 0: now. */
export async function nextAllowed(
  registry: Registry,
  { user_id, channel, id }: MessageRow,
  now: number
): Promise<number> {
  const oldest = await registry
    .selectFrom('alarm_messages')
    .select('tried_at')
    .where('user_id', '=', user_id)
    .where('channel', '=', channel)
    .where('tried_at', '>', now - HOUR)
    .where('tried_at', '<=', now)
    .where('id', '!=', id)
    .orderBy('tried_at', 'desc')
    .offset(MESSAGES_PER_HOUR[channel] - 1)
    .limit(1)
    .executeTakeFirst()
  return oldest?.tried_at ? oldest.tried_at + HOUR : 0
}

export const postpone = (registry: Registry, id: number, due_at: number) =>
  registry.updateTable('alarm_messages').set({ due_at }).where('id', '=', id).execute()

/** From now on the message gets no more groups. After a crash it is tried again. */
export const beginTry = (registry: Registry, { id, tries }: MessageRow, now: number) =>
  registry
    .updateTable('alarm_messages')
    .set({ tries: tries + 1, tried_at: now })
    .where('id', '=', id)
    .execute()

/** `again`: when it is tried once more; undefined: never. */
export const endTry = (
  registry: Registry,
  id: number,
  { result, address, again }: { result: string; address: string; again: number | undefined }
) =>
  registry
    .updateTable('alarm_messages')
    .set({ result, address, ...(again === undefined ? { is_pending: 0 } : { due_at: again }) })
    .where('id', '=', id)
    .execute()

/** The user knows of the raising of an alarm whose end is told. Conditions on two tables. */
const knowsOf = (userId: ReturnType<typeof sql>) =>
  sql<SqlBool>`(member.how <> 'cleared' or exists (
    select 1 from alarm_group_members as earlier
    join alarm_message_groups as link on link.group_id = earlier.group_id
    join alarm_messages as message on message.id = link.message_id
    where earlier.alarm_id = member.alarm_id and earlier.group_id < member.group_id
      and message.user_id = ${userId}))`

export type ToldAlarm = Selectable<Tables['alarms']> & {
  group_id: number
  how: 'raised' | 'cleared' | 'over'
  level: number
}

/** The alarms of a message, in parts, in the order of its groups. An alarm may come twice. */
export async function* alarmsOf(
  registry: Registry,
  { id, user_id }: MessageRow,
  limit: number
): AsyncGenerator<ToldAlarm[]> {
  let last = { group: 0, alarm: 0 }
  for (;;) {
    const { rows } = await sql<ToldAlarm>`
      select alarms.*, member.group_id, member.how, given.level
      from alarm_message_groups as given
      join alarm_group_members as member on member.group_id = given.group_id
      join alarms on alarms.id = member.alarm_id
      where given.message_id = ${id} and given.group_id >= ${last.group}
        and (member.group_id, member.alarm_id) > (${last.group}, ${last.alarm})
        and ${knowsOf(sql`${user_id}`)}
      order by member.group_id, member.alarm_id limit ${sql.lit(limit)}`.execute(registry)
    const end = rows.at(-1)
    if (!end) return
    yield rows
    last = { group: end.group_id, alarm: end.id }
  }
}

export type Delivery = Pick<MessageRow, 'user_id' | 'channel' | 'address' | 'result'> & {
  at: number
}

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
  const { rows } = await sql<Delivery>`
    select told.user_id, told.channel, told.address, told.result,
      coalesce(told.tried_at, told.created) as at
    from alarm_group_members as member
    join alarm_message_groups as given on given.group_id = member.group_id
    join alarm_messages as told on told.id = given.message_id
    where member.alarm_id = ${alarmId} and ${knowsOf(sql`told.user_id`)}
    order by told.id desc limit ${sql.lit(DELIVERIES_SHOWN)}`.execute(registry)
  return rows
}
