import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { scopeTest } from '../lib/scope.ts'
import { matcherOf, resultOf, type SearchDocument } from '../lib/search-document.ts'
import {
  type KindReach,
  type Reach,
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
  seesLittle
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
/** So many documents are looked at sooner than the index is asked. */
const LITTLE = 2000

type Found = { total: number; results: string[] }
/** The part of a kind's matches that is on the page. */
type Page = { skip: number; take: number }

/** The answer as JSON text. Whoever asks must be given a reach; without one nothing is found. */
export async function search(
  registry: Registry,
  { query, reach }: Question,
  pause: Pause,
  little = LITTLE
): Promise<string> {
  const { limit, offset } = query
  const found: Found = { total: 0, results: [] }
  for (const kind of searchKinds) {
    const kindReach = reach[kind]
    if (!kindReach) continue
    const page = {
      skip: Math.max(0, offset - found.total),
      take: limit - found.results.length
    }
    const part = await searchKind(registry, { kind, query, reach: kindReach, little }, page, pause)
    found.total += part.total
    found.results.push(...part.results)
  }
  const { total, results } = found
  return `{"total":${total},"limit":${limit},"offset":${offset},"results":[${results.join(',')}]}`
}

type KindSearch = { kind: SearchKind; query: SearchQuery; reach: KindReach; little: number }

async function searchKind(
  registry: Registry,
  part: KindSearch,
  page: Page,
  pause: Pause
): Promise<Found> {
  const { kind, query, reach } = part
  const matcher = matcherOf(query)
  const sees = viewOf(reach)
  const show = (document: SearchDocument) =>
    JSON.stringify(resultOf(document, matcher, sees.protected(document)))
  if (query.wanted.by === 'everything' && query.filters.length === 0 && reach.types.size === 0) {
    const { total, ids } = await countedPage(registry, kind, reach, page)
    const results: string[] = []
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (sees.document(document)) results.push(show(document))
    })
    return { total, results }
  }
  const found: Found = { total: 0, results: [] }
  for await (const ids of await candidatesOf(registry, part)) {
    await eachDocument(registry, kind, ids, pause, (document) => {
      if (!sees.document(document)) return
      if (!matcher.matches(document, sees.protected(document))) return
      if (found.total >= page.skip && found.results.length < page.take) {
        found.results.push(show(document))
      }
      found.total++
    })
  }
  return found
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
  if (query.wanted.by === 'id') return only(query.wanted.id)
  const tokens = queryTokens(query)
  return tokens === undefined || (await seesLittle(registry, kind, reach, little))
    ? scanned(registry, kind, reach)
    : indexed(registry, kind, tokens)
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
    for (const document of await readDocuments(registry, kind, ids.slice(at, at + READ))) {
      use(document)
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
