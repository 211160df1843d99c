import { type MetaFilter, metaFilters, prefixedFilters } from '../lib/meta-filter.ts'
import { badRequest } from './errors.ts'

const MAX_FILTERS = 20
const MAX_VALUES = 50
const MAX_LENGTH = 255

/** The metadata filters of a query, bounded: each one costs the registry work. */
export const readMetaFilters = (query: object): MetaFilter[] => bounded(metaFilters(query))

/** Those written `metadata.<key>=<value>`. */
export function readPrefixedFilters(query: object): MetaFilter[] {
  const filters = prefixedFilters(query)
  if (filters.some(({ key }) => key === '')) throw badRequest('metadata. must be followed by a key')
  return bounded(filters)
}

function bounded(filters: MetaFilter[]): MetaFilter[] {
  const patterns = filters.flatMap(({ patterns }) => patterns)
  if (filters.length > MAX_FILTERS) throw badRequest(`at most ${MAX_FILTERS} metadata filters`)
  if (patterns.length > MAX_VALUES) throw badRequest(`at most ${MAX_VALUES} values in filters`)
  const long = filters.find(({ patterns }) => patterns.some((text) => text.length > MAX_LENGTH))
  if (long)
    throw badRequest(
      `${long.key.slice(0, MAX_LENGTH)}: a filter has at most ${MAX_LENGTH} characters`
    )
  return filters
}
