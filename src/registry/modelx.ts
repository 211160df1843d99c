import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { fold, likePattern } from '../lib/meta-filter.ts'
import { forKeyShare, forUpdate, isOneOfTexts } from './dialect.ts'
import { confirmedIds, requireConfirmed } from './id-reserves.ts'
import { requireSize } from './meta.ts'
import { prepared } from './prepared.ts'
import { functionsChange } from './rules.ts'
import { markForSearch, markObjects } from './search-marks.ts'
import type { ModelxKind, Registry } from './tables.ts'

export type ModelxRow = {
  id: number
  installation_id: number
  type: string
  /** JSON, as the answer carries it. */
  meta: string
  protected_meta: string
  created: number
  updated: number
}

/** The fields to write; metadata are whole maps. */
export type ModelxFields = Pick<ModelxRow, 'type' | 'meta' | 'protected_meta'>

/** The installation is part of the reference, so nobody can reach into another installation. */
export type ModelxRef = { kind: ModelxKind; installation_id: number; id: number }

function checkSize({ meta, protected_meta }: ModelxFields): void {
  requireSize(meta.length + protected_meta.length)
}

/** Objects are counted in blocks of so many ids, see `modelx_counts`. */
export const IDS_PER_BLOCK = 1024

const columns = [
  'id',
  'installation_id',
  'type',
  'meta',
  'protected_meta',
  'created',
  'updated'
] as const

/** Undefined when the installation is gone. */
export const insertModelx = (
  registry: Registry,
  kind: ModelxKind,
  installation_id: number,
  fields: ModelxFields,
  now: number
): Promise<ModelxRow | undefined> =>
  registry.transaction().execute(async (registry) => {
    if (kind === 'function') await functionsChange(registry, installation_id, now)
    return insertModelxWithin(registry, { kind, installation_id }, fields, now)
  })

/** The same in the caller's transaction, which says that functions change. */
export async function insertModelxWithin(
  registry: Registry,
  { kind, installation_id }: Omit<ModelxRef, 'id'>,
  fields: ModelxFields,
  now: number
): Promise<ModelxRow | undefined> {
  checkSize(fields)
  const installation = await registry
    .selectFrom('installations')
    .select('id')
    .where('id', '=', installation_id)
    .modifyEnd(forKeyShare(registry))
    .executeTakeFirst()
  if (!installation) return undefined
  const { confirmed, ...row } = await registry
    .insertInto('modelx')
    .values({
      kind,
      installation_id,
      ...fields,
      type_folded: fold(fields.type),
      created: now,
      updated: now
    })
    .returning([...columns, confirmedIds('object').as('confirmed')])
    .executeTakeFirstOrThrow()
  requireConfirmed(row.id, confirmed)
  await registry
    .insertInto('modelx_counts')
    .values({ installation_id, kind, block: blockOf(row.id), count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['installation_id', 'kind', 'block'])
        .doUpdateSet({ count: sql`modelx_counts.count + 1` })
    )
    .execute()
  await markForSearch(registry, kind, [row.id])
  return row
}

export type ModelxCopy = ModelxFields &
  Pick<ModelxRow, 'created' | 'updated'> & { kind: ModelxKind }

/**
 * Objects of a reserved installation. Nobody sees them before `settleModelx`. Answers their ids, in
 * the same order.
 */
export const insertSomeModelx = (
  registry: Registry,
  installation_id: number,
  copies: readonly ModelxCopy[]
): Promise<number[]> =>
  registry.transaction().execute(async (registry) => {
    const ids: number[] = []
    for (const copy of copies) {
      checkSize(copy)
      const { id, confirmed } = await registry
        .insertInto('modelx')
        .values({ ...copy, installation_id, type_folded: fold(copy.type) })
        .returning(['id', confirmedIds('object').as('confirmed')])
        .executeTakeFirstOrThrow()
      requireConfirmed(id, confirmed)
      ids.push(id)
    }
    return ids
  })

/** Writes metadata of an object of a reserved installation. */
export async function rewriteModelx(
  registry: Registry,
  id: number,
  fields: Pick<ModelxFields, 'meta' | 'protected_meta'>
): Promise<void> {
  requireSize(fields.meta.length + fields.protected_meta.length)
  await registry.updateTable('modelx').set(fields).where('id', '=', id).execute()
}

/** Counts and marks the objects of an installation that becomes visible in this transaction. */
export async function settleModelx(registry: Registry, installation_id: number): Promise<void> {
  await sql`insert into modelx_counts (installation_id, kind, block, count)
    select installation_id, kind, id / ${sql.lit(IDS_PER_BLOCK)}, count(*) from modelx
    where installation_id = ${installation_id}
    group by installation_id, kind, id / ${sql.lit(IDS_PER_BLOCK)}`.execute(registry)
  await markObjects(registry, installation_id)
}

export async function findModelx(
  registry: Registry,
  { id, kind, installation_id }: ModelxRef
): Promise<Readonly<ModelxRow> | undefined> {
  const [row] = await selectModelx(registry, [id, kind, installation_id])
  return row
}

const selectModelx = prepared<ModelxRow>(
  (registry) =>
    registry
      .selectFrom('modelx')
      .select(columns)
      .where('id', '=', 0)
      .where('kind', '=', 'function')
      .where('installation_id', '=', 0),
  ({ meta, protected_meta }) => meta.length + protected_meta.length <= MAX_SMALL_CHARACTERS
)
/** Of metadata. Most objects have a few hundred. */
const MAX_SMALL_CHARACTERS = 2000

