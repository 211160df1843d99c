import { setImmediate } from 'node:timers/promises'
import type { Registry } from './tables.ts'

/** `meta` is JSON text. */
export type LogFunction = { id: number; type: string; meta: string }

const BATCH = 200

/**
 * The functions of an installation that read a topic, as far as their metadata tell at a glance, by
 * id. Between batches the others have their turn.
 */
export async function* readFunctions(
  registry: Registry,
  installation_id: number
): AsyncGenerator<LogFunction[]> {
  let last: number | undefined = 0
  while (last !== undefined) {
    const functions: LogFunction[] = await registry
      .selectFrom('objects')
      .select(['id', 'type', 'meta'])
      .where('installation_id', '=', installation_id)
      .where('kind', '=', 'function')
      .where('id', '>', last)
      .where('meta', 'like', '%"topic%')
      .orderBy('id')
      .limit(BATCH)
      .execute()
    yield functions
    last = functions[BATCH - 1]?.id
    await setImmediate()
  }
}
