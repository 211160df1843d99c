import {
  hasWildcard,
  isWithinTopicLimits,
  MAX_TOPIC_BYTES,
  MAX_TOPIC_LEVELS,
  withClientId
} from '../lib/topic.ts'
import { badRequest } from './errors.ts'

/** Each one may have to be followed along every topic of the installation. */
const MAX_WILDCARDS = 200

/** Full topic filters of a body, with or without client id in it; undefined means all topics. */
export function topicFilters(
  clientId: number,
  given: readonly string[] | undefined
): string[] | undefined {
  if (!given?.length) return undefined
  if (given.filter(hasWildcard).length > MAX_WILDCARDS) {
    throw badRequest(`topics: at most ${MAX_WILDCARDS} filters with wildcards`)
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
 * The same of a query, where clients join topics with commas though a topic may have one itself: a
 * text counts by its parts and as a whole.
 */
export function joinedTopicFilters(
  clientId: number,
  given: readonly string[] | undefined
): string[] | undefined {
  if (!given?.length) return undefined
  const parts = given.flatMap((text) => text.split(',')).filter((part) => part !== '')
  // Bounded by their parts: a whole has a wildcard only where a part of it has one.
  const filters = topicFilters(clientId, parts) ?? []
  const whole = given.filter((text) => text.includes(','))
  // What is longer than any topic can be is no topic.
  return [
    ...filters,
    ...whole.map((topic) => withClientId(clientId, topic)).filter(isWithinTopicLimits)
  ]
}
