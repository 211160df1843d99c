import type { Routes } from '../../deps.ts'
import { forbidden } from '../../http/errors.ts'
import { hungUp } from '../../http/hung-up.ts'
import { sendOwnJson } from '../../http/json-text.ts'
import { readPrefixedFilters } from '../../http/meta-filters.ts'
import { explainTooLarge } from '../../http/page-limit.ts'
import { signedIn } from '../../permission/guard.ts'
import type { SearchDeps } from './deps.ts'
import { wantedBy } from './query.ts'
import { searchReach } from './reach.ts'
import { MAX_SEARCH_RESULTS, SearchError, SearchPage, SearchQuery } from './schema.ts'

export const searchRoutes: Routes<SearchDeps> = (
  app,
  { searcher, searchTimeoutMs, directory, shares }
) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['Search'],
        operationId: 'search',
        faults: [403, 499],
        summary: 'Search installations, devices and functions by text and metadata',
        querystring: SearchQuery,
        response: { 200: SearchPage, 400: SearchError, 503: SearchError }
      },
      config: {
        access: signedIn,
        // [contract: Search] Only these two statuses of this route use `error`.
        errorKeys: { 400: 'error', 503: 'error' }
      }
    },
    async (request, reply) => {
      const { principal, query } = request
      const { q, types, limit, offset } = query
      const filters = readPrefixedFilters(query)
      const reach = searchReach(principal, directory, types)
      if (!reach) throw forbidden()
      await shares.take('searches', request, reply)
      const answer = await searcher
        .search(
          {
            query: {
              wanted: wantedBy(q),
              filters,
              limit: limit || MAX_SEARCH_RESULTS,
              offset: offset ?? 0
            },
            reach
          },
          AbortSignal.any([hungUp(reply.raw), AbortSignal.timeout(searchTimeoutMs)])
        )
        .catch(explainTooLarge('results'))
      return sendOwnJson(reply, answer)
    }
  )
}
