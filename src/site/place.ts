import { sql } from 'kysely'
import { insertBlacklistEntry, listBlacklist } from '../features/blacklist/entries.ts'
import { fieldsOf as mappingOf } from '../features/mapping/fields.ts'
import { insertMappingWithin } from '../features/mapping/rows.ts'
import { listInstallationExecutors } from '../features/notification/executors.ts'
import { fieldsOf as ruleOf } from '../features/rule/fields.ts'
import { placeRules } from '../features/rule/rows.ts'
import { fieldsOf } from '../features/schedule/fields.ts'
import { planOf } from '../features/schedule/plan.ts'
import { configFault } from '../lib/edge-config.ts'
import type { Overrides } from '../lib/quota.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import { writeQuotas } from '../quota/overrides.ts'
import { type MonthBytes, raiseMonthsWithin } from '../quota/usage.ts'
import { forUpdate, isOneOfTexts } from '../registry/dialect.ts'
import { type InstallationRef, placeInstallation } from '../registry/installations.ts'
import { settleModelx } from '../registry/modelx.ts'
import type { Registry } from '../registry/tables.ts'
import { AppFinder } from './apps.ts'
import type { LeftBehind } from './left-behind.ts'
import type { RecordKind, RecordOf } from './records.ts'
import type { References } from './references.ts'

/** The records of a file, without functions and devices. */
export type Kept = { readonly [Kind in RecordKind]: RecordOf<Kind>[] }

export type Placing = {
  ref: InstallationRef
  name: string | undefined
  kept: Kept
  references: References
  /** Ids of outputs in the file, and those they get. */
  outputIds: Map<number, number>
  quotas: Overrides
  months: readonly MonthBytes[]
  /** The time zone of installations that have none. */
  timezone: string
  /** How many entries the blacklist may still get for this tenant. */
  blacklistRoom: (topics: readonly string[]) => number
  now: UnixMs
}

/** Writes everything in the caller's transaction. After it, the installation is there as a whole. */
export async function placeSite(registry: Registry, placing: Placing): Promise<LeftBehind[]> {
  const { ref, kept, references, now, months, quotas } = placing
  const [installation] = kept.installation
  if (!installation) throw new Error('the file has no installation')
  const { capabilities, created, notes, timezone, meta, protected_meta } = installation
  const where = 'installation'
  const isPlaced = await placeInstallation(
    registry,
    ref,
    {
      ...{ name: placing.name ?? installation.name, capabilities, created },
      ...{ notes: notes ?? '', timezone: timezone ?? '' },
      meta: references.meta(meta, where, true).map,
      protected_meta: references.meta(protected_meta, where, true).map
    },
    now
  )
  if (!isPlaced)
    throw new Error('the import took too long to go on, and was erased: start it again')
  await settleModelx(registry, ref.id)
  if (Object.keys(quotas).length > 0) {
    await writeQuotas(registry, { kind: 'installation', id: ref.id }, quotas, now)
  }
  if (months.length > 0) await raiseMonthsWithin(registry, months)
  await placeSchedules(registry, placing, installation.timezone || placing.timezone)
  const left = await placeNotifications(registry, placing)
  left.push(...(await placeInstances(registry, placing)))
  await placeBoard(registry, placing)
  for (const mapping of kept.mapping) {
    const owner = { kind: 'installation', id: ref.id } as const
    await insertMappingWithin(registry, owner, mappingOf(mapping), now)
  }
  const rules = kept.rule.map((rule) => ruleOf(withTopics(rule, references)))
  await placeRules(registry, ref.id, rules, now)
  left.push(...(await placeBlacklist(registry, placing)))
  await placeFiles(registry, placing)
  return left
}

/** A rule may name its topics with the client id. */
function withTopics(rule: RecordOf<'rule'>, references: References): RecordOf<'rule'> {
  const { topics } = rule.on
  if (!topics) return rule
  const where = `rule ${rule.id}`
  return { ...rule, on: { topics: topics.map((topic) => references.topic(topic, where)) } }
}

async function placeSchedules(
  registry: Registry,
  { ref, kept, references, now }: Placing,
  zone: string
): Promise<void> {
  for (const { id, created, updated, ...record } of kept.schedule) {
    const topic = references.topic(record.topic, `schedule ${id}`)
    const fields = fieldsOf({ ...record, topic })
    await registry
      .insertInto('schedules')
      .values({
        ...{ installation_id: ref.id, ...fields, ...planOf(fields, zone, now) },
        ...{ runs: 0, created, updated }
      })
      .execute()
  }
}

