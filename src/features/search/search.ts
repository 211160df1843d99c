import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { MAX_PAGE_BYTES, PageTooLarge } from '../../lib/page-limit.ts'
import { scopeTest } from '../../lib/scope.ts'
import { searchKinds } from '../../registry/search-marks.ts'
import type { Registry, SearchKind } from '../../registry/tables.ts'
import {
  type Candidates,
  countBlocks,
  idsInBlocks,
  isVisible,
  seenLittle,
  visibleIds,
  visibleOf
} from './candidates.ts'
import { matcherOf, resultOf, type SearchDocument } from './document.ts'
import { readDocuments } from './documents.ts'
import { type Found, findByIndex } from './find.ts'
import { TURN_MS } from './find-in-segments.ts'
import type { KindReach, Reach, SearchQuery, SearchReach } from './query.ts'
import { hasManyFresh } from './sealer.ts'
import { SetCache } from './sets.ts'

export type Question = { query: SearchQuery; reach: SearchReach }

/** Lets other requests work, and throws if the caller has hung up. */
export type Pause = () => Promise<void>

export const pauseUntil =
  (signal: AbortSignal): Pause =>
  async () => {
    await nextTurn()
    signal.throwIfAborted()
  }

/** How many documents are read at once. */
const DOCUMENTS_PER_READ = 200
const MAX_DOCUMENTS_WITHOUT_INDEX = 300
/** Above this the index alone decides about a long text, see `Trust`. */
const MAX_COMPARED = 250
/** So few documents are compared sooner than more tokens are read. */
const FEW_DOCUMENTS = 100

/** The results of the page so far, as JSON. */
class Results {
  readonly texts: string[] = []
  #room = MAX_PAGE_BYTES

  add(text: string): void {
    this.#room -= Buffer.byteLength(text)
    if (this.#room < 0) throw new PageTooLarge()
    this.texts.push(text)
  }
}

/** The part of the matches of a kind that is on the page. */
type Page = { skip: number; take: number }

export type SearchOptions = {
  /** A caller who sees at most this many documents is served without the index. */
  little?: number
  most?: number
  few?: number
  /** What searches on the same registry have read before. */
  cache?: SetCache
}

/**
 * Returns the answer as JSON text. Throws `PageTooLarge` if it gets too large. Kinds without a
 * reach are not searched.
 */
export async function search(
  registry: Registry,
  question: Question,
  pause: Pause,
  options: SearchOptions = {}
): Promise<string> {
  const { query } = question
  const { limit, offset } = query
  const results = new Results()
  const ways = await waysTo(registry, question, pause, options)
  let total = 0
  for (const [kind, way] of ways) {
    const reach = question.reach[kind]
    if (!reach) continue
    const page = {
      skip: Math.max(0, offset - total),
      take: limit - results.texts.length
    }
    const part = { kind, query, reach, results }
    total += await searchKind(registry, part, way, page, pause)
  }
  const texts = results.texts.join(',')
  return `{"total":${total},"limit":${limit},"offset":${offset},"results":[${texts}]}`
}

type KindSearch = { kind: SearchKind; query: SearchQuery; reach: KindReach; results: Results }

/** How the documents of a kind are found. */
type Way = 'counts' | 'all' | Found

/** In the order of the results. The index is asked for all kinds together. */
async function waysTo(
  registry: Registry,
  { query, reach }: Question,
  pause: Pause,
  {
    little = MAX_DOCUMENTS_WITHOUT_INDEX,
    most = MAX_COMPARED,
    few = FEW_DOCUMENTS,
    cache = new SetCache(() => 0)
  }: SearchOptions
): Promise<Map<SearchKind, Way>> {
  const ways = new Map<SearchKind, Way>()
  const open = new Map<SearchKind, KindReach>()
  for (const kind of searchKinds) {
    const own = reach[kind]
    if (own) open.set(kind, own)
  }
  const isEverything = query.wanted.by === 'everything' && query.filters.length === 0
  const isCounted = isEverything && (await hasManyFresh(registry))
  const isId = query.wanted.by === 'id'
  const seen = isId ? new Set() : await seenLittle(registry, open, little)
  for (const [kind, { types }] of open) {
    if (isCounted && types.size === 0) ways.set(kind, 'counts')
    else if (isId || seen.has(kind)) ways.set(kind, 'all')
  }
  const indexed = [...open].filter(([kind]) => !ways.has(kind))
  if (indexed.length > 0) {
    const found = await onSnapshot(registry, (registry) =>
      findByIndex({ registry, cache, few, most, pause }, query, new Map(indexed))
    )
    for (const [kind, way] of found) ways.set(kind, way)
  }
  return new Map([...open.keys()].map((kind) => [kind, ways.get(kind) ?? 'all']))
}

/** Adds the matches on the page to the results. Returns the number of all matches. */
async function searchKind(
  registry: Registry,
  part: KindSearch,
  way: Way,
  page: Page,
  pause: Pause
): Promise<number> {
  const { kind, query, reach, results } = part
  const matcher = matcherOf(query)
  const sees = viewOf(reach)
  const show = (document: SearchDocument) =>
    results.add(JSON.stringify(resultOf(document, matcher, sees.protected(document))))
  const matches = (document: SearchDocument) =>
    sees.document(document) && matcher.matches(document, sees.protected(document))
  if (way === 'counts') {
    const { total, ids } = await countedPage(registry, kind, reach, page)
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (sees.document(document)) show(document)
    })
    return total
  }
  if (way === 'all') return searchAll(registry, part, page, pause, { matches, show })
  const { docs, doubtful } = way
  for (const ids of doubtful.ids()) {
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (matches(document)) docs.add(document.id)
    })
  }
  await eachDocument(registry, kind, docs.page(page), pause, (document) => {
    if (matches(document)) show(document)
  })
  return docs.count
}

