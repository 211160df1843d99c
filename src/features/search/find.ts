import { isDeepStrictEqual } from 'node:util'
import type { SearchKind } from '../../registry/tables.ts'
import { fewFresh, fresh, visibleOf } from './candidates.ts'
import { readState } from './chunks.ts'
import { Docs } from './docs.ts'
import { findInSegments, type SegmentPlace } from './find-in-segments.ts'
import { type KindReach, reachesSome, type SearchQuery } from './query.ts'
import { queryTokens, type TokenQuery } from './tokens.ts'
import { type WideQuery, wideQuery, withProtected } from './wide-tokens.ts'

export type FindPlace = Omit<SegmentPlace, 'state'> & {
  /** Above this the index alone decides about a long text, see `Trust`. */
  most: number
}

/** `docs` match by the index alone. Each of `doubtful` must be compared with the query. */
export type Found = { docs: Docs; doubtful: Docs }

/** Asks the index for the documents of several kinds. Run it in a snapshot. */
export async function findByIndex(
  place: FindPlace,
  query: SearchQuery,
  reaches: ReadonlyMap<SearchKind, KindReach>
): Promise<Map<SearchKind, Found>> {
  const { registry, cache, most, pause } = place
  const freshOf = await freshDocs(place, query, reaches)
  const inPlace = { ...place, state: await readState(registry) }
  cache.fit(inPlace.state.count)
  const wide = wideQuery(query)
  const asked = [...reaches].map(([kind, reach]) => ({
    ...{ kind, reach },
    wide: reachesSome(reach.seesProtected) ? withProtected(wide) : wide
  }))
  const inSegments = await findInSegments(inPlace, asked)
  const found = new Map<SearchKind, Found>()
  const halfOpen: { kind: SearchKind; reach: KindReach; wide: WideQuery }[] = []
  for (const [kind, reach] of reaches) {
    const { docs = new Docs(kind), isCut = false } = inSegments.get(kind) ?? {}
    const { all = [], visible = [] } = freshOf.get(kind) ?? {}
    for (const id of all) docs.remove(id)
    const doubtful = Docs.of(kind, visible)
    const isTrusted =
      !isCut &&
      reach.types.size === 0 &&
      (wide.trust === 'all' || (wide.trust === 'most' && docs.hasMoreThan(most)))
    if (!isTrusted) {
      doubtful.addFrom(docs)
      found.set(kind, { docs: new Docs(kind), doubtful })
      continue
    }
    found.set(kind, { docs, doubtful })
    if (reachesSome(reach.seesProtected) && !seesAllProtected(reach))
      halfOpen.push({ kind, reach, wide })
  }
  await pause()
  if (halfOpen.length === 0) return found
  // What is found without protected metadata needs no comparison.
  for (const [kind, open] of await findInSegments(inPlace, halfOpen)) {
    const own = found.get(kind)
    if (!own) continue
    const { docs, doubtful } = own
    for (const id of freshOf.get(kind)?.all ?? []) open.docs.remove(id)
    if (open.isCut) open.docs = new Docs(kind)
    docs.removeFrom(open.docs)
    doubtful.addFrom(docs)
    found.set(kind, { docs: open.docs, doubtful })
  }
  return found
}

/** `all` are no longer what segments say of them; of those only `visible` may be shown. */
type Fresh = { all: readonly number[]; visible: readonly number[] }

/** Only who sees protected metadata of a kind searches it there. */
async function freshDocs(
  place: FindPlace,
  query: SearchQuery,
  reaches: ReadonlyMap<SearchKind, KindReach>
): Promise<Map<SearchKind, Fresh>> {
  const found = new Map<SearchKind, Fresh>()
  const bySight = Map.groupBy(reaches, ([, { seesProtected }]) => reachesSome(seesProtected))
  for (const [seesSome, kinds] of bySight) {
    await addFresh(place, queryTokens(query, seesSome), kinds, found)
  }
  return found
}

async function addFresh(
  { registry, pause }: FindPlace,
  tokens: TokenQuery | undefined,
  reaches: readonly [SearchKind, KindReach][],
  found: Map<SearchKind, Fresh>
): Promise<void> {
  const few = await fewFresh(registry, tokens)
  for (const [kind, reach] of reaches) {
    const own = few?.get(kind)
    const all: number[] = []
    const visible: number[] = []
    const parts = own ? [own] : fresh(registry, kind, tokens)
    for await (const ids of parts) {
      if (ids.length === 0) continue
      all.push(...ids)
      for await (const some of visibleOf(registry, kind, reach, only(ids))) visible.push(...some)
      await pause()
    }
    found.set(kind, { all, visible })
  }
}

async function* only(ids: readonly number[]): AsyncGenerator<readonly number[]> {
  yield ids
}

/** Whether the caller sees the protected metadata of all that is visible. */
const seesAllProtected = ({ visible, types, seesProtected }: KindReach): boolean =>
  seesProtected === 'everything' || (types.size === 0 && isDeepStrictEqual(visible, seesProtected))
