import type { Registry } from './tables.ts'

/** The same on every node, and for ever. */
export async function readPlatformId(registry: Registry): Promise<string> {
  const { id } = await registry.selectFrom('platform').select('id').executeTakeFirstOrThrow()
  return id
}
