import { sql } from 'kysely'
import { isPostgres } from '../../registry/dialect.ts'
import { prepared } from '../../registry/prepared.ts'
import { searchKinds } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { placeOf, readDocs, segmentAt } from './chunks.ts'
import { forReading, setsIn } from './segment.ts'
import { bucketOf, type WideToken } from './wide-tokens.ts'

/** Segment -> the set of documents that have a token. */
export type TokenSets = ReadonlyMap<number, Uint8Array>

/** In place of a token: all documents of a segment. */
export const ALL_DOCS = -1

/** The key of a token of a kind. Tokens have 45 bits. */
export const setKey = (kind: SearchKind, token: WideToken): number =>
  searchKinds.indexOf(kind) * 2 ** 46 + token

/** For about 250 tokens that many objects have. */
const CACHE_BYTES_PER_SEGMENT = 512 * 1024
const LEAST_CACHE_BYTES = 32 * 1024 * 1024
const MOST_CACHE_BYTES = 256 * 1024 * 1024
export const setCacheBytes = (segments: number): number =>
  Math.min(Math.max(segments * CACHE_BYTES_PER_SEGMENT, LEAST_CACHE_BYTES), MOST_CACHE_BYTES)
/** A map keeps so many bytes for each set, besides the set. */
const BYTES_PER_SET = 150

/**
 * The sets that were read last. A segment never changes, and its number is never used again, so
 * they are always right.
 */
export class SetCache {
  readonly #kept = new Map<number, TokenSets>()
  readonly #bytesFor: (segments: number) => number
  #most: number
  #bytes = 0

  constructor(bytesFor: (segments: number) => number) {
    this.#bytesFor = bytesFor
    this.#most = bytesFor(0)
  }

  /** The index has so many segments now. */
  fit(segments: number): void {
    this.#most = this.#bytesFor(segments)
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: number): TokenSets | undefined {
    const sets = this.#kept.get(key)
    if (!sets) return undefined
    // The map is in the order of use.
    this.#kept.delete(key)
    this.#kept.set(key, sets)
    return sets
  }

  put(key: number, sets: TokenSets): void {
    this.#remove(key)
    this.#kept.set(key, sets)
    this.#bytes += bytesOf(sets)
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break
      this.#remove(oldest)
    }
  }

  #remove(key: number): void {
    const sets = this.#kept.get(key)
    if (!sets) return
    this.#kept.delete(key)
    this.#bytes -= bytesOf(sets)
  }
}

function bytesOf(sets: TokenSets): number {
  let sum = 0
  for (const set of sets.values()) sum += BYTES_PER_SET + set.length
  return sum
}

export type WantedSets = {
  kind: SearchKind
  tokens: readonly WideToken[]
  segments: readonly number[]
}

/** The sets of these tokens in these segments, from memory or from the registry. */
export async function readSets(
  registry: Registry,
  cache: SetCache,
  wanted: readonly WantedSets[]
): Promise<Map<number, TokenSets>> {
  const found = new Map<number, TokenSets>()
  const missing = new Map<number, Missing>()
  for (const { kind, tokens, segments } of wanted) {
    for (const token of tokens) {
      const known = cache.get(setKey(kind, token))
      const unknown = known ? segments.filter((segment) => !known.has(segment)) : segments
      found.set(setKey(kind, token), known ?? new Map())
      if (unknown.length === 0) continue
      const bucket = token === ALL_DOCS ? ALL_DOCS : bucketOf(token)
      add(missing, { kind, bucket, token, segments, unknown })
    }
  }
  const buckets = [...missing.values()]
  // A server is asked for several buckets at once, up to a size.
  for (let at = 0; at < buckets.length; ) {
    let rows = 0
    const some: Missing[] = []
    for (; at < buckets.length && rows < MAX_ROWS_PER_READ; at++) {
      const next = buckets[at]
      if (!next) continue
      some.push(next)
      rows += next.segments.length
    }
    const read = await readBuckets(registry, some)
    for (const [i, one] of some.entries()) {
      for (const [key, sets] of withRead(one, found, read[i] ?? new Map())) {
        found.set(key, sets)
        cache.put(key, sets)
      }
    }
  }
  return found
}
/** A row has about 2 KB if the token has many documents. */
const MAX_ROWS_PER_READ = 1024

/** A bucket of a kind that must be read, because sets of these tokens are not in memory. */
type Missing = {
  kind: SearchKind
  bucket: number
  tokens: Set<WideToken>
  /** All that the search reads, and the first and the last that is not in memory. */
  segments: readonly number[]
  first: number
  last: number
}

