import { listBlacklist } from '../features/blacklist/entries.ts'
import { readBoard } from '../features/board/boards.ts'
import { findEdgeApp } from '../features/edge/apps.ts'
import { listInstances } from '../features/edge/instances.ts'
import { findVersion } from '../features/edge/versions.ts'
import { listFiles } from '../features/file/files.ts'
import { listMappings } from '../features/mapping/rows.ts'
import { listInstallationExecutors } from '../features/notification/executors.ts'
import { listMessages, listOutputs } from '../features/notification/messages.ts'
import { recordOf as ruleOf } from '../features/rule/rows.ts'
import { listSchedules } from '../features/schedule/schedules.ts'
import { VERSION } from '../lib/version.ts'
import { readQuotas } from '../quota/overrides.ts'
import type { InstallationRecord } from '../registry/installations.ts'
import { listModelx } from '../registry/modelx.ts'
import { organizationsAbove } from '../registry/organizations.ts'
import { listRules } from '../registry/rules.ts'
import type { Registry } from '../registry/tables.ts'
import type { RecordKind, RecordOf } from './records.ts'

/** Takes the records of a site, in the order of the file. */
export type Take = <Kind extends RecordKind>(kind: Kind, record: RecordOf<Kind>) => Promise<void>

/** Reads all objects of an installation from a snapshot. */
export async function collectSite(
  registry: Registry,
  installation: InstallationRecord,
  { exported, take }: { exported: number; take: Take }
): Promise<void> {
  const { id, client_id } = installation
  await take('head', { program: VERSION, exported, installation_id: id, client_id })
  const quotas = (await readQuotas(registry)).get(`installation ${id}`) ?? {}
  const { name, notes, timezone, meta, protected_meta, created, capabilities } = installation
  await take('installation', {
    ...{ name, notes, timezone, meta, protected_meta, created, capabilities, quotas }
  })
  // Devices first, because functions refer to them.
  for (const kind of ['device', 'function'] as const) {
    for await (const part of listModelx(registry, { kind, installation_id: id })) {
      for (const { installation_id: _, meta, protected_meta, ...object } of part) {
        const maps = { meta: JSON.parse(meta), protected_meta: JSON.parse(protected_meta) }
        await take(kind, { ...object, ...maps })
      }
    }
  }
  for (const row of await listSchedules(registry, id, undefined)) {
    const { installation_id: _, next_run: __, zone: ___, runs: ____, active, ...fields } = row
    await take('schedule', { ...fields, active: active === 1 })
  }
  await collectNotifications(registry, id, take)
  await collectApps(registry, installation, take)
  const { plots, updated } = await readBoard(registry, id)
  if (plots.length > 0) await take('board', { plots, updated })
  for (const { values, ...mapping } of await listMappings(registry, { kind: 'installation', id })) {
    await take('mapping', { ...mapping, values: [...values] })
  }
  for await (const part of listRules(registry, { kind: 'installation', id })) {
    for (const row of part) await take('rule', ruleOf(row) as RecordOf<'rule'>)
  }
  for (const { topic, mode, enabled, reason } of await listBlacklist(registry)) {
    const isOurs = topic.startsWith(`${client_id}/`)
    if (isOurs) await take('blacklist', { topic, mode, enabled, reason })
  }
  for (const row of await listFiles(registry, { kind: 'installation', id })) {
    const { installation_id: _, organization_id: __, ...file } = row
    await take('file', file)
  }
}

async function collectNotifications(registry: Registry, id: number, take: Take): Promise<void> {
  for (const { installation_id: _, ...message } of await listMessages(registry, id)) {
    await take('message', message)
  }
  const executors = await listInstallationExecutors(registry, id)
  for (const output of await listOutputs(registry, id)) {
    const { name, config, created, updated } = output
    // An executor that the organization no longer reaches has no name here.
    const { type = '', name: called = '' } =
      executors.find((one) => one.id === output.notification_output_executor_id) ?? {}
    await take('output', {
      ...{ id: output.id, name, config, created, updated },
      message: output.notification_message_id,
      executor: { type, name: called }
    })
  }
}

/** The files of an app come along if it belongs to the organization or to one above it. */
async function collectApps(
  registry: Registry,
  { id, organization_id }: InstallationRecord,
  take: Take
): Promise<void> {
  const instances = await listInstances(registry, id)
  const above = await organizationsAbove(registry, [organization_id])
  const apps = new Map<number, Map<string, RecordOf<'version'>>>()
  const hashes = new Map<number, string>()
  for (const { id: instance, app_id, version } of instances) {
    const found = await findVersion(registry, app_id, version)
    if (!found) continue
    const { app_json, app_lua, ...fields } = found
    hashes.set(instance, found.hash)
    const versions = apps.get(app_id) ?? new Map()
    versions.set(found.hash, { app: app_id, ...fields, files: { app_json, app_lua } })
    apps.set(app_id, versions)
  }
  const owned = new Set<number>()
  for (const app_id of apps.keys()) {
    const app = await findEdgeApp(registry, app_id)
    if (!app) continue
    if (above.includes(app.publisher.id)) owned.add(app_id)
    const { name, category, tags, short_description, description, source_url, publisher } = app
    await take('app', {
      ...{ id: app_id, name, category, tags: [...tags], short_description, description },
      ...{ source_url, publisher: publisher.name }
    })
  }
  for (const [app_id, versions] of apps) {
    for (const { files, ...version } of versions.values()) {
      await take('version', owned.has(app_id) && files ? { ...version, files } : version)
    }
  }
  for (const { installation_id: _, app_id, config, ...fields } of instances) {
    const hash = hashes.get(fields.id)
    if (hash === undefined) continue
    await take('instance', { ...fields, app: app_id, hash, config: JSON.parse(config) })
  }
}
