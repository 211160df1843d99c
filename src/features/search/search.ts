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
  indexed,
  isVisible,
  scanned,
  seesLittle,
  visibleOf
} from './candidates.ts'
import { matcherOf, resultOf, type SearchDocument } from './document.ts'
import { readDocuments } from './documents.ts'
import {
  type KindReach,
  type Reach,
  reachesSome,
  type SearchQuery,
  type SearchReach
} from './query.ts'
import { queryTokens } from './tokens.ts'

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
/** How long to compare without a pause: with PostgreSQL, search runs on the main thread. */
const TURN_MS = 5
/** A caller who sees at most this many documents is served without the index. */
const MAX_DOCUMENTS_WITHOUT_INDEX = 2000

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

/**
 * Returns the answer as JSON text. Throws `PageTooLarge` if it gets too large. Kinds without a
 * reach are not searched.
 */
export async function search(
  registry: Registry,
  { query, reach }: Question,
  pause: Pause,
  little = MAX_DOCUMENTS_WITHOUT_INDEX
): Promise<string> {
  const { limit, offset } = query
  const results = new Results()
  let total = 0
  for (const kind of searchKinds) {
    const kindReach = reach[kind]
    if (!kindReach) continue
    const page = {
      skip: Math.max(0, offset - total),
      take: limit - results.texts.length
    }
    const part = { kind, query, reach: kindReach, little, results }
    total += await searchKind(registry, part, page, pause)
  }
  const texts = results.texts.join(',')
  return `{"total":${total},"limit":${limit},"offset":${offset},"results":[${texts}]}`
}

type KindSearch = {
  kind: SearchKind
  query: SearchQuery
  reach: KindReach
  little: number
  results: Results
}

/** Adds the matches on the page to the results. Returns the number of all matches. */
async function searchKind(
  registry: Registry,
  part: KindSearch,
  page: Page,
  pause: Pause
): Promise<number> {
  const { kind, query, reach, results } = part
  const matcher = matcherOf(query)
  const sees = viewOf(reach)
  const show = (document: SearchDocument) =>
    results.add(JSON.stringify(resultOf(document, matcher, sees.protected(document))))
  if (query.wanted.by === 'everything' && query.filters.length === 0 && reach.types.size === 0) {
    const { total, ids } = await countedPage(registry, kind, reach, page)
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (sees.document(document)) show(document)
    })
    return total
  }
  let total = 0
  for await (const ids of await candidatesOf(registry, part)) {
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (!sees.document(document)) return
      if (!matcher.matches(document, sees.protected(document))) return
      if (total >= page.skip && total < page.skip + page.take) show(document)
      total++
    })
  }
  return total
}

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

async function candidatesOf(
  registry: Registry,
  { kind, query, reach, little }: KindSearch
): Promise<Candidates> {
  if (query.wanted.by === 'id') return visibleOf(registry, kind, reach, only(query.wanted.id))
  const tokens = queryTokens(query, reachesSome(reach.seesProtected))
  return tokens === undefined || (await seesLittle(registry, kind, reach, little))
    ? scanned(registry, kind, reach)
    : visibleOf(registry, kind, reach, indexed(registry, kind, tokens))
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

/** Finds a page of everything with the counts of blocks, so that late pages cost no more. */
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
