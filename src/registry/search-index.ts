import { sql } from 'kysely'
import { type SearchKind, searchKinds } from '../lib/search-query.ts'
import { documentTokens } from '../lib/search-tokens.ts'
import { isOneOf, skipLocked, valuesOf } from './dialect.ts'
import { dropFromIndex, putInIndex } from './search-dialect.ts'
import { readDocuments } from './search-documents.ts'
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

/** Brings the index up to date for some of the marks, as one transaction; answers how many. */
export async function foldMarks(registry: Registry, limit: number): Promise<number> {
  const isMarked = await registry.selectFrom('search_marks').select('id').limit(1).execute()
  if (isMarked.length === 0) return 0
  return registry.transaction().execute((registry) => foldInTransaction(registry, limit))
}

export async function foldInTransaction(registry: Registry, limit: number): Promise<number> {
  const marks = await registry
    .selectFrom('search_marks')
    .select(['kind', 'id'])
    .orderBy('kind')
    .orderBy('id')
    .limit(limit)
    .modifyEnd(skipLocked(registry))
    .execute()
  for (const [kind, rows] of Map.groupBy(marks, (mark) => mark.kind)) {
    await foldKind(
      registry,
      kind,
      rows.map(({ id }) => id)
    )
  }
  return marks.length
}

async function foldKind(registry: Registry, kind: SearchKind, ids: readonly number[]) {
  const documents = await readDocuments(registry, kind, ids)
  const found = new Set(documents.map(({ id }) => id))
  await putInIndex(
    registry,
    documents.map((document) => ({
      doc: docOf(kind, document.id),
      tokens: documentTokens(document)
    }))
  )
  const gone = ids.filter((id) => !found.has(id))
  await dropFromIndex(
    registry,
    gone.map((id) => docOf(kind, id))
  )
  await registry
    .deleteFrom('search_marks')
    .where('kind', '=', kind)
    .where(isOneOf(registry, sql.ref('id'), ids))
    .execute()
}
