import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { fold, likePattern } from '../lib/meta-filter.ts'
import { forKeyShare, forUpdate, isOneOfTexts } from './dialect.ts'
import { confirmedIds, requireConfirmed } from './id-reserves.ts'
import { requireSize } from './meta.ts'
import { prepared } from './prepared.ts'
import { markForSearch } from './search-index.ts'
import type { ObjectKind, Registry } from './tables.ts'

export type StoredObject = {
  id: number
  installation_id: number
  type: string
  /** JSON, as the answer carries it. */
  meta: string
  protected_meta: string
  created: number
  updated: number
}

/** Written fields; metadata are whole maps. */
export type ObjectFields = Pick<StoredObject, 'type' | 'meta' | 'protected_meta'>

/** Where an object is: an id alone is not enough, for nobody may reach into another installation. */
export type ObjectRef = { kind: ObjectKind; installation_id: number; id: number }

function checkSize({ meta, protected_meta }: ObjectFields): void {
  requireSize(meta.length + protected_meta.length)
}

/** Ids of one block are counted together, see `object_counts`. */
export const BLOCK = 1024

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
export const insertObject = (
  registry: Registry,
  kind: ObjectKind,
  installation_id: number,
  fields: ObjectFields,
  now: number
): Promise<StoredObject | undefined> =>
  registry.transaction().execute(async (registry) => {
    checkSize(fields)
    const installation = await registry
      .selectFrom('installations')
      .select('id')
      .where('id', '=', installation_id)
      .modifyEnd(forKeyShare(registry))
      .executeTakeFirst()
    if (!installation) return undefined
    const { confirmed, ...row } = await registry
      .insertInto('objects')
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
      .insertInto('object_counts')
      .values({ installation_id, kind, block: blockOf(row.id), count: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['installation_id', 'kind', 'block'])
          .doUpdateSet({ count: sql`object_counts.count + 1` })
      )
      .execute()
    await markForSearch(registry, kind, [row.id])
    return row
  })

export async function findObject(
  registry: Registry,
  { id, kind, installation_id }: ObjectRef
): Promise<StoredObject | undefined> {
  const [row] = await selectObject(registry, [id, kind, installation_id])
  return row
}

const selectObject = prepared<StoredObject>((registry) =>
  registry
    .selectFrom('objects')
    .select(columns)
    .where('id', '=', 0)
    .where('kind', '=', 'function')
    .where('installation_id', '=', 0)
)

export type ObjectFilter = {
  /** `*` is a wildcard; undefined = every type. */
  typePatterns?: readonly string[] | undefined
  /** Exactly these types; undefined = every type. */
  types?: readonly string[] | undefined
}

/** At a time; none of them takes the event loop for long. */
const PART = { first: 16, objects: 1000, text: 1024 * 1024 }

/** One kind of one installation, sorted by id, in parts. */
export async function* listObjects(
  registry: Registry,
  ref: Omit<ObjectRef, 'id'>,
  filter: ObjectFilter = {}
): AsyncGenerator<StoredObject[]> {
  let after = 0
  let limit = PART.first
  while (true) {
    const part = await readObjects(registry, ref, filter, { after, limit })
    yield part
    // Between parts the others have their turn.
    await nextTurn()
    if (part.length < limit) return
    after = part.at(-1)?.id ?? 0
    // Objects may be large: the next part is as many as were good to hold of these.
    const text = part.reduce((sum, one) => sum + one.meta.length + one.protected_meta.length, 1)
    limit = Math.min(PART.objects, Math.max(1, Math.floor((PART.text * part.length) / text)))
  }
}

const readObjects = (
  registry: Registry,
  { kind, installation_id }: Omit<ObjectRef, 'id'>,
  { typePatterns, types }: ObjectFilter,
  { after, limit }: { after: number; limit: number }
): Promise<StoredObject[]> =>
  registry
    .selectFrom('objects')
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
 * Reads, changes and writes as one, so writers of different keys lose nothing. `change` may throw,
 * or answer undefined to leave the object as it is. Undefined when there is no such object.
 */
export const changeObject = (
  registry: Registry,
  ref: ObjectRef,
  change: (current: StoredObject) => Partial<ObjectFields> | undefined,
  now: number
): Promise<StoredObject | undefined> =>
  registry.transaction().execute(async (registry) => {
    const current = await registry
      .selectFrom('objects')
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
      .updateTable('objects')
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
export const removeObject = (
  registry: Registry,
  { kind, installation_id, id }: ObjectRef,
  check: (current: StoredObject) => void
): Promise<StoredObject | undefined> =>
  registry.transaction().execute(async (registry) => {
    const row = await registry
      .deleteFrom('objects')
      .where('id', '=', id)
      .where('kind', '=', kind)
      .where('installation_id', '=', installation_id)
      .returning(columns)
      .executeTakeFirst()
    if (!row) return undefined
    check(row)
    await registry
      .updateTable('object_counts')
      .set({ count: sql`count - 1` })
      .where('installation_id', '=', installation_id)
      .where('kind', '=', kind)
      .where('block', '=', blockOf(id))
      .execute()
    await markForSearch(registry, kind, [id])
    return row
  })

/** Some of the objects that a deleted installation left behind; answers how many. */
export const removeSomeObjects = (
  registry: Registry,
  installation_id: number,
  limit: number
): Promise<number> =>
  registry.transaction().execute(async (registry) => {
    const gone = await registry
      .deleteFrom('objects')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('objects')
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

const blockOf = (id: number): number => Math.floor(id / BLOCK)
