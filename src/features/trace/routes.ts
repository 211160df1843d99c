import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { hungUpOrLate } from '../../http/hung-up.ts'
import { DAY, momentOr, toSeconds, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { permit } from '../../permission/guard.ts'
import { readTrace, type TraceFilter, type TraceReach, type TraceRow } from './entries.ts'
import { traceReach } from './reach.ts'
import { type TraceEntry, TracePage, TraceQuery } from './schema.ts'

const DEFAULT_LIMIT = 10_000

export const traceRoutes: Routes = (app, { registry, clock }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['Trace'],
        operationId: 'listTrace',
        summary: 'Who changed what and when, for objects that the caller can see',
        querystring: TraceQuery,
        response: { 200: TracePage }
      },
      config: { access: permit('trace/list', 'trace/list/system') }
    },
    async ({ principal, query }, reply) => {
      const signal = hungUpOrLate(reply.raw)
      const reach = traceReach(principal)
      const { rows, total } = await readTrace(registry, reach, filterOf(query, clock()), {
        limit: query.limit || DEFAULT_LIMIT,
        offset: query.offset ?? 0,
        order: query.order ?? 'desc',
        pause: async () => {
          await nextTurn()
          signal.throwIfAborted()
        }
      })
      const oldest = rows.at(query.order === 'asc' ? 0 : -1)
      const last = oldest ? toSeconds(unixMs(oldest.timestamp)) : 0
      return { total, last, count: rows.length, data: rows.map((row) => shown(row, reach)) }
    }
  )
}

function filterOf(query: Static<typeof TraceQuery>, now: UnixMs): TraceFilter {
  const { object_type, object_id, id, action, installation_id, user_id } = query
  const isTypeEnough = object_id === undefined && installation_id !== undefined
  if ((object_type === undefined) !== (object_id === undefined) && !isTypeEnough) {
    throw badRequest('object_type and object_id must be used together')
  }
  const object =
    object_type === undefined || object_id === undefined
      ? undefined
      : { type: object_type, id: object_id }
  const isOne = object !== undefined || id !== undefined
  const from = momentOr(unixMs(isOne ? 0 : now - DAY), query.from)
  const to = momentOr(now, query.to)
  if (from > to) throw badRequest('from must not be later than to')
  return { from, to, object, id, actions: action, object_type, installation_id, user_id }
}

const shown = (row: TraceRow, reach: TraceReach): Static<typeof TraceEntry> => ({
  id: String(row.id),
  path: row.path,
  method: row.method,
  timestamp: toSeconds(unixMs(row.timestamp)),
  user_id: row.user_id,
  action: row.action,
  object_type: row.object_type,
  object_id: row.object_id,
  description: row.description,
  ...(mayLocate(row, reach) && { address: row.address })
})

/** [ADR-0042] An address says where somebody is, so others in the organization do not see it. */
const mayLocate = ({ user_id, object_type, object_id }: TraceRow, reach: TraceReach): boolean =>
  reach === 'everything' ||
  user_id === reach.userId ||
  (object_type === 'user' && object_id === reach.userId)
