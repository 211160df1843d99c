import { sql } from 'kysely'
import { insertEdgeApp } from '../features/edge/apps.ts'
import { isOneOf } from '../registry/dialect.ts'
import { organizationsAbove } from '../registry/organizations.ts'
import type { Registry } from '../registry/tables.ts'
import type { RecordOf } from './records.ts'

/** The version of an app that an instance uses here. */
export type FoundVersion = { app_id: number; version: string; app_json: string }

type Apps = {
  apps: ReadonlyMap<number, RecordOf<'app'>>
  versions: readonly RecordOf<'version'>[]
}

/**
 * Finds the apps of a site here: those of the organization and of those above it, and published
 * public ones, by the hash of their files. What is missing is made, if the file has its files.
 */
export class AppFinder {
  readonly #registry: Registry
  readonly #organizationId: number
  readonly #of: Apps
  readonly #now: number
  readonly #found = new Map<string, FoundVersion | undefined>()
  /** Apps that were made, by their id in the file. */
  readonly #made = new Map<number, number>()
  madeCount = 0

  constructor(registry: Registry, organizationId: number, of: Apps, now: number) {
    this.#registry = registry
    this.#organizationId = organizationId
    this.#of = of
    this.#now = now
  }

  /** Undefined: neither this platform nor the file has it. */
  async find({ app, hash, version }: RecordOf<'instance'>): Promise<FoundVersion | undefined> {
    const key = `${app} ${hash} ${version}`
    if (!this.#found.has(key)) {
      const name = this.#of.apps.get(app)?.name ?? ''
      const found = (await this.#search(hash, name)) ?? (await this.#make(app, hash))
      this.#found.set(
        key,
        found && {
          ...{ app_id: found.app_id, app_json: found.app_json },
          // A name may mean another version here.
          version: found.name === version ? version : hash
        }
      )
    }
    return this.#found.get(key)
  }

  async #search(hash: string, name: string) {
    const above = await organizationsAbove(this.#registry, [this.#organizationId])
    return this.#registry
      .selectFrom('edge_app_versions as v')
      .innerJoin('edge_apps as a', 'a.id', 'v.app_id')
      .select(['v.app_id', 'v.name', 'v.app_json'])
      .where('v.hash', '=', hash)
      .where((eb) =>
        eb.or([
          isOneOf(this.#registry, sql.ref('a.publisher_id'), above),
          eb.and([eb('a.public', '=', 1), eb('v.name', 'is not', null)])
        ])
      )
      .orderBy(sql`case when a.name = ${name} then 0 else 1 end`)
      .orderBy('a.official', 'desc')
      .orderBy('a.id')
      .limit(1)
      .executeTakeFirst()
  }

  async #make(app: number, hash: string) {
    const version = this.#of.versions.find((one) => one.app === app && one.hash === hash)
    const record = this.#of.apps.get(app)
    if (!version?.files || !record) return undefined
    const app_id = this.#made.get(app) ?? (await this.#makeApp(record))
    const { name, uploaded, files } = version
    await this.#registry
      .insertInto('edge_app_versions')
      .values({ app_id, hash, name, ...files, uploaded })
      .execute()
    return { app_id, name, app_json: files.app_json }
  }

  /** Nobody but an administrator makes an app official or public. */
  async #makeApp(record: RecordOf<'app'>): Promise<number> {
    const { id, name, category, tags, short_description, description, source_url } = record
    const app_id = await insertEdgeApp(
      this.#registry,
      this.#organizationId,
      {
        ...{ name, category: category ?? '', tags: tags ?? [], official: false, public: false },
        short_description: short_description ?? '',
        description: description ?? '',
        source_url: source_url ?? ''
      },
      this.#now
    )
    this.#made.set(id, app_id)
    this.madeCount++
    return app_id
  }
}
