import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold, likePattern, type MetaFilter } from '../lib/meta-filter.ts'
import { MAX_METADATA_CHARACTERS, MAX_METADATA_KEYS } from '../lib/metadata-bounds.ts'
import { isOneOf } from './dialect.ts'
import { markForSearch } from './search-marks.ts'
import type { Flag, Registry } from './tables.ts'

export type MetaOwner = 'organization' | 'user' | 'installation'

export type Meta = {
  meta: Readonly<Record<string, string>>
  protected_meta: Readonly<Record<string, string>>
}

/** The quotes, colon and comma around a key and its value. */
const JSON_CHARACTERS_PER_KEY = 6

export class MetadataTooLarge extends Error {
  readonly statusCode = 413

  constructor(most: string) {
    super(`the metadata must not have more than ${most} in all`)
  }
}

export function requireSize(characters: number): void {
  if (characters > MAX_METADATA_CHARACTERS) {
    throw new MetadataTooLarge(`${MAX_METADATA_CHARACTERS} characters`)
  }
}

export function requireFewKeys(keys: number): void {
  if (keys > MAX_METADATA_KEYS) throw new MetadataTooLarge(`${MAX_METADATA_KEYS} keys`)
}

const keysOf = (map: Readonly<Record<string, string>> = {}): number => Object.keys(map).length

/** Call it in the transaction of the write: the error takes the write back. */
async function requireSizeOf(registry: Registry, owner: MetaOwner, id: number): Promise<void> {
  const { rows } = await sql<{ size: number; keys: number }>`
    select coalesce(sum(length(key) + length(value) + ${sql.lit(JSON_CHARACTERS_PER_KEY)}), 0) as size,
      count(*) as keys
    from ${table(owner)} where ${ownerId(owner)} = ${id}`.execute(registry)
  requireSize(Number(rows[0]?.size))
  requireFewKeys(Number(rows[0]?.keys))
}

type MetaRow = { owner_id: number; key: string; value: string; protected: Flag }

/**
 * Reads the metadata of several owners with one query. The answer gives the metadata of each id.
 */
export async function readMeta(
  registry: Registry,
  owner: MetaOwner,
  ids: readonly number[]
): Promise<(id: number) => Meta> {
  const { rows } = await sql<MetaRow>`
    select ${ownerId(owner)} as owner_id, key, value, protected from ${table(owner)}
    where ${isOneOf(registry, ownerId(owner), ids)} order by key`.execute(registry)
  const found = new Map<number, ReturnType<typeof noMeta>>()
  for (const row of rows) {
    let meta = found.get(row.owner_id)
    if (!meta) {
      meta = noMeta()
      found.set(row.owner_id, meta)
    }
    const map = row.protected ? meta.protected_meta : meta.meta
    map[row.key] = row.value
  }
  return (id) => found.get(id) ?? noMeta()
}

/** Without a prototype, `__proto__` is a key like any other. */
const emptyMap = (): Record<string, string> => Object.create(null)
const noMeta = () => ({ meta: emptyMap(), protected_meta: emptyMap() })

/** Replaces the plain map, the protected map, or both: those that are given. */
export async function writeMeta(
  registry: Registry,
  owner: MetaOwner,
  id: number,
  { meta, protected_meta }: Partial<Readonly<Meta>>
): Promise<void> {
  // Check before anything is written.
  requireFewKeys(keysOf(meta) + keysOf(protected_meta))
  if (meta) await replaceMeta(registry, owner, id, { map: meta, isProtected: false })
  if (protected_meta) {
    await replaceMeta(registry, owner, id, { map: protected_meta, isProtected: true })
  }
  if (meta || protected_meta) await requireSizeOf(registry, owner, id)
}

/** Replaces the plain (or the protected) keys of an owner. */
async function replaceMeta(
  registry: Registry,
  owner: MetaOwner,
  id: number,
  { map, isProtected }: { map: Readonly<Record<string, string>>; isProtected: boolean }
): Promise<void> {
  await sql`delete from ${table(owner)}
    where ${ownerId(owner)} = ${id} and protected = ${flag(isProtected)}`.execute(registry)
  for (const [key, value] of Object.entries(map)) {
    // A key is in only one of the two maps: writing it to this map moves it here.
    await sql`insert into ${table(owner)}
        (${ownerId(owner)}, key, value, protected, key_folded, value_folded)
      values (${id}, ${key}, ${value}, ${flag(isProtected)}, ${fold(key)}, ${fold(value)})
      on conflict (${ownerId(owner)}, key) do update set
        value = excluded.value, protected = excluded.protected, value_folded = excluded.value_folded
      `.execute(registry)
  }
}

