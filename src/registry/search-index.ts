import { sql } from 'kysely'
import { valuesOf } from './dialect.ts'
import type { Registry, SearchKind } from './tables.ts'

/** What was created, changed or deleted, in the transaction that did it; the index follows. */
export async function markForSearch(
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[]
): Promise<void> {
  await sql`insert into search_marks (kind, id)
    select ${kind}, value from ${valuesOf(registry, ids)} where true
    on conflict do nothing`.execute(registry)
}
