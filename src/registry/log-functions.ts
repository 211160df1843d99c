import type { Registry } from './tables.ts'

/** `meta` is JSON text. */
export type LogFunction = { id: number; type: string; meta: string }

/** The functions of an installation that read a topic, as far as their metadata tell at a glance. */
export const readFunctions = (
  registry: Registry,
  installation_id: number
): Promise<LogFunction[]> =>
  registry
    .selectFrom('objects')
    .select(['id', 'type', 'meta'])
    .where('installation_id', '=', installation_id)
    .where('kind', '=', 'function')
    .where('meta', 'like', '%"topic%')
    .orderBy('id')
    .execute()
