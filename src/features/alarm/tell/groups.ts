import { type Selectable, type SqlBool, sql } from 'kysely'
import { HOUR, MINUTE, SECOND } from '../../../lib/unix-time.ts'
import { isOneOf, skipLocked } from '../../../registry/dialect.ts'
import type { Registry, Tables } from '../../../registry/tables.ts'
import type { HowChanged } from './tables.ts'

export type Group = Selectable<Tables['alarm_groups']>

/** What follows a message of the same cause is held for so long. */
export const HELD_FOR_MS = 10 * MINUTE
/** Causes whose times differ by less share a message. */
const HELD_STEP_MS = 30 * SECOND
/** A first message waits until no more alarms come for so long, but not longer than the other. */
const QUIET_FOR_MS = SECOND
const COLLECTED_FOR_MS = 3 * SECOND
/** What an installation has above that within an hour is held as well. */
const MAX_GROUPS_PER_HOUR = 60
/** What was raised and cleared longer ago, and never seen open, is only counted. */
const LATE_MS = MINUTE
const ALARMS_PER_STEP = 500
const MEMBERS_PER_STEP = 2000

/** As the index says it. */
const isUntold = sql<SqlBool>`is_told = 1 and told <> case when cleared_at is null then 1 else 2 end`

type Changed = {
  id: number
  installation_id: number
  rule_id: number
  severity: Group['severity']
  cleared_at: number | null
  told: number
}

/**
 * Takes some alarms whose state nobody was told of, oldest first, and puts them into groups. Answers
 * false if there were none.
 */
export const takeChanges = (registry: Registry, now: number): Promise<boolean> =>
  registry.transaction().execute(async (registry) => {
    const { rows } = await sql<Changed>`
      select id, installation_id, rule_id, severity, cleared_at, told from alarms
      where ${isUntold} order by id limit ${sql.lit(ALARMS_PER_STEP)}
      ${skipLocked(registry)}`.execute(registry)
    if (rows.length === 0) return false
    const ids = rows.map(({ id }) => id)
    await sql`update alarms set told = case when cleared_at is null then 1 else 2 end
      where ${isOneOf(registry, sql.ref('id'), ids)}`.execute(registry)
    const known = await inGroups(registry, ids)
    // Nobody waits for the end of an alarm that nobody was told of.
    const news = rows.filter(({ id, told, cleared_at }) =>
      told === 1 && cleared_at !== null ? known.has(id) : true
    )
    if (news.length > 0) await putIntoGroups(registry, news, now)
    return true
  })

async function inGroups(registry: Registry, alarmIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ alarm_id: number }>`
    select distinct alarm_id from alarm_group_members
    where ${isOneOf(registry, sql.ref('alarm_id'), alarmIds)}`.execute(registry)
  return new Set(rows.map(({ alarm_id }) => alarm_id))
}

function howOf({ told, cleared_at }: Changed, now: number): HowChanged {
  if (cleared_at === null) return 'raised'
  if (told === 1) return 'cleared'
  return cleared_at < now - LATE_MS ? 'over' : 'raised'
}

async function putIntoGroups(
  registry: Registry,
  alarms: readonly Changed[],
  now: number
): Promise<void> {
  const installations = [...new Set(alarms.map((one) => one.installation_id))]
  const open = await registry
    .selectFrom('alarm_groups')
    .selectAll()
    .where(isOneOf(registry, sql.ref('installation_id'), installations))
    .where('told_at', 'is', null)
    .execute()
  const groups = new Map(open.map((group) => [keyOf(group), group]))
  const nextOf = await readCauses(registry, alarms)
  const isBusy = await busyInstallations(registry, installations, now)
  const members: { group_id: number; alarm_id: number; how: HowChanged }[] = []
  const grown = new Set<Group>()
  for (const alarm of alarms) {
    const { installation_id, severity } = alarm
    const cause = nextOf.get(causeOf(alarm)) ?? 0
    const next = isBusy.has(installation_id) ? Math.max(cause, nextStep(now)) : cause
    const held = { installation_id, severity, is_first: 0, due_at: next } as const
    // A clock that was set back must not hold anything for longer.
    const isHeld =
      (next > now && next <= now + HELD_FOR_MS + HELD_STEP_MS) || groups.has(keyOf(held))
    const first = { installation_id, severity, is_first: 1, due_at: now + QUIET_FOR_MS } as const
    const wanted = isHeld ? held : first
    const group = groups.get(keyOf(wanted)) ?? (await insertGroup(registry, wanted, now))
    groups.set(keyOf(group), group)
    if (group.is_first) grown.add(group)
    members.push({ group_id: group.id, alarm_id: alarm.id, how: howOf(alarm, now) })
  }
  await registry
    .insertInto('alarm_group_members')
    .values(members)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  for (const { id, created } of grown) {
    const due_at = Math.min(created + COLLECTED_FOR_MS, now + QUIET_FOR_MS)
    await registry.updateTable('alarm_groups').set({ due_at }).where('id', '=', id).execute()
  }
}

const nextStep = (now: number): number => (Math.floor(now / HELD_FOR_MS) + 1) * HELD_FOR_MS

