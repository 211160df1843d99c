import { Type } from 'typebox'
import { defaults } from '../../http/described.ts'
import {
  IgnoredInstallation,
  ignored,
  Maybe,
  Meta,
  UnixSeconds,
  Wanted
} from '../../http/schema.ts'

/** A type is one level in permission names, so it has no `/`, `+` and `#`. */
const ObjectType = Type.String({
  pattern: '^[^/+#]{1,100}$',
  description: 'text of 1 to 100 characters without /, + and #'
})

const answer = {
  id: Type.Integer(),
  installation_id: Type.Integer(),
  type: Type.String(),
  meta: Meta,
  protected_meta: Type.Optional(Meta),
  created: UnixSeconds,
  updated: UnixSeconds
}

const fields = {
  ...ignored,
  installation_id: IgnoredInstallation,
  protected_meta: Maybe(Meta)
}
const added = { type: ObjectType, meta: Wanted(Meta, 'none'), ...fields }
const updated = { type: Wanted(ObjectType, 'kept'), meta: Wanted(Meta, 'kept'), ...fields }

/** [contract: ModelX] One shape with two names. */
const named = (name: string) => ({
  ModelX: Type.Object(answer, { title: name }),
  NewModelX: Type.Object(added, { title: `New${name}`, ...defaults({ protected_meta: {} }) }),
  ModelXUpdate: Type.Object(updated, { title: `${name}Update` })
})
export const schemas = { Function: named('Function'), Device: named('Device') }

export const ModelXQuery = Type.Object(
  {
    type: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 50,
        'x-repeated': true,
        description: '`*` is a wildcard; if repeated, any of them may match'
      })
    )
  },
  {
    additionalProperties: true,
    description: 'Every other parameter is a metadata filter: `room=hall*`'
  }
)
