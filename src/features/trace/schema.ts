import { Type } from 'typebox'
import { Moment, UnixTime } from '../../http/schema.ts'
import { traceActions, traceObjects } from '../../lib/trace.ts'

const MAX_LIMIT = 10_000

export const TraceQuery = Type.Object({
  from: Type.Optional(
    Moment('Unix time, inclusive; default: 24 hours ago, or the oldest entry for one object')
  ),
  to: Type.Optional(Moment('Unix time, inclusive; default: now')),
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_LIMIT,
      default: MAX_LIMIT,
      description: '0 = the default, 10 000'
    })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
  order: Type.Optional(
    Type.Union([Type.Literal('desc'), Type.Literal('asc')], { default: 'desc' })
  ),
  object_type: Type.Optional(
    Type.Union(
      traceObjects.map((name) => Type.Literal(name)),
      { description: 'Use it together with object_id or installation_id' }
    )
  ),
  object_id: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  id: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Only this entry' })
  ),
  installation_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only entries about this installation and what is in it'
    })
  ),
  user_id: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only what this user did; 0 = gateways, and callers who were not signed in'
    })
  ),
  action: Type.Optional(
    Type.Array(Type.Union(traceActions.map((name) => Type.Literal(name))), {
      description: 'Repeatable and comma-separated'
    })
  )
})

/** Clients rely on these names. */
export const TraceEntry = Type.Object(
  {
    id: Type.String(),
    path: Type.String({ description: 'With ids, but without the query and without metadata keys' }),
    method: Type.String(),
    timestamp: UnixTime,
    user_id: Type.Integer({ description: '0 = a gateway, or a caller who was not signed in' }),
    action: Type.String(),
    object_type: Type.String(),
    object_id: Type.Integer({ description: '0 = not known' }),
    description: Type.String(),
    address: Type.Optional(
      Type.String({
        description:
          'The address of the caller. Only in entries of what the caller of this request did, of ' +
          'what happened to their account, and for those who see the whole trace'
      })
    )
  },
  { title: 'TraceEntry' }
)

export const TracePage = Type.Object(
  {
    total: Type.Integer({ description: 'Number of entries that match the filters' }),
    last: Type.Number({ description: 'Unix time of the oldest entry in data; 0 when empty' }),
    count: Type.Integer({ description: 'Number of entries in this page' }),
    data: Type.Array(TraceEntry)
  },
  { title: 'TracePage' }
)
