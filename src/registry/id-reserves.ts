import { type RawBuilder, sql } from 'kysely'
import { highest, type IdKind, type Ids, idKinds, idsOf } from '../lib/lineage.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { type IdTable, lastIds, raiseLastId } from './dialect.ts'
import type { Registry } from './tables.ts'

/** Ids are reserved in steps; a whole one is left whenever history has been asked. */
export const ID_STEP = 1000

const tables: Readonly<Record<IdKind, IdTable>> = {
  organization: 'organizations',
  user: 'users',
  installation: 'installations',
  object: 'objects'
}

/** The highest ids that were given out, also those of rows that are gone. */
export async function reachedIds(registry: Registry): Promise<Ids> {
  const last = await lastIds(registry, Object.values(tables))
  return idsOf((kind) => last.get(tables[kind]) ?? 0)
}

/**
 * Writes down how far history is about to be asked to reserve ids, and answers that. It comes before
 * history is asked, because a crash in between must not look like an old registry.
 */
export const askForIds = (registry: Registry): Promise<Ids> =>
  registry.transaction().execute(async (registry) => {
    const reached = await reachedIds(registry)
    const asked = new Map<IdKind, number>()
    for (const kind of idKinds) {
      const enough = (Math.ceil(reached[kind] / ID_STEP) + 1) * ID_STEP
      const row = await registry
        .updateTable('id_reserves')
        .set({ asked: sql`case when asked < ${enough} then ${enough} else asked end` })
        .where('kind', '=', kind)
        .returning('asked')
        .executeTakeFirstOrThrow()
      asked.set(kind, row.asked)
    }
    return idsOf((kind) => asked.get(kind) ?? 0)
  })

/** History has them: ids up to these may be given out. */
export const confirmIds = (registry: Registry, reserved: Ids): Promise<void> =>
  registry.transaction().execute(async (registry) => {
    for (const kind of idKinds) {
      await registry
        .updateTable('id_reserves')
        .set({ confirmed: reserved[kind] })
        .where('kind', '=', kind)
        .where((eb) => eb.or([eb('confirmed', 'is', null), eb('confirmed', '<', reserved[kind])]))
        .execute()
    }
    await registry
      .updateTable('platform')
      .set({ has_history: 1 })
      .where('has_history', '=', 0)
      .execute()
  })

/** Ids go on above these, and above those that were given out. */
export async function raiseIds(registry: Registry, beyond: Ids): Promise<void> {
  const reached = await reachedIds(registry)
  const raised = highest(beyond, reached)
  for (const kind of idKinds) {
    if (raised[kind] > reached[kind]) await raiseLastId(registry, tables[kind], raised[kind])
  }
}

/** For `returning` of an insert: the highest id that may be given out; null: nobody watches. */
export const confirmedIds = (kind: IdKind): RawBuilder<number | null> =>
  sql<number | null>`(select confirmed from id_reserves where kind = ${kind})`

/** To be called in the transaction that made the row, which then has never been. */
export function requireConfirmed(id: number, confirmed: number | null): void {
  if (confirmed !== null && id > confirmed) {
    throw new Unavailable('all reserved ids are in use, and history could not be asked for more')
  }
}
