import { type MetaFilter, metaFilters, prefixedFilters } from '../lib/meta-filter.ts'
import { badRequest } from './errors.ts'

export const MAX_FILTERS = 20
export const MAX_VALUES = 50
export const MAX_VALUE_CHARACTERS = 255

/**
 * The metadata filters of a query. Their number is limited, because each one costs the registry
 * work.
 */
export const readMetaFilters = (query: object): MetaFilter[] => bounded(metaFilters(query))

/** The filters of the form `metadata.<key>=<value>`. */
export function readPrefixedFilters(query: object): MetaFilter[] {
  const filters = prefixedFilters(query)
  if (filters.some(({ key }) => key === '')) throw badRequest('metadata. must be followed by a key')
  return bounded(filters)
}

function bounded(filters: MetaFilter[]): MetaFilter[] {
  const patterns = filters.flatMap(({ patterns }) => patterns)
  if (filters.length > MAX_FILTERS) throw badRequest(`at most ${MAX_FILTERS} metadata filters`)
  if (patterns.length > MAX_VALUES) throw badRequest(`at most ${MAX_VALUES} values in filters`)
  const long = filters.find(({ patterns }) =>
    patterns.some((text) => text.length > MAX_VALUE_CHARACTERS)
  )
  if (long)
    throw badRequest(
      `${long.key.slice(0, MAX_VALUE_CHARACTERS)}: a filter has at most ${MAX_VALUE_CHARACTERS} characters`
    )
  return filters
}
