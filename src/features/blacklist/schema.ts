import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import { Id, Maybe } from '../../http/schema.ts'

export const BlacklistEntry = Type.Object(
  {
    id: Type.Integer(),
    topic: Type.String({
      description: 'An MQTT topic filter that begins with `<client_id>/` or a wildcard'
    }),
    mode: Type.String({
      description: '`block`: messages are refused; `ignore`: messages are delivered but not stored'
    }),
    enabled: Type.Boolean(),
    reason: Type.String(),
    count: Type.Integer({ description: 'Messages that were refused' })
  },
  { title: 'BlacklistEntry' }
)

const Topic = Type.String({ minLength: 1, maxLength: 1000 })
const fields = {
  mode: Maybe(Type.Union([Type.Literal('block'), Type.Literal('ignore'), Type.Literal('')])),
  enabled: Maybe(Type.Boolean()),
  reason: Maybe(Type.String({ maxLength: 1000 }))
}

export const NewEntry = Type.Object(
  { topic: Topic, ...fields },
  { title: 'NewBlacklistEntry', ...defaults({ mode: 'block', enabled: true, reason: '' }) }
)
export const EntryUpdate = Type.Object(
  { topic: Maybe(Topic), ...fields },
  { title: 'BlacklistEntryUpdate' }
)
export const EntryParams = Type.Object({ entry_id: Id })
