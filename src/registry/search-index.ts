import { sql } from 'kysely'
import { type SearchKind, searchKinds } from '../lib/search-query.ts'
import { valuesOf } from './dialect.ts'
import type { Registry } from './tables.ts'

/** Ids stay below it for longer than anybody will count. */
export const KIND_SIZE = 2 ** 48

/** Numbers documents in the order of results: by kind, then by id. */
export const docOf = (kind: SearchKind, id: number): number =>
  searchKinds.indexOf(kind) * KIND_SIZE + id

export const idOf = (doc: number): number => doc % KIND_SIZE

/**
 * What was created, changed or deleted, in the transaction that did it; the index follows. A mark
 * that is there is written again, which holds it until the commit: the indexer leaves it alone.
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
