import { sql } from 'kysely'
import type { SearchKind } from '../lib/search-query.ts'
import { documentTokens } from '../lib/search-tokens.ts'
import { isOneOf, skipLocked } from './dialect.ts'
import { dropFromIndex, putInIndex } from './search-dialect.ts'
import { readDocuments } from './search-documents.ts'
import { docOf } from './search-index.ts'
import type { Registry } from './tables.ts'

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
  const documents = [...(await readDocuments(registry, kind, ids))]
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