async function busyInstallations(
  registry: Registry,
  ids: readonly number[],
  now: number
): Promise<Set<number>> {
  const { rows } = await sql<{ installation_id: number }>`
    select installation_id from alarm_groups
    where ${isOneOf(registry, sql.ref('installation_id'), ids)}
      and created > ${now - HOUR} and created <= ${now}
    group by installation_id having count(*) >= ${sql.lit(MAX_GROUPS_PER_HOUR)}`.execute(registry)
  return new Set(rows.map(({ installation_id }) => installation_id))
}

type Kind = Pick<Group, 'installation_id' | 'severity' | 'is_first' | 'due_at'>

const keyOf = ({ installation_id, severity, is_first, due_at }: Kind): string =>
  `${installation_id} ${severity} ${is_first ? 'first' : due_at}`

const causeOf = (cause: { installation_id: number; rule_id: number }): string =>
  `${cause.installation_id} ${cause.rule_id}`

const insertGroup = (registry: Registry, kind: Kind, now: number): Promise<Group> =>
  registry
    .insertInto('alarm_groups')
    .values({ ...kind, created: now, told_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()

async function readCauses(
  registry: Registry,
  alarms: readonly Changed[]
): Promise<Map<string, number>> {
  const columns = ['installation_id', 'rule_id'] as const
  let causes = registry.selectFrom('alarm_causes').selectAll()
  for (const column of columns) {
    const ids = [...new Set(alarms.map((one) => one[column]))]
    causes = causes.where(isOneOf(registry, sql.ref(column), ids))
  }
  const rows = await causes.execute()
  return new Map(rows.map((row) => [causeOf(row), row.next_at]))
}

/** Groups that are complete. */
export const dueGroups = (registry: Registry, now: number, limit: number): Promise<Group[]> =>
  registry
    .selectFrom('alarm_groups')
    .selectAll()
    .where('told_at', 'is', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute()

/** A clock that was set back must not hold anything for longer. */
export const hurryGroups = (registry: Registry, now: number) =>
  registry
    .updateTable('alarm_groups')
    .set({ due_at: now })
    .where('told_at', 'is', null)
    .where('due_at', '>', now + HELD_FOR_MS + HELD_STEP_MS)
    .execute()

/** Whether some alarm of the group is new, so that others than those who know of it are told. */
export async function hasNews(registry: Registry, groupId: number): Promise<boolean> {
  const row = await registry
    .selectFrom('alarm_group_members')
    .select('alarm_id')
    .where('group_id', '=', groupId)
    .where('how', '!=', 'cleared')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Users who were told before of alarms that are cleared in this group. */
export async function toldBefore(registry: Registry, groupId: number): Promise<number[]> {
  const groups = new Set<number>()
  for (let last = 0; ; ) {
    const { rows } = await sql<{ alarm_id: number; group_id: number | null }>`
      select member.alarm_id, before.group_id from (
        select alarm_id from alarm_group_members
        where group_id = ${groupId} and how = 'cleared' and alarm_id > ${last}
        order by alarm_id limit ${sql.lit(MEMBERS_PER_STEP)}) as member
      left join alarm_group_members as before
        on before.alarm_id = member.alarm_id and before.group_id < ${groupId}
      order by member.alarm_id`.execute(registry)
    for (const { group_id } of rows) if (group_id !== null) groups.add(group_id)
    const end = rows.at(-1)
    if (!end) break
    last = end.alarm_id
  }
  if (groups.size === 0) return []
  const { rows } = await sql<{ user_id: number }>`
    select distinct user_id from alarm_messages
    join alarm_message_groups on message_id = alarm_messages.id
    where ${isOneOf(registry, sql.ref('group_id'), [...groups])} order by user_id`.execute(registry)
  return rows.map(({ user_id }) => user_id)
}

/** The group is told, and what follows of its causes is held from now on. */
export async function closeGroup(registry: Registry, { id }: Group, now: number): Promise<void> {
  const next = Math.ceil((now + HELD_FOR_MS) / HELD_STEP_MS) * HELD_STEP_MS
  await sql`insert into alarm_causes (installation_id, rule_id, next_at)
    select distinct alarms.installation_id, alarms.rule_id, ${sql.lit(next)}
      from alarm_group_members join alarms on alarms.id = alarm_id where group_id = ${id}
    on conflict (installation_id, rule_id) do update set next_at = excluded.next_at`.execute(
    registry
  )
  await registry.updateTable('alarm_groups').set({ told_at: now }).where('id', '=', id).execute()
}

export const deleteGroup = (registry: Registry, id: number) =>
  registry.deleteFrom('alarm_groups').where('id', '=', id).execute()

/** Whether some alarm of the group is open and nobody has acknowledged it. */
export async function isWaiting(registry: Registry, groupId: number): Promise<boolean> {
  const row = await registry
    .selectFrom('alarm_group_members')
    .innerJoin('alarms', 'alarms.id', 'alarm_id')
    .select('alarms.id')
    .where('group_id', '=', groupId)
    .where('cleared_at', 'is', null)
    .where('acknowledged_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
