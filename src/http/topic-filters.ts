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

/** Full topic filters of a request, with or without client id in it; undefined means all topics. */
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
