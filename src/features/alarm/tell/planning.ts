import { lastingOf } from '../../../lib/alarm/duration.ts'
import type { UnixMs } from '../../../lib/unix-time.ts'
import type { Directory } from '../../../permission/directory.ts'
import type { Registry } from '../../../registry/tables.ts'
import { type DueEscalation, finishEscalation, insertEscalation } from './escalations.ts'
import { closeGroup, deleteGroup, type Group, hasNews, isWaiting, toldBefore } from './groups.ts'
import { heldUntil } from './holding-back.ts'
import { addToMessage, noteFailure } from './messages.ts'
import { readPlaces } from './reading.ts'
import type { Person, Recipients } from './recipients.ts'
import { addressOf } from './sending.ts'

/** Others use the registry between two steps. */
const PEOPLE_PER_STEP = 50

type Parts = { registry: Registry; directory: Directory; recipients: Recipients; timezone: string }

/** Gives a group to the messages of all who are told of it. After a crash it is done again. */
export async function planGroup(parts: Parts, group: Group, now: UnixMs): Promise<void> {
  const { registry, directory, recipients } = parts
  const installation = directory.installation(group.installation_id)
  const people = new Map<number, Person>()
  const isNew = await hasNews(registry, group.id)
  if (installation) {
    if (isNew) {
      for (const person of await recipients.of(installation)) {
        if (person.settings.severities.includes(group.severity)) people.set(person.id, person)
      }
    }
    for (const person of await recipients.find(await toldBefore(registry, group.id))) {
      if (await recipients.mayList(person.id, installation)) people.set(person.id, person)
    }
  }
  if (people.size === 0) {
    await deleteGroup(registry, group.id)
    return
  }
  const zone = await zoneOf(parts, group.installation_id)
  const all = [...people.values()]
  for (let start = 0; start < all.length; start += PEOPLE_PER_STEP) {
    await registry.transaction().execute(async (registry) => {
      for (const person of all.slice(start, start + PEOPLE_PER_STEP)) {
        await tell(registry, person, { groupId: group.id, level: 0, zone, now })
        if (isNew) await escalate(registry, person, { groupId: group.id, level: 1, now })
      }
    })
  }
  await registry.transaction().execute((registry) => closeGroup(registry, group, now))
}

/** Tells the next user, if nobody has acknowledged the alarms and some are still open. */
export async function planEscalation(
  parts: Parts,
  escalation: DueEscalation,
  now: UnixMs
): Promise<void> {
  const { registry, directory, recipients } = parts
  const { group_id: groupId, user_id, level, installation_id } = escalation
  const installation = directory.installation(installation_id)
  const isNeeded = installation !== undefined && (await isWaiting(registry, groupId))
  const [person] = isNeeded ? await recipients.find([user_id]) : []
  const isAllowed = isNeeded && (await recipients.mayList(user_id, installation))
  const zone = await zoneOf(parts, installation_id)
  await registry.transaction().execute(async (registry) => {
    await finishEscalation(registry, escalation)
    if (!isNeeded) return
    if (person && isAllowed) {
      await tell(registry, person, { groupId, level, zone, now })
      await escalate(registry, person, { groupId, level: level + 1, now })
      return
    }
    const why = isAllowed ? 'has not chosen to be told' : 'may not list the alarms'
    const result = `failed: the next user ${why}`
    const nobody = { user_id, channel: 'mail', address: '' } as const
    await noteFailure(registry, nobody, { groupId, level, result, now })
  })
}

type Telling = { groupId: number; level: number; now: UnixMs }

async function tell(
  registry: Registry,
  person: Person,
  { groupId, level, zone, now }: Telling & { zone: string }
): Promise<void> {
  const held_until = heldUntil(person.settings, zone, now, { isEscalation: level > 0 })
  for (const channel of person.settings.channels) {
    const address = addressOf(channel, person)
    const recipient = { user_id: person.id, channel, address, held_until }
    await addToMessage(registry, recipient, { groupId, level, now })
  }
}

async function escalate(
  registry: Registry,
  { settings: { escalate } }: Person,
  { groupId, level, now }: Telling
): Promise<void> {
  if (!escalate) return
  const due_at = now + (lastingOf(escalate.after) ?? 0)
  const { user_id } = escalate
  await insertEscalation(registry, { group_id: groupId, user_id, level, due_at })
}

async function zoneOf({ registry, timezone }: Parts, installationId: number): Promise<string> {
  const places = await readPlaces(registry, [installationId], timezone)
  return places.get(installationId)?.zone ?? timezone
}
