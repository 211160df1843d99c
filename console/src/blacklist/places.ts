/** How many entries there may be: with a wildcard in front, and for the installations of a tenant. */
export const MAX_OF_PLATFORM = 1000
export const MAX_PER_TENANT = 100
const TOP_ORGANIZATION_ID = 1

type Installation = { client_id: number; organization_id: number }
type Organization = { id: number; parent: number }

/** The entries of the platform (0) and of each tenant, by the organization below the topmost one. */
export function placesUsed(
  topics: readonly string[],
  installations: readonly Installation[],
  organizations: readonly Organization[]
): Map<number, number> {
  const organizationOf = new Map(
    installations.map(({ client_id, organization_id }) => [client_id, organization_id])
  )
  const parentOf = new Map(organizations.map(({ id, parent }) => [id, parent]))
  const tenantOf = (topic: string): number => {
    let at = organizationOf.get(Number(topic.split('/')[0])) ?? 0
    // The parent of the topmost one that the caller sees is 0.
    for (let up = parentOf.get(at) ?? 0; up !== 0 && up !== TOP_ORGANIZATION_ID; ) {
      at = up
      up = parentOf.get(at) ?? 0
    }
    return at === TOP_ORGANIZATION_ID ? 0 : at
  }
  const used = new Map<number, number>()
  for (const topic of topics) used.set(tenantOf(topic), (used.get(tenantOf(topic)) ?? 0) + 1)
  return used
}
