import type { Static } from 'typebox'
import { conflict } from '../../http/errors.ts'
import { type UnixMs, unixMs } from '../../lib/unix-time.ts'
import type { Registry } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { Board } from './schema.ts'

type Plots = Static<typeof Board>['plots']
type Kept = { plots: Plots; updated: UnixMs }

export async function readBoard(registry: Registry, installationId: number): Promise<Kept> {
  const row = await registry
    .selectFrom('boards')
    .select(['plots', 'updated'])
    .where('installation_id', '=', installationId)
    .executeTakeFirst()
  return row
    ? { plots: JSON.parse(row.plots), updated: unixMs(row.updated) }
    : { plots: [], updated: unixMs(0) }
}

/** `seen` is the state that the caller knows; undefined replaces any. */
export const writeBoard = (
  registry: Registry,
  installationId: number,
  plots: Plots,
  { seen, now }: { seen: UnixMs | undefined; now: UnixMs }
): Promise<Kept> =>
  inTransaction(registry, async (registry) => {
    const before = await readBoard(registry, installationId)
    if (seen !== undefined && seen !== before.updated) {
      throw conflict('somebody else changed the board since it was read')
    }
    // Two changes in the same millisecond are two states.
    const updated = unixMs(Math.max(now, before.updated + 1))
    const row = { plots: JSON.stringify(plots), updated }
    await registry
      .insertInto('boards')
      .values({ installation_id: installationId, ...row })
      .onConflict((oc) => oc.column('installation_id').doUpdateSet(row))
      .execute()
    return { plots, updated }
  })
