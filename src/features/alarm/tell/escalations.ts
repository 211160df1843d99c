import { type Selectable, sql } from 'kysely'
import type { Registry, Tables } from '../../../registry/tables.ts'
import type { Group } from './groups.ts'

/** From the user who was told first. Nobody is told twice of the same group by escalation. */
export const MAX_LEVELS = 5

type Escalation = Pick<
  Selectable<Tables['alarm_escalations']>,
  'group_id' | 'user_id' | 'level' | 'due_at'
>

/** The earliest of several to the same user counts. */
export async function insertEscalation(registry: Registry, escalation: Escalation): Promise<void> {
  if (escalation.level > MAX_LEVELS) return
  await registry
    .insertInto('alarm_escalations')
    .columns(['group_id', 'user_id', 'level', 'due_at', 'is_done'])
    // The user may be deleted.
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select([
          sql.lit(escalation.group_id).as('group_id'),
          'users.id as user_id',
          sql.lit(escalation.level).as('level'),
          sql.lit(escalation.due_at).as('due_at'),
          sql.lit(0).as('is_done')
        ])
        .where('users.id', '=', escalation.user_id)
    )
    .onConflict((conflict) =>
      conflict
        .columns(['group_id', 'user_id'])
        .doUpdateSet({ due_at: escalation.due_at })
        .where('alarm_escalations.is_done', '=', 0)
        .where('alarm_escalations.due_at', '>', escalation.due_at)
    )
    .execute()
}

export type DueEscalation = Escalation & Pick<Group, 'installation_id'>

export const dueEscalations = (
  registry: Registry,
  now: number,
  limit: number
): Promise<DueEscalation[]> =>
  registry
    .selectFrom('alarm_escalations')
    .innerJoin('alarm_groups', 'alarm_groups.id', 'group_id')
    .select(['group_id', 'user_id', 'level', 'alarm_escalations.due_at', 'installation_id'])
    .where('is_done', '=', sql.lit(0))
    .where('alarm_escalations.due_at', '<=', now)
    .orderBy('alarm_escalations.due_at')
    .limit(limit)
    .execute()

export const finishEscalation = (registry: Registry, { group_id, user_id }: Escalation) =>
  registry
    .updateTable('alarm_escalations')
    .set({ is_done: 1 })
    .where('group_id', '=', group_id)
    .where('user_id', '=', user_id)
    .execute()