/** Answers which of these keys are protected for this owner. */
export async function protectedKeys(
  registry: Registry,
  owner: MetaOwner,
  id: number,
  keys: readonly string[]
): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ key: string }>`select key from ${table(owner)}
    where ${ownerId(owner)} = ${id} and protected = 1`.execute(registry)
  const asked = new Set(keys)
  return rows.map(({ key }) => key).filter((key) => asked.has(key))
}

/**
 * True for owners whose metadata match every filter. Protected keys count only where they are
 * visible.
 */
export function matchesMeta(
  owner: MetaOwner,
  filters: readonly MetaFilter[],
  seesProtected: Expression<SqlBool>
): Expression<SqlBool> {
  const conditions = filters.map(({ key, patterns }) => {
    const values = patterns.map(
      (pattern) => sql`m.value_folded like ${likePattern(pattern)} escape '\\'`
    )
    return sql`exists (select 1 from ${table(owner)} as m
      where ${sql.ref(`m.${owner}_id`)} = ${sql.ref(`${owner}s.id`)}
      and m.key_folded = ${fold(key)} and (m.protected = 0 or ${seesProtected})
      and (${sql.join(values, sql` or `)}))`
  })
  return conditions.length === 0
    ? sql<SqlBool>`1 = 1`
    : sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

export const flag = (value: boolean): Flag => (value ? 1 : 0)
const table = (owner: MetaOwner) => sql.table(`${owner}_meta`)
const ownerId = (owner: MetaOwner) => sql.ref<number>(`${owner}_id`)

export type MetaKey = { value: string; protected: boolean }

/** The metadata keys of one owner, one at a time. */
export interface MetaStore {
  find(key: string): Promise<MetaKey | undefined>
  /** False when the key exists already, plain or protected. */
  insert(key: string, meta: MetaKey): Promise<boolean>
  /** False when the key no longer is as `was` says. */
  update(key: string, change: { was: MetaKey; now: MetaKey }): Promise<boolean>
  remove(key: string, was: MetaKey): Promise<boolean>
}

/** Each key is a row of `<owner>_meta`. */
export const metaRows = (registry: Registry, owner: MetaOwner, id: number): MetaStore => ({
  async find(key) {
    const { rows } = await sql<{ value: string; protected: Flag }>`
      select value, protected from ${table(owner)}
      where ${ownerId(owner)} = ${id} and key = ${key}`.execute(registry)
    const [row] = rows
    return row && { value: row.value, protected: row.protected === 1 }
  },
  insert: (key, { value, protected: isProtected }) =>
    writes(
      registry,
      owner,
      id,
      sql`insert into ${table(owner)}
        (${ownerId(owner)}, key, value, protected, key_folded, value_folded)
      values (${id}, ${key}, ${value}, ${flag(isProtected)}, ${fold(key)}, ${fold(value)})
      on conflict (${ownerId(owner)}, key) do nothing`
    ),
  update: (key, { was, now }) =>
    writes(
      registry,
      owner,
      id,
      sql`update ${table(owner)}
      set value = ${now.value}, value_folded = ${fold(now.value)}, protected = ${flag(now.protected)}
      where ${ownerId(owner)} = ${id} and key = ${key} and protected = ${flag(was.protected)}`
    ),
  remove: (key, was) =>
    writes(
      registry,
      owner,
      id,
      sql`delete from ${table(owner)}
      where ${ownerId(owner)} = ${id} and key = ${key} and protected = ${flag(was.protected)}`
    )
})

/** True when the statement changed a row. Search also finds installations by their metadata. */
const writes = (
  registry: Registry,
  owner: MetaOwner,
  id: number,
  statement: RawBuilder<unknown>
): Promise<boolean> =>
  registry.transaction().execute(async (registry) => {
    const { numAffectedRows } = await statement.execute(registry)
    const isWritten = (numAffectedRows ?? 0n) > 0n
    if (isWritten) await requireSizeOf(registry, owner, id)
    if (isWritten && owner === 'installation') await markForSearch(registry, owner, [id])
    return isWritten
  })
