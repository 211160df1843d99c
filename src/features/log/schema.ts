import { Type } from 'typebox'
import { Moment, RequiredTopicsQuery, Status, TopicsQuery, UnixTime } from '../../http/schema.ts'

export const MAX_LOG_ENTRIES = 100_000

const ends = {
  from: Type.Optional(Moment('Unix time, inclusive; default: 24 hours ago')),
  to: Type.Optional(Moment('Unix time, inclusive; default: now'))
}

const window = {
  ...ends,
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_LOG_ENTRIES,
      default: 10_000,
      description: '0 = the default, 10 000'
    })
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
  order: Type.Optional(
    Type.Union([Type.Literal('desc'), Type.Literal('asc')], { default: 'desc' })
  ),
  aggr_method: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'count, first, last, avg, mean, spread, max, min, sum, stddev, median, percentile(X), integral(X); default: median. Up to four with commas between, such as mean,min,max: `value` is the result of the first one, and `values` has all of them'
    })
  ),
  aggr_interval: Type.Optional(
    Type.String({
      maxLength: 50,
      description:
        'Number and unit: s, m, h, d, w, mo; also 1h30m0s. Default: 1m, 10m, 1h or 6h, depending on the time span'
    })
  ),
  tz: Type.Optional(
    Type.String({
      maxLength: 50,
      default: 'UTC',
      description: 'Time zone of days, weeks and months, an IANA name; default: UTC'
    })
  )
}

export const LogBodyQuery = Type.Object(window)
export const LogQuery = Type.Object({ ...window, topics: TopicsQuery })

const LoggedStatus = Type.Object(
  {
    ...Status.properties,
    values: Type.Optional(
      Type.Record(Type.String(), Type.Number(), {
        description: 'The result of each method by its name; only if several were asked for'
      })
    )
  },
  { title: 'LoggedStatus' }
)

export const LogResult = Type.Object(
  {
    count: Type.Integer({ description: 'Number of entries in this page' }),
    last: Type.Number({ description: 'Unix time of the oldest entry in data; 0 when empty' }),
    total: Type.Integer({ description: 'Number of entries that match the filters' }),
    data: Type.Array(LoggedStatus)
  },
  { title: 'LogPage' }
)

const Border = Type.Number({
  minimum: 0,
  maximum: 1e11,
  description: 'Unix time, inclusive'
})

/** [ADR-0047] All are required: nobody deletes more than was meant by leaving something out. */
export const LogRemovalQuery = Type.Object({
  from: Border,
  to: Border,
  topics: RequiredTopicsQuery
})

export const LogRemoval = Type.Object(
  { count: Type.Integer({ description: 'Number of values that were deleted' }) },
  { title: 'LogRemoval' }
)

export const LogV2BodyQuery = Type.Object({
  ...ends,
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      default: 10_000,
      description: '0 = the default, 10 000'
    })
  )
})
export const LogV2Query = Type.Object({ ...LogV2BodyQuery.properties, topics: TopicsQuery })

/** [contract: LogEntry] */
export const LogEntry = Type.Object(
  {
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
  },
  { title: 'LogEntry' }
)
