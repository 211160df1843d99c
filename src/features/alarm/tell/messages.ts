import { type Selectable, type SqlBool, sql } from 'kysely'
import { HOUR, SECOND } from '../../../lib/unix-time.ts'
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

/** By the time they are due. */
export const dueMessages = (
  registry: Registry,
  now: number,
  { limit, without }: { limit: number; without: readonly number[] }
): Promise<MessageRow[]> =>
  registry
    .selectFrom('alarm_messages')
    .selectAll()
    .where('is_pending', '=', sql.lit(1))
    .where('due_at', '<=', now)
    .where(sql<SqlBool>`not ${isOneOf(registry, sql.ref('id'), without)}`)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** A clock that was set back must not hold up what was to go out at once. */
export const hurryMessages = (registry: Registry, now: number) =>
  registry
    .updateTable('alarm_messages')
    .set({ due_at: now })
    .where('is_pending', '=', sql.lit(1))
    .where('held_until', '=', 0)
    .where('created', '>', now)
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

/** From now on the messages get no more groups. After a crash they are tried again. */
export const beginTries = (registry: Registry, ids: readonly number[], now: number) =>
  registry
    .updateTable('alarm_messages')
    .set({ tries: sql`tries + 1`, tried_at: now })
    .where(isOneOf(registry, sql.ref('id'), ids))
    .execute()

/** How a try ended. `again`: when it is tried once more; undefined: never. */
export type Tried = { id: number; result: string; address: string; again: number | undefined }

export const endTries = (registry: Registry, tried: readonly Tried[]): Promise<void> =>
  registry.transaction().execute(async (registry) => {
    for (const { id, result, address, again } of tried) {
      const next = again === undefined ? { is_pending: 0 as const } : { due_at: again }
      await registry
        .updateTable('alarm_messages')
        .set({ result, address, ...next })
        .where('id', '=', id)
        .execute()
    }
  })
