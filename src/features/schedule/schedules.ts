import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { UnixMs } from '../../lib/unix-time.ts'
import { forUpdate, valuesOf } from '../../registry/dialect.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { planOf } from './plan.ts'
import type { RunOutcome } from './tables.ts'

export type ScheduleRow = Selectable<Tables['schedules']>

/** The fields that a caller sets. */
export type ScheduleFields = Pick<
  ScheduleRow,
  | 'active'
  | 'topic'
  | 'value'
  | 'minute'
  | 'hour'
  | 'day_of_month'
  | 'day_of_week'
  | 'month'
  | 'executor'
>
/** When it runs next, computed in this time zone; null = never, or not by the platform. */
export type Plan = { next_run: UnixMs | null; zone: string }

/** How many of the newest runs of a schedule are kept; older ones are overwritten. */
const MAX_REMEMBERED_RUNS = 100

export const insertSchedule = (
  registry: Registry,
  installation_id: number,
  fields: ScheduleFields & Plan,
  now: number
): Promise<ScheduleRow> =>
  registry
    .insertInto('schedules')
    .values({ installation_id, ...fields, runs: 0, created: now, updated: now })
    .returningAll()
    .executeTakeFirstOrThrow()

export const listSchedules = (
  registry: Registry,
  installation_id: number,
  executor: string | undefined
): Promise<ScheduleRow[]> =>
  registry
    .selectFrom('schedules')
    .selectAll()
    .where('installation_id', '=', installation_id)
    .$if(executor !== undefined, (query) => query.where('executor', '=', executor ?? ''))
    .orderBy('id')
    .execute()

export const findSchedule = (
  registry: Registry,
  installation_id: number,
  id: number
): Promise<ScheduleRow | undefined> =>
  registry
    .selectFrom('schedules')
    .selectAll()
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()

/** `change` returns the new fields and may throw. Undefined if the schedule does not exist. */
export const changeSchedule = (
  registry: Registry,
  { installation_id, id }: Pick<ScheduleRow, 'installation_id' | 'id'>,
  change: (current: ScheduleRow) => ScheduleFields & Plan,
  now: number
): Promise<ScheduleRow | undefined> =>
  registry.transaction().execute(async (registry) => {
    const current = await registry
      .selectFrom('schedules')
      .selectAll()
      .where('id', '=', id)
      .where('installation_id', '=', installation_id)
      .modifyEnd(forUpdate(registry))
      .executeTakeFirst()
    if (!current) return undefined
    return registry
      .updateTable('schedules')
      .set({ ...change(current), updated: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
  })

export async function deleteSchedule(
  registry: Registry,
  installation_id: number,
  id: number
): Promise<boolean> {
  const { numDeletedRows } = await registry
    .deleteFrom('schedules')
    .where('id', '=', id)
    .where('installation_id', '=', installation_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export type DueSchedule = ScheduleRow & {
  client_id: number
  /** The JSON list that the gateway reported. */
  capabilities: string
}

export const dueSchedules = (
  registry: Registry,
  now: number,
  limit: number
): Promise<DueSchedule[]> =>
  registry
    .selectFrom('schedules')
    .innerJoin('installations', 'installations.id', 'schedules.installation_id')
    .selectAll('schedules')
    .select(['installations.client_id', 'installations.capabilities'])
    .where('next_run', '<=', now)
    .orderBy('next_run')
    .orderBy('schedules.id')
    .limit(limit)
    .execute()

/**
 * Takes the next run of a schedule, so that no other node does, and returns what to publish.
 * Undefined if the run is already taken, or the schedule was changed or deleted meanwhile. With an
 * outcome the run is stored.
 */
export async function takeRun(
  registry: Registry,
  { id, next_run }: Pick<ScheduleRow, 'id' | 'next_run'>,
  { next, ran, outcome }: { next: number | null; ran: number; outcome: RunOutcome | undefined }
): Promise<Pick<ScheduleRow, 'topic' | 'value'> | undefined> {
  const taken = await registry
    .updateTable('schedules')
    .set({ next_run: next, ...(outcome && { runs: sql`runs + 1` }) })
    .where('id', '=', id)
    .where('next_run', '=', next_run)
    .returning(['runs', 'topic', 'value'])
    .executeTakeFirst()
  if (taken && outcome) {
    const row = { planned: next_run ?? 0, ran, outcome }
    await registry
      .insertInto('schedule_runs')
      .values({ schedule_id: id, slot: taken.runs % MAX_REMEMBERED_RUNS, ...row })
      .onConflict((conflict) => conflict.columns(['schedule_id', 'slot']).doUpdateSet(row))
      .execute()
  }
  return taken
}

export const listRuns = (registry: Registry, schedule_id: number) =>
  registry
    .selectFrom('schedule_runs')
    .select(['planned', 'ran', 'outcome'])
    .where('schedule_id', '=', schedule_id)
    .orderBy('planned', 'desc')
    .orderBy('ran', 'desc')
    .execute()

/** Runs that were taken before the moment and not finished. */
export const unfinishedRuns = (registry: Registry, takenBefore: number) =>
  registry
    .selectFrom('schedule_runs')
    .innerJoin('schedules', 'schedules.id', 'schedule_runs.schedule_id')
    .innerJoin('installations', 'installations.id', 'schedules.installation_id')
    .select(['schedules.id', 'topic', 'value', 'client_id', 'planned'])
    .where('outcome', '=', 'taken')
    .where('ran', '<=', takenBefore)
    .orderBy('planned')
    .execute()

export async function finishRuns(
  registry: Registry,
  ids: readonly number[],
  planned: number,
  outcome: RunOutcome
): Promise<void> {
  await sql`update schedule_runs set outcome = ${outcome}
    where outcome = 'taken' and planned = ${planned}
      and schedule_id in (select value from ${valuesOf(registry, ids)})`.execute(registry)
}

/** Plans schedules again whose time zone has changed, for one installation or for all. */
export async function replanSchedules(
  registry: Registry,
  defaultZone: string,
  now: UnixMs,
  installationId?: number
): Promise<void> {
  const zone = sql<string>`case when timezone = '' then ${defaultZone} else timezone end`
  const rows = await registry
    .selectFrom('schedules')
    .innerJoin('installations', 'installations.id', 'schedules.installation_id')
    .selectAll('schedules')
    .select(zone.as('zone_now'))
    .where('schedules.zone', '<>', zone)
    .$if(installationId !== undefined, (query) =>
      query.where('installation_id', '=', installationId ?? 0)
    )
    .orderBy('schedules.id')
    .execute()
  for (const { zone_now, ...schedule } of rows) {
    // One statement for each: thousands of them block nobody, and transactions cannot deadlock.
    await nextTurn()
    await registry
      .updateTable('schedules')
      .set(planOf(schedule, zone_now, now))
      .where('id', '=', schedule.id)
      // Not if it was changed meanwhile.
      .where('updated', '=', schedule.updated)
      .execute()
  }
}
