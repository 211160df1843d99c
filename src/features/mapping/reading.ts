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

/** What each mapping makes of a message. `topic` is what follows the client id. */
export function readMessage(
  { zone, active }: MappingsOf,
  { topic, payload }: { topic: string; payload: Buffer },
  arrival: UnixMs
): { by: ActiveMapping; outcome: Outcome }[] {
  if (!isMappable(topic)) return []
  const message = new MappedMessage(topic, payload, { arrival, zone })
  const read: { by: ActiveMapping; outcome: Outcome }[] = []
  for (const by of active) {
    const outcome = by.mapping.read(message)
    if (outcome) read.push({ by, outcome })
  }
  return read
}
