import { Type } from 'typebox'
import { Status, TopicsQuery } from '../../http/schema.ts'

export const MAX_LIMIT = 100_000

export const Moment = (description: string) =>
  Type.Number({ minimum: 0, maximum: 1e11, description })

const window = {
  from: Type.Optional(Moment('Unix time, inclusive; default: 24 hours ago')),
  to: Type.Optional(Moment('Unix time, inclusive; default: now')),
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_LIMIT, description: '0 = the default, 10 000' })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
  aggr_method: Type.Optional(Type.String()),
  aggr_interval: Type.Optional(Type.String())
}

export const LogBodyQuery = Type.Object(window)
export const LogQuery = Type.Object({ ...window, topics: TopicsQuery })

export const LogResult = Type.Object({
  count: Type.Integer({ description: 'Entries in this page' }),
  last: Type.Number({ description: 'Unix time of the oldest entry in data; 0 when empty' }),
  total: Type.Integer({ description: 'Entries matching the filters' }),
  data: Type.Array(Status)
})
