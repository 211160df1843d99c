import { sql } from 'kysely'
import { valuesOf } from './dialect.ts'
import type { Registry, SearchKind } from './tables.ts'

/** In the order of the results. [contract: Search] */
export const searchKinds: readonly SearchKind[] = ['device', 'function', 'installation']

/** No id ever gets this large. */
export const IDS_PER_KIND = 2 ** 48

/** The number of a document. The order is that of the results: by kind, then by id. */
export const docOf = (kind: SearchKind, id: number): number =>
  searchKinds.indexOf(kind) * IDS_PER_KIND + id

export const idOf = (doc: number): number => doc % IDS_PER_KIND

/**
 * Marks what was created, changed or deleted, in the same transaction. The index follows. An
 * existing mark is written again: this locks it until the commit, and the indexer leaves it alone.
 */
export async function markForSearch(
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[]
): Promise<void> {
  await sql`insert into search_marks (kind, id)
    select ${kind}, value from ${valuesOf(registry, ids)} where true
    on conflict (kind, id) do update set id = excluded.id`.execute(registry)
}

/** Marks all objects of an installation. */
export async function markObjects(registry: Registry, installationId: number): Promise<void> {
  await sql`insert into search_marks (kind, id)
    select kind, id from modelx where installation_id = ${installationId}
    on conflict (kind, id) do update set id = excluded.id`.execute(registry)
}
