import { Type } from 'typebox'
import { Maybe, Meta, UnixSeconds } from '../../http/schema.ts'

/** A type is a level of permission names, so it is nothing that has a meaning there. */
const ObjectType = Type.String({
  pattern: '^(?!(list|create_delete|update|edit|view)$)[^/+#]{1,100}$'
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

/** Ids and times in a body are noise: the path decides. */
export const ModelXBody = Type.Object({
  type: ObjectType,
  meta: Maybe(Meta),
  protected_meta: Maybe(Meta)
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
