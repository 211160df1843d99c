import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { MAX_FILTERS, MAX_VALUE_CHARACTERS, MAX_VALUES } from '../../src/http/meta-filters.ts'
import { readsOnly } from '../../src/http/traced.ts'
import { VERSION } from '../../src/lib/version.ts'
import { type ApiDocument, finished } from './document.ts'
import { introduction } from './introduction.ts'
import { withPlainKeys } from './schema.ts'
import { securityOf, securitySchemes } from './security.ts'
import { tags } from './tags.ts'

const faultTexts: Readonly<Record<string, string>> = {
  304: 'The caller has this content already',
  400: 'Bad request: the message names the field',
  401: 'The sign-in is missing or wrong',
  403: 'Not allowed, or not visible to the caller',
  404: 'Not found',
  408: 'The body arrives too slowly',
  409: 'Conflict with what is stored',
  412: 'The object was changed since the caller read it',
  413: 'Body too large',
  415: 'Content encoding not supported',
  429: 'Too many requests; Retry-After says when to try again',
  499: 'The client cancelled the request',
  500: 'Unexpected error',
  502: 'The called server or device failed',
  503: 'Not available now',
  504: 'The device did not answer in time',
  507: 'The disk is full',
  default: 'Any other error, such as 414 (address too long) and 431 (header fields too large)'
}

const Fault = (description: string, key = 'message') => ({
  'x-response-description': description,
  ...(key === 'message'
    ? Type.Object({ message: Type.String() }, { title: 'Error' })
    : Type.Object({ [key]: Type.String() }, { title: 'SearchError' }))
})

const Refusal = (description: string) => ({
  'x-response-description': description,
  ...Type.Object(
    {
      message: Type.String(),
      permissions: Type.Optional(
        Type.Array(Type.String(), { description: 'The caller needs one of these' })
      ),
      object: Type.Optional(
        Type.Object({ kind: Type.String(), id: Type.Unknown() }, { description: 'On this object' })
      )
    },
    { title: 'Refusal' }
  )
})

/** The API page and client generators read this. Routes describe only what is special to them. */
export const openapi = (): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Caracal',
      version: VERSION,
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' }
    },
    servers: [{ url: '/', description: 'The server that this description comes from' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: { securitySchemes }
  },
  convertConstToEnum: false,
  transform: ({ schema, url, route }) => ({
    url: url.replace(/\*$/, ':meta_key'),
    schema: described(schema, route.config ?? {}, String(route.method))
  }),
  transformObject: (document) =>
    'openapiObject' in document
      ? finished(document.openapiObject as ApiDocument)
      : document.swaggerObject
})

type Config = {
  access?: { kind: string }
  errorKeys?: Readonly<Record<number, string>>
  bodiless?: readonly number[]
  body?: TSchema
  trace?: unknown
  evenWhenFull?: string
}

function described(schema: FastifySchema, config: Config, method: string): FastifySchema {
  if (!schema || schema.hide) return schema
  const { faults, produces, ...plain } = schema
  return {
    security: securityOf(config.access?.kind),
    ...withPlainKeys(withWanted(withBody(withFilters(withMetaKey(plain)), config.body))),
    response: withPlainKeys({
      ...answersOf(schema),
      ...faultsOf(schema, config, method),
      ...bodilessOf(config.bodiless)
    })
  }
}

/** Everything after `/meta/` is one parameter, even with slashes in it. */
function withMetaKey(schema: FastifySchema): FastifySchema {
  const { properties = {} } = (schema.params ?? {}) as { properties?: object }
  if (!('*' in properties)) return schema
  const { '*': _, ...others } = properties as Record<string, TSchema>
  const meta_key = Type.String({ minLength: 1, maxLength: 255 })
  return { ...schema, params: Type.Object({ ...others, meta_key }) }
}

/** Parameters with any name become one parameter: an object, each of whose keys is a parameter. */
function withFilters(schema: FastifySchema): FastifySchema {
  const query = schema.querystring as
    | {
        properties: object
        required?: string[]
        additionalProperties?: unknown
        'x-prefix'?: string
      }
    | undefined
  const prefix = query?.['x-prefix']
  if (!query || (prefix === undefined && query.additionalProperties !== true)) return schema
  const value = { type: 'string', maxLength: MAX_VALUE_CHARACTERS }
  const metadata = {
    type: 'object',
    description: prefix
      ? `Metadata filters, as \`${prefix}<key>=<value>\`; \`*\` in a value is a wildcard`
      : 'Metadata filters: every parameter with another name, as `<key>=<value>`; `*` in a value ' +
        'is a wildcard; `room=hall*&floor=2` finds objects that match both',
    ...(prefix && { propertyNames: { pattern: `^${prefix.replace('.', '\\.')}` } }),
    maxProperties: MAX_FILTERS,
    additionalProperties: {
      anyOf: [value, { type: 'array', items: value, maxItems: MAX_VALUES }]
    }
  }
  const { properties, required = [] } = query
  return {
    ...schema,
    querystring: { type: 'object', properties: { ...properties, metadata }, required }
  }
}

