import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Scope } from '../lib/scope.ts'
import { forUpdate, isOneOf } from './dialect.ts'
import { letGo } from './file-contents.ts'
import { isWithin } from './installations.ts'
import type { Registry, Tables } from './tables.ts'

export type FileRow = Selectable<Tables['files']>
export type FileFields = Pick<FileRow, 'hash' | 'name' | 'mime' | 'size'>

/** What a file belongs to: one of the two. */
export type FileOwner = { kind: 'installation' | 'organization'; id: number }

/** Of one owner. */
export type FileLimits = { files: number; bytes: number }
type Bounds = { limits: FileLimits; without?: number }

/** What the caller may download: files of installations, and files of these organizations. */
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

/** Undefined when the owner would have too many, or too much. */
export const insertFiles = (
  registry: Registry,
  owner: FileOwner,
  files: readonly FileFields[],
  { limits, now }: { limits: FileLimits; now: number }
): Promise<FileRow[] | undefined> =>
  registry.transaction().execute(async (registry) => {
    await lockOwner(registry, owner)
    if (!(await hasSpace(registry, owner, { limits, more: files }))) return undefined
    const owned = { installation_id: null, organization_id: null, [columnOf(owner)]: owner.id }
    return registry
      .insertInto('files')
      .values(files.map((file) => ({ ...owned, ...file, created: now, updated: now })))
      .returningAll()
      .execute()
  })

/** The file, or why not. */
export const replaceFile = (
  registry: Registry,
  owner: FileOwner,
  { id, ...file }: FileFields & { id: number },
  { limits, now }: { limits: FileLimits; now: number }
): Promise<FileRow | 'missing' | 'full'> =>
  registry.transaction().execute(async (registry) => {
    await lockOwner(registry, owner)
    const old = await findFile(registry, owner, id)
    if (!old) return 'missing'
    if (!(await hasSpace(registry, owner, { limits, more: [file], without: id }))) return 'full'
    const row = await registry
      .updateTable('files')
      .set({ ...file, updated: now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await letGo(registry, [old.hash], now)
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

/** Until the transaction ends nobody else adds files to the owner. */
const lockOwner = (registry: Registry, { kind, id }: FileOwner) =>
  registry
    .selectFrom(`${kind}s`)
    .select('id')
    .where('id', '=', id)
    .modifyEnd(forUpdate(registry))
    .execute()

async function hasSpace(
  registry: Registry,
  owner: FileOwner,
  { more, ...bounds }: Bounds & { more: readonly Pick<FileFields, 'size'>[] }
): Promise<boolean> {
  const left = await spaceLeft(registry, owner, bounds)
  const size = more.reduce((sum, one) => sum + one.size, 0)
  return more.length <= left.files && size <= left.bytes
}

/** What the owner may still add, or put in place of the file `without`. */
export async function spaceLeft(
  registry: Registry,
  owner: FileOwner,
  { limits, without = 0 }: Bounds
): Promise<FileLimits> {
  const { files, bytes } = await registry
    .selectFrom('files')
    .select((eb) => [
      eb.fn.countAll<number>().as('files'),
      sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('bytes')
    ])
    .where(columnOf(owner), '=', owner.id)
    .where('id', '<>', without)
    .executeTakeFirstOrThrow()
  return { files: limits.files - files, bytes: limits.bytes - bytes }
}
