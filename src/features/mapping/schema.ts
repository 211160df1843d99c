import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { AnyKey, Id, ignored, Maybe, UnixTime } from '../../http/schema.ts'
import {
  MAX_MAPPED_BYTES,
  MAX_PATH_CHARACTERS,
  MAX_TABLE_WORDS,
  MAX_VALUE_RULES
} from '../../lib/mapping/rule.ts'
import { MAX_TOPIC_BYTES } from '../../lib/topic.ts'
import { MAX_SHOWN_BYTES } from './last-messages.ts'

const Path = Type.String({
  maxLength: MAX_PATH_CHARACTERS,
  description:
    'Keys joined by dots, `*` for every key, `\\.` for a dot inside a key; empty: the payload itself'
})
const Format = Type.Union([Type.Literal('s'), Type.Literal('ms'), Type.Literal('iso')])
const Make = Type.Union([
  Type.Literal(''),
  Type.Literal('tasmota'),
  Type.Literal('zigbee2mqtt'),
  Type.Literal('shelly'),
  Type.Literal('homeassistant'),
  Type.Literal('chirpstack'),
  Type.Literal('ttn')
])
const Name = Type.String({ maxLength: 255 })
const Filter = Type.String({
  maxLength: MAX_TOPIC_BYTES,
  description: 'An MQTT filter of what follows the client id'
})
const Topic = Type.String({
  minLength: 1,
  maxLength: MAX_TOPIC_BYTES,
  description:
    'An object topic without the client id. `{1}` is the first level of the topic of the message, ' +
    '`{*}` the key that the first `*` of the path met, `{*2}` the second'
})

const MappingValue = Type.Object(
  {
    path: Path,
    topic: Type.String(),
    table: Type.Record(AnyKey, Type.Number()),
    factor: Type.Number(),
    offset: Type.Number(),
    unit: Type.String(),
    timestamp: Type.Union([Type.Object({ path: Path, format: Format }), Type.Null()])
  },
  { title: 'MappingValue' }
)
const NewMappingValue = Type.Object(
  {
    path: Maybe(Path),
    topic: Topic,
    table: Maybe(
      Type.Record(Type.String({ pattern: '^[^]{0,100}$' }), Type.Number(), {
        additionalProperties: false,
        maxProperties: MAX_TABLE_WORDS,
        description: 'numbers by word, with words of at most 100 characters'
      })
    ),
    factor: Maybe(Type.Number()),
    offset: Maybe(Type.Number({ description: 'Added after the factor' })),
    unit: Maybe(Type.String({ maxLength: 64 })),
    timestamp: Maybe(
      Type.Object(
        { path: Maybe(Path), format: Format },
        {
          additionalProperties: false,
          description: 'Where the time of the value is; missing: the arrival'
        }
      )
    )
  },
  {
    title: 'NewMappingValue',
    additionalProperties: false,
    ...defaults({ path: '', table: {}, factor: 1, offset: 0, unit: '', timestamp: null })
  }
)

const fields = {
  name: Type.String(),
  active: Type.Boolean(),
  make: Type.String({ description: 'Empty: the values are declared' }),
  filter: Type.String(),
  create_missing: Type.Boolean({ description: 'Make a function for each new topic' }),
  values: Type.Array(MappingValue)
}
export const Mapping = Type.Object(
  { id: Type.Integer(), installation_id: Type.Integer(), ...fields },
  { title: 'Mapping' }
)
export const OrganizationMapping = Type.Object(
  { id: Type.Integer(), organization_id: Type.Integer(), ...fields },
  { title: 'OrganizationMapping' }
)

const body = {
  id: ignored.id,
  installation_id: Maybe(Type.Integer({ description: 'Ignored' })),
  organization_id: Maybe(Type.Integer({ description: 'Ignored' })),
  name: Maybe(Name),
  active: Maybe(Type.Boolean()),
  make: Maybe(Make),
  filter: Maybe(Filter),
  create_missing: Maybe(Type.Boolean()),
  values: Maybe(Type.Array(NewMappingValue, { maxItems: MAX_VALUE_RULES }))
}
export const NewMapping = Type.Object(body, {
  title: 'NewMapping',
  description: 'A make, or a filter and values',
  ...defaults({ active: true, make: '', filter: '', create_missing: false, values: [] })
})
export const MappingUpdate = Type.Object(body, { title: 'MappingUpdate' })

export const MappingParams = Type.Object({ installation_id: Id, mapping_id: Id })
export const OrganizationParams = Type.Object({ organization_id: Id })
export const OrganizationMappingParams = Type.Object({ organization_id: Id, mapping_id: Id })

export const LastMessage = Type.Object(
  {
    topic: Type.String({ description: 'Without the client id' }),
    payload: Type.String({ description: `As text, at most ${MAX_SHOWN_BYTES} bytes of it` }),
    timestamp: UnixTime
  },
  { title: 'LastMessage' }
)

export const MappingTry = Type.Object(
  {
    topic: Type.String({
      minLength: 1,
      maxLength: MAX_TOPIC_BYTES,
      description: 'What follows the client id'
    }),
    payload: Type.String({ maxLength: 8 * MAX_MAPPED_BYTES, description: 'As text' }),
    mapping: Maybe(NewMapping)
  },
  { title: 'MappingTry' }
)
export const MappingTrial = Type.Object(
  {
    values: Type.Array(
      Type.Object({
        topic: Type.String({ description: 'Without the client id' }),
        value: Type.Number(),
        timestamp: UnixTime,
        mapping_id: Type.Integer({ description: '0: the mapping of the request' })
      })
    ),
    refused: Type.Array(
      Type.Object({
        mapping_id: Type.Integer(),
        path: Type.String(),
        reason: Type.String()
      })
    )
  },
  { title: 'MappingTrial' }
)