/** Also describes a body that the route reads itself. */
const withBody = (schema: FastifySchema, body: TSchema | undefined): FastifySchema =>
  body === undefined ? schema : { ...schema, body }

/**
 * [ADR-0032] Fields that the contract requires are described as required, though they may be
 * missing.
 */
const withWanted = (schema: FastifySchema): FastifySchema =>
  schema.body === undefined ? schema : { ...schema, body: wanted(schema.body as Described) }

type Described = TSchema & {
  type?: unknown
  description?: string
  anyOf?: Described[]
  properties?: Record<string, Described>
  required?: string[]
  'x-missing'?: string
}

function wanted({ 'x-missing': missing, ...schema }: Described): Described {
  const { anyOf, properties, required = [] } = schema
  if (anyOf) return { ...schema, anyOf: anyOf.map((one) => wanted(withHint(one, missing))) }
  if (!properties) return schema
  const isRequired = (name: string) =>
    required.includes(name) || properties[name]?.['x-missing'] !== undefined
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, wanted(property)])
    ),
    required: Object.keys(properties).filter(isRequired)
  }
}

const withHint = (schema: Described, missing: string | undefined): Described =>
  missing === undefined || schema.type === 'null'
    ? schema
    : {
        ...schema,
        description: [schema.description, `missing: ${missing}`].filter(Boolean).join('; ')
      }

/** Answers that are not errors, and errors with a schema of their own. */
function answersOf({ response, produces }: FastifySchema): Record<string, unknown> {
  if (produces) {
    const content = Object.fromEntries(
      produces.map((type) => [type, { schema: { type: 'string' } }])
    )
    return { 200: { description: 'OK', content } }
  }
  const given = Object.entries((response ?? { 200: {} }) as Record<string, Described>)
  return Object.fromEntries(
    given.map(([status, { description = textOf(status), ...schema }]) => [
      status,
      { 'x-response-description': description, ...schema }
    ])
  )
}

const textOf = (status: string): string => faultTexts[status] ?? 'OK'

/** [contract: Errors] The statuses that every route can answer, and those of this route. */
function faultsOf(
  { faults = [], response, body }: FastifySchema,
  { access, errorKeys, ...config }: Config,
  method: string
): Record<string, unknown> {
  const { kind } = access ?? { kind: '' }
  const isWrite = !['GET', 'DELETE'].includes(method) && config.trace !== readsOnly
  const statuses = new Set<number | 'default'>([400, ...faults, 500, 'default'])
  if (kind !== 'public') statuses.add(401)
  if (!mayAll.includes(kind)) statuses.add(403)
  // What the new row belongs to can be deleted during the request.
  if (isWrite && !mayAll.includes(kind)) statuses.add(404)
  if (body || config.body) statuses.add(408).add(413)
  if (!unthrottled.includes(kind)) statuses.add(429)
  // Other routes ask the registry, which may be a server.
  if (kind !== 'public' || isWrite) statuses.add(503)
  if (isWrite && config.evenWhenFull !== 'writes little') statuses.add(507)
  return Object.fromEntries(
    [...statuses]
      .filter((status) => !(response && status in (response as object)))
      .map((status) => [status, faultOf(status, errorKeys?.[Number(status)])])
  )
}

const faultOf = (status: number | 'default', key: string | undefined) =>
  status === 403 && key === undefined ? Refusal(textOf('403')) : Fault(textOf(String(status)), key)

/** Callers of these routes are signed in or they are not; no permission is asked for. */
const mayAll = ['public', 'signedIn', 'pending', 'gateway']

/** These routes check no password. Others refuse too many wrong ones. */
const unthrottled = ['public', 'pending', 'broker']

/** Statuses without a body. */
const bodilessOf = (statuses: readonly number[] = []): Record<string, unknown> =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      { type: 'null', description: `${textOf(String(status))}; no body` }
    ])
  )
