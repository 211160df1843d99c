import { sql } from 'kysely'
import type { Registry } from './tables.ts'

/** Between two steps others work. */
const ROWS_PER_STEP = 500

/**
 * Clears all open alarms of a rule, in the caller's transaction. Answers the ids of the installations
 * that had some.
 */
export async function clearRule(
  registry: Registry,
  ruleId: number,
  now: number
): Promise<number[]> {
  const found = new Set<number>()
  for (;;) {
    const { rows } = await sql<{ installation_id: number }>`
      update alarms set cleared_at = ${now} where cleared_at is null and id in (
        select id from alarms where rule_id = ${ruleId} and cleared_at is null
        limit ${sql.lit(ROWS_PER_STEP)})
      returning installation_id`.execute(registry)
    for (const { installation_id } of rows) found.add(installation_id)
    if (rows.length < ROWS_PER_STEP) return [...found].sort((a, b) => a - b)
  }
}

/** Deletes up to `limit` cleared alarms that were raised before. Returns how many. */
export async function forgetAlarms(
  registry: Registry,
  before: number,
  limit: number
): Promise<number> {
  const { numDeletedRows } = await registry
    .deleteFrom('alarms')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('alarms')
        .select('id')
        .where('raised_at', '<', before)
        .where('cleared_at', 'is not', null)
        .orderBy('raised_at')
        .limit(limit)
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes up to `limit` alarms of an installation that is gone. Returns how many. */
export async function removeSomeAlarms(
  registry: Registry,
  installationId: number,
  limit: number
): Promise<number> {
  const { numDeletedRows } = await registry
    .deleteFrom('alarms')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('alarms')
        .select('id')
        .where('installation_id', '=', installationId)
        .limit(limit)
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
