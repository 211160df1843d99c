import { HOUR } from '../lib/unix-time.ts'
import { announceChange, lockChanges } from './dialect.ts'
import type { ChangeKind, Registry } from './tables.ts'

/** A statement can have only so many variables. */
const MAX_ROWS_PER_INSERT = 1000

/**
 * Tells the caches of every node what to read again. It is written in the same transaction as the
 * change itself. Every node reads on from the last number it saw. `user` covers one user and its
 * tokens, `organization` its place in the tree and its second factor, `tree` a new child of an
 * organization, `assignment` and `gateway` those of one installation. Mappings and rules are named
 * by their owner.
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
  for (let start = 0; start < rows.length; start += MAX_ROWS_PER_INSERT) {
    const some = rows.slice(start, start + MAX_ROWS_PER_INSERT)
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

/** A node that read nothing for half of this time reads everything again. */
export const CHANGES_KEPT_MS = HOUR

/** The newest row stays, because a node that starts takes the last number from it. */
export async function forgetChanges(registry: Registry, before: number): Promise<void> {
  await registry
    .deleteFrom('changes')
    .where('created', '<', before)
    .where('seq', '<', await lastChange(registry))
    .execute()
}
