import { idsOf, type RegistryLineage } from '../lib/lineage.ts'
import { reachedIds } from './id-reserves.ts'
import type { Registry } from './tables.ts'
import { hasUsers } from './users.ts'

/** It is the same on every node and never changes. */
export async function readPlatformId(registry: Registry): Promise<string> {
  const { id } = await registry.selectFrom('platform').select('id').executeTakeFirstOrThrow()
  return id
}

export async function readRegistryLineage(registry: Registry): Promise<RegistryLineage> {
  const { id, has_history } = await registry
    .selectFrom('platform')
    .select(['id', 'has_history'])
    .executeTakeFirstOrThrow()
  const reserves = await registry.selectFrom('id_reserves').select(['kind', 'asked']).execute()
  const asked = new Map(reserves.map((row) => [row.kind, row.asked]))
  return {
    platform: id,
    reached: await reachedIds(registry),
    reserved: idsOf((kind) => asked.get(kind) ?? 0),
    hasHistory: has_history === 1,
    isNew: !(await hasUsers(registry))
  }
}
