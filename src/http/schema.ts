import { type TSchema, Type } from 'typebox'

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const InstallationParams = Type.Object({ installation_id: Id })
export const Message = Type.Object({ message: Type.String() })
export const UnixTime = Type.Number({ description: 'Unix time, decimals for milliseconds' })
export const UnixSeconds = Type.Integer({ description: 'Unix time' })

/** Of a query. Before 1970 is none: one client sends the year 1 for it. */
export const Moment = (description: string) =>
  Type.Number({ minimum: -1e11, maximum: 1e11, description })

/** Of a map in an answer; without its pattern a key with a line break would be left out. */
export const AnyKey = Type.String({ pattern: '^[^]*$' })

/** Clients send null where they mean nothing; both keep what is there. */
export const Maybe = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/**
 * [contract] It is required, and described so. A request without it is served all the same, as one
 * with null is; `missing` says how. [ADR-0032]
 */
export const Wanted = <T extends TSchema>(schema: T, missing: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { 'x-missing': missing }))

/** What a body repeats of an answer and the platform decides alone: of the right type, and ignored. */
export const ignored = {
  id: Maybe(Type.Integer({ description: 'Ignored' })),
  created: Maybe(Type.Number({ description: 'Ignored' })),
  updated: Maybe(Type.Number({ description: 'Ignored' }))
}
export const IgnoredInstallation = Wanted(
  Type.Integer({ description: 'Ignored: the installation is the one of the path' }),
  'the one of the path'
)

export const MetaValue = Type.String({ maxLength: 65_536 })

/** Any text may be a key; `__proto__` is one like any other. */
export const Meta = Type.Record(Type.String({ pattern: '^[^]{1,255}$' }), MetaValue, {
  additionalProperties: false,
  description: 'texts by key, with keys of 1 to 255 characters'
})

export const Address = Type.Object({
  address: Type.String(),
  city: Type.String(),
  country: Type.String(),
  zip: Type.String()
})

/** Of a request that need not have all of it. */
export const AddressParts = (missing: string) =>
  Type.Object({
    address: Wanted(Type.String(), missing),
    city: Wanted(Type.String(), missing),
    country: Wanted(Type.String(), missing),
    zip: Wanted(Type.String(), missing)
  })

/** [contract: Status] The latest value of a topic, and an entry of the log. */
export const Status = Type.Object({
  client_id: Type.Integer(),
  installation_id: Type.Integer(),
  timestamp: UnixTime,
  value: Type.Number(),
  msg: Type.String({ description: 'At most 64 KiB' }),
  topic: Type.String()
})

export const SilentQuery = Type.Object({
  silent: Type.Optional(Type.Boolean({ description: 'true suppresses the MQTT notification' }))
})

/** For `joinedTopicFilters`, which knows what a comma in it may be. */
export const TopicsQuery = Type.Optional(
  Type.Array(Type.String(), {
    'x-repeated': true,
    description:
      'Topic filters, with or without client id; + and #; repeatable and comma-separated. A topic with a comma is found by its whole text too'
  })
)
export const TopicsBody = Type.Array(Type.String(), { maxItems: 20_000 })
