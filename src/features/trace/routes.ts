import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Static } from 'typebox'
import { permit } from '../../access/guard.ts'
import { traceReach } from '../../access/trace-reach.ts'
import type { Routes } from '../../deps.ts'
import { badRequest } from '../../http/errors.ts'
import { hungUpOrLate } from '../../http/hung-up.ts'
import { DAY, momentOr, toSeconds, type UnixMs, unixMs } from '../../lib/unix-time.ts'
import { readTrace, type TraceFilter, type TraceRow } from '../../registry/trace.ts'
import { type TraceEntry, TracePage, TraceQuery } from './schema.ts'

const DEFAULT_LIMIT = 10_000

export const traceRoutes: Routes = (app, { registry, clock }) => {
  app.get(
    '/',
    {
      schema: {
        tags: ['Trace'],
        summary: 'Who changed what and when, of what the caller can see',
        querystring: TraceQuery,
        response: { 200: TracePage }
      },
      config: { access: permit('trace/list', 'trace/list/system') }
    },
    async ({ principal, query }, reply) => {
      const signal = hungUpOrLate(reply.raw)
      const { rows, total } = await readTrace(
        registry,
        traceReach(principal),
        filterOf(query, clock()),
        {
          limit: query.limit || DEFAULT_LIMIT,
          offset: query.offset ?? 0,
          order: query.order ?? 'desc',
          pause: async () => {
            await nextTurn()
            signal.throwIfAborted()
          }
        }
      )
      const oldest = rows.at(query.order === 'asc' ? 0 : -1)
      const last = oldest ? toSeconds(unixMs(oldest.timestamp)) : 0
      return { total, last, count: rows.length, data: rows.map(shown) }
    }
  )
}

function filterOf(query: Static<typeof TraceQuery>, now: UnixMs): TraceFilter {
  const { object_type, object_id, id, action } = query
  if ((object_type === undefined) !== (object_id === undefined)) {
    throw badRequest('object_type and object_id go together')
  }
  const object =
    object_type === undefined || object_id === undefined
      ? undefined
      : { type: object_type, id: object_id }
  const isOne = object !== undefined || id !== undefined
  const from = momentOr(unixMs(isOne ? 0 : now - DAY), query.from)
  const to = momentOr(now, query.to)
  if (from > to) throw badRequest('from must not be later than to')
  return { from, to, object, id, actions: action }
}

const shown = (row: TraceRow): Static<typeof TraceEntry> => ({
  id: String(row.id),
  path: row.path,
  method: row.method,
  timestamp: toSeconds(unixMs(row.timestamp)),
  user_id: row.user_id,
  action: row.action,
  object_type: row.object_type,
  object_id: row.object_id,
  description: row.description
})
