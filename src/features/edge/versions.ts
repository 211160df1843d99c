import { forUpdate } from '../../registry/dialect.ts'
import type { Registry } from '../../registry/tables.ts'

export type EdgeAppFiles = { app_json: string; app_lua: string }
export type EdgeAppVersionRow = EdgeAppFiles & {
  hash: string
  name: string | null
  uploaded: number
}

const columns = ['hash', 'name', 'app_json', 'app_lua', 'uploaded'] as const

/** Newest first; `withUnnamed` includes versions that are not published. */
export const listVersions = (registry: Registry, app_id: number, withUnnamed: boolean) =>
  registry
    .selectFrom('edge_app_versions')
    .select(['hash', 'name', 'uploaded'])
    .where('app_id', '=', app_id)
    .$if(!withUnnamed, (query) => query.where('name', 'is not', null))
    .orderBy('uploaded', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Finds by hash or name. A hash wins over a name, so that it always means the same files. */
export async function findVersion(
  registry: Registry,
  app_id: number,
  version: string
): Promise<EdgeAppVersionRow | undefined> {
  const rows = await registry
    .selectFrom('edge_app_versions')
    .select(columns)
    .where('app_id', '=', app_id)
    .where((eb) => eb.or([eb('name', '=', version), eb('hash', '=', version)]))
    .execute()
  return rows.find(({ hash }) => hash === version) ?? rows[0]
}

export const latestVersion = (
  registry: Registry,
  app_id: number,
  { isNamed }: { isNamed: boolean }
): Promise<EdgeAppVersionRow | undefined> =>
  registry
    .selectFrom('edge_app_versions')
    .select(columns)
    .where('app_id', '=', app_id)
    .$if(isNamed, (query) => query.where('name', 'is not', null))
    .orderBy('uploaded', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/**
 * Stores the version that `make` builds from the latest one. Returns undefined if nothing differs.
 * Uploads to one app run one after another.
 */
export const uploadVersion = (
  registry: Registry,
  app_id: number,
  make: (latest: EdgeAppVersionRow | undefined) => EdgeAppFiles & { hash: string },
  now: number
): Promise<string | undefined> =>
  registry.transaction().execute(async (registry) => {
    await lockApp(registry, app_id)
    const latest = await latestVersion(registry, app_id, { isNamed: false })
    const version = make(latest)
    if (version.hash === latest?.hash) return undefined
    // Two uploads in the same millisecond need an order, and an old version may be uploaded again.
    const uploaded = Math.max(now, (latest?.uploaded ?? 0) + 1)
    await registry
      .insertInto('edge_app_versions')
      .values({ app_id, ...version, name: null, uploaded })
      .onConflict((conflict) => conflict.columns(['app_id', 'hash']).doUpdateSet({ uploaded }))
      .execute()
    return version.hash
  })

/** False if another version has the name, or this version has another name. */
export const nameVersion = (
  registry: Registry,
  app_id: number,
  { hash, name }: { hash: string; name: string }
): Promise<boolean> =>
  registry.transaction().execute(async (registry) => {
    await lockApp(registry, app_id)
    const taken = await registry
      .selectFrom('edge_app_versions')
      .select(['hash', 'name'])
      .where('app_id', '=', app_id)
      .where((eb) => eb.or([eb('name', '=', name), eb('hash', '=', hash)]))
      .execute()
    const isFree = taken.every((version) =>
      version.hash === hash ? version.name === null || version.name === name : version.name !== name
    )
    if (!isFree) return false
    await registry
      .updateTable('edge_app_versions')
      .set({ name })
      .where('app_id', '=', app_id)
      .where('hash', '=', hash)
      .execute()
    return true
  })

/** Until the transaction ends, no other request uploads to the app or names its versions. */
const lockApp = (registry: Registry, id: number) =>
  registry
    .selectFrom('edge_apps')
    .select('id')
    .where('id', '=', id)
    .modifyEnd(forUpdate(registry))
    .execute()
