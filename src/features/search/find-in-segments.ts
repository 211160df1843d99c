import type { Scope } from '../../lib/scope.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { visibleIds } from './candidates.ts'
import type { Chunk, SegmentState } from './chunks.ts'
import { Docs } from './docs.ts'
import type { KindReach } from './query.ts'
import {
  type Bits,
  countBits,
  decodeInto,
  isEmpty,
  keepCommon,
  noBits,
  readBits,
  removeAll
} from './segment.ts'
import { ALL_DOCS, NO_SET, readSets, type SetCache, setKey, type TokenSets } from './sets.ts'
import { scopeTokens, type WideQuery, type WideToken } from './wide-tokens.ts'

/** With more organizations and installations than this, the visible objects are listed instead. */
const MAX_SCOPE_TOKENS = 32

/** How long to compute without a pause, so that other searches get their turn. */
export const TURN_MS = 5

export type SegmentPlace = {
  registry: Registry
  cache: SetCache
  state: SegmentState
  /** With so few documents the search for more tokens ends. */
  few: number
  pause: () => Promise<void>
}

export type SegmentQuery = { kind: SearchKind; wide: WideQuery; reach: KindReach }
/** `isCut`: the documents are so few that not all tokens were read. */
export type InSegments = { docs: Docs; isCut: boolean }

/**
 * The documents in segments that the queries find and the caller sees. The queries take their steps
 * together, because each question to a server takes time.
 */
export async function findInSegments(
  place: SegmentPlace,
  queries: readonly SegmentQuery[]
): Promise<Map<SearchKind, InSegments>> {
  const runs = queries.map((query) => new Run(query, place.state.chunks.get(query.kind) ?? []))
  for (;;) {
    const open = runs.filter((run) => run.isOpen(place.few))
    if (open.length === 0) break
    const wanted = open.map(({ kind, next, segments }) => ({ kind, tokens: next, segments }))
    const sets = await readSets(place.registry, place.cache, wanted)
    for (const run of open) await run.keepThoseWith(sets, place.pause)
  }
  const found = new Map<SearchKind, InSegments>()
  for (const run of runs) found.set(run.kind, await run.end(place))
  return found
}

/** One query on its way through its groups of tokens. */
class Run {
  readonly kind: SearchKind
  readonly segments: readonly number[]
  readonly #reach: KindReach
  readonly #groups: readonly (readonly WideToken[])[]
  readonly #isShort: boolean
  #at = 0
  /** Undefined bits: all documents. */
  readonly #found: Map<Chunk, Bits | undefined>

  constructor({ kind, wide, reach }: SegmentQuery, chunks: readonly Chunk[]) {
    this.kind = kind
    this.segments = chunks.map(({ segment }) => segment)
    this.#reach = reach
    const scope = reach.visible === 'everything' ? [] : scopeGroups(reach.visible, reach)
    this.#isShort = scope.every((group) => group.length <= MAX_SCOPE_TOKENS)
    const groups = [...wide.groups, ...(this.#isShort ? scope : [])]
    this.#groups = groups.length > 0 ? groups : [[ALL_DOCS]]
    this.#found = new Map(chunks.map((chunk) => [chunk, undefined]))
  }

  isOpen(few: number): boolean {
    return this.#at < this.#groups.length && (this.#at === 0 || this.#hasMoreThan(few))
  }

  #hasMoreThan(few: number): boolean {
    let sum = 0
    for (const bits of this.#found.values()) {
      if (bits) sum += countBits(bits)
      if (sum > few) return true
    }
    return false
  }

  /** The tokens that are needed next. */
  get next(): readonly WideToken[] {
    return this.#groups[this.#at] ?? []
  }

  /** Of the documents so far, those that have one of the tokens. */
  async keepThoseWith(
    sets: ReadonlyMap<number, TokenSets>,
    pause: () => Promise<void>
  ): Promise<void> {
    const own = this.next.map((token) => sets.get(setKey(this.kind, token)))
    const kept = noBits()
    let since = performance.now()
    for (const [chunk, bits] of this.#found) {
      if (performance.now() - since > TURN_MS) {
        await pause()
        since = performance.now()
      }
      kept.fill(0)
      for (const ofToken of own) decodeInto(kept, ofToken?.get(chunk.segment) ?? NO_SET)
      if (bits ? !keepCommon(bits, kept) : isEmpty(kept)) this.#found.delete(chunk)
      else if (!bits) this.#found.set(chunk, kept.slice())
    }
    this.#at++
  }

  async end(place: SegmentPlace): Promise<InSegments> {
    const { kind } = this
    const found = new Map<number, Bits>()
    for (const [{ chunk, gone }, bits = noBits()] of this.#found) {
      if (gone) removeAll(bits, readBits(gone))
      found.set(chunk, bits)
    }
    const docs = new Docs(kind, found)
    if (!this.#isShort) docs.keepCommon(await visibleDocs(place.registry, kind, this.#reach))
    for (const id of place.state.erased.get(kind) ?? []) docs.remove(id)
    return { docs, isCut: this.#at < this.#groups.length }
  }
}

const scopeGroups = (scope: Scope, reach?: KindReach): WideToken[][] => [
  [
    ...scopeTokens(scope),
    ...scopeTokens({ organizationIds: [], installationIds: [...(reach?.types.keys() ?? [])] })
  ],
  ...(scope.within ? scopeGroups(scope.within, reach) : [])
]

async function visibleDocs(registry: Registry, kind: SearchKind, reach: KindReach): Promise<Docs> {
  const docs = new Docs(kind)
  for await (const ids of visibleIds(registry, kind, reach)) for (const id of ids) docs.add(id)
  return docs
}
