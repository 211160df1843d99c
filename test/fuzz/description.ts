/** The parts of the API description that the campaign reads. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  propertyNames?: Schema
  additionalProperties?: boolean | Schema
  description?: string
}
export type Parameter = { name: string; in: string; required?: boolean; schema: Schema }
export type Content = Record<string, { schema?: Schema }>
type Described = {
  operationId: string
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}
export type Description = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export type Operation = {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  /** The first content type of the body, and its schema. */
  body: { type: string; schema: Schema } | undefined
  responses: Described['responses']
  /** The names of the sign-ins, any of which is enough; empty if none is needed. */
  security: string[]
}

export const operationsOf = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const [body] = Object.entries(described.requestBody?.content ?? {})
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        parameters: described.parameters ?? [],
        body: body && { type: body[0], schema: body[1].schema ?? {} },
        responses: described.responses,
        security: described.security.flatMap(Object.keys)
      }
    })
  )

/** The schema itself: no reference, and the first choice if there are several. */
export function plainSchema(given: Schema, { components }: Description): Schema {
  const target = given.$ref && components.schemas[given.$ref.split('/').at(-1) ?? '']
  const schema = target || given
  const [first] = schema.anyOf ?? []
  return first ? plainSchema(first, { components, paths: {} }) : schema
}

export const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())
