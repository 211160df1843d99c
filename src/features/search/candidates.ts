import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOneOf } from '../../registry/dialect.ts'
import { isWithin } from '../../registry/installations.ts'
import { IDS_PER_BLOCK } from '../../registry/modelx.ts'
import { prepared } from '../../registry/prepared.ts'
import { docOf, IDS_PER_KIND, idOf, searchKinds } from '../../registry/search-marks.ts'
import type { ModelxKind, Registry, SearchKind } from '../../registry/tables.ts'
import { findInIndex } from './engine-sql.ts'
import type { KindReach } from './query.ts'
import type { TokenQuery } from './tokens.ts'

/** Ids in rising order. The documents must still be compared with the query and the scope. */
export type Candidates = AsyncGenerator<readonly number[]>

const IDS_PER_LOOKUP = 4000
const IDS_PER_SCAN = 2000

/** Fresh ids from the index, and all marked ids, which the index does not know yet. */
export async function* fresh(
  registry: Registry,
  kind: SearchKind,
  tokens: TokenQuery | undefined,
  limit = IDS_PER_LOOKUP
): Candidates {
  const before = docOf(kind, IDS_PER_KIND)
  for (let after = 0; ; ) {
    const marked = await markedAfter(registry, kind, after, limit)
    const range = { after: docOf(kind, after), before, limit }
    const found = (await findInIndex(registry, tokens, range)).map(idOf)
    // Both lists are complete up to this id.
    const end = Math.min(...[marked, found].map((ids) => endOf(ids, limit)))
    const ids = new Set([...marked, ...found].filter((id) => id <= end))
    yield [...ids].sort((a, b) => a - b)
    if (marked.length < limit && found.length < limit) return
    after = end
  }
}

/**
 * The same of several kinds with two queries. Undefined if there are so many that they must be read
 * in parts.
 */
export async function fewFresh(
  registry: Registry,
  tokens: TokenQuery | undefined,
  limit = IDS_PER_LOOKUP
): Promise<Map<SearchKind, number[]> | undefined> {
  const marked = await marks(registry, [limit])
  if (marked.length === limit) return undefined
  const range = { after: 0, before: searchKinds.length * IDS_PER_KIND, limit }
  const found = await findInIndex(registry, tokens, range)
  if (found.length === limit) return undefined
  const docs = new Set([...found, ...marked.map(({ kind, id }) => docOf(kind, id))])
  const sorted = [...docs].sort((a, b) => a - b)
  const kinds = Map.groupBy(sorted, (doc) => searchKinds[Math.floor(doc / IDS_PER_KIND)])
  return new Map(searchKinds.map((kind) => [kind, (kinds.get(kind) ?? []).map(idOf)]))
}
const marks = prepared<{ kind: SearchKind; id: number }>((registry) => ({
  compile: () => sql`select kind, id from search_marks limit ${0}`.compile(registry)
}))

const endOf = (ids: readonly number[], limit: number): number =>
  ids.length < limit ? Number.POSITIVE_INFINITY : (ids.at(-1) ?? 0)

