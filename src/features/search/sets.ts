import { searchKinds } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { type BucketRows, readBuckets } from './buckets.ts'
import { eachSetIn } from './segment.ts'
import { NO_SET, TokenSets } from './token-sets.ts'
import { bucketOf, type WideToken } from './wide-tokens.ts'

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
/** What the cache needs for a token, besides its sets. */
const BYTES_PER_TOKEN = 500

const bytesOf = (sets: TokenSets): number => BYTES_PER_TOKEN + sets.bytes

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
    const sets = this.#kept.get(key)?.readAgain
    // The map is in the order of use.
    if (sets) this.put(key, sets)
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

export type WantedSets = {
  kind: SearchKind
  tokens: readonly WideToken[]
  segments: readonly number[]
}

/** The sets of these tokens in exactly these segments, from memory or from the registry. */
export async function readSets(
  registry: Registry,
  cache: SetCache,
  wanted: readonly WantedSets[]
): Promise<Map<number, TokenSets>> {
  const found = new Map<number, TokenSets>()
  const missing = new Map<number, Missing>()
  for (const { kind, tokens, segments } of wanted) {
    for (const token of tokens) {
      const key = setKey(kind, token)
      const known = cache.get(key)
      const unknown = known ? known.lacks(segments) : segments
      if (unknown.length > 0) add(missing, { kind, token, segments, known, unknown })
      else if (known) found.set(key, known.of(segments))
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
      for (const [key, sets] of withRead(one, read[i])) {
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
  /** Undefined for all documents. */
  bucket: number | undefined
  tokens: Map<WideToken, TokenSets | undefined>
  /** All that the search reads, and the first and the last that is not in memory. */
  segments: readonly number[]
  first: number
  last: number
}

function add(
  missing: Map<number, Missing>,
  {
    kind,
    token,
    segments,
    known,
    unknown
  }: Pick<Missing, 'kind' | 'segments'> & {
    token: WideToken
    known: TokenSets | undefined
    unknown: readonly number[]
  }
): void {
  const bucket = token === ALL_DOCS ? undefined : bucketOf(token)
  const key = setKey(kind, bucket ?? ALL_DOCS)
  const own = missing.get(key) ?? {
    ...{ kind, bucket, tokens: new Map(), segments },
    ...{ first: Number.POSITIVE_INFINITY, last: 0 }
  }
  own.tokens.set(token, known)
  for (const segment of unknown) {
    own.first = Math.min(own.first, segment)
    own.last = Math.max(own.last, segment)
  }
  missing.set(key, own)
}

/** The sets of the tokens of a bucket, with those that were known before. */
function* withRead(
  { kind, bucket, tokens, segments }: Missing,
  read: BucketRows | undefined
): Generator<[key: number, sets: TokenSets]> {
  const placeOf = new Map(segments.map((segment, place) => [segment, place]))
  const all = [...tokens.keys()]
  const sets = all.map((token) => tokens.get(token)?.listed(segments) ?? segments.map(() => NO_SET))
  for (const { segment, start, end } of read?.rows ?? []) {
    const place = placeOf.get(segment)
    if (place === undefined || !read) continue
    const use = (number: number, from: number, to: number) => {
      const own = sets[number]
      if (own) own[place] = read.bytes.subarray(from, to)
    }
    if (bucket === undefined) use(0, start, end)
    else eachSetIn(read.bytes, { start, end }, all, use)
  }
  for (const [i, token] of all.entries()) {
    yield [setKey(kind, token), new TokenSets(segments, sets[i] ?? [])]
  }
}
