import { hasWildcard, withClientId } from '../lib/topic.ts'
import { badRequest } from './errors.ts'

/** Each one is held against every topic of the installation. */
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
  return given.map((topic) => withClientId(clientId, topic))
}