async function markedAfter(
  registry: Registry,
  kind: SearchKind,
  after: number,
  limit: number
): Promise<number[]> {
  const rows = await registry
    .selectFrom('search_marks')
    .select('id')
    .where('kind', '=', kind)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Keeps only visible ids. Documents of other tenants are not read, so they cost little time. */
export async function* visibleOf(
  registry: Registry,
  kind: SearchKind,
  reach: KindReach,
  candidates: Candidates
): Candidates {
  for await (const ids of candidates) {
    yield reach.visible === 'everything' ? ids : await visibleAmong(registry, kind, reach, ids)
  }
}

/** `cross join` makes SQLite begin with the ids. */
async function visibleAmong(
  registry: Registry,
  kind: SearchKind,
  reach: KindReach,
  ids: readonly number[]
): Promise<number[]> {
  const { rows } =
    kind === 'installation'
      ? await sql<{ id: number }>`select id from installations
          where ${isOneOf(registry, sql.ref('id'), ids)} and ${isVisible(registry, reach)}
          order by id`.execute(registry)
      : await sql<{ id: number }>`select modelx.id from modelx cross join installations
          where ${isOneOf(registry, sql.ref('modelx.id'), ids)} and kind = ${kind}
          and installations.id = modelx.installation_id and ${isVisible(registry, reach)}
          order by modelx.id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** All visible ids, without the index. */
export async function* visibleIds(
  registry: Registry,
  kind: SearchKind,
  reach: KindReach
): Candidates {
  if (kind === 'installation') yield* scannedInstallations(registry, reach)
  else yield* scannedObjects(registry, kind, reach)
}

async function* scannedObjects(registry: Registry, kind: ModelxKind, reach: KindReach): Candidates {
  let first: number | undefined
  let waiting = 0
  let last = 0
  for (const { block, count } of await countBlocks(registry, kind, reach)) {
    first ??= block
    last = block
    waiting += count
    if (waiting < IDS_PER_SCAN) continue
    yield await idsInBlocks(registry, kind, reach, { first, last })
    first = undefined
    waiting = 0
  }
  if (first !== undefined) yield await idsInBlocks(registry, kind, reach, { first, last })
}

async function* scannedInstallations(registry: Registry, reach: KindReach): Candidates {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`select id from installations
      where id > ${after} and ${isVisible(registry, reach)} order by id limit ${IDS_PER_SCAN}`.execute(
      registry
    )
    yield rows.map(({ id }) => id)
    if (rows.length < IDS_PER_SCAN) return
    after = rows.at(-1)?.id ?? 0
  }
}

/**
 * The kinds of which the caller sees so few documents that reading all of them is cheaper than the
 * index. Many installations are not few, whatever they have: to count their objects would take
 * longer than the index.
 */
export async function seenLittle(
  registry: Registry,
  reaches: ReadonlyMap<SearchKind, KindReach>,
  little: number
): Promise<Set<SearchKind>> {
  const kinds = [...reaches.keys()].filter((kind) => reaches.get(kind)?.visible !== 'everything')
  const installations = (kind: SearchKind) =>
    sql`(select id from (${visibleInstallations(registry, reaches.get(kind))}) as ids
      limit ${little}) as seen`
  const few = await sumsBelow(
    registry,
    little,
    kinds,
    (kind) => sql`select 1 as count from ${installations(kind)}`
  )
  const objects = await sumsBelow(
    registry,
    little,
    [...few].filter((kind) => kind !== 'installation'),
    (kind) => sql`select count from ${installations(kind)} cross join modelx_counts
      where installation_id = seen.id and kind = ${kind}`
  )
  return new Set(kinds.filter((kind) => (kind === 'installation' ? few : objects).has(kind)))
}

/** The kinds with fewer rows of counts than `little`, whose sum is at most `little`. */
async function sumsBelow(
  registry: Registry,
  little: number,
  kinds: readonly SearchKind[],
  countsOf: (kind: SearchKind) => RawBuilder<unknown>
): Promise<Set<SearchKind>> {
  if (kinds.length === 0) return new Set()
  const sums = kinds.map(
    (kind) => sql`select ${sql.lit(kind)} as kind, count(*) as rows,
      cast(sum(count) as bigint) as total from (${countsOf(kind)} limit ${little}) as part`
  )
  const { rows } = await sql<{ kind: SearchKind; rows: number; total: number | null }>`
    ${sql.join(sums, sql` union all `)}`.execute(registry)
  const below = rows.filter((sum) => sum.rows < little && (sum.total ?? 0) <= little)
  return new Set(below.map(({ kind }) => kind))
}

/**
 * Uses the indexes of installations; for `isVisible` SQLite goes through all of them. Some are
 * listed twice, so that the first are found without the others.
 */
function visibleInstallations(
  registry: Registry,
  reach: KindReach | undefined
): RawBuilder<unknown> {
  if (!reach || reach.visible === 'everything') return sql`select id from installations`
  const { visible, types } = reach
  const inside = visible.within ? isWithin(registry, visible.within) : sql`1 = 1`
  const { organizationIds, installationIds } = visible
  return sql`select id from installations
      where ${isOneOf(registry, sql.ref('organization_id'), organizationIds)} and ${inside}
    union all select id from installations
      where ${isOneOf(registry, sql.ref('id'), installationIds)} and ${inside}
    union all select id from installations
      where ${isOneOf(registry, sql.ref('id'), [...types.keys()])}`
}

export type BlockCount = { block: number; count: number }

/** The number of visible objects in each block of ids. */
export async function countBlocks(
  registry: Registry,
  kind: ModelxKind,
  reach: KindReach
): Promise<BlockCount[]> {
  const { rows } = await sql<BlockCount>`
    select block, cast(sum(count) as bigint) as count from ${countsOf(registry, reach)}
    where kind = ${kind} and count > 0 group by block order by block`.execute(registry)
  return rows
}

/** The ids of visible objects in these blocks. */
export async function idsInBlocks(
  registry: Registry,
  kind: ModelxKind,
  reach: KindReach,
  { first, last }: { first: number; last: number }
): Promise<number[]> {
  const { rows } =
    reach.visible === 'everything'
      ? await sql<{ id: number }>`
          select id from modelx where id >= ${first * IDS_PER_BLOCK} and id < ${(last + 1) * IDS_PER_BLOCK}
          and kind = ${kind}
          and exists (select 1 from installations where installations.id = installation_id)
          order by id`.execute(registry)
      : await sql<{ id: number }>`
          select modelx.id from ${countsOf(registry, reach)} cross join modelx
          where modelx_counts.kind = ${kind} and block >= ${first} and block <= ${last}
          and modelx.installation_id = modelx_counts.installation_id
          and modelx.kind = modelx_counts.kind
          and modelx.id >= block * ${sql.lit(IDS_PER_BLOCK)}
          and modelx.id < (block + 1) * ${sql.lit(IDS_PER_BLOCK)}
          order by modelx.id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** The counts of visible installations; `cross join` makes SQLite begin with the installations. */
const countsOf = (registry: Registry, reach: KindReach): RawBuilder<unknown> =>
  reach.visible === 'everything'
    ? sql`modelx_counts`
    : sql`(select modelx_counts.* from installations cross join modelx_counts
        where modelx_counts.installation_id = installations.id
        and ${isVisible(registry, reach)}) as modelx_counts`

export const isVisible = (
  registry: Registry,
  { visible, types }: KindReach
): RawBuilder<SqlBool> =>
  visible === 'everything'
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`(${isWithin(registry, visible)}
        or ${isOneOf(registry, sql.ref('installations.id'), [...types.keys()])})`
