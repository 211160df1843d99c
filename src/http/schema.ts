import { type TSchema, Type } from 'typebox'
import { MAX_METADATA_CHARACTERS, MAX_METADATA_KEYS } from '../lib/metadata-bounds.ts'
import { MAX_CHARACTERS, MIN_CHARACTERS } from '../lib/password-rules.ts'
import { MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../lib/topic.ts'
import { checkedLater } from './described.ts'
import { MAX_WILDCARD_FILTERS } from './topic-filters.ts'

export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const InstallationParams = Type.Object({ installation_id: Id })
export const Message = Type.Object({ message: Type.String() }, { title: 'MessageResponse' })
export const UnixTime = Type.Number({
  description: 'Unix time in seconds, with decimals for milliseconds'
})
export const UnixSeconds = Type.Integer({ description: 'Unix time in whole seconds' })

/** A time in a query. A time before 1970 means none: one client sends the year 1 for this. */
export const Moment = (description: string) =>
  Type.Number({ minimum: -1e11, maximum: 1e11, description })

/**
 * The key of a map in an answer. Without this pattern, keys with a line break would be left out.
 */
export const AnyKey = Type.String({ pattern: '^[^]*$' })

/** Clients send null for "nothing". Null and missing both keep the stored value. */
export const Maybe = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]))

/**
 * [contract] The field is required, and it is described so. A request without it, or with null, is
 * served too; `missing` says how. [ADR-0032]
 */
export const Wanted = <T extends TSchema>(schema: T, missing: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { 'x-missing': missing }))

/** Fields of an answer that a body repeats. They must have the right type, but they are ignored. */
export const ignored = {
  id: Maybe(Type.Integer({ description: 'Ignored' })),
  created: Maybe(Type.Number({ description: 'Ignored' })),
  updated: Maybe(Type.Number({ description: 'Ignored' }))
}
export const IgnoredInstallation = Wanted(
  Type.Integer({ description: 'Ignored: the installation comes from the path' }),
  'the installation of the path'
)

export const MetaValue = Type.String({ maxLength: 65_536 })

/** Any text can be a key, also `__proto__`. */
export const Meta = Type.Record(Type.String({ pattern: '^[^]{1,255}$' }), MetaValue, {
  title: 'Meta',
  additionalProperties: false,
  description: 'texts by key, with keys of 1 to 255 characters',
  ...checkedLater({
    maxProperties: MAX_METADATA_KEYS,
    description:
      'Texts by key, with keys of 1 to 255 characters. Plain and protected ones together have at ' +
      `most ${MAX_METADATA_CHARACTERS} characters`
  })
})

const AddressLine = Type.String({ maxLength: 1000 })
export const Address = Type.Object(
  { address: AddressLine, city: AddressLine, country: AddressLine, zip: AddressLine },
  { title: 'Address' }
)

/** An address in a request. Fields may be missing. */
export const AddressParts = (missing: string) =>
  Type.Object({
    address: Wanted(AddressLine, missing),
    city: Wanted(AddressLine, missing),
    country: Wanted(AddressLine, missing),
    zip: Wanted(AddressLine, missing)
  })

/** A password that somebody chooses. */
export const NewPasswordText = Type.String(
  checkedLater({
    minLength: MIN_CHARACTERS,
    maxLength: MAX_CHARACTERS,
    description: 'Not one of the most common passwords'
  })
)

/** [contract: Status] The latest value of a topic, or an entry of the log. */
export const Status = Type.Object(
  {
    client_id: Type.Integer(),
    installation_id: Type.Integer(),
    timestamp: UnixTime,
    value: Type.Number(),
    msg: Type.String({ description: 'At most 64 KiB' }),
    topic: Type.String()
  },
  { title: 'Status' }
)

export const SilentQuery = Type.Object({
  silent: Type.Optional(
    Type.Boolean({ default: false, description: 'true suppresses the MQTT notification' })
  )
})

/** For `joinedTopicFilters`, which handles commas. */
export const RequiredTopicsQuery = Type.Array(Type.String(), {
  'x-repeated': true,
  description:
    'Topic filters, with or without client id, with the wildcards + and #; repeated or comma-separated. ' +
    'The whole text is also one filter, to find a topic with a comma. ' +
    `At most ${MAX_WILDCARD_FILTERS} have wildcards`
})
export const TopicsQuery = Type.Optional(RequiredTopicsQuery)
export const TopicsBody = Type.Array(
  Type.String({
    ...checkedLater({ maxLength: MAX_TOPIC_BYTES }),
    description: `At most ${MAX_TOPIC_LEVELS} levels and ${MAX_TOPIC_BYTES} bytes`
  }),
  {
    title: 'TopicFilters',
    maxItems: 20_000,
    description: `At most ${MAX_WILDCARD_FILTERS} have wildcards; an empty list finds all topics`
  }
)
