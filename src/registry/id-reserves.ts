import { type RawBuilder, sql } from 'kysely'
import { highest, type IdKind, type Ids, idKinds, idsOf } from '../lib/lineage.ts'
import { Unavailable } from '../lib/unavailable.ts'
import { type IdTable, lastIds, raiseLastId } from './dialect.ts'
import type { Registry } from './tables.ts'

/**
 * Ids are reserved in steps of this size. After history was asked, at least one whole step is free.
 */
export const IDS_PER_STEP = 1000

const tables: Readonly<Record<IdKind, IdTable>> = {
  organization: 'organizations',
  user: 'users',
  installation: 'installations',
  object: 'modelx'
}

/** The highest ids that were given out, including those of deleted rows. */
export async function reachedIds(registry: Registry): Promise<Ids> {
  const last = await lastIds(registry, Object.values(tables))
  return idsOf((kind) => last.get(tables[kind]) ?? 0)
}

/**
 * Stores how far history will be asked to reserve ids, and answers those ids. This is stored before
 * history is asked, because after a crash in between the registry must not look too old.
 */
export const askForIds = (registry: Registry): Promise<Ids> =>
  registry.transaction().execute(async (registry) => {
    const reached = await reachedIds(registry)
    const asked = new Map<IdKind, number>()
    for (const kind of idKinds) {
      const enough = (Math.ceil(reached[kind] / IDS_PER_STEP) + 1) * IDS_PER_STEP
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

/** History has reserved these ids, so ids up to them may be given out. */
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

/** Raises the last ids to at least these. */
export async function raiseIds(registry: Registry, beyond: Ids): Promise<void> {
  const reached = await reachedIds(registry)
  const raised = highest(beyond, reached)
  for (const kind of idKinds) {
    if (raised[kind] > reached[kind]) await raiseLastId(registry, tables[kind], raised[kind])
  }
}

/**
 * For `returning` of an insert: the highest id that may be given out; null when there is no limit
 * yet.
 */
export const confirmedIds = (kind: IdKind): RawBuilder<number | null> =>
  sql<number | null>`(select confirmed from id_reserves where kind = ${kind})`

/** Call it in the transaction that inserted the row: the error takes the row back. */
export function requireConfirmed(id: number, confirmed: number | null): void {
  if (confirmed !== null && id > confirmed) {
    throw new Unavailable('all reserved ids are in use, and history could not reserve more')
  }
}
