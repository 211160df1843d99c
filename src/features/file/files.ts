import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Scope } from '../../lib/scope.ts'
import { forUpdate, isOneOf } from '../../registry/dialect.ts'
import { isWithin } from '../../registry/installations.ts'
import type { Registry, Tables } from '../../registry/tables.ts'
import { letGo } from './contents.ts'

export type FileRow = Selectable<Tables['files']>
export type FileFields = Pick<FileRow, 'hash' | 'name' | 'mime' | 'size'>

/** A file belongs to an installation or to an organization. */
export type FileOwner = { kind: 'installation' | 'organization'; id: number }

export type FileLimits = { files: number; bytes: number }

/** A limit for the owner's own files, or for the files of an organization and all below it. */
export type FileBound = { payer: FileOwner; reach: 'own' | 'below'; limits: FileLimits }
/** The bound that was reached first. */
export type FileExcess = { bound: FileBound; of: keyof FileLimits }
type Writing = { bounds: readonly FileBound[]; now: number }

/** The installations and organizations whose files the caller may download. */
export type FileReach = { installations: Scope; organizationIds: readonly number[] }

const columnOf = ({ kind }: FileOwner) => `${kind}_id` as const

export const listFiles = (registry: Registry, owner: FileOwner): Promise<FileRow[]> =>
  registry
    .selectFrom('files')
    .selectAll()
    .where(columnOf(owner), '=', owner.id)
    .orderBy('id')
    .execute()

/** Whether any of these organizations has files of its own. */
export async function holdFiles(
  registry: Registry,
  organizationIds: readonly number[]
): Promise<boolean> {
  const found = await registry
    .selectFrom('files')
    .select('id')
    .where(isOneOf(registry, sql<number>`organization_id`, organizationIds))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export const findFile = (
  registry: Registry,
  owner: FileOwner,
  id: number
): Promise<FileRow | undefined> =>
  registry
    .selectFrom('files')
    .selectAll()
    .where('id', '=', id)
    .where(columnOf(owner), '=', owner.id)
    .executeTakeFirst()

/** The first file with this content that the caller reaches. */
export const findByHash = (
  registry: Registry,
  hash: string,
  { installations, organizationIds }: FileReach
): Promise<FileRow | undefined> =>
  registry
    .selectFrom('files')
    .leftJoin('installations', 'installations.id', 'files.installation_id')
    .selectAll('files')
    .where('files.hash', '=', hash)
    .where((eb) =>
      eb.or([
        isWithin(registry, installations),
        isOneOf(registry, sql.ref('files.organization_id'), organizationIds)
      ])
    )
    .orderBy('files.id')
    .limit(1)
    .executeTakeFirst()

/** Returns the files, or the bound that refuses them. */
export const insertFiles = (
  registry: Registry,
  owner: FileOwner,
  files: readonly FileFields[],
  { bounds, now }: Writing
): Promise<FileRow[] | FileExcess> =>
  registry.transaction().execute(async (registry) => {
    await lockOwners(registry, owner, bounds)
    const excess = await findExcess(registry, bounds, { more: files })
    if (excess) return excess
    const owned = { installation_id: null, organization_id: null, [columnOf(owner)]: owner.id }
    return registry
      .insertInto('files')
      .values(files.map((file) => ({ ...owned, ...file, created: now, updated: now })))
      .returningAll()
      .execute()
  })

/** Returns the file, or the bound that refuses it; undefined if there is no file to replace. */
export const replaceFile = (
  registry: Registry,
  owner: FileOwner,
  { id, ...file }: FileFields & { id: number },
  { bounds, now }: Writing
): Promise<FileRow | FileExcess | undefined> =>
  registry.transaction().execute(async (registry) => {
    await lockOwners(registry, owner, bounds)
    const old = await findFile(registry, owner, id)
    if (!old) return undefined
    const excess = await findExcess(registry, bounds, { more: [file], without: id })
    if (excess) return excess
    const row = await registry
      .updateTable('files')
      .set({ ...file, updated: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
    // Another request may have deleted the file meanwhile.
    if (row) await letGo(registry, [old.hash], now)
    return row
  })

export const deleteFile = (
  registry: Registry,
  owner: FileOwner,
  id: number,
  now: number
): Promise<boolean> =>
  registry.transaction().execute(async (registry) => {
    const gone = await registry
      .deleteFrom('files')
      .where('id', '=', id)
      .where(columnOf(owner), '=', owner.id)
      .returning('hash')
      .executeTakeFirst()
    if (gone) await letGo(registry, [gone.hash], now)
    return gone !== undefined
  })

/** Until the transaction ends, no other request adds files to the owner or to those above it. */
async function lockOwners(
  registry: Registry,
  owner: FileOwner,
  bounds: readonly FileBound[]
): Promise<void> {
  const above = bounds.flatMap(({ payer }) => (payer.kind === 'organization' ? payer.id : []))
  await registry
    .selectFrom('organizations')
    .select('id')
    .where(isOneOf(registry, sql.ref('id'), above))
    .orderBy('id')
    .modifyEnd(forUpdate(registry))
    .execute()
  await registry
    .selectFrom(`${owner.kind}s`)
    .select('id')
    .where('id', '=', owner.id)
    .modifyEnd(forUpdate(registry))
    .execute()
}

async function findExcess(
  registry: Registry,
  bounds: readonly FileBound[],
  { more, without }: { more: readonly Pick<FileFields, 'size'>[]; without?: number }
): Promise<FileExcess | undefined> {
  const size = more.reduce((sum, one) => sum + one.size, 0)
  for (const bound of bounds) {
    const left = await spaceLeft(registry, bound, without)
    if (more.length > left.files) return { bound, of: 'files' }
    if (size > left.bytes) return { bound, of: 'bytes' }
  }
  return undefined
}

/** How much may still be added. The file `without`, which will be replaced, is not counted. */
export async function spaceLeft(
  registry: Registry,
  { payer, reach, limits }: FileBound,
  without = 0
): Promise<FileLimits> {
  const { files, bytes } = await filesOf(registry, payer, { reach, without })
  return { files: limits.files - files, bytes: limits.bytes - bytes }
}

/** How many files there are, and how large they are together. */
export async function filesOf(
  registry: Registry,
  payer: FileOwner,
  { reach, without = 0 }: { reach: FileBound['reach']; without?: number }
): Promise<FileLimits> {
  const ofOne = sql`${sql.ref(columnOf(payer))} = ${payer.id}`
  const { rows } = await sql<FileLimits>`
    ${reach === 'below' ? below(payer.id) : sql``}
    select count(*) as files, cast(coalesce(sum(size), 0) as bigint) as bytes from files
    where id <> ${without} and ${reach === 'below' ? isBelow : ofOne}`.execute(registry)
  return rows[0] ?? { files: 0, bytes: 0 }
}

const below = (id: number) => sql`
  with recursive below(id) as (
    select id from organizations where id = ${id}
    union
    select child.id from organizations as child join below on child.parent_id = below.id
  )`
const isBelow = sql`(organization_id in (select id from below) or installation_id in
  (select installations.id from installations join below on organization_id = below.id))`
