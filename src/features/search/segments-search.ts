import { sql } from 'kysely'
import type { Scope } from '../../lib/scope.ts'
import { docOf, idOf } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { visibleIds } from './candidates.ts'
import { type Chunk, chunkOf, readBucket, readChunks, readDocs } from './chunks.ts'
import type { KindReach } from './query.ts'
import {
  addAll,
  addSet,
  type Bits,
  clearBit,
  countBits,
  DOCS_PER_CHUNK,
  docsOf,
  isEmpty,
  keepCommon,
  noBits,
  readBits,
  removeAll,
  setBit
} from './segment.ts'
import { bucketOf, scopeTokens, type WideQuery, type WideToken } from './wide-tokens.ts'

/** With more organizations and installations than this, the visible objects are listed instead. */
const MAX_SCOPE_TOKENS = 32

/** How long to compute without a pause: with PostgreSQL, search runs on the main thread. */
export const TURN_MS = 5

const IDS_PER_PART = 1000

/** Documents of one kind. */
export class Docs {
  readonly #kind: SearchKind
  readonly #bits = new Map<number, Bits>()

  constructor(kind: SearchKind, bits: ReadonlyMap<number, Bits> = new Map()) {
    this.#kind = kind
    for (const [chunk, own] of bits) this.#bits.set(chunk, own)
  }

