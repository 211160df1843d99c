import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { MAX_PAGE_BYTES, PageTooLarge } from '../lib/page-limit.ts'
import { scopeTest } from '../lib/scope.ts'
import { matcherOf, resultOf, type SearchDocument } from '../lib/search-document.ts'
import {
  type KindReach,
  type Reach,
  reachesSome,
  type SearchKind,
  type SearchQuery,
  type SearchReach,
  searchKinds
} from '../lib/search-query.ts'
import { queryTokens } from '../lib/search-tokens.ts'
import {
  type Candidates,
  countBlocks,
  idsInBlocks,
  indexed,
  isVisible,
  scanned,
  seesLittle,
  visibleOf
} from './search-candidates.ts'
import { readDocuments } from './search-documents.ts'
import type { Registry } from './tables.ts'

export type Question = { query: SearchQuery; reach: SearchReach }

/** Lets others work, and throws when nobody waits for the answer any more. */
export type Pause = () => Promise<void>

export const pauseUntil =
  (signal: AbortSignal): Pause =>
  async () => {
    await nextTurn()
    signal.throwIfAborted()
  }

/** Documents that are read at once. */
const READ = 200
/** Milliseconds of comparing at a stretch: on PostgreSQL everybody else waits meanwhile. */
const TURN = 5
/** So many documents are looked at sooner than the index is asked. */
const LITTLE = 2000

/** What is on the page so far, as JSON. */
class Results {
  readonly texts: string[] = []
  #room = MAX_PAGE_BYTES

  add(text: string): void {
    this.#room -= Buffer.byteLength(text)
    if (this.#room < 0) throw new PageTooLarge()
    this.texts.push(text)
  }
}

/** The part of a kind's matches that is on the page. */
type Page = { skip: number; take: number }

/**
 * The answer as JSON text; throws `PageTooLarge` when that would be. Whoever asks must be given a
 * reach; without one nothing is found.
 */
export async function search(
  registry: Registry,
  { query, reach }: Question,
  pause: Pause,
  little = LITTLE
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

/** Adds what is on the page to the results; answers how many there are without it. */
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

/** What the caller sees, document by document. */
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
  // A greater number is no id, and PostgreSQL has none for it.
  if (Number.isSafeInteger(id)) yield [id]
}

async function eachDocument(
  registry: Registry,
  kind: SearchKind,
  ids: readonly number[],
  pause: Pause,
  use: (document: SearchDocument) => void
): Promise<void> {
  for (let at = 0; at < ids.length; at += READ) {
    await pause()
    const documents = await readDocuments(registry, kind, ids.slice(at, at + READ))
    let start = performance.now()
    for (const document of documents) {
      use(document)
      if (performance.now() - start < TURN) continue
      await pause()
      start = performance.now()
    }
  }
}

/** A page of everything by counting: the same work wherever the page is. */
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
