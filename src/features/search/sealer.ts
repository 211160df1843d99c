import { docOf, IDS_PER_KIND, idOf, searchKinds } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { beginSegment, removeBuckets, sealedDocs, useSegment, writeBuckets } from './chunks.ts'
import { readDocuments } from './documents.ts'
import { dropFromIndex, findInIndex } from './engine-sql.ts'
import { DOCS_PER_CHUNK, hasBit, SegmentBuilder } from './segment.ts'
import { textLength } from './tokens.ts'
import { BUCKETS, wideTokens } from './wide-tokens.ts'

/** A chunk gets a new segment when so many of its documents are fresh. */
const MAX_FRESH_IN_CHUNK = 4096
/** All chunks together have no more fresh documents, if the work keeps up with the changes. */
const MAX_FRESH = 8192

/** Each step is a short transaction or a short computation, so that other requests do not wait. */
const STEP_MS = 4
const DOCUMENTS_PER_STEP = 32
const BUCKETS_PER_STEP = 64
const DROPPED_PER_STEP = 256

/** Larger documents stay in the index of fresh documents. */
const MAX_TEXT_LENGTH = 4096
const MAX_TOKENS_PER_SEGMENT = 8_000_000

/** Whether segments do not have most documents yet, as after an upgrade. */
export const hasManyFresh = async (registry: Registry): Promise<boolean> =>
  (await countFresh(registry)) > 4 * MAX_FRESH

async function countFresh(registry: Registry): Promise<number> {
  const { fresh } = await registry
    .selectFrom('search_chunks')
    .select((eb) => eb.fn.sum<number | null>('fresh').as('fresh'))
    .executeTakeFirstOrThrow()
  return Number(fresh ?? 0)
}

/** Called between two steps. It may wait, and throws when the work must end. */
export type Rest = () => Promise<void>

/** Writes a new segment for one chunk that needs it. Returns whether there may be more to do. */
export async function sealOne(
  registry: Registry,
  rest: Rest,
  limits = { inChunk: MAX_FRESH_IN_CHUNK, all: MAX_FRESH }
): Promise<boolean> {
  const unfinished = await registry
    .selectFrom('search_chunks')
    .select(['chunk', 'building', 'outdated'])
    .where((eb) => eb.or([eb('building', '>', 0), eb('outdated', '>=', 0)]))
    .limit(1)
    .executeTakeFirst()
  if (unfinished) {
    await tidy(registry, unfinished, rest)
    return true
  }
  const next = await registry
    .selectFrom('search_chunks')
    .select(['chunk', 'fresh'])
    .orderBy('fresh', 'desc')
    .limit(1)
    .executeTakeFirst()
  const isDue =
    next &&
    next.fresh > 0 &&
    (next.fresh > limits.inChunk || (await countFresh(registry)) > limits.all)
  if (!isDue) return false
  await seal(registry, next.chunk, rest)
  return true
}

/** What was left by an earlier run, or is left of the segment before. */
async function tidy(
  registry: Registry,
  { chunk, building, outdated }: { chunk: number; building: number; outdated: number },
  rest: Rest
): Promise<void> {
  if (building > 0) {
    await remove(registry, building, rest)
    await registry
      .updateTable('search_chunks')
      .set({ building: 0, gone_next: null })
      .where('chunk', '=', chunk)
      .execute()
  }
  if (outdated < 0) return
  await dropSealed(registry, chunk, rest)
  if (outdated > 0) await remove(registry, outdated, rest)
  await registry
    .updateTable('search_chunks')
    .set({ outdated: -1 })
    .where('chunk', '=', chunk)
    .execute()
}

async function remove(registry: Registry, segment: number, rest: Rest): Promise<void> {
  for (let first = 0; first < BUCKETS; first += BUCKETS_PER_STEP) {
    await removeBuckets(registry, segment, { first, count: BUCKETS_PER_STEP })
    await rest()
  }
}

export async function seal(registry: Registry, chunk: number, rest: Rest): Promise<void> {
  const segment = await inTransaction(registry, (registry) => beginSegment(registry, chunk))
  const builder = await build(registry, chunk, rest)
  for (const rows of builder.buckets()) {
    await writeBuckets(registry, segment, rows)
    await rest()
  }
  await inTransaction(registry, (registry) => useSegment(registry, chunk, builder.all))
}

async function build(registry: Registry, chunk: number, rest: Rest): Promise<SegmentBuilder> {
  const builder = new SegmentBuilder()
  const start = chunk * DOCS_PER_CHUNK
  const kind = searchKinds[Math.floor(start / IDS_PER_KIND)] ?? 'device'
  let room = MAX_TOKENS_PER_SEGMENT
  for (let after = idOf(start) - 1; room > 0; ) {
    const before = idOf(start) + DOCS_PER_CHUNK
    const ids = await idsBetween(registry, kind, { after, before, limit: DOCUMENTS_PER_STEP })
    if (ids.length === 0) break
    after = ids.at(-1) ?? after
    let began = performance.now()
    for (const document of await readDocuments(registry, kind, ids)) {
      if (performance.now() - began > STEP_MS) {
        await rest()
        began = performance.now()
      }
      const length = textLength(document)
      room -= 2 * length
      if (length > MAX_TEXT_LENGTH || room < 0) continue
      builder.add(docOf(kind, document.id) - start, wideTokens(document))
    }
    await rest()
  }
  return builder
}

/** Removes from the index of fresh documents what the segment has. */
async function dropSealed(registry: Registry, chunk: number, rest: Rest): Promise<void> {
  const before = (chunk + 1) * DOCS_PER_CHUNK
  for (let after = chunk * DOCS_PER_CHUNK - 1; ; ) {
    const docs = await findInIndex(registry, undefined, { after, before, limit: DROPPED_PER_STEP })
    if (docs.length === 0) return
    after = docs.at(-1) ?? before
    await inTransaction(registry, async (registry) => {
      const sealed = await sealedDocs(registry, chunk)
      const own = docs.filter((doc) => hasBit(sealed, doc % DOCS_PER_CHUNK))
      await dropFromIndex(registry, own)
    })
    await rest()
  }
}

export async function idsBetween(
  registry: Registry,
  kind: SearchKind,
  { after, before, limit }: { after: number; before: number; limit: number }
): Promise<number[]> {
  const rows =
    kind === 'installation'
      ? await registry
          .selectFrom('installations')
          .select('id')
          .where('id', '>', after)
          .where('id', '<', before)
          .orderBy('id')
          .limit(limit)
          .execute()
      : await registry
          .selectFrom('modelx')
          .select('id')
          .where('kind', '=', kind)
          .where('id', '>', after)
          .where('id', '<', before)
          .orderBy('id')
          .limit(limit)
          .execute()
  return rows.map(({ id }) => id)
}

const inTransaction = <T>(registry: Registry, work: (registry: Registry) => Promise<T>) =>
  registry.isTransaction ? work(registry) : registry.transaction().execute(work)
