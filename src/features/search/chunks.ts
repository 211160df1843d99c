import { type RawBuilder, sql } from 'kysely'
import { forUpdate, isOneOf, isPostgres } from '../../registry/dialect.ts'
import { prepared } from '../../registry/prepared.ts'
import { docOf, IDS_PER_KIND } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import {
  type Bits,
  countBits,
  DOCS_PER_CHUNK,
  readBits,
  removeAll,
  setBit,
  storedBits
} from './segment.ts'
import { BUCKETS } from './wide-tokens.ts'

/**
 * A chunk is a range of document numbers. Its segment has the tokens of its documents. A document
 * that changes is `gone` from the segment and goes to the index of fresh documents, until the next
 * segment of the chunk takes its place. [ADR-0061]
 */
export type Chunk = { chunk: number; segment: number; gone: Uint8Array | null }

export const chunkOf = (doc: number): number => Math.floor(doc / DOCS_PER_CHUNK)
const CHUNKS_PER_KIND = IDS_PER_KIND / DOCS_PER_CHUNK
const kindOf = (chunk: number): number => Math.floor(chunk / CHUNKS_PER_KIND)

/** Segments of one kind have neighbouring numbers, so a search reads only those of its kind. */
const SEGMENTS_PER_BUCKET = 2 ** 32
const SEGMENTS_PER_KIND = 2 ** 30
const placeOf = (bucket: number, segment: number): number => bucket * SEGMENTS_PER_BUCKET + segment

export async function readChunks(registry: Registry, kind: SearchKind): Promise<Chunk[]> {
  const rows = registry
    .selectFrom('search_chunks')
    .select(['chunk', 'segment', 'gone'])
    .where('chunk', '>=', chunkOf(docOf(kind, 0)))
    .where('chunk', '<', chunkOf(docOf(kind, IDS_PER_KIND)))
    .where('segment', '>', 0)
  if (!isPostgres(registry)) return rows.orderBy('chunk').execute()
  const all = await bytesOf(
    registry,
    sql`select string_agg(int8send(chunk) || int8send(segment)
        || int4send(coalesce(length(gone), 0)) || coalesce(gone, ''), '' order by chunk) as bytes
      from (${rows}) as chunks`
  )
  const chunks: Chunk[] = []
  for (let at = 0; at < all.length; ) {
    const chunk = Number(all.readBigInt64BE(at))
    const segment = Number(all.readBigInt64BE(at + 8))
    const end = at + 20 + all.readUInt32BE(at + 16)
    const gone = end > at + 20 ? all.subarray(at + 20, end) : null
    chunks.push({ chunk, segment, gone })
    at = end
  }
  return chunks
}

const isInRange = sql`place >= ${0} and place < ${0}`
const readRows = prepared<{ place: number; sets: Uint8Array }>((registry) => ({
  compile: () => sql`select place, sets from search_postings where ${isInRange}`.compile(registry)
}))
const readTogether = prepared<{ bytes: Buffer | null }>((registry) => ({
  compile: () =>
    sql`select string_agg(int8send(place) || int4send(length(sets)) || sets, '') as bytes
      from search_postings where ${isInRange}`.compile(registry)
}))

/** One bucket of all segments of a kind: segment -> sets. */
export async function readBucket(
  registry: Registry,
  kind: SearchKind,
  bucket: number
): Promise<Map<number, Uint8Array>> {
  const first = placeOf(bucket, kindOf(chunkOf(docOf(kind, 0))) * SEGMENTS_PER_KIND)
  const range = [first, first + SEGMENTS_PER_KIND]
  if (!isPostgres(registry)) {
    const rows = await readRows(registry, range)
    return new Map(rows.map(({ place, sets }) => [place % SEGMENTS_PER_BUCKET, sets]))
  }
  const all = (await readTogether(registry, range))[0]?.bytes ?? Buffer.alloc(0)
  const found = new Map<number, Uint8Array>()
  for (let at = 0; at < all.length; ) {
    const end = at + 12 + all.readUInt32BE(at + 8)
    const segment = Number(all.readBigInt64BE(at)) % SEGMENTS_PER_BUCKET
    found.set(segment, all.subarray(at + 12, end))
    at = end
  }
  return found
}

/** Many rows as one value: for PostgreSQL's client each row costs more than its bytes. */
async function bytesOf(registry: Registry, select: RawBuilder<unknown>): Promise<Buffer> {
  const { rows } = await sql<{ bytes: Buffer | null }>`${select}`.execute(registry)
  return rows[0]?.bytes ?? Buffer.alloc(0)
}

