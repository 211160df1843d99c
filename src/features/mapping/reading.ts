import { isMappable } from '../../lib/mapping/filter.ts'
import type { CompiledMapping } from '../../lib/mapping/mapping.ts'
import { MappedMessage } from '../../lib/mapping/message.ts'
import type { Outcome } from '../../lib/mapping/rule.ts'
import type { UnixMs } from '../../lib/unix-time.ts'

export type ActiveMapping = {
  id: number
  name: string
  create_missing: boolean
  mapping: CompiledMapping
}

/** The mappings of an installation, in the order in which they read a message. */
export type MappingsOf = { zone: string; active: readonly ActiveMapping[] }

/** What each mapping that matches made of a message. */
export type ReadMessage = {
  outcomes: readonly { by: ActiveMapping; outcome: Outcome }[]
  /** How many messages it counts as. */
  messages: number
}

const unread: ReadMessage = { outcomes: [], messages: 1 }

/** `topic` is what follows the client id. */
export function readMessage(
  { zone, active }: MappingsOf,
  { topic, payload }: { topic: string; payload: Buffer },
  arrival: UnixMs
): ReadMessage {
  if (!isMappable(topic)) return unread
  const message = new MappedMessage(topic, payload, { arrival, zone })
  const outcomes: { by: ActiveMapping; outcome: Outcome }[] = []
  for (const by of active) {
    message.take(1)
    const outcome = by.mapping.read(message)
    if (outcome) outcomes.push({ by, outcome })
  }
  return { outcomes, messages: message.messages }
}
