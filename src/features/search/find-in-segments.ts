import type { Scope } from '../../lib/scope.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import { visibleIds } from './candidates.ts'
import type { Chunk, SegmentState } from './chunks.ts'
import { Docs } from './docs.ts'
import type { KindReach } from './query.ts'
import {
  type Bits,
  bitsOfChunks,
  countBits,
  keepCommon,
  noBits,
  readBits,
  removeAll
} from './segment.ts'
import { ALL_DOCS, readSets, type SetCache, setKey } from './sets.ts'
import type { TokenSets } from './token-sets.ts'
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
  readonly #chunks: readonly Chunk[]
  readonly #reach: KindReach
  readonly #groups: readonly (readonly WideToken[])[]
  readonly #isShort: boolean
  #at = 0
  /** In the order of the chunks. Undefined: no documents. */
  readonly #found: (Bits | undefined)[] = []

  constructor({ kind, wide, reach }: SegmentQuery, chunks: readonly Chunk[]) {
    this.kind = kind
    this.segments = chunks.map(({ segment }) => segment)
    this.#chunks = chunks
    this.#reach = reach
    const scope = reach.visible === 'everything' ? [] : scopeGroups(reach.visible, reach)
    this.#isShort = scope.every((group) => group.length <= MAX_SCOPE_TOKENS)
    const groups = [...wide.groups, ...(this.#isShort ? scope : [])]
    this.#groups = groups.length > 0 ? groups : [[ALL_DOCS]]
  }

  isOpen(few: number): boolean {
    return this.#at < this.#groups.length && (this.#at === 0 || this.#hasMoreThan(few))
  }

  #hasMoreThan(few: number): boolean {
    let sum = 0
    for (const bits of this.#found) {
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
    const own = this.next.flatMap((token) => sets.get(setKey(this.kind, token)) ?? [])
    const isFirst = this.#at === 0
    if (isFirst) this.#found.push(...bitsOfChunks(this.segments.length))
    let since = performance.now()
    for (const [place, bits] of this.#found.entries()) {
      if (performance.now() - since > TURN_MS) {
        await pause()
        since = performance.now()
      }
      if (!bits) continue
      const some = own.filter((sets) => sets.hasSome(place))
      if (isFirst) for (const sets of some) sets.addTo(bits, place)
      if (some.length === 0 || !(isFirst || keepAny(bits, some, place)))
        this.#found[place] = undefined
    }
    this.#at++
  }

  async end(place: SegmentPlace): Promise<InSegments> {
    const { kind } = this
    const found = new Map<number, Bits>()
    for (const [i, { chunk, gone }] of this.#chunks.entries()) {
      const bits = this.#found[i]
      if (!bits) continue
      if (gone) removeAll(bits, readBits(gone))
      found.set(chunk, bits)
    }
    const docs = new Docs(kind, found)
    if (!this.#isShort) docs.keepCommon(await visibleDocs(place.registry, kind, this.#reach))
    for (const id of place.state.erased.get(kind) ?? []) docs.remove(id)
    return { docs, isCut: this.#at < this.#groups.length }
  }
}

const joined = noBits()

/** Of these documents, keeps those that are in one of the sets. Whether some are left. */
function keepAny(bits: Bits, some: readonly TokenSets[], place: number): boolean {
  const [first, ...more] = some
  if (first && more.length === 0) return first.keepIn(bits, place)
  joined.fill(0)
  for (const sets of some) sets.addTo(joined, place)
  return keepCommon(bits, joined)
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
