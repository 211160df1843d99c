import { databaseNow } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'

/** The clock of the registry, and the time of the newest entry; 0: there is none. */
export async function readTimes(registry: Registry): Promise<{ registry: number; newest: number }> {
  const entry = await registry
    .selectFrom('trace')
    .select('timestamp')
    .orderBy('timestamp', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { now } = await registry
    .selectFrom('platform')
    .select(databaseNow(registry).as('now'))
    .executeTakeFirstOrThrow()
  return { registry: Number(now), newest: entry?.timestamp ?? 0 }
}
