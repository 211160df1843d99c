import { isDeepStrictEqual } from 'node:util'
import { bodyExamples, fileExamples } from './bodies.ts'
import { errorExamples, exampleOf, nameOf } from './examples.ts'
import { type DocumentSchema, mapValues, plain, simplified } from './schema.ts'

type Parameter = {
  name: string
  in: string
  schema: DocumentSchema
  style?: string
  explode?: boolean
}
type Media = { schema?: DocumentSchema; example?: unknown }
type Content = Record<string, Media>
type Operation = {
  operationId?: string
  summary?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Answer>
}
type Answer = { description: string; headers?: Record<string, object>; content?: Content }
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas?: Record<string, DocumentSchema> }
}

/** Finishes the document of the generator: what it cannot say, and each named schema once. */
export function finished(document: ApiDocument): object {
  const schemas: Record<string, DocumentSchema> = {}
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations) finishOperation(operation, schemas)
  for (const [path, methods] of Object.entries(document.paths)) addTags(path, methods)
  const sorted = Object.fromEntries(
    Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))
  )
  for (const operation of operations) addExamples(operation, sorted)
  for (const [name, example] of Object.entries(errorExamples)) {
    Object.assign(sorted[name] ?? {}, { examples: [example] })
  }
  return {
    ...document,
    paths: withOwnPaths(document.paths),
    components: { ...document.components, headers: { RetryAfter, ETag }, schemas: sorted }
  }
}

const RetryAfter = {
  description: 'Send the request again after this many seconds',
  schema: { type: 'integer', minimum: 1 }
}

const ETag = {
  description: 'Of the object as the caller sees it, for `If-Match` of a later change',
  schema: { type: 'string' }
}

const IfMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `ETag` of the object as the caller read it. If it has another one now, nothing is changed and the answer is 412',
  schema: { type: 'string', maxLength: 255 }
}

/** [ADR-0069] Objects whose change may ask for an unchanged object have a tag. */
function addTags(path: string, { get, put }: Record<string, Operation>): void {
  if (!put?.responses['412']) return
  put.parameters = [...(put.parameters ?? []), IfMatch]
  for (const answer of [path.endsWith('}') && get?.responses['200'], put.responses['200']]) {
    if (answer) answer.headers = { ETag: { $ref: '#/components/headers/ETag' } }
  }
}

function finishOperation(operation: Operation, schemas: Record<string, DocumentSchema>): void {
  const { parameters = [], requestBody, responses } = operation
  for (const parameter of parameters) {
    parameter.schema = hoisted(parameter.schema, schemas)
    if (parameter.in !== 'query') continue
    if (parameter.schema.type === 'object')
      Object.assign(parameter, { style: 'form', explode: true })
  }
  for (const [status, answer] of Object.entries(responses)) {
    if (!['429', '503'].includes(status)) continue
    answer.headers = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
  }
  for (const { content = {} } of [
    ...(requestBody ? [requestBody] : []),
    ...Object.values(responses)
  ]) {
    for (const media of Object.values(content)) {
      if (!media.schema) continue
      // The generator marks every body as required.
      if (requestBody && 'x-optional' in media.schema) requestBody.required = false
      media.schema = hoisted(media.schema, schemas)
    }
  }
}

/** Moves schemas with a title to `schemas` and leaves references in their place. */
function hoisted(given: DocumentSchema, schemas: Record<string, DocumentSchema>): DocumentSchema {
  const inside = (schema: DocumentSchema) => hoisted(schema, schemas)
  const { title, description, ...schema } = plain(given)
  const { anyOf, items, properties, additionalProperties } = schema
  const done: DocumentSchema = {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(inside) }),
    ...(items && { items: inside(items) }),
    ...(properties && { properties: mapValues(properties, inside) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: inside(additionalProperties)
    })
  }
  const about = description === undefined ? {} : { description }
  if (title === undefined) return simplified({ ...about, ...done })
  const known = schemas[title]
  if (known && !isDeepStrictEqual(known, done)) throw new Error(`two schemas are named ${title}`)
  schemas[title] ??= done
  return { $ref: `#/components/schemas/${title}`, ...about }
}

/** Errors have their example in the schema. */
function addExamples(
  { requestBody, responses }: Operation,
  schemas: Record<string, DocumentSchema>
): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    media.example = bodyExamples[nameOf(media.schema)]
  }
  const good = Object.entries(responses).filter(([status]) => status < '300')
  for (const { content = {} } of [requestBody ?? {}, ...good.map(([, answer]) => answer)]) {
    for (const [type, { schema, example }] of Object.entries(content)) {
      if (!schema) continue
      // The media types of one body are one object in the document of the generator.
      content[type] = {
        schema,
        example: example ?? fileExamples[type] ?? exampleOf(schema, schemas)
      }
    }
  }
}

const USER = '/api/v2/user/{user_id}'
const ME = '/api/v2/user/me'

/** [contract: User] `me` has paths of its own, before those with an id. */
function withOwnPaths(paths: ApiDocument['paths']): ApiDocument['paths'] {
  const done: ApiDocument['paths'] = {}
  for (const [path, methods] of Object.entries(paths)) {
    if (path.startsWith(USER)) done[path.replace(USER, ME)] = mapValues(methods, ownOperation)
    done[path] = mapValues(methods, withId)
  }
  return done
}

function ownOperation(operation: Operation): Operation {
  const { operationId = '', summary = '' } = operation
  return {
    ...operation,
    operationId: operationId.replace(/User$/, 'Me').replace('User', 'My'),
    summary: `${summary} (the caller)`,
    parameters: operation.parameters?.filter(({ name }) => name !== 'user_id') ?? []
  }
}

/** `me` is not an id: it has its own path. */
const withId = (operation: Operation): Operation =>
  operation.parameters === undefined
    ? operation
    : {
        ...operation,
        parameters: operation.parameters.map((parameter) => {
          const id = parameter.schema.anyOf?.find(({ type }) => type === 'integer')
          return parameter.name === 'user_id' && id ? { ...parameter, schema: id } : parameter
        })
      }
