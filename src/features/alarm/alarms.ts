import { type Selectable, sql } from 'kysely'
import { forKeyShare, isOneOf, jsonRows } from '../../registry/dialect.ts'
import type { Registry, Tables } from '../../registry/tables.ts'

export type AlarmRow = Selectable<Tables['alarms']>
export type NewAlarm = Pick<
  AlarmRow,
  'installation_id' | 'rule_id' | 'topic' | 'severity' | 'raised_at' | 'value' | 'message'
> & {
  /** If it was taken before. */
  id?: number
  isTold: boolean
  /** If it was over before it was written. */
  cleared_at?: number | null
}
/** `raised_at`: only the alarm that was raised then. Missing: all open ones of the topic. */
export type Clearing = Pick<AlarmRow, 'installation_id' | 'rule_id' | 'topic'> & {
  cleared_at: number
  raised_at?: number
}

/** A statement can have only so many variables. */
const ROWS_PER_INSERT = 500
/** Between two steps others work. */
const ROWS_PER_STEP = 500

/**
 * Writes alarms in the caller's transaction, and answers those that are new: an alarm that is there
 * already stays as it is. Alarms of installations that are gone are left out.
 */
export async function insertAlarms(
  registry: Registry,
  alarms: readonly NewAlarm[]
): Promise<AlarmRow[]> {
  if (alarms.length === 0) return []
  const there = await existing(registry, new Set(alarms.map((one) => one.installation_id)))
  const rows = alarms
    .filter(({ installation_id }) => there.has(installation_id))
    .map(({ isTold, cleared_at = null, ...alarm }) => ({
      ...{ ...alarm, cleared_at, is_told: isTold ? (1 as const) : (0 as const) },
      ...{ acknowledged_at: null, acknowledged_by: null, note: '' }
    }))
  const written: AlarmRow[] = []
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const some = await registry
      .insertInto('alarms')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute()
    for (const row of some) written.push(row)
  }
  return written
}

/** They are not deleted before the transaction ends. */
async function existing(registry: Registry, ids: ReadonlySet<number>): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from installations where ${isOneOf(registry, sql.ref('id'), [...ids])}
    order by id ${forKeyShare(registry)}`.execute(registry)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Alarms that were raised at the same moment as one that is there already and over: they are this
 * one, which is open again or was cleared later. In the caller's transaction.
 */
export async function reopenAlarms(registry: Registry, alarms: readonly NewAlarm[]): Promise<void> {
  for (const { installation_id, rule_id, topic, raised_at, cleared_at = null } of alarms) {
    await registry
      .updateTable('alarms')
      .set({ cleared_at })
      .where('installation_id', '=', installation_id)
      .where('rule_id', '=', rule_id)
      .where('topic', '=', topic)
      .where('raised_at', '=', raised_at)
      .execute()
  }
}

/**
 * Clears open alarms in the caller's transaction. Answers the installations in which something was
 * cleared: an alarm that is cleared already keeps its time.
 */
export async function clearAlarms(
  registry: Registry,
  clearings: readonly Clearing[]
): Promise<Set<number>> {
  const found = new Set<number>()
  for (let start = 0; start < clearings.length; start += ROWS_PER_STEP) {
    const some = JSON.stringify(clearings.slice(start, start + ROWS_PER_STEP))
    const given = jsonRows(registry, some, clearingColumns)
    const { rows } = await sql<{ installation_id: number }>`
      update alarms set cleared_at = clearing.at
      from (select installation_id as installation, rule_id as rule, topic as of_topic,
          raised_at as raised, cleared_at as at from ${given}) as clearing
      where alarms.installation_id = clearing.installation and alarms.rule_id = clearing.rule
        and alarms.topic = clearing.of_topic and alarms.cleared_at is null
        and alarms.raised_at = coalesce(clearing.raised, alarms.raised_at)
      returning alarms.installation_id`.execute(registry)
    for (const { installation_id } of rows) found.add(installation_id)
  }
  return found
}

const clearingColumns = {
  installation_id: 'bigint',
  rule_id: 'bigint',
  topic: 'text',
  raised_at: 'bigint',
  cleared_at: 'bigint'
} as const

/** Those that say that a gateway is gone. */
export const openGatewayAlarms = (
  registry: Registry
): Promise<Pick<AlarmRow, 'installation_id' | 'raised_at'>[]> =>
  registry
    .selectFrom('alarms')
    .select(['installation_id', 'raised_at'])
    .where('rule_id', '=', 0)
    .where('cleared_at', 'is', null)
    .execute()

export async function countOpenAlarms(registry: Registry): Promise<number> {
  const { count } = await registry
    .selectFrom('alarms')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('cleared_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
