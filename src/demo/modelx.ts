import { insertModelx, listModelx } from '../registry/modelx.ts'
import type { ModelxKind, Registry } from '../registry/tables.ts'
import type { DemoInstallation } from './registry.ts'

/** Creates a device for each place, and a function for each topic and actuator, if it is missing. */
export async function ensureModelx(
  registry: Registry,
  installation: DemoInstallation,
  now: number
): Promise<void> {
  const devices = await known(registry, installation.id, 'device', 'name')
  const functions = await known(registry, installation.id, 'function', 'topic_read')
  const measured = installation.topics.map(({ topic, ...shown }) => ({
    ...shown,
    // Clients read topics without the client id.
    topic_read: topic.replace(/^\d+\//, '')
  }))
  const actuators = installation.actuators.map(({ topic_write, meta, ...shown }) => ({
    ...shown,
    meta: { ...meta, topic_write }
  }))
  for (const { topic_read, place, kind, ...shown } of [...measured, ...actuators]) {
    const room = titleOf(place)
    const device =
      devices.get(room) ??
      (await insert(registry, installation.id, 'device', 'virtual', { name: room }, now))
    devices.set(room, device)
    if (functions.has(topic_read)) continue
    const name = `${room} ${shown.name}`.trim()
    const meta = { name, room, ...shown.meta, topic_read, device_id: String(device) }
    await insert(registry, installation.id, 'function', kind, meta, now)
  }
}

const titleOf = (place: string): string =>
  place.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('_', ' ')

/** The objects of a kind: the value of one metadata key -> the id. */
async function known(
  registry: Registry,
  installation_id: number,
  kind: ModelxKind,
  key: string
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const part of listModelx(registry, { kind, installation_id })) {
    for (const { id, meta } of part) found.set(JSON.parse(meta)[key], id)
  }
  return found
}

async function insert(
  registry: Registry,
  installationId: number,
  kind: ModelxKind,
  type: string,
  meta: Record<string, string>,
  now: number
): Promise<number> {
  const fields = { type, meta: JSON.stringify(meta), protected_meta: '{}' }
  const object = await insertModelx(registry, kind, installationId, fields, now)
  if (!object) throw new Error(`the demo installation ${installationId} disappeared`)
  return object.id
}
