import { insertObject, listObjects } from '../registry/objects.ts'
import type { ObjectKind, Registry } from '../registry/tables.ts'
import type { DemoInstallation } from './registry.ts'

/** A device for each place and a function for each topic, where they are missing. */
export async function ensureObjects(
  registry: Registry,
  installation: DemoInstallation,
  now: number
): Promise<void> {
  const devices = await known(registry, installation.id, 'device', 'name')
  const functions = await known(registry, installation.id, 'function', 'topic_read')
  for (const { topic, place, kind, unit } of installation.topics) {
    const room = titleOf(place)
    const device =
      devices.get(room) ??
      (await insert(registry, installation.id, 'device', 'virtual', { name: room }, now))
    devices.set(room, device)
    // Clients read a topic without the client id.
    const topic_read = topic.replace(/^\d+\//, '')
    if (functions.has(topic_read)) continue
    const meta = { name: `${room} ${kind}`, room, unit, topic_read, device_id: String(device) }
    await insert(registry, installation.id, 'function', kind, meta, now)
  }
}

const titleOf = (place: string): string =>
  place.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('_', ' ')

/** The ids of the objects of a kind by one of their metadata. */
async function known(
  registry: Registry,
  installation_id: number,
  kind: ObjectKind,
  key: string
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const part of listObjects(registry, { kind, installation_id })) {
    for (const { id, meta } of part) found.set(JSON.parse(meta)[key], id)
  }
  return found
}

async function insert(
  registry: Registry,
  installationId: number,
  kind: ObjectKind,
  type: string,
  meta: Record<string, string>,
  now: number
): Promise<number> {
  const fields = { type, meta: JSON.stringify(meta), protected_meta: '{}' }
  const object = await insertObject(registry, kind, installationId, fields, now)
  if (!object) throw new Error(`the demo installation ${installationId} disappeared`)
  return object.id
}
