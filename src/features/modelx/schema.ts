import { Type } from 'typebox'
import {
  IgnoredInstallation,
  ignored,
  Maybe,
  Meta,
  UnixSeconds,
  Wanted
} from '../../http/schema.ts'

/** A type is a level of permission names. */
const ObjectType = Type.String({
  pattern: '^[^/+#]{1,100}$',
  description: 'text of 1 to 100 characters without /, + and #'
})

/** [contract: ModelX] */
export const ModelX = Type.Object({
  id: Type.Integer(),
  installation_id: Type.Integer(),
  type: Type.String(),
  meta: Meta,
  protected_meta: Type.Optional(Meta),
  created: UnixSeconds,
  updated: UnixSeconds
})

const fields = {
  ...ignored,
  installation_id: IgnoredInstallation,
  protected_meta: Maybe(Meta)
}

export const NewModelX = Type.Object({
  type: ObjectType,
  meta: Wanted(Meta, 'none'),
  ...fields
})
export const ModelXUpdate = Type.Object({
  type: Wanted(ObjectType, 'kept'),
  meta: Wanted(Meta, 'kept'),
  ...fields
})

export const ModelXQuery = Type.Object(
  {
    type: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 50,
        'x-repeated': true,
        description: '`*` is a wildcard; given twice: any of them'
      })
    )
  },
  {
    additionalProperties: true,
    description: 'Every other parameter is a metadata filter: `room=hall*`'
  }
)