async function placeNotifications(registry: Registry, placing: Placing): Promise<LeftBehind[]> {
  const { ref, kept, references, outputIds } = placing
  const messages = new Map<number, number>()
  for (const { id, ...message } of kept.message) {
    const row = await registry
      .insertInto('notification_messages')
      .values({ installation_id: ref.id, ...message })
      .returning('id')
      .executeTakeFirstOrThrow()
    messages.set(id, row.id)
  }
  const executors = await listInstallationExecutors(registry, ref.id)
  const left: string[] = []
  for (const { id, message, executor, config, ...output } of kept.output) {
    const found = executors.filter(
      ({ name, type }) => name === executor.name && type === executor.type
    )
    const [only] = found
    if (!only || found.length > 1) {
      left.push(`${output.name || id} (executor ${executor.name || 'unknown'})`)
      continue
    }
    const row = await registry
      .insertInto('notification_outputs')
      .values({
        ...{ installation_id: ref.id, ...output, sends: 0 },
        notification_message_id: messages.get(message) ?? 0,
        notification_output_executor_id: only.id,
        config: JSON.stringify(references.texts(config ?? {}, `output ${id}`))
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    outputIds.set(id, row.id)
  }
  const why =
    'the organization needs one executor with this type and name: make it, and import again'
  return leftBehind('notification outputs', left, why)
}

async function placeInstances(registry: Registry, placing: Placing): Promise<LeftBehind[]> {
  const { ref, kept, references, now } = placing
  const apps = new Map(kept.app.map((app) => [app.id, app]))
  const of = { apps, versions: kept.version }
  const finder = new AppFinder(registry, ref.organization_id, of, now)
  const [missing, wrong]: [string[], string[]] = [[], []]
  for (const record of kept.instance) {
    const { id, name, created, updated } = record
    const called = `${name || id} (${apps.get(record.app)?.name})`
    const found = await finder.find(record)
    if (!found) {
      missing.push(called)
      continue
    }
    const config = references.config(found.app_json, { ...record.config }, `edge app ${name || id}`)
    if (configFault(found.app_json, config)) {
      wrong.push(called)
      continue
    }
    const { app_id, version } = found
    await registry
      .insertInto('edge_app_instances')
      .values({
        ...{ installation_id: ref.id, app_id, version, name, created, updated },
        config: JSON.stringify(config)
      })
      .execute()
  }
  return [
    ...leftBehind('edge apps', missing, 'the app belongs to others and is not on this platform'),
    ...leftBehind('edge apps', wrong, 'the configuration does not fit the app')
  ]
}

async function placeBoard(registry: Registry, { ref, kept, references }: Placing): Promise<void> {
  for (const { plots, updated } of kept.board) {
    const moved = plots.map(({ topics, ...plot }) => ({
      ...plot,
      topics: topics.map((topic) => references.topic(topic, 'board'))
    }))
    await registry
      .insertInto('boards')
      .values({ installation_id: ref.id, plots: JSON.stringify(moved), updated })
      .execute()
  }
}

async function placeBlacklist(registry: Registry, placing: Placing): Promise<LeftBehind[]> {
  const { kept, references, blacklistRoom, now } = placing
  if (kept.blacklist.length === 0) return []
  let room = blacklistRoom((await listBlacklist(registry)).map(({ topic }) => topic))
  const left: string[] = []
  for (const { topic, ...entry } of kept.blacklist) {
    if (room-- <= 0) {
      left.push(topic)
      continue
    }
    const moved = references.topic(topic, 'blacklist')
    await insertBlacklistEntry(registry, { ...entry, topic: moved }, now)
  }
  return leftBehind('blacklist entries', left, 'the blacklist is full')
}

/** The contents are claimed. If one was swept meanwhile, this took longer than a claim lasts. */
async function placeFiles(registry: Registry, { ref, kept }: Placing): Promise<void> {
  const hashes = [...new Set(kept.file.map(({ hash }) => hash))]
  const there = await registry
    .selectFrom('file_contents')
    .select('hash')
    .where(isOneOfTexts(registry, sql.ref('hash'), hashes))
    .modifyEnd(forUpdate(registry))
    .execute()
  if (there.length < hashes.length) throw new Error('copying the files took too long: start again')
  for (const { id: _, ...file } of kept.file) {
    await registry
      .insertInto('files')
      .values({ installation_id: ref.id, organization_id: null, ...file })
      .execute()
  }
}

const MAX_NAMES = 100

const leftBehind = (what: string, names: readonly string[], why: string): LeftBehind[] =>
  names.length === 0 ? [] : [{ what, count: names.length, names: names.slice(0, MAX_NAMES), why }]
