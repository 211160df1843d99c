import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { hungUp } from '../../http/hung-up.ts'
import { InstallationParams } from '../../http/schema.ts'
import { joinedTopicFilters } from '../../http/topic-filters.ts'
import { executes } from '../../http/traced.ts'
import { withClientId } from '../../lib/topic.ts'
import { fromSeconds, type UnixMs } from '../../lib/unix-time.ts'
import { onInstallation } from '../../permission/guard.ts'
import type { LogDeps } from './deps.ts'
import { LogRemoval, LogRemovalQuery } from './schema.ts'

/** So many filters are named in the trace, with so many characters each. */
const NAMED_FILTERS = 5
const NAMED_CHARACTERS = 100

/** [ADR-0047] Corrects history: deletes a stretch of it. */
export const logRemovalRoutes: Routes<LogDeps> = (app, { latest, removals, shares }) => {
  app.delete(
    '/:installation_id',
    {
      schema: {
        tags: ['Log'],
        operationId: 'deleteLog',
        summary: 'Delete historic values; the latest values follow',
        params: InstallationParams,
        querystring: LogRemovalQuery,
        response: { 200: LogRemoval }
      },
      config: {
        access: onInstallation('log/delete'),
        trace: executes('installation', 'installation_id', 'deleted values of')
      }
    },
    async (request, reply) => {
      const { installation, query } = request
      const { id: installation_id, client_id } = installation
      const stretch = { from: fromSeconds(query.from), to: fromSeconds(query.to) }
      if (stretch.from > stretch.to) throw badRequest('from must not be later than to')
      const filters = joinedTopicFilters(client_id, query.topics) ?? []
      const isAll = filters.includes(withClientId(client_id, '#'))
      const topics = isAll ? undefined : await latest.topics(installation_id, filters)
      await shares.take('removals', request, reply)
      const asked = { installation_id, topics, ...stretch }
      // It goes on to its end if the caller hangs up, so that the trace has all of it.
      const count = await removals.remove(asked, hungUp(reply.raw))
      request.traceText = textOf(count, filters, stretch)
      return { count }
    }
  )
}

/** For the trace: `deleted 8 values (7/obj/a, 7/obj/b; 2026-01-05T10:00:00.000Z to ...) of`. */
function textOf(
  count: number,
  filters: readonly string[],
  { from, to }: { from: UnixMs; to: UnixMs }
): string {
  const named = filters.slice(0, NAMED_FILTERS).map((one) => one.slice(0, NAMED_CHARACTERS))
  if (filters.length > NAMED_FILTERS) named.push(`${filters.length - NAMED_FILTERS} more`)
  const [begin, end] = [from, to].map((at) => new Date(at).toISOString())
  return `deleted ${count} values (${named.join(', ')}; ${begin} to ${end}) of`
}
