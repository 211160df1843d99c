import { Turns } from '../../lib/turns.ts'
import type { Registry } from '../../registry/tables.ts'
import { type Clearing, clearAlarms, insertAlarms, type NewAlarm, reopenAlarms } from './alarms.ts'
import { messageOf } from './message.ts'
import { type HeldPartition, keepPartitions } from './partitions.ts'
import { HEAD, headText, type StateChange, writeStates } from './states.ts'
import type { Part, Raised, Watched } from './watched.ts'

/** What one transaction writes at most, so that others do not wait for it long. */
const MAX_STATE_CHARACTERS = 512 * 1024
const MAX_ALARMS = 500
const MAX_HEADS = 500

type Portion = {
  parts: { part: Part; state: StateChange }[]
  alarms: NewAlarm[]
  clearings: Clearing[]
  characters: number
}
const newPortion = (): Portion => ({ parts: [], alarms: [], clearings: [], characters: 0 })

type Round = {
  registry: Registry
  holder: string
  /** How far this node has watched, at the moment. */
  held: () => HeldPartition[]
  /** Some alarms of this installation were written. */
  onWritten: (installationId: number) => void
}

/**
 * Writes states together with the alarms that came of them. After a failure they are as before. The
 * states must not change meanwhile.
 */
export async function writeParts(round: Round, parts: Iterable<Part>): Promise<void> {
  const turns = new Turns()
  let portion = newPortion()
  for (const part of parts) {
    await add(portion, part, turns)
    const { alarms, clearings, characters } = portion
    const isFull =
      characters >= MAX_STATE_CHARACTERS || alarms.length + clearings.length >= MAX_ALARMS
    if (!isFull) continue
    await write(round, portion)
    portion = newPortion()
  }
  if (portion.parts.length > 0) await write(round, portion)
}

/** How far this node has watched. */
export const writeSeen = ({ registry, held, holder }: Round): Promise<void> =>
  registry.transaction().execute((registry) => keepPartitions(registry, held(), holder))

/** Gateways of these installations came or went, so their silence is held or not. */
export async function writeHeads(registry: Registry, all: Iterable<Watched>): Promise<void> {
  const changes = Array.from(all, ({ id, clock }) => ({
    ...{ installation_id: id, part: HEAD },
    // Only a gateway that was connected can be gone.
    state: headText({ ...clock.state, wasConnected: true })
  }))
  for (let start = 0; start < changes.length; start += MAX_HEADS) {
    const some = changes.slice(start, start + MAX_HEADS)
    await registry.transaction().execute((registry) => writeStates(registry, some))
  }
}

async function add(portion: Portion, part: Part, turns: Turns): Promise<void> {
  const { id: installation_id } = part.installation
  const text = part.text
  portion.parts.push({ part, state: { installation_id, part: part.number, state: text } })
  portion.characters += text?.length ?? 0
  for (const one of part.cleared) portion.clearings.push({ installation_id, ...one })
  for (const one of part.raised) {
    if (turns.isLate()) await turns.next()
    portion.alarms.push(alarmOf(installation_id, one))
  }
  if (turns.isLate()) await turns.next()
}

function alarmOf(installation_id: number, raised: Raised): NewAlarm {
  const { by, raised_at, value, isTold, cleared_at } = raised
  const { rule, topic } = by
  const alarm = {
    ...{ installation_id, rule_id: rule.id, topic: topic.name, severity: rule.severity },
    ...{ raised_at, value, cleared_at, isTold }
  }
  const message = messageOf(rule.message, alarm, topic.part.installation.zone)
  return { ...alarm, message }
}

async function write(round: Round, { parts, alarms, clearings }: Portion): Promise<void> {
  const { registry, holder, held, onWritten } = round
  await registry.transaction().execute(async (registry) => {
    await keepPartitions(registry, held(), holder)
    // First: what is cleared is in the registry, and may be raised again.
    await clearAlarms(registry, clearings)
    const written = await insertAlarms(registry, alarms)
    if (written.length < alarms.length) await reopenAlarms(registry, alarms)
    await writeStates(
      registry,
      parts.map(({ state }) => state)
    )
  })
  for (const { part } of parts) {
    if (part.isUrgent) onWritten(part.installation.clientId)
    for (const one of part.raised) if (one.by.fresh === one) one.by.fresh = undefined
    part.raised = []
    part.cleared = []
    part.changedAt = Number.POSITIVE_INFINITY
    part.needsAfter = Number.POSITIVE_INFINITY
    part.isAwaited = false
  }
}