function add(
  missing: Map<number, Missing>,
  {
    kind,
    bucket,
    token,
    segments,
    unknown
  }: Pick<Missing, 'kind' | 'bucket' | 'segments'> & {
    token: WideToken
    unknown: readonly number[]
  }
): void {
  const key = setKey(kind, bucket)
  const own = missing.get(key) ?? {
    ...{ kind, bucket, tokens: new Set(), segments },
    ...{ first: Number.POSITIVE_INFINITY, last: 0 }
  }
  own.tokens.add(token)
  for (const segment of unknown) {
    own.first = Math.min(own.first, segment)
    own.last = Math.max(own.last, segment)
  }
  missing.set(key, own)
}

/** The sets of the tokens of a bucket, with those that were known before. */
function* withRead(
  { kind, tokens, segments, bucket }: Missing,
  found: ReadonlyMap<number, TokenSets>,
  rows: ReadonlyMap<number, Uint8Array>
): Generator<[key: number, sets: TokenSets]> {
  const all = [...tokens]
  const sets = all.map((token) => new Map(found.get(setKey(kind, token))))
  for (const segment of segments) {
    const row = rows.get(segment) ?? NO_SET
    const own = bucket === ALL_DOCS ? [row] : setsIn(row, all)
    for (const [i, known] of sets.entries()) {
      if (!known.has(segment)) known.set(segment, forReading(own[i] ?? NO_SET))
    }
  }
  const used = new Set(segments)
  for (const [i, token] of all.entries()) {
    const known = sets[i] ?? new Map()
    for (const segment of known.keys()) if (!used.has(segment)) known.delete(segment)
    yield [setKey(kind, token), packed(known)]
  }
}
export const NO_SET = new Uint8Array()

/** In memory of its own, so that the rest of what was read is free again. */
function packed(sets: Map<number, Uint8Array>): TokenSets {
  let length = 0
  for (const set of sets.values()) length += set.length
  const bytes = new Uint8Array(length)
  let at = 0
  for (const [segment, set] of sets) {
    if (set.length === 0) continue
    bytes.set(set, at)
    sets.set(segment, bytes.subarray(at, at + set.length))
    at += set.length
  }
  return sets
}

const inRange = prepared<{ place: number; sets: Uint8Array }>((registry) => ({
  compile: () =>
    sql`select place, sets from search_postings
      where place >= ${0} and place <= ${0}`.compile(registry)
}))
/** Many rows as one value: for PostgreSQL's client each row costs more than its bytes. */
const inRanges = prepared<{ bytes: Buffer | null }>((registry) => ({
  compile: () =>
    sql`select bytes from unnest(${[]}::bigint[], ${[]}::bigint[])
        with ordinality as wanted(first, last, number)
      cross join lateral (
        select string_agg(int8send(place) || int4send(length(sets)) || sets, '') as bytes
        from search_postings where place >= first and place <= last) as found
      order by number`.compile(registry)
}))

/** For each bucket: segment -> sets. */
async function readBuckets(
  registry: Registry,
  buckets: readonly Missing[]
): Promise<Map<number, Uint8Array>[]> {
  const inTable = buckets.filter(({ bucket }) => bucket !== ALL_DOCS)
  const firsts = inTable.map(({ bucket, first }) => placeOf(bucket, first))
  const lasts = inTable.map(({ bucket, last }) => placeOf(bucket, last))
  const read: Map<number, Uint8Array>[] = []
  if (inTable.length > 0 && isPostgres(registry)) {
    for (const { bytes } of await inRanges(registry, [firsts, lasts])) read.push(rowsOf(bytes))
  } else {
    for (const [i, first] of firsts.entries()) {
      const rows = await inRange(registry, [first, lasts[i]])
      read.push(new Map(rows.map(({ place, sets }) => [segmentAt(place), sets])))
    }
  }
  const found: Map<number, Uint8Array>[] = []
  for (const { bucket, first, last } of buckets) {
    const rows = bucket === ALL_DOCS ? await readDocs(registry, first, last) : read.shift()
    found.push(rows ?? new Map())
  }
  return found
}

function rowsOf(all: Buffer | null): Map<number, Uint8Array> {
  const rows = new Map<number, Uint8Array>()
  if (!all) return rows
  for (let at = 0; at < all.length; ) {
    const end = at + 12 + all.readUInt32BE(at + 8)
    rows.set(segmentAt(Number(all.readBigInt64BE(at))), all.subarray(at + 12, end))
    at = end
  }
  return rows
}
