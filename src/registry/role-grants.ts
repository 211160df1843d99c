import type { Registry } from './tables.ts'

/**
 * Gives new permissions to the first roles of an older registry, as they have them in a new one.
 * Older programs do not know these names, so nothing changes for them. [ADR-0059]
 */
export async function addGrants(
  registry: Registry,
  added: ReadonlyMap<string, readonly string[]>
): Promise<void> {
  const roles = await registry
    .selectFrom('roles')
    .select(['id', 'name', 'permissions'])
    .where('organization_id', 'is', null)
    .where('name', 'in', [...added.keys()])
    .execute()
  for (const { id, name, permissions } of roles) {
    const more = (added.get(name) ?? []).map((one) => [one, true] as const)
    const grants = { ...JSON.parse(permissions), ...Object.fromEntries(more) }
    await registry
      .updateTable('roles')
      .set({ permissions: JSON.stringify(grants) })
      .where('id', '=', id)
      .execute()
  }
}
