import { Type } from 'typebox'
import { Moment, Status, TopicsQuery, UnixTime } from '../../http/schema.ts'

export const MAX_LIMIT = 100_000

const ends = {
  from: Type.Optional(Moment('Unix time, inclusive; default: 24 hours ago')),
  to: Type.Optional(Moment('Unix time, inclusive; default: now'))
}

const window = {
  ...ends,
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_LIMIT, description: '0 = the default, 10 000' })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
  aggr_method: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        'count, first, last, avg, mean, spread, max, min, sum, stddev, median, percentile(X), integral(X); default: median'
    })
  ),
  aggr_interval: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        'Number and unit: s, m, h, d, w, mo; also 1h30m0s. Default: 1m, 10m, 1h or 6h, by the time asked for'
    })
  ),
  tz: Type.Optional(
    Type.String({
      maxLength: 50,
      description: 'Zone of days, weeks and months, an IANA name; default: UTC'
    })
  )
}

export const LogBodyQuery = Type.Object(window)
export const LogQuery = Type.Object({ ...window, topics: TopicsQuery })

export const LogResult = Type.Object({
  count: Type.Integer({ description: 'Entries in this page' }),
  last: Type.Number({ description: 'Unix time of the oldest entry in data; 0 when empty' }),
  total: Type.Integer({ description: 'Entries matching the filters' }),
  data: Type.Array(Status)
})

export const LogV2BodyQuery = Type.Object({
  ...ends,
  limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 10_000, description: '0 = the default, 10 000' })
  )
})
export const LogV2Query = Type.Object({ ...LogV2BodyQuery.properties, topics: TopicsQuery })

/** [contract: LogEntry] */
export const LogEntry = Type.Object({
  id: Type.Integer(),
  function_id: Type.String(),
  function_type: Type.String(),
  log_item_type: Type.String({ description: 'functionx' }),
  name: Type.String(),
  unit: Type.String({ description: 'Deprecated: empty' }),
  icon: Type.String(),
  alarm_type: Type.String({ description: 'Deprecated: empty' }),
  value: Type.Number(),
  timestamp: UnixTime,
  value_id: Type.String({ description: 'Deprecated: empty' }),
  message: Type.String()
})