  add(id: number): void {
    const doc = docOf(this.#kind, id)
    let bits = this.#bits.get(chunkOf(doc))
    if (!bits) {
      bits = noBits()
      this.#bits.set(chunkOf(doc), bits)
    }
    setBit(bits, doc % DOCS_PER_CHUNK)
  }

  remove(id: number): void {
    const doc = docOf(this.#kind, id)
    const bits = this.#bits.get(chunkOf(doc))
    if (bits) clearBit(bits, doc % DOCS_PER_CHUNK)
  }

  addFrom(other: Docs): void {
    for (const [chunk, bits] of other.#bits) {
      const own = this.#bits.get(chunk)
      if (own) addAll(own, bits)
      else this.#bits.set(chunk, bits)
    }
  }

  removeFrom(other: Docs): void {
    for (const [chunk, bits] of this.#bits) {
      const gone = other.#bits.get(chunk)
      if (gone) removeAll(bits, gone)
    }
  }

  keepCommon(other: Docs): void {
    for (const [chunk, bits] of this.#bits) {
      const kept = other.#bits.get(chunk)
      if (kept) keepCommon(bits, kept)
      else this.#bits.delete(chunk)
    }
  }

  get count(): number {
    let sum = 0
    for (const bits of this.#bits.values()) sum += countBits(bits)
    return sum
  }

  /** In rising order, in parts: a few documents of each chunk are read together. */
  *ids(): Generator<number[]> {
    let part: number[] = []
    for (const chunk of [...this.#bits.keys()].sort((a, b) => a - b)) {
      for (const doc of docsOf(this.#bits.get(chunk) ?? noBits())) {
        part.push(idOf(chunk * DOCS_PER_CHUNK + doc))
      }
      if (part.length < IDS_PER_PART) continue
      yield part
      part = []
    }
    if (part.length > 0) yield part
  }

  page({ skip, take }: { skip: number; take: number }): number[] {
    const ids: number[] = []
    let before = 0
    for (const chunk of [...this.#bits.keys()].sort((a, b) => a - b)) {
      if (ids.length >= take) break
      const bits = this.#bits.get(chunk) ?? noBits()
      const count = countBits(bits)
      if (before + count > skip) {
        const start = Math.max(0, skip - before)
        const docs = docsOf(bits).slice(start, start + take - ids.length)
        for (const doc of docs) ids.push(idOf(chunk * DOCS_PER_CHUNK + doc))
      }
      before += count
    }
    return ids
  }
}

export type SegmentPlace = {
  registry: Registry
  kind: SearchKind
  /** With so few documents the search for more tokens ends. */
  few: number
  pause: () => Promise<void>
}

/**
 * The documents in segments that the query finds and the caller sees. `isCut`: they are so few that
 * not all tokens were read.
 */
export async function findInSegments(
  place: SegmentPlace,
  { groups }: WideQuery,
  reach: KindReach
): Promise<{ docs: Docs; isCut: boolean }> {
  const { registry, kind } = place
  const chunks = await readChunks(registry, kind)
  const scope = reach.visible === 'everything' ? [] : scopeGroups(reach.visible, reach)
  const isShort = scope.every((group) => group.length <= MAX_SCOPE_TOKENS)
  const all = [...groups, ...(isShort ? scope : [])]
  const { found, isCut } =
    all.length > 0
      ? await withTokens(place, chunks, all)
      : { found: await readDocs(registry, chunks), isCut: false }
  for (const { chunk, gone } of chunks) {
    const bits = found.get(chunk)
    if (bits && gone) removeAll(bits, readBits(gone))
  }
  const docs = new Docs(kind, found)
  if (!isShort) docs.keepCommon(await visibleDocs(place, reach))
  if (kind !== 'installation') await removeErased(registry, kind, docs)
  return { docs, isCut }
}

const scopeGroups = (scope: Scope, reach?: KindReach): WideToken[][] => [
  [
    ...scopeTokens(scope),
    ...scopeTokens({ organizationIds: [], installationIds: [...(reach?.types.keys() ?? [])] })
  ],
  ...(scope.within ? scopeGroups(scope.within, reach) : [])
]

/** The documents that have a token of each group: chunk -> bits. */
async function withTokens(
  place: SegmentPlace,
  chunks: readonly Chunk[],
  groups: readonly (readonly WideToken[])[]
): Promise<{ found: Map<number, Bits>; isCut: boolean }> {
  let found = new Map<Chunk, Bits | undefined>(chunks.map((chunk) => [chunk, undefined]))
  let left = groups.length
  for (const group of groups) {
    found = await withSome(place, found, group)
    left--
    if (left > 0 && countAll(found) <= place.few) break
  }
  const bits = [...found].map(([{ chunk }, bits]) => [chunk, bits ?? noBits()] as const)
  return { found: new Map(bits), isCut: left > 0 }
}

const countAll = (found: ReadonlyMap<Chunk, Bits | undefined>): number =>
  [...found.values()].reduce((sum, bits) => sum + (bits ? countBits(bits) : 0), 0)

/** Of the documents so far, those that have one of the tokens. */
async function withSome(
  { registry, kind, pause }: SegmentPlace,
  before: ReadonlyMap<Chunk, Bits | undefined>,
  group: readonly WideToken[]
): Promise<Map<Chunk, Bits | undefined>> {
  const found = new Map<Chunk, Bits>()
  const own = noBits()
  for (const [bucket, tokens] of Map.groupBy(group, bucketOf)) {
    const sets = await readBucket(registry, kind, bucket)
    let since = performance.now()
    for (const [chunk, bits] of before) {
      if (performance.now() - since > TURN_MS) {
        await pause()
        since = performance.now()
      }
      const inSegment = sets.get(chunk.segment)
      if (!inSegment) continue
      own.fill(0)
      for (const token of tokens) addSet(own, inSegment, token)
      if (bits) keepCommon(own, bits)
      if (isEmpty(own)) continue
      const known = found.get(chunk)
      if (known) addAll(known, own)
      else found.set(chunk, own.slice())
    }
    await pause()
  }
  return found
}

async function visibleDocs({ registry, kind }: SegmentPlace, reach: KindReach): Promise<Docs> {
  const docs = new Docs(kind)
  for await (const ids of visibleIds(registry, kind, reach)) for (const id of ids) docs.add(id)
  return docs
}

/** Objects of deleted installations are still there for a while. */
async function removeErased(registry: Registry, kind: SearchKind, docs: Docs): Promise<void> {
  const { rows } = await sql<{ id: number }>`select modelx.id from erasures cross join modelx
    where modelx.installation_id = erasures.installation_id and kind = ${kind}`.execute(registry)
  for (const { id } of rows) docs.remove(id)
}
