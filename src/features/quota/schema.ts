import { Type } from 'typebox'
import { Id, Maybe } from '../../http/schema.ts'
import { type QuotaName, quotaNames } from '../../lib/quota.ts'

const descriptions: Readonly<Record<QuotaName, string>> = {
  messages_per_second: 'On average, and a minute of them at once',
  topics: 'With a value',
  history_bytes_per_day: 'That arrive on one day, in UTC',
  history_bytes: 'That are there',
  files: 'That were uploaded',
  file_bytes: 'Of them together',
  connections: 'Over MQTT',
  filters: 'Of MQTT subscriptions'
}

const named = <T>(make: (description: string) => T): Record<QuotaName, T> =>
  Object.fromEntries(quotaNames.map((name) => [name, make(descriptions[name])])) as Record<
    QuotaName,
    T
  >

const Amount = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

/** All of the owner's own; what is missing or null has the default. */
export const QuotaUpdate = Type.Object(
  named((description) => Maybe(Type.Integer({ ...Amount, description }))),
  { additionalProperties: false }
)

const Limit = Type.Union([Type.Integer(), Type.Null()], { description: 'null = no limit' })

export const Quota = Type.Object({
  defaults: Type.Object(named((description) => Type.Integer({ description }))),
  overrides: Type.Object(named((description) => Type.Optional(Type.Integer({ description })))),
  effective: Type.Object(named(() => Limit))
})

export const Usage = Type.Object(
  named((description) => Type.Object({ used: Type.Number({ description }), quota: Limit }))
)

export const ownerParams = {
  installation: Type.Object({ installation_id: Id }),
  organization: Type.Object({ organization_id: Id })
}
