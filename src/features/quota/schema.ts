import { Type } from 'typebox'
import { Id, Maybe } from '../../http/schema.ts'
import { type QuotaName, quotaNames } from '../../lib/quota.ts'

const descriptions: Readonly<Record<QuotaName, string>> = {
  messages_per_second: 'Average per second; the messages of one minute may come at once',
  topics: 'Topics with a value',
  history_bytes_per_day: 'Bytes that arrive on one day in UTC',
  history_bytes: 'Bytes that are stored',
  files: 'Uploaded files',
  file_bytes: 'Bytes of all uploaded files together',
  connections: 'MQTT connections',
  filters: 'Filters of MQTT subscriptions'
}

const named = <T>(make: (description: string) => T): Record<QuotaName, T> =>
  Object.fromEntries(quotaNames.map((name) => [name, make(descriptions[name])])) as Record<
    QuotaName,
    T
  >

const Amount = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const HISTORY_DAYS = 'Days that values stay; the least of an owner and all above it counts'

/** All quotas of the owner. A field that is missing or null gets the default. */
export const QuotaUpdate = Type.Object(
  {
    ...named((description) => Maybe(Type.Integer({ ...Amount, description }))),
    history_days: Maybe(Type.Integer({ minimum: 1, maximum: 36_500, description: HISTORY_DAYS }))
  },
  { title: 'QuotaUpdate', additionalProperties: false }
)

const Limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null = no limit' })

const Days = Type.Union([Type.Integer(), Type.Null()], { description: 'null = for ever' })

export const Quota = Type.Object(
  {
    defaults: Type.Object({
      ...named((description) => Type.Integer({ description })),
      history_days: Days
    }),
    overrides: Type.Object({
      ...named((description) => Type.Optional(Type.Integer({ description }))),
      history_days: Type.Optional(Type.Integer({ description: HISTORY_DAYS }))
    }),
    effective: Type.Object({ ...named(() => Limit), history_days: Days })
  },
  { title: 'Quota' }
)

export const Usage = Type.Object(
  named((description) => Type.Object({ used: Type.Number({ description }), quota: Limit })),
  { title: 'Usage' }
)

export const quotaOwnerParams = {
  installation: Type.Object({ installation_id: Id }),
  organization: Type.Object({ organization_id: Id })
}
