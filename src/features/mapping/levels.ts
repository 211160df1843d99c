import { DEFAULT_MOUNT } from '../../lib/mapping/filter.ts'
import { firstLevel } from '../../lib/topic.ts'
import { tenantsOf } from '../../registry/organizations.ts'
import type { Registry } from '../../registry/tables.ts'
import { filtersInUse } from './rows.ts'

/** So many filters are looked at. */
const MAX_FILTERS = 10_000
/** Each one is a subscription of every session at an external broker. */
const MAX_LEVELS = 100

/**
 * The first levels after the client id whose messages mappings need. A filter that begins with a
 * wildcard, or a make without a filter, means those of the default mount. [ADR-0063]
 */
export async function levelsToRead(
  registry: Registry
): Promise<{ levels: string[]; left: number }> {
  const filters = await filtersInUse(registry, MAX_FILTERS)
  const tenants = await tenantsOf(registry, [
    ...new Set(filters.map(({ organizationId }) => organizationId))
  ])
  const wanted = new Map<number, Set<string>>()
  for (const { filter, organizationId } of filters) {
    const level = firstLevel(filter)
    const tenant = tenants.get(organizationId) ?? 0
    if (!wanted.has(tenant)) wanted.set(tenant, new Set())
    wanted.get(tenant)?.add(/^[+#]?$/.test(level) ? DEFAULT_MOUNT : level)
  }
  const found = new Set(filters.some(({ hasMake }) => hasMake) ? ['set'] : [])
  for (const level of inTurns([...wanted.values()])) found.add(level)
  const levels = [...found].slice(0, MAX_LEVELS)
  return { levels, left: found.size - levels.length }
}

/** First the first level of each tenant, so that no tenant takes the places of the others. */
function* inTurns(wanted: readonly ReadonlySet<string>[]): Generator<string> {
  const lists = wanted.map((levels) => [...levels])
  for (let turn = 0; lists.some(({ length }) => turn < length); turn++) {
    for (const list of lists) {
      const level = list[turn]
      if (level !== undefined) yield level
    }
  }
}
