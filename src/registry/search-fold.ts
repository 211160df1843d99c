import { sql } from 'kysely'
import { type SearchKind, searchKinds } from '../lib/search-query.ts'
import { documentTokens, type Token } from '../lib/search-tokens.ts'
import { isOneOf, skipLocked } from './dialect.ts'
import { dropFromIndex, type IndexEntry, putInIndex, withoutTokenIndex } from './search-dialect.ts'
import { readDocuments } from './search-documents.ts'
import { docOf } from './search-index.ts'
import type { Registry } from './tables.ts'

/** Documents that are read at once: each may be a megabyte. */
const READ = 4
/** Where nobody waits for them. */
const FILLED = 128

/** What one transaction may take: tokens to write, and milliseconds in which it still reads. */
export type Budget = { tokens: number; ms: number }
const UNLIMITED: Budget = { tokens: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY }

type Mark = { kind: SearchKind; id: number }
/** Without tokens: what is gone. */
type Folded = Mark & { tokens?: readonly Token[] }

/**
 * Brings the index up to date for some of the marks, as one transaction; answers whether there may
 * be more to do.
 */
export async function foldMarks(
  registry: Registry,
  limit: number,
  budget?: Budget
): Promise<boolean> {
  const isMarked = await registry.selectFrom('search_marks').select('id').limit(1).execute()
  if (isMarked.length === 0) return false
  return registry.transaction().execute((registry) => foldInTransaction(registry, limit, budget))
}

export async function foldInTransaction(
  registry: Registry,
  limit: number,
  { tokens, ms } = UNLIMITED
): Promise<boolean> {
  const marks = await registry
    .selectFrom('search_marks')
    .select(['kind', 'id'])
    .orderBy('kind')
    .orderBy('id')
    .limit(limit)
    .modifyEnd(skipLocked(registry))
    .execute()
  const folded: Folded[] = []
  let room = tokens
  for await (const next of foldEach(registry, marks, performance.now() + ms)) {
    room -= next.tokens?.length ?? 1
    // However large, one is always done.
    if (folded.length > 0 && room < 0) break
    folded.push(next)
  }
  await write(registry, folded)
  return marks.length === limit || folded.length < marks.length
}

async function* foldEach(
  registry: Registry,
  marks: readonly Mark[],
  end: number
): AsyncGenerator<Folded> {
  for (const [kind, rows] of Map.groupBy(marks, (mark) => mark.kind)) {
    for (let at = 0; at < rows.length; at += READ) {
      if (performance.now() > end) return
      const ids = rows.slice(at, at + READ).map(({ id }) => id)
      const documents = await readDocuments(registry, kind, ids)
      const found = new Map([...documents].map((document) => [document.id, document]))
      for (const id of ids) {
        const document = found.get(id)
        yield { kind, id, ...(document && { tokens: documentTokens(document) }) }
      }
    }
  }
}

async function write(registry: Registry, folded: readonly Folded[]): Promise<void> {
  const entries: IndexEntry[] = []
  const gone: number[] = []
  for (const { kind, id, tokens } of folded) {
    if (tokens) entries.push({ doc: docOf(kind, id), tokens })
    else gone.push(docOf(kind, id))
  }
  // Kinds are in the order of documents, and so are ids.
  await putInIndex(registry, entries)
  await dropFromIndex(registry, gone)
  for (const [kind, rows] of Map.groupBy(folded, (mark) => mark.kind)) {
    const ids = rows.map(({ id }) => id)
    await registry
      .deleteFrom('search_marks')
      .where('kind', '=', kind)
      .where(isOneOf(registry, sql.ref('id'), ids))
      .execute()
  }
}

/**
 * Fills an index that is empty with everything there is, at once: without its own index until all
 * are in it, PostgreSQL takes them many times faster. For a transaction that nobody else waits for.
 */
export async function fillIndex(
  registry: Registry,
  onDocuments: (count: number) => void
): Promise<void> {
  await withoutTokenIndex(registry, async () => {
    for (const kind of searchKinds) {
      for (let last = 0; ; ) {
        const ids = await idsAfter(registry, kind, last)
        if (ids.length === 0) break
        last = ids.at(-1) ?? last
        const entries: IndexEntry[] = []
        for (const document of await readDocuments(registry, kind, ids)) {
          entries.push({ doc: docOf(kind, document.id), tokens: documentTokens(document) })
        }
        await putInIndex(registry, entries)
        onDocuments(ids.length)
      }
    }
  })
}

async function idsAfter(registry: Registry, kind: SearchKind, last: number): Promise<number[]> {
  const rows =
    kind === 'installation'
      ? await registry
          .selectFrom('installations')
          .select('id')
          .where('id', '>', last)
          .orderBy('id')
          .limit(FILLED)
          .execute()
      : await registry
          .selectFrom('objects')
          .select('id')
          .where('kind', '=', kind)
          .where('id', '>', last)
          .orderBy('id')
          .limit(FILLED)
          .execute()
  return rows.map(({ id }) => id)
}
