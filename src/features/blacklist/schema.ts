import { Type } from 'typebox'
import { Id, Maybe } from '../../http/schema.ts'

export const BlacklistEntry = Type.Object({
  id: Type.Integer(),
  topic: Type.String({
    description: 'An MQTT topic filter, that begins with `<client_id>/` or a wildcard'
  }),
  mode: Type.String({ description: '`block`: refused; `ignore`: passed on, not stored' }),
  enabled: Type.Boolean(),
  reason: Type.String(),
  count: Type.Integer({ description: 'Messages that were refused' })
})

const Topic = Type.String({ minLength: 1, maxLength: 1000 })
const fields = {
  mode: Maybe(Type.Union([Type.Literal('block'), Type.Literal('ignore'), Type.Literal('')])),
  enabled: Maybe(Type.Boolean()),
  reason: Maybe(Type.String({ maxLength: 1000 }))
}

export const NewEntry = Type.Object({ topic: Topic, ...fields })
export const EntryUpdate = Type.Object({ topic: Maybe(Topic), ...fields })
export const EntryParams = Type.Object({ entry_id: Id })
