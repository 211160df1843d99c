import { sql } from 'kysely'
import { isOneOf, valuesOf } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'

/** Installations are divided over the nodes by these. */
export const PARTITIONS = 64

export const partitionOf = (installationId: number): number => installationId % PARTITIONS

/** Another node watches the installations of the partition now. Nothing was written. */
export class PartitionLost extends Error {}

export type HeldPartition = { number: number; seen_at: number; held: number }

/**
 * Makes this node the holder. Time in which nobody watched is added to `held`. The claim of each
 * partition must be held.
 */
export const takePartitions = (
  registry: Registry,
  numbers: readonly number[],
  { holder, now }: { holder: string; now: number }
): Promise<HeldPartition[]> =>
  registry.transaction().execute(async (registry) => {
    await sql`insert into alarm_partitions (number, holder, seen_at, held)
      select value, '', ${sql.lit(now)}, 0 from ${valuesOf(registry, numbers)}
      where true on conflict do nothing`.execute(registry)
    return registry
      .updateTable('alarm_partitions')
      .set({
        holder,
        held: sql`held + ${sql.lit(now)} - seen_at`,
        seen_at: now
      })
      .where(isOneOf(registry, sql.ref('number'), numbers))
      .returning(['number', 'seen_at', 'held'])
      .execute()
  })

/**
 * Writes how far this node has watched, in the caller's transaction. Throws if another node has
 * become the holder, so that nothing else is written either.
 */
export async function keepPartitions(
  registry: Registry,
  partitions: readonly HeldPartition[],
  holder: string
): Promise<void> {
  let kept = 0
  // Mostly all have the same times.
  for (const some of Map.groupBy(
    partitions,
    ({ seen_at, held }) => `${seen_at} ${held}`
  ).values()) {
    const [first] = some
    if (!first) continue
    const numbers = some.map(({ number }) => number)
    const { numUpdatedRows } = await registry
      .updateTable('alarm_partitions')
      .set({ seen_at: first.seen_at, held: first.held })
      .where(isOneOf(registry, sql.ref('number'), numbers))
      .where('holder', '=', holder)
      .executeTakeFirst()
    kept += Number(numUpdatedRows)
  }
  if (kept < partitions.length) throw new PartitionLost('another node watches these installations')
}
