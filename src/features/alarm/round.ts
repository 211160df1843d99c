import { Turns } from '../../lib/turns.ts'
import { takeIds } from '../../registry/dialect.ts'
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
  raised: Raised[]
  clearings: Clearing[]
  characters: number
}
const newPortion = (): Portion => ({ parts: [], raised: [], clearings: [], characters: 0 })

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
    add(portion, part)
    if (turns.isLate()) await turns.next()
    const { raised, clearings, characters } = portion
    const isFull =
      characters >= MAX_STATE_CHARACTERS || raised.length + clearings.length >= MAX_ALARMS
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

function add(portion: Portion, part: Part): void {
  const { id: installation_id } = part.installation
  const text = part.text
  portion.parts.push({ part, state: { installation_id, part: part.number, state: text } })
  portion.characters += text?.length ?? 0
  for (const one of part.cleared) portion.clearings.push({ installation_id, ...one })
  for (const one of part.raised) portion.raised.push(one)
}

/** With ids, because a message may name its alarm. */
async function alarmsOf(registry: Registry, raised: readonly Raised[]): Promise<NewAlarm[]> {
  const ids = await takeIds(registry, 'alarms', raised.length)
  const turns = new Turns()
  const alarms: NewAlarm[] = []
  for (const [i, one] of raised.entries()) {
    alarms.push(alarmOf(ids[i] as number, one))
    if (turns.isLate()) await turns.next()
  }
  return alarms
}

function alarmOf(id: number, { by, raised_at, value, isTold, cleared_at }: Raised): NewAlarm {
  const { rule, topic } = by
  const { id: installation_id, zone } = topic.part.installation
  const alarm = {
    ...{ id, installation_id, rule_id: rule.id, topic: topic.name, severity: rule.severity },
    ...{ raised_at, value, cleared_at, isTold }
  }
  return { ...alarm, message: messageOf(rule.message, alarm, zone) }
}

async function write(round: Round, { parts, raised, clearings }: Portion): Promise<void> {
  const { registry, holder, held, onWritten } = round
  const alarms = await alarmsOf(registry, raised)
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
