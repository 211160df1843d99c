import { Type } from 'typebox'
import { Moment, UnixTime } from '../../http/schema.ts'
import { traceActions, traceObjects } from '../../lib/trace.ts'

const MAX_LIMIT = 10_000

export const TraceQuery = Type.Object({
  from: Type.Optional(
    Moment('Unix time, inclusive; default: 24 hours ago, for one object the beginning')
  ),
  to: Type.Optional(Moment('Unix time, inclusive; default: now')),
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_LIMIT, description: '0 = the default, 10 000' })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
  object_type: Type.Optional(
    Type.Union(
      traceObjects.map((name) => Type.Literal(name)),
      { description: 'Together with object_id' }
    )
  ),
  object_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  id: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Just this entry' })
  ),
  action: Type.Optional(
    Type.Array(Type.Union(traceActions.map((name) => Type.Literal(name))), {
      description: 'Repeatable and comma-separated'
    })
  )
})

/** Exactly these names, which clients rely on. */
export const TraceEntry = Type.Object({
  id: Type.String(),
  path: Type.String({ description: 'With ids, without the query; a metadata key is left out' }),
  method: Type.String(),
  timestamp: UnixTime,
  user_id: Type.Integer({ description: '0 = a gateway, or nobody who signed in' }),
  action: Type.String(),
  object_type: Type.String(),
  object_id: Type.Integer({ description: '0 = none is known' }),
  description: Type.String()
})

export const TracePage = Type.Object({
  total: Type.Integer({ description: 'Entries matching the filters' }),
  last: Type.Number({ description: 'Unix time of the oldest entry in data; 0 when empty' }),
  count: Type.Integer({ description: 'Entries in this page' }),
  data: Type.Array(TraceEntry)
})
