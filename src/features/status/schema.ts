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

export const GatewayState = Type.Object(
  {
    connected: Type.Boolean(),
    since: Type.Optional(UnixTime)
  },
  {
    title: 'GatewayState',
    description:
      'Whether the gateway is connected to the embedded MQTT broker, and since when. `since` is missing if the gateway never connected, or if it left before the platform started and has no kept session. All of it is missing if no gateway of the installation is known, and with an external broker'
  }
)

export const Freshness = Type.Object(
  {
    installation_id: Type.Integer(),
    topics: Type.Integer({ description: 'Topics that ever had a value' }),
    silent: Type.Integer({ description: 'How many of them are silent' }),
    last: Type.Optional(UnixTime),
    per_minute: Type.Number({ description: 'New values per minute, the mean of five minutes' }),
    gateway: Type.Optional(GatewayState)
  },
  { title: 'Freshness' }
)
