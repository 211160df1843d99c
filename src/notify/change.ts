import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../bus/bus.ts'

export type ObjectChange = {
  kind: 'functionx' | 'devicex' | 'schedule' | 'edge_app' | 'installation' | 'alarm'
  client_id: number
}

/**
 * [contract: Events] The only update notification. It is sent after the commit. Listeners read the
 * object again, so the payload is empty. If sending fails, the write still holds. [ADR-0004]
 */
export async function tellChange(
  { bus, log }: { bus: Bus; log: FastifyBaseLogger },
  { kind, client_id }: ObjectChange,
  silent = false
): Promise<void> {
  if (silent) return
  const topic = `${client_id}/evt/${kind}/updated`
  try {
    await bus.publish(topic, '{}')
  } catch (err) {
    log.error({ err, topic }, 'a change could not be announced')
  }
}
