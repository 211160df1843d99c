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
export type MappingsOf = {
  zone: string
  active: readonly ActiveMapping[]
  /** Without one there are no commands. */
  hasMake: boolean
}

/** What each mapping that matches made of a message. */
export type ReadMessage = {
  outcomes: readonly { by: ActiveMapping; outcome: Outcome }[]
  /** How many messages it counts as. */
  messages: number
}

const STEPS_PER_FILTER = 1
const STEPS_PER_MAPPING = 5
const tooMuch: Outcome = {
  values: [],
  refused: [{ path: '', reason: 'the message is too much work for all mappings' }]
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
    if (message.isSpent) {
      outcomes.push({ by, outcome: tooMuch })
      break
    }
    message.take(STEPS_PER_FILTER)
    const outcome = by.mapping.read(message)
    if (!outcome) continue
    message.take(STEPS_PER_MAPPING)
    outcomes.push({ by, outcome })
  }
  return { outcomes, messages: message.messages }
}
