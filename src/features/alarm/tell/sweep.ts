import { sql } from 'kysely'
import { DAY, HOUR } from '../../../lib/unix-time.ts'
import type { Registry } from '../../../registry/tables.ts'

const IDS_PER_STEP = 1000
const STEPS_PER_SWEEP = 20

/** Where the next sweep goes on. */
export type SweepPlace = { group: number; message: number }

/**
 * Groups end with their alarms, and messages with their groups. One sweep looks at a part of them:
 * they are many, and few of them have ended.
 */
export async function sweepMessages(
  registry: Registry,
  place: SweepPlace,
  now: number
): Promise<SweepPlace> {
  await registry
    .deleteFrom('alarm_causes')
    .where('next_at', '<', now - HOUR)
    .execute()
  const group = await sweepTable(registry, place.group, {
    ...{ table: 'alarm_groups', old: sql`told_at < ${now - DAY}` },
    used: sql`select 1 from alarm_group_members where group_id = alarm_groups.id`
  })
  const message = await sweepTable(registry, place.message, {
    ...{ table: 'alarm_messages', old: sql`created < ${now - DAY}` },
    used: sql`select 1 from alarm_message_groups where message_id = alarm_messages.id`
  })
  return { group, message }
}

type Swept = {
  table: 'alarm_groups' | 'alarm_messages'
  old: ReturnType<typeof sql>
  used: ReturnType<typeof sql>
}

/** Answers the id after which the next sweep goes on; 0: at the begin. */
async function sweepTable(
  registry: Registry,
  after: number,
  { table, old, used }: Swept
): Promise<number> {
  let last = after
  for (let steps = 0; steps < STEPS_PER_SWEEP; steps++) {
    const { rows } = await sql<{ id: number | null }>`
      select max(id) as id from (select id from ${sql.table(table)} where id > ${last}
        order by id limit ${sql.lit(IDS_PER_STEP)}) as part`.execute(registry)
    const end = rows[0]?.id
    if (!end) return 0
    await sql`delete from ${sql.table(table)} where id > ${last} and id <= ${end}
      and ${old} and not exists (${used})`.execute(registry)
    last = end
  }
  return last
}
