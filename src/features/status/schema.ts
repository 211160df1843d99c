import { Type } from 'typebox'
import { TopicsQuery, UnixTime } from '../../http/schema.ts'

export const StatusQuery = Type.Object({ topics: TopicsQuery })

export const SILENT_AFTER_S = 3600

export const FreshnessQuery = Type.Object({
  silent_after: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 366 * 24 * 3600,
      default: SILENT_AFTER_S,
      description: 'A topic without a value for so many seconds is silent'
    })
  )
})

export const Freshness = Type.Object(
  {
    installation_id: Type.Integer(),
    topics: Type.Integer({ description: 'Topics that ever had a value' }),
    silent: Type.Integer({ description: 'How many of them are silent' }),
    last: Type.Optional(UnixTime),
    per_minute: Type.Number({ description: 'New values per minute, the mean of five minutes' })
  },
  { title: 'Freshness' }
)
