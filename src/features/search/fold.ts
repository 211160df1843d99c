import { sql } from 'kysely'
import { isOneOf, skipLocked } from '../../registry/dialect.ts'
import { docOf, IDS_PER_KIND, searchKinds } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { addChunk, chunkOf, leaveSegments, sealedDocs } from './chunks.ts'
import { readDocuments } from './documents.ts'
import { dropFromIndex, type IndexEntry, putInIndex } from './engine-sql.ts'
import { idsBetween, seal } from './sealer.ts'
import { DOCS_PER_CHUNK, hasBit } from './segment.ts'
import { documentTokens, type SearchToken } from './tokens.ts'

/** How many documents are read at once; each may have a megabyte. */
const DOCUMENTS_PER_READ = 4

/** The limits of one transaction: tokens to write, and milliseconds for reading. */
export type FoldBudget = { tokens: number; ms: number }
const UNLIMITED: FoldBudget = { tokens: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY }

type Mark = { kind: SearchKind; id: number }
/** Without tokens the document was deleted. */
type Folded = Mark & { tokens?: readonly SearchToken[] }

/**
 * Updates the index for some of the marks in one transaction. Returns whether there may be more
 * marks.
 */
export async function foldMarks(
  registry: Registry,
  limit: number,
  budget?: FoldBudget
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
    // At least one document is always done, even if it is large.
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
    for (let at = 0; at < rows.length; at += DOCUMENTS_PER_READ) {
      if (performance.now() > end) return
      const ids = rows.slice(at, at + DOCUMENTS_PER_READ).map(({ id }) => id)
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
  // The marks are sorted by kind and id, which is also the order of documents.
  await putInIndex(registry, entries)
  await dropFromIndex(registry, gone)
  await leaveSegments(registry, [...entries.map(({ doc }) => doc), ...gone])
  for (const [kind, rows] of Map.groupBy(folded, (mark) => mark.kind)) {
    const ids = rows.map(({ id }) => id)
    await registry
      .deleteFrom('search_marks')
      .where('kind', '=', kind)
      .where(isOneOf(registry, sql.ref('id'), ids))
      .execute()
  }
}

/** Fills an empty index with all documents. Use it in a transaction that nobody waits for. */
export async function fillIndex(
  registry: Registry,
  onDocuments: (count: number) => void
): Promise<void> {
  for (const kind of searchKinds) {
    for (let last = 0; ; ) {
      const ids = await idsBetween(registry, kind, {
        after: last,
        before: IDS_PER_KIND,
        limit: DOCS_PER_CHUNK
      })
      const chunk = chunkOf(docOf(kind, ids[0] ?? 0))
      const own = ids.filter((id) => chunkOf(docOf(kind, id)) === chunk)
      if (own.length === 0) break
      last = own.at(-1) ?? last
      await addChunk(registry, chunk)
      await seal(registry, chunk, async () => {})
      await indexLarge(registry, kind, chunk, own)
      onDocuments(own.length)
    }
  }
}

/** What the segment did not take. */
async function indexLarge(
  registry: Registry,
  kind: SearchKind,
  chunk: number,
  ids: readonly number[]
): Promise<void> {
  const sealed = await sealedDocs(registry, chunk)
  const left = ids.filter((id) => !hasBit(sealed, docOf(kind, id) % DOCS_PER_CHUNK))
  for (let at = 0; at < left.length; at += DOCUMENTS_PER_READ) {
    const some = left.slice(at, at + DOCUMENTS_PER_READ)
    const entries: IndexEntry[] = []
    for (const document of await readDocuments(registry, kind, some)) {
      entries.push({ doc: docOf(kind, document.id), tokens: documentTokens(document) })
    }
    await putInIndex(registry, entries)
  }
}
