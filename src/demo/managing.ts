import type { Deps } from '../deps.ts'
import { insertBlacklistEntry } from '../features/blacklist/entries.ts'
import { insertEdgeApp, listEdgeApps } from '../features/edge/apps.ts'
import { insertInstance } from '../features/edge/instances.ts'
import { versionOf } from '../features/edge/package.ts'
import { nameVersion, uploadVersion } from '../features/edge/versions.ts'
import { claimContent } from '../features/file/contents.ts'
import type { FileDeps } from '../features/file/deps.ts'
import { insertFiles } from '../features/file/files.ts'
import { fieldsOf as mappingOf } from '../features/mapping/fields.ts'
import { insertMapping } from '../features/mapping/rows.ts'
import { insertExecutor } from '../features/notification/executors.ts'
import { insertMessage, insertOutput } from '../features/notification/messages.ts'
import { insertPolicy } from '../features/registration/policies.ts'
import { fieldsOf as ruleOf } from '../features/rule/fields.ts'
import { insertRule } from '../features/rule/rows.ts'
import { fieldsOf as scheduleOf } from '../features/schedule/fields.ts'
import { planOf } from '../features/schedule/plan.ts'
import { insertSchedule } from '../features/schedule/schedules.ts'
import type { TraceDeps } from '../features/trace/deps.ts'
import type { NewTrace } from '../features/trace/entries.ts'
import { inInstallation } from '../holding.ts'
import type { UnixMs } from '../lib/unix-time.ts'
import { listModelx } from '../registry/modelx.ts'
import type { Registry } from '../registry/tables.ts'
import { demoApp, demoFile, demoNotification } from './managed.ts'
import { type DemoInstallation, markManaged, USER_ROLE_ID } from './registry.ts'

const MOST = 100

export type DemoDeps = Pick<Deps, 'registry' | 'clock'> & Pick<FileDeps, 'files'> & TraceDeps

/**
 * What the pages of management show. It is marked first, so a crash leaves less of it and never makes
 * it twice, and what somebody changes or deletes stays so.
 */
export async function ensureManaged(
  { registry, files, trace, clock }: DemoDeps,
  installation: DemoInstallation
): Promise<void> {
  if (installation.isManaged) return
  const now = clock()
  const traced: Made[] = []
  await markManaged(registry, installation.id, now)
  const { schedules, rules, mappings } = installation.managed
  const owner = { kind: 'installation', id: installation.id } as const
  for (const body of schedules) {
    const fields = scheduleOf(body)
    const plan = planOf(fields, installation.timezone, now)
    const { id } = await insertSchedule(registry, installation.id, { ...fields, ...plan }, now)
    traced.push({ type: 'schedule', id })
  }
  for (const body of rules) {
    const rule = await insertRule(registry, owner, ruleOf(body), now)
    if (typeof rule === 'object') traced.push({ type: 'rule', id: rule.id })
  }
  for (const body of mappings) {
    const mapping = await insertMapping(registry, owner, mappingOf(body), now)
    if (typeof mapping === 'object') traced.push({ type: 'mapping', id: mapping.id })
  }
  await addNotification(registry, installation, now)
  await addApp(registry, installation, now)
  await addFile({ registry, files }, installation, now)
  await addLimits(registry, installation, now)
  await trace.record(traced.map((made) => entryOf(installation, made, now)))
}

/** Which messages are dropped, and who may register. */
async function addLimits(
  registry: Registry,
  { client_id, organization_id, managed: { blacklisted, registers } }: DemoInstallation,
  now: UnixMs
): Promise<void> {
  const topic = `${client_id}/${blacklisted.topic}`
  const { reason } = blacklisted
  await insertBlacklistEntry(registry, { topic, mode: 'block', enabled: true, reason }, now)
  if (registers === undefined) return
  await insertPolicy(registry, {
    ...{ email_pattern: registers, pattern_set: now, role_id: USER_ROLE_ID },
    ...{ organization_id, parent_organization: null }
  })
}

type Made = { type: 'schedule' | 'rule' | 'mapping'; id: number }

const entryOf = (installation: DemoInstallation, { type, id }: Made, now: UnixMs): NewTrace => ({
  timestamp: now,
  user_id: 0,
  method: '',
  path: '',
  action: 'create',
  object_type: type,
  object_id: id,
  ...inInstallation(installation.id, installation),
  description: `created ${type} ${id}, by the demo`,
  address: ''
})

async function addFile(
  { registry, files }: Pick<DemoDeps, 'registry' | 'files'>,
  { id }: DemoInstallation,
  now: UnixMs
): Promise<void> {
  const { name, mime, text } = demoFile
  const incoming = await files.receive(text.length)
  try {
    await incoming.write(Buffer.from(text))
    await incoming.finish()
    const { hash, size } = incoming
    await claimContent(registry, hash, now)
    await files.place(incoming)
    const owner = { kind: 'installation', id } as const
    await insertFiles(registry, owner, [{ hash, name, mime, size }], { bounds: [], now })
  } finally {
    await incoming.discard()
  }
}

async function addNotification(
  registry: Registry,
  { id, organization_id }: DemoInstallation,
  now: UnixMs
): Promise<void> {
  const { executor, message, output } = demoNotification
  const limits = { most: MOST, now }
  const channel = { ...executor, organization_id, secret: '' }
  const to = await insertExecutor(registry, channel, limits)
  const text = await insertMessage(registry, id, message, limits)
  if (!to || !text) return
  const links = { notification_message_id: text.id, notification_output_executor_id: to.id }
  await insertOutput(registry, id, { ...output, ...links }, limits)
}

/** The app is there once. Each installation has its own configuration of it. */
async function addApp(
  registry: Registry,
  { id, organization_id, managed: { setback } }: DemoInstallation,
  now: UnixMs
): Promise<void> {
  const { fields, version } = demoApp
  const known = await listEdgeApps(registry, { publisherIds: [], isPublicToo: true })
  const app_id =
    known.find(({ name }) => name === fields.name)?.id ??
    (await publishApp(registry, organization_id, now))
  const sensor = await functionOf(registry, id, setback.sensor)
  const config = JSON.stringify({ sensor, lower: 2, until: setback.until, weekend: true })
  await insertInstance(registry, id, { app_id, version, name: fields.name, config }, now)
}

async function publishApp(registry: Registry, publisher: number, now: UnixMs): Promise<number> {
  const { fields, files, version: name } = demoApp
  const id = await insertEdgeApp(registry, publisher, fields, now)
  const version = versionOf(files)
  await uploadVersion(registry, id, () => version, now)
  await nameVersion(registry, id, { hash: version.hash, name })
  return id
}

async function functionOf(
  registry: Registry,
  installation_id: number,
  topic: string
): Promise<number | undefined> {
  const ref = { kind: 'function', installation_id } as const
  for await (const part of listModelx(registry, ref)) {
    const found = part.find(({ meta }) => JSON.parse(meta).topic_read === topic)
    if (found) return found.id
  }
  return undefined
}
