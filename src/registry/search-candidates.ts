import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { KindReach, SearchKind } from '../lib/search-query.ts'
import type { TokenQueries } from '../lib/search-tokens.ts'
import { isOneOf } from './dialect.ts'
import { isWithin } from './installations.ts'
import { BLOCK } from './objects.ts'
import { findInIndex } from './search-dialect.ts'
import { docOf, idOf, KIND_SIZE } from './search-index.ts'
import type { ObjectKind, Registry } from './tables.ts'

/** Ids in rising order. What is on them is still to be compared with the query and the scope. */
export type Candidates = AsyncGenerator<readonly number[]>

/** The first look is short, since most searches find little; later ones grow. */
const LOOK = { first: 250, most: 16_000 }
const GROWTH = 4
const SCAN = 2000

/** From the index, and everything marked: what the index does not know yet. */
export async function* indexed(
  registry: Registry,
  kind: SearchKind,
  { rough, fine }: TokenQueries,
  look = LOOK
): Candidates {
  const before = docOf(kind, KIND_SIZE)
  let after = 0
  // When there is little to find, comparing it is cheaper than finding it more exactly.
  let tokens = rough
  for (let limit = look.first; ; limit = Math.min(limit * GROWTH, look.most)) {
    // Marks first: what leaves them meanwhile is in the index when that is read.
    const marked = await markedAfter(registry, kind, after, limit)
    const range = { after: docOf(kind, after), before, limit }
    const found = (await findInIndex(registry, tokens, range)).map(idOf)
    const isLast = marked.length < limit && found.length < limit
    // Up to where both lists are complete.
    const end = Math.min(...[marked, found].map((ids) => endOf(ids, limit)))
    const ids = new Set([...marked, ...found].filter((id) => id <= end))
    yield [...ids].sort((a, b) => a - b)
    if (isLast) return
    after = end
    tokens = fine
  }
}

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

/** Of these the visible ones: documents of others are not read, so they take hardly any time. */
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

/** Written so that SQLite begins with the ids. */
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
      : await sql<{ id: number }>`select objects.id from objects cross join installations
          where ${isOneOf(registry, sql.ref('objects.id'), ids)} and kind = ${kind}
          and installations.id = objects.installation_id and ${isVisible(registry, reach)}
          order by objects.id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** Every visible one. */
export async function* scanned(registry: Registry, kind: SearchKind, reach: KindReach): Candidates {
  if (kind === 'installation') yield* scannedInstallations(registry, reach)
  else yield* scannedObjects(registry, kind, reach)
}

async function* scannedObjects(registry: Registry, kind: ObjectKind, reach: KindReach): Candidates {
  let first: number | undefined
  let waiting = 0
  let last = 0
  for (const { block, count } of await countBlocks(registry, kind, reach)) {
    first ??= block
    last = block
    waiting += count
    if (waiting < SCAN) continue
    yield await idsInBlocks(registry, kind, reach, { first, last })
    first = undefined
    waiting = 0
  }
  if (first !== undefined) yield await idsInBlocks(registry, kind, reach, { first, last })
}

async function* scannedInstallations(registry: Registry, reach: KindReach): Candidates {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`select id from installations
      where id > ${after} and ${isVisible(registry, reach)} order by id limit ${SCAN}`.execute(
      registry
    )
    yield rows.map(({ id }) => id)
    if (rows.length < SCAN) return
    after = rows.at(-1)?.id ?? 0
  }
}

/** Whether the caller sees so little that looking at all of it is cheaper than the index. */
export async function seesLittle(
  registry: Registry,
  kind: SearchKind,
  reach: KindReach,
  little: number
): Promise<boolean> {
  if (reach.visible === 'everything') return false
  const counts =
    kind === 'installation'
      ? sql`select 1 as count from installations where ${isVisible(registry, reach)}`
      : sql`select count from ${countsOf(registry, reach)} where kind = ${kind}`
  const { rows } = await sql<{ rows: number; objects: number | null }>`
    select count(*) as rows, cast(sum(count) as bigint) as objects
    from (${counts} limit ${little}) as part`.execute(registry)
  const [sum] = rows
  return sum !== undefined && sum.rows < little && (sum.objects ?? 0) <= little
}

export type BlockCount = { block: number; count: number }

/** How many visible objects there are in each block of ids. */
export async function countBlocks(
  registry: Registry,
  kind: ObjectKind,
  reach: KindReach
): Promise<BlockCount[]> {
  const { rows } = await sql<BlockCount>`
    select block, cast(sum(count) as bigint) as count from ${countsOf(registry, reach)}
    where kind = ${kind} and count > 0 group by block order by block`.execute(registry)
  return rows
}

/** The visible ones with ids in these blocks. */
export async function idsInBlocks(
  registry: Registry,
  kind: ObjectKind,
  reach: KindReach,
  { first, last }: { first: number; last: number }
): Promise<number[]> {
  const { rows } =
    reach.visible === 'everything'
      ? await sql<{ id: number }>`
          select id from objects where id >= ${first * BLOCK} and id < ${(last + 1) * BLOCK}
          and kind = ${kind}
          and exists (select 1 from installations where installations.id = installation_id)
          order by id`.execute(registry)
      : await sql<{ id: number }>`
          select objects.id from ${countsOf(registry, reach)} cross join objects
          where object_counts.kind = ${kind} and block >= ${first} and block <= ${last}
          and objects.installation_id = object_counts.installation_id
          and objects.kind = object_counts.kind
          and objects.id >= block * ${sql.lit(BLOCK)}
          and objects.id < (block + 1) * ${sql.lit(BLOCK)}
          order by objects.id`.execute(registry)
  return rows.map(({ id }) => id)
}

/** The counts of visible installations; written so that SQLite begins with the installations. */
const countsOf = (registry: Registry, reach: KindReach): RawBuilder<unknown> =>
  reach.visible === 'everything'
    ? sql`object_counts`
    : sql`(select object_counts.* from installations cross join object_counts
        where object_counts.installation_id = installations.id
        and ${isVisible(registry, reach)}) as object_counts`

export const isVisible = (
  registry: Registry,
  { visible, types }: KindReach
): RawBuilder<SqlBool> =>
  visible === 'everything'
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`(${isWithin(registry, visible)}
        or ${isOneOf(registry, sql.ref('installations.id'), [...types.keys()])})`