/** All documents of the segments: chunk -> bits. */
export async function readDocs(registry: Registry, chunks: readonly Chunk[]) {
  const rows = await registry
    .selectFrom('search_chunks')
    .select(['chunk', 'docs'])
    .where(
      isOneOf(
        registry,
        sql.ref('chunk'),
        chunks.map(({ chunk }) => chunk)
      )
    )
    .execute()
  return new Map(rows.map(({ chunk, docs }) => [chunk, readBits(docs)]))
}

/** Takes documents out of their segments, in the transaction that indexes or deletes them. */
export async function leaveSegments(registry: Registry, docs: readonly number[]): Promise<void> {
  const groups = Map.groupBy(docs, chunkOf)
  const before = await lockChunks(registry, [...groups.keys()])
  for (const [chunk, own] of groups) {
    const row = before.get(chunk)
    const leave = (stored: Uint8Array | null): Uint8Array | null => {
      const bits = readBits(stored)
      for (const doc of own) setBit(bits, doc % DOCS_PER_CHUNK)
      return storedBits(bits)
    }
    const fields = {
      gone: row && row.segment > 0 ? leave(row.gone) : null,
      gone_next: row && row.building > 0 ? leave(row.gone_next) : null
    }
    await registry
      .insertInto('search_chunks')
      .values({ chunk, segment: 0, building: 0, outdated: -1, fresh: own.length, ...fields })
      .onConflict((conflict) =>
        conflict
          .column('chunk')
          .doUpdateSet({ ...fields, fresh: sql`search_chunks.fresh + ${own.length}` })
      )
      .execute()
  }
}

async function lockChunks(registry: Registry, chunks: readonly number[]) {
  const rows = await registry
    .selectFrom('search_chunks')
    .select(['chunk', 'segment', 'gone', 'building', 'gone_next'])
    .where(isOneOf(registry, sql.ref('chunk'), chunks))
    .orderBy('chunk')
    .modifyEnd(forUpdate(registry))
    .execute()
  return new Map(rows.map((row) => [row.chunk, row]))
}

export async function addChunk(registry: Registry, chunk: number): Promise<void> {
  await registry
    .insertInto('search_chunks')
    .values({ chunk, segment: 0, building: 0, outdated: -1, fresh: 0 })
    .onConflict((conflict) => conflict.column('chunk').doNothing())
    .execute()
}

/** Begins a new segment for the chunk; answers its number. */
export async function beginSegment(registry: Registry, chunk: number): Promise<number> {
  const first = kindOf(chunk) * SEGMENTS_PER_KIND
  const { rows } = await sql<{ last: number | null }>`
    select max(segment) as last from (
      select segment from search_chunks union all select building from search_chunks) as used
    where segment >= ${first} and segment < ${first + SEGMENTS_PER_KIND}`.execute(registry)
  const building = Math.max(rows[0]?.last ?? 0, first) + 1
  await registry
    .updateTable('search_chunks')
    .set({ building, gone_next: null })
    .where('chunk', '=', chunk)
    .execute()
  return building
}

export async function writeBuckets(
  registry: Registry,
  segment: number,
  rows: readonly { bucket: number; sets: Uint8Array }[]
): Promise<void> {
  const values = rows.map(({ bucket, sets }) => sql`(${placeOf(bucket, segment)}, ${sets})`)
  if (values.length === 0) return
  await sql`insert into search_postings (place, sets) values ${sql.join(values)}`.execute(registry)
}

/** Searches read the new segment from now on. The old one is removed later. */
export async function useSegment(registry: Registry, chunk: number, docs: Bits): Promise<void> {
  const row = (await lockChunks(registry, [chunk])).get(chunk)
  if (!row) return
  await registry
    .updateTable('search_chunks')
    .set({
      ...{ segment: row.building, docs: storedBits(docs), gone: row.gone_next },
      ...{ building: 0, gone_next: null, outdated: row.segment },
      fresh: countBits(readBits(row.gone_next))
    })
    .where('chunk', '=', chunk)
    .execute()
}

/** Documents that are only in the segment of the chunk. */
export async function sealedDocs(registry: Registry, chunk: number): Promise<Bits> {
  const gone = (await lockChunks(registry, [chunk])).get(chunk)?.gone ?? null
  const docs = (await readDocs(registry, [{ chunk, segment: 0, gone }])).get(chunk)
  const bits = docs ?? readBits(null)
  removeAll(bits, readBits(gone))
  return bits
}

/** Removes a part of the buckets of a segment. Nothing reads it any more. */
export async function removeBuckets(
  registry: Registry,
  segment: number,
  { first, count }: { first: number; count: number }
): Promise<void> {
  const buckets = Array.from({ length: Math.min(count, BUCKETS - first) }, (_, i) => first + i)
  const places = buckets.map((bucket) => placeOf(bucket, segment))
  await registry
    .deleteFrom('search_postings')
    .where(isOneOf(registry, sql.ref('place'), places))
    .execute()
}
