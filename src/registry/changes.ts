import { HOUR } from '../lib/unix-time.ts'
import { announceChange, lockChanges } from './dialect.ts'
import type { ChangeKind, Registry } from './tables.ts'

/** A statement has so many variables. */
const ROWS_AT_ONCE = 1000

/**
 * What caches have to look at again, written in the same transaction as the change itself: every
 * node reads on from the last number it saw. `user` covers one user and its tokens, `organization`
 * its place and its second factor, `tree` that there is more below one, `assignment` and `gateway` those of one installation.
 */
export const recordChange = (
  registry: Registry,
  kind: ChangeKind,
  ref: number,
  now: number
): Promise<void> => recordChanges(registry, kind, [ref], now)

export async function recordChanges(
  registry: Registry,
  kind: ChangeKind,
  refs: Iterable<number>,
  now: number
): Promise<void> {
  const rows = [...new Set(refs)].map((ref) => ({ kind, ref, created: now }))
  if (rows.length === 0) return
  await lockChanges(registry)
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE)
    await registry.insertInto('changes').values(some).execute()
  }
  await announceChange(registry)
}

export const changesSince = (registry: Registry, seq: number) =>
  registry
    .selectFrom('changes')
    .select(['seq', 'kind', 'ref'])
    .where('seq', '>', seq)
    .orderBy('seq')
    .execute()

export async function lastChange(registry: Registry): Promise<number> {
  const { seq } = await registry
    .selectFrom('changes')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .executeTakeFirstOrThrow()
  return seq ?? 0
}

/** Whoever did not read for half as long reads everything. */
export const CHANGES_KEPT = HOUR

/** The newest row stays: the sequence must not look empty to a node that starts. */
export async function forgetChanges(registry: Registry, before: number): Promise<void> {
  await registry
    .deleteFrom('changes')
    .where('created', '<', before)
    .where('seq', '<', await lastChange(registry))
    .execute()
}