type Use = {
  matches: (document: SearchDocument) => boolean
  show: (document: SearchDocument) => void
}

/** Without the index: compares all documents that the caller sees, or only the one with the id. */
async function searchAll(
  registry: Registry,
  { kind, query, reach }: KindSearch,
  { skip, take }: Page,
  pause: Pause,
  { matches, show }: Use
): Promise<number> {
  let total = 0
  const candidates =
    query.wanted.by === 'id'
      ? visibleOf(registry, kind, reach, only(query.wanted.id))
      : visibleIds(registry, kind, reach)
  for await (const ids of candidates) {
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (!matches(document)) return
      if (total >= skip && total < skip + take) show(document)
      total++
    })
  }
  return total
}

/** Segments may be replaced at any time, so they are read at one point in time. */
const onSnapshot = <T>(registry: Registry, read: (registry: Registry) => Promise<T>): Promise<T> =>
  registry.isTransaction
    ? read(registry)
    : registry.transaction().setIsolationLevel('repeatable read').execute(read)

/** Tests for each document whether the caller sees it and its protected metadata. */
function viewOf({ visible, types, seesProtected }: KindReach) {
  const [isVisible, isOpen] = [visible, seesProtected].map(reachTest)
  return {
    document: (document: SearchDocument): boolean => {
      if (isVisible?.(document)) return true
      const some = types.get(document.installationId)
      return some === 'all' || some?.has(document.type ?? '') === true
    },
    protected: (document: SearchDocument): boolean => isOpen?.(document) ?? false
  }
}

function reachTest(reach: Reach): (document: SearchDocument) => boolean {
  if (reach === 'everything') return () => true
  const test = scopeTest(reach)
  return ({ installationId, organizationId }) =>
    test({ id: installationId, organization_id: organizationId })
}

async function* only(id: number): Candidates {
  // A larger number cannot be an id, and PostgreSQL cannot read it.
  if (Number.isSafeInteger(id)) yield [id]
}

async function eachDocument(
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[],
  pause: Pause,
  use: (document: SearchDocument) => void
): Promise<void> {
  for (let at = 0; at < ids.length; at += DOCUMENTS_PER_READ) {
    await pause()
    const documents = await readDocuments(registry, kind, ids.slice(at, at + DOCUMENTS_PER_READ))
    let start = performance.now()
    for (const document of documents) {
      use(document)
      if (performance.now() - start < TURN_MS) continue
      await pause()
      start = performance.now()
    }
  }
}

/** Finds a page of everything with the counts of blocks, while most documents are in no segment. */
async function countedPage(
  registry: Registry,
  kind: SearchKind,
  reach: KindReach,
  { skip, take }: Page
): Promise<{ total: number; ids: readonly number[] }> {
  if (kind === 'installation') return countedInstallations(registry, reach, { skip, take })
  const blocks = await countBlocks(registry, kind, reach)
  let total = 0
  let before = 0
  const onPage: number[] = []
  for (const { block, count } of blocks) {
    const end = total + count
    if (end <= skip) before = end
    else if (total < skip + take) onPage.push(block)
    total = end
  }
  const [first] = onPage
  const last = onPage.at(-1)
  if (first === undefined || last === undefined || take === 0) return { total, ids: [] }
  const ids = await idsInBlocks(registry, kind, reach, { first, last })
  return { total, ids: ids.slice(skip - before, skip - before + take) }
}

async function countedInstallations(
  registry: Registry,
  reach: KindReach,
  { skip, take }: Page
): Promise<{ total: number; ids: readonly number[] }> {
  const visible = isVisible(registry, reach)
  const counted = await sql<{ total: number }>`
    select count(*) as total from installations where ${visible}`.execute(registry)
  const { rows } = await sql<{ id: number }>`select id from installations where ${visible}
    order by id limit ${take} offset ${skip}`.execute(registry)
  return { total: counted.rows[0]?.total ?? 0, ids: rows.map(({ id }) => id) }
}
