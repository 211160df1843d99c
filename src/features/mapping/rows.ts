import { type Selectable, sql } from 'kysely'
import type { MakeName } from '../../lib/mapping/mapping.ts'
import { recordChange } from '../../registry/changes.ts'
import { flag } from '../../registry/meta.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { inTransaction } from '../../registry/transaction.ts'
import type { MappingFields } from './fields.ts'

export type Owner = { kind: 'installation' | 'organization'; id: number }
type Row = Selectable<Tables['mappings']>
export type MappingRecord = MappingFields & { id: number }

const columnOf = ({ kind }: Owner) => `${kind}_id` as const

const toRow = ({ values, active, create_missing, name, make, filter }: MappingFields) => ({
  ...{ name, make, filter, active: flag(active), create_missing: flag(create_missing) },
  rules: JSON.stringify(values)
})

export const recordOf = (row: Row): MappingRecord => ({
  ...{ id: row.id, name: row.name, filter: row.filter, make: row.make as MakeName | '' },
  ...{ active: row.active === 1, create_missing: row.create_missing === 1 },
  values: JSON.parse(row.rules)
})

const told = (registry: Registry, owner: Owner, now: number) =>
  recordChange(registry, `${owner.kind}_mapping`, owner.id, now)

/** Sorted by id. */
export async function listMappings(registry: Registry, owner: Owner): Promise<MappingRecord[]> {
  const rows = await registry
    .selectFrom('mappings')
    .selectAll()
    .where(columnOf(owner), '=', owner.id)
    .orderBy('id')
    .execute()
  return rows.map(recordOf)
}

export async function findMapping(
  registry: Registry,
  owner: Owner,
  id: number
): Promise<MappingRecord | undefined> {
  const row = await registry
    .selectFrom('mappings')
    .selectAll()
    .where('id', '=', id)
    .where(columnOf(owner), '=', owner.id)
    .executeTakeFirst()
  return row && recordOf(row)
}

export const MAX_MAPPINGS = 200
/** Of all mappings of an owner, as JSON. A message may need those of many organizations. */
export const MAX_CHARACTERS_TOGETHER = 131_072

/** Why a mapping is not written: there are too many, or they are too long together. */
export type Full = 'too many' | 'too long'

/** Beside the other mappings of the owner. */
async function fullBy(
  registry: Registry,
  owner: Owner,
  { values }: MappingFields,
  id = 0
): Promise<Full | undefined> {
  const { count, characters } = await registry
    .selectFrom('mappings')
    .select((eb) => [
      eb.fn.countAll().as('count'),
      eb.fn.sum<number | null>(sql<number>`length(rules)`).as('characters')
    ])
    .where(columnOf(owner), '=', owner.id)
    .where('id', '!=', id)
    .executeTakeFirstOrThrow()
  if (Number(count) >= MAX_MAPPINGS) return 'too many'
  const sum = Number(characters) + JSON.stringify(values).length
  return sum > MAX_CHARACTERS_TOGETHER ? 'too long' : undefined
}

export const insertMapping = (
  registry: Registry,
  owner: Owner,
  fields: MappingFields,
  now: number
): Promise<MappingRecord | Full> =>
  inTransaction(
    registry,
    async (registry) =>
      (await fullBy(registry, owner, fields)) ?? insertMappingWithin(registry, owner, fields, now)
  )

/** In the caller's transaction. */
export async function insertMappingWithin(
  registry: Registry,
  owner: Owner,
  fields: MappingFields,
  now: number
): Promise<MappingRecord> {
  const row = await registry
    .insertInto('mappings')
    .values({ ...toRow(fields), [columnOf(owner)]: owner.id, created: now, updated: now })
    .returningAll()
    .executeTakeFirstOrThrow()
  await told(registry, owner, now)
  return recordOf(row)
}

/** `change` may throw. Undefined when there is no such mapping. */
export const changeMapping = (
  registry: Registry,
  owner: Owner,
  id: number,
  { change, now }: { change: (current: MappingRecord) => MappingFields; now: number }
): Promise<MappingRecord | Full | undefined> =>
  inTransaction(registry, async (registry) => {
    const current = await findMapping(registry, owner, id)
    if (!current) return undefined
    const fields = change(current)
    const full = await fullBy(registry, owner, fields, id)
    if (full) return full
    const row = { ...toRow(fields), updated: now }
    await registry.updateTable('mappings').set(row).where('id', '=', id).execute()
    await told(registry, owner, now)
    return { ...fields, id }
  })

export const deleteMapping = (
  registry: Registry,
  owner: Owner,
  id: number,
  now: number
): Promise<boolean> =>
  inTransaction(registry, async (registry) => {
    const { numDeletedRows } = await registry
      .deleteFrom('mappings')
      .where('id', '=', id)
      .where(columnOf(owner), '=', owner.id)
      .executeTakeFirst()
    if (numDeletedRows > 0n) await told(registry, owner, now)
    return numDeletedRows > 0n
  })

/** Whether any mapping of the platform is active. */
export async function hasMappings(registry: Registry): Promise<boolean> {
  const row = await registry
    .selectFrom('mappings')
    .select('id')
    .where('active', '=', 1)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export type FilterInUse = { filter: string; hasMake: boolean; organizationId: number }

/** The filters of active mappings, each once for each organization, the oldest first. */
export async function filtersInUse(registry: Registry, most: number): Promise<FilterInUse[]> {
  const rows = await registry
    .selectFrom('mappings')
    .leftJoin('installations', 'installations.id', 'mappings.installation_id')
    .select(({ fn }) => [
      'mappings.filter',
      fn.max('mappings.make').as('make'),
      fn.coalesce('mappings.organization_id', 'installations.organization_id').as('organization')
    ])
    .where('mappings.active', '=', 1)
    .groupBy(['mappings.filter', 'organization'])
    .orderBy(({ fn }) => fn.min('mappings.id'))
    .limit(most)
    .execute()
  return rows.map(({ filter, make, organization }) => ({
    filter,
    hasMake: make !== '',
    organizationId: Number(organization)
  }))
}

/**
 * The active mappings that read messages of an installation: its own, then those of its organizations
 * from the nearest up. With its time zone, which may be empty. Undefined if it is gone.
 */
export async function readMappingsFor(
  registry: Registry,
  installationId: number
): Promise<{ timezone: string; mappings: (Row & { level: number })[] } | undefined> {
  const installation = await registry
    .selectFrom('installations')
    .select('timezone')
    .where('id', '=', installationId)
    .executeTakeFirst()
  if (!installation) return undefined
  const { rows } = await sql<Row & { level: number }>`
    with recursive above(id, parent_id, level) as (
      select organizations.id, parent_id, 1 from organizations
        join installations on installations.organization_id = organizations.id
        where installations.id = ${installationId}
      union
      select parent.id, parent.parent_id, above.level + 1
        from organizations as parent join above on parent.id = above.parent_id
        where above.level < ${sql.lit(MAX_LEVELS)}
    )
    select mappings.*, 0 as level from mappings
      where installation_id = ${installationId} and active = 1
    union all
    select mappings.*, above.level from mappings join above on organization_id = above.id
      where active = 1
    order by level, id`.execute(registry)
  return { timezone: installation.timezone, mappings: rows }
}

/** Organizations have at most so many levels; a circle would not end. */
const MAX_LEVELS = 100
