import { type Selectable, sql } from 'kysely'
import { isOneOf } from '../../../registry/dialect.ts'
import type { Registry, Tables } from '../../../registry/tables.ts'
import type { MessageRow } from './messages.ts'
import type { HowChanged } from './tables.ts'

/** Read at once, so that others work in between. */
const ALARMS_PER_PART = 500
const GROUPS_PER_PART = 100

export type ToldAlarm = Selectable<Tables['alarms']> & {
  group_id: number
  how: HowChanged
  /** 0, or how many escalations led to the user. */
  level: number
}

/**
 * The alarms that a message tells its user, in parts. An alarm may come twice. The end of an alarm is
 * only for those who were told of its begin.
 */
export async function* alarmsOf(
  registry: Registry,
  { id, user_id }: MessageRow
): AsyncGenerator<ToldAlarm[]> {
  const knows = new Begins(registry, user_id)
  for (let last = 0; ; ) {
    const groups = await registry
      .selectFrom('alarm_message_groups')
      .select(['group_id', 'level'])
      .where('message_id', '=', id)
      .where('group_id', '>', last)
      .orderBy('group_id')
      .limit(GROUPS_PER_PART)
      .execute()
    const end = groups.at(-1)
    if (!end) return
    last = end.group_id
    const levels = new Map(groups.map(({ group_id, level }) => [group_id, level]))
    for await (const rows of membersOf(registry, [...levels.keys()])) {
      const known = await knows.only(rows)
      yield known.map((row) => ({ ...row, level: levels.get(row.group_id) ?? 0 }))
    }
  }
}

type Member = Omit<ToldAlarm, 'level'>

const select = sql`select alarms.*, member.group_id, member.how
  from alarm_group_members as member join alarms on alarms.id = member.alarm_id`

/** Many groups have one alarm, and some have thousands. */
async function* membersOf(
  registry: Registry,
  groupIds: readonly number[]
): AsyncGenerator<Member[]> {
  const { rows } = await sql<Member>`${select}
    where ${isOneOf(registry, sql.ref('member.group_id'), groupIds)}
    limit ${sql.lit(ALARMS_PER_PART)}`.execute(registry)
  if (rows.length < ALARMS_PER_PART) {
    yield rows
    return
  }
  for (const groupId of groupIds) {
    for (let last = 0; ; ) {
      const { rows } = await sql<Member>`${select}
        where member.group_id = ${groupId} and member.alarm_id > ${last}
        order by member.alarm_id limit ${sql.lit(ALARMS_PER_PART)}`.execute(registry)
      const end = rows.at(-1)
      if (!end) break
      yield rows
      last = end.id
    }
  }
}

/** Knows of which groups a user was told. */
class Begins {
  readonly #registry: Registry
  readonly #userId: number
  readonly #told = new Map<number, boolean>()

  constructor(registry: Registry, userId: number) {
    this.#registry = registry
    this.#userId = userId
  }

  /** Without the ends of alarms of whose begin the user was not told. */
  async only(rows: readonly Member[]): Promise<Member[]> {
    const ended = rows.filter(({ how }) => how === 'cleared').map(({ id }) => id)
    if (ended.length === 0) return [...rows]
    const before = await this.#registry
      .selectFrom('alarm_group_members')
      .select(['alarm_id', 'group_id'])
      .where(isOneOf(this.#registry, sql.ref('alarm_id'), ended))
      .execute()
    await this.#look(before.map(({ group_id }) => group_id))
    const groupsOf = Map.groupBy(before, ({ alarm_id }) => alarm_id)
    return rows.filter(
      (row) =>
        row.how !== 'cleared' ||
        groupsOf
          .get(row.id)
          ?.some(({ group_id }) => group_id < row.group_id && this.#told.get(group_id))
    )
  }

  async #look(groupIds: readonly number[]): Promise<void> {
    const unknown = [...new Set(groupIds)].filter((id) => !this.#told.has(id))
    if (unknown.length === 0) return
    const { rows } = await sql<{ group_id: number }>`
      select distinct group_id from alarm_message_groups
      join alarm_messages on alarm_messages.id = message_id
      where user_id = ${this.#userId}
        and ${isOneOf(this.#registry, sql.ref('group_id'), unknown)}`.execute(this.#registry)
    for (const id of unknown) this.#told.set(id, false)
    for (const { group_id } of rows) this.#told.set(group_id, true)
  }
}