export type ModelxFilter = {
  /** `*` is a wildcard; undefined = every type. */
  typePatterns?: readonly string[] | undefined
  /** Exactly these types; undefined = every type. */
  types?: readonly string[] | undefined
}

/** Bounds of one part, so that no part blocks the event loop for long. */
const PART = { firstObjects: 16, maxObjects: 1000, maxCharacters: 1024 * 1024 }

/** One kind of one installation, sorted by id, in parts. */
export async function* listModelx(
  registry: Registry,
  ref: Omit<ModelxRef, 'id'>,
  filter: ModelxFilter = {}
): AsyncGenerator<ModelxRow[]> {
  let after = 0
  let limit = PART.firstObjects
  while (true) {
    const part = await readModelx(registry, ref, filter, { after, limit })
    yield part
    // Other requests run between parts.
    await nextTurn()
    if (part.length < limit) return
    after = part.at(-1)?.id ?? 0
    // Objects may be large, so the size of this part decides how many objects the next one has.
    const text = part.reduce((sum, one) => sum + one.meta.length + one.protected_meta.length, 1)
    limit = Math.min(
      PART.maxObjects,
      Math.max(1, Math.floor((PART.maxCharacters * part.length) / text))
    )
  }
}

const readModelx = (
  registry: Registry,
  { kind, installation_id }: Omit<ModelxRef, 'id'>,
  { typePatterns, types }: ModelxFilter,
  { after, limit }: { after: number; limit: number }
): Promise<ModelxRow[]> =>
  registry
    .selectFrom('modelx')
    .select(columns)
    .where('installation_id', '=', installation_id)
    .where('kind', '=', kind)
    .where('id', '>', after)
    .$if(typePatterns !== undefined, (query) =>
      query.where((eb) =>
        eb.or(
          (typePatterns ?? []).map(
            (pattern) => sql<boolean>`type_folded like ${likePattern(pattern)} escape '\\'`
          )
        )
      )
    )
    .$if(types !== undefined, (query) =>
      query.where(isOneOfTexts(registry, sql.ref('type'), types ?? []))
    )
    .orderBy('id')
    .limit(limit)
    .execute()

/**
 * Reads, changes and writes in one transaction, so writers of different keys lose nothing. `change`
 * may throw, or answer undefined to leave the object as it is. Undefined when there is no such
 * object.
 */
export const changeModelx = (
  registry: Registry,
  ref: ModelxRef,
  change: (current: ModelxRow) => Partial<ModelxFields> | undefined,
  now: number
): Promise<ModelxRow | undefined> =>
  registry.transaction().execute(async (registry) => {
    if (ref.kind === 'function') await functionsChange(registry, ref.installation_id, now)
    const current = await registry
      .selectFrom('modelx')
      .select(columns)
      .where('id', '=', ref.id)
      .where('kind', '=', ref.kind)
      .where('installation_id', '=', ref.installation_id)
      .modifyEnd(forUpdate(registry))
      .executeTakeFirst()
    if (!current) return undefined
    const fields = change(current)
    if (!fields) return current
    checkSize({ ...current, ...fields })
    await registry
      .updateTable('modelx')
      .set({
        ...fields,
        ...(fields.type !== undefined && { type_folded: fold(fields.type) }),
        updated: now
      })
      .where('id', '=', ref.id)
      .execute()
    await markForSearch(registry, ref.kind, [ref.id])
    return { ...current, ...fields, updated: now }
  })

/** `check` may throw. Undefined when there is no such object. */
export const removeModelx = (
  registry: Registry,
  { kind, installation_id, id }: ModelxRef,
  check: (current: ModelxRow) => void,
  now: number
): Promise<ModelxRow | undefined> =>
  registry.transaction().execute(async (registry) => {
    if (kind === 'function') await functionsChange(registry, installation_id, now)
    const row = await registry
      .deleteFrom('modelx')
      .where('id', '=', id)
      .where('kind', '=', kind)
      .where('installation_id', '=', installation_id)
      .returning(columns)
      .executeTakeFirst()
    if (!row) return undefined
    check(row)
    await registry
      .updateTable('modelx_counts')
      .set({ count: sql`count - 1` })
      .where('installation_id', '=', installation_id)
      .where('kind', '=', kind)
      .where('block', '=', blockOf(id))
      .execute()
    await markForSearch(registry, kind, [id])
    return row
  })

/** Deletes up to `limit` objects that a deleted installation left behind; answers how many. */
export const removeSomeModelx = (
  registry: Registry,
  installation_id: number,
  limit: number
): Promise<number> =>
  registry.transaction().execute(async (registry) => {
    const gone = await registry
      .deleteFrom('modelx')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('modelx')
          .select('id')
          .where('installation_id', '=', installation_id)
          .limit(limit)
      )
      .returning(['kind', 'id'])
      .execute()
    for (const [kind, rows] of Map.groupBy(gone, (row) => row.kind)) {
      await markForSearch(
        registry,
        kind,
        rows.map(({ id }) => id)
      )
    }
    return gone.length
  })

const blockOf = (id: number): number => Math.floor(id / IDS_PER_BLOCK)
