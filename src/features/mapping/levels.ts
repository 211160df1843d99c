import { DEFAULT_MOUNT } from '../../lib/mapping/filter.ts'
import { firstLevel } from '../../lib/topic.ts'
import type { Registry } from '../../registry/tables.ts'
import { activeFilters } from './rows.ts'

/** So many distinct filters are looked at. */
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
  const { filters, hasMake } = await activeFilters(registry, MAX_FILTERS)
  const found = new Set(hasMake ? ['set'] : [])
  for (const filter of filters) {
    const level = firstLevel(filter)
    found.add(/^[+#]?$/.test(level) ? DEFAULT_MOUNT : level)
  }
  const levels = [...found].slice(0, MAX_LEVELS)
  return { levels, left: found.size - levels.length }
}
