import { type MetaFilter, metaFilters } from '../lib/meta-filter.ts'
import { badRequest } from './errors.ts'

const MAX_FILTERS = 20
const MAX_VALUES = 50
const MAX_LENGTH = 255

/** The metadata filters of a query, bounded: each one costs the registry work. */
export function readMetaFilters(query: object): MetaFilter[] {
  const filters = metaFilters(query)
  const patterns = filters.flatMap(({ patterns }) => patterns)
  if (filters.length > MAX_FILTERS) throw badRequest(`at most ${MAX_FILTERS} metadata filters`)
  if (patterns.length > MAX_VALUES) throw badRequest(`at most ${MAX_VALUES} values in filters`)
  const long = filters.find(({ patterns }) => patterns.some((text) => text.length > MAX_LENGTH))
  if (long) throw badRequest(`${long.key}: a filter has at most ${MAX_LENGTH} characters`)
  return filters
}
