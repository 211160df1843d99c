import {
  hasWildcard,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS,
  withClientId
} from '../lib/topic.ts'
import { badRequest } from './errors.ts'

/** Each filter with a wildcard may have to be compared with every topic of the installation. */
export const MAX_WILDCARD_FILTERS = 200

/**
 * Full topic filters from a body, which may leave out the client id; undefined means all topics.
 */
export function topicFilters(
  clientId: number,
  given: readonly string[] | undefined
): string[] | undefined {
  if (!given?.length) return undefined
  if (given.filter(hasWildcard).length > MAX_WILDCARD_FILTERS) {
    throw badRequest(`topics: at most ${MAX_WILDCARD_FILTERS} filters with wildcards`)
  }
  const filters = given.map((topic) => withClientId(clientId, topic))
  if (!filters.every(isWithinTopicLimits)) {
    throw badRequest(
      `topics: a filter has at most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
    )
  }
  return filters
}

/**
 * The same for a query. Clients join topics with commas, but a topic may contain a comma. So both
 * the parts and the whole text are filters.
 */
export function joinedTopicFilters(
  clientId: number,
  given: readonly string[] | undefined
): string[] | undefined {
  if (!given?.length) return undefined
  const parts = given.flatMap((text) => text.split(',')).filter((part) => part !== '')
  // Checking the parts is enough: the whole text has a wildcard only when a part has one.
  const filters = topicFilters(clientId, parts) ?? []
  const whole = given.filter((text) => text.includes(','))
  // A text that is longer than any topic matches nothing.
  return [
    ...filters,
    ...whole.map((topic) => withClientId(clientId, topic)).filter(isWithinTopicLimits)
  ]
}
