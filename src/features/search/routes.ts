import { signedIn } from '../../access/guard.ts'
import { searchReach } from '../../access/search-reach.ts'
import type { Routes } from '../../deps.ts'
import { forbidden } from '../../http/errors.ts'
import { hungUp } from '../../http/hung-up.ts'
import { sendJsonText } from '../../http/json-text.ts'
import { readPrefixedFilters } from '../../http/meta-filters.ts'
import { explainTooLarge } from '../../http/page-limit.ts'
import { wantedBy } from '../../lib/search-query.ts'
import { MAX_LIMIT, SearchError, SearchPage, SearchQuery } from './schema.ts'

export const searchRoutes: Routes = (app, { searcher, searchTimeoutMs, directory, shares }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['Search'],
        summary: 'Installations, devices and functions by text and metadata',
        querystring: SearchQuery,
        response: { 200: SearchPage, 400: SearchError, 503: SearchError }
      },
      config: {
        access: signedIn,
        // [contract: Search] These two, and only here.
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
              limit: limit || MAX_LIMIT,
              offset: offset ?? 0
            },
            reach
          },
          AbortSignal.any([hungUp(reply.raw), AbortSignal.timeout(searchTimeoutMs)])
        )
        .catch(explainTooLarge('results'))
      return sendJsonText(reply, answer)
    }
  )
}
