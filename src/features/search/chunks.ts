import { sql } from 'kysely'
import { forUpdate, isOneOf, isPostgres } from '../../registry/dialect.ts'
import { prepared } from '../../registry/prepared.ts'
import { IDS_PER_KIND, searchKinds } from '../../registry/search-marks.ts'
import type { ModelxKind, Registry, SearchKind } from '../../registry/tables.ts'
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
export const placeOf = (bucket: number, segment: number): number =>
  bucket * SEGMENTS_PER_BUCKET + segment
export const segmentAt = (place: number): number => place % SEGMENTS_PER_BUCKET

/** What a search needs of all segments, read at the begin of a snapshot. */
export type SegmentState = {
  /** The number of segments of all kinds. */
  count: number
  /** In rising order. */
  chunks: ReadonlyMap<SearchKind, readonly Chunk[]>
  /** Objects of deleted installations are still there for a while. */
  erased: ReadonlyMap<SearchKind, readonly number[]>
}

/** As one value, because each row costs more than its bytes. `group_concat` joins bytes as they are. */
const inFile = prepared<{ heads: string | null; gone: Uint8Array | null }>((registry) => ({
  compile: () =>
    sql`select group_concat(chunk || ' ' || segment || ' ' || coalesce(length(gone), 0)) as heads,
        cast(group_concat(gone, '') as blob) as gone
      from (select chunk, segment, gone from search_chunks where segment > 0 order by chunk)`.compile(
      registry
    )
}))
const erasedRows = prepared<{ kind: ModelxKind; id: number }>((registry) => ({
  compile: () =>
    sql`select kind, id from erasures cross join modelx
      where modelx.installation_id = erasures.installation_id`.compile(registry)
}))
/** Many rows as one value: for PostgreSQL's client each row costs more than its bytes. */
const together = prepared<{ chunks: Buffer | null; erased: Buffer | null }>((registry) => ({
  compile: () =>
    sql`select
    (select string_agg(int8send(chunk) || int8send(segment)
        || int4send(coalesce(length(gone), 0)) || coalesce(gone, ''), '' order by chunk)
      from search_chunks where segment > 0) as chunks,
    (select string_agg(int4send(case kind when 'device' then 0 else 1 end) || int8send(id), '')
      from erasures cross join modelx
      where modelx.installation_id = erasures.installation_id) as erased`.compile(registry)
}))

export async function readState(registry: Registry): Promise<SegmentState> {
  const { chunks, erased } = isPostgres(registry)
    ? await stateTogether(registry)
    : { chunks: await chunksInFile(registry), erased: await erasedRows(registry, []) }
  const idsOf = Map.groupBy(erased, ({ kind }) => kind)
  return {
    count: chunks.length,
    chunks: Map.groupBy(chunks, ({ chunk }) => searchKinds[kindOf(chunk)] ?? 'device'),
    erased: new Map([...idsOf].map(([kind, rows]) => [kind, rows.map(({ id }) => id)]))
  }
}

async function chunksInFile(registry: Registry): Promise<Chunk[]> {
  const [row] = await inFile(registry, [])
  if (!row?.heads) return []
  let end = 0
  return row.heads.split(',').map((head) => {
    const [chunk = 0, segment = 0, length = 0] = head.split(' ').map(Number)
    const start = end
    end += length
    return { chunk, segment, gone: length > 0 ? (row.gone?.subarray(start, end) ?? null) : null }
  })
}

async function stateTogether(registry: Registry) {
  const [row] = await together(registry, [])
  const chunks: Chunk[] = []
  const all = row?.chunks ?? Buffer.alloc(0)
  for (let at = 0; at < all.length; ) {
    const chunk = Number(all.readBigInt64BE(at))
    const segment = Number(all.readBigInt64BE(at + 8))
    const end = at + 20 + all.readUInt32BE(at + 16)
    const gone = end > at + 20 ? all.subarray(at + 20, end) : null
    chunks.push({ chunk, segment, gone })
    at = end
  }
  const erased: { kind: SearchKind; id: number }[] = []
  const gone = row?.erased ?? Buffer.alloc(0)
  for (let at = 0; at < gone.length; at += 12) {
    const kind = searchKinds[gone.readInt32BE(at)] ?? 'device'
    erased.push({ kind, id: Number(gone.readBigInt64BE(at + 4)) })
  }
  return { chunks, erased }
}

/** The documents of segments: segment -> set. */
export async function readDocs(
  registry: Registry,
  first: number,
  last: number
): Promise<Map<number, Uint8Array>> {
  const rows = await registry
    .selectFrom('search_chunks')
    .select(['segment', 'docs'])
    .where('segment', '>=', first)
    .where('segment', '<=', last)
    .execute()
  return new Map(rows.flatMap(({ segment, docs }) => (docs ? [[segment, docs]] : [])))
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
  await lockChunks(registry, [chunk])
  const row = await registry
    .selectFrom('search_chunks')
    .select(['docs', 'gone'])
    .where('chunk', '=', chunk)
    .executeTakeFirst()
  const bits = readBits(row?.docs ?? null)
  removeAll(bits, readBits(row?.gone ?? null))
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
