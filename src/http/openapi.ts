import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { Message } from './schema.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a body looks like that the route reads by itself: described, not checked. */
    body?: TSchema
  }
}

const Fault = (description: string, key = 'message') => ({
  description,
  ...(key === 'message' ? Message : Type.Object({ [key]: Type.String() }))
})

/** The API page and clients' generators read this; routes say only what is their own. */
export const openapi: FastifyDynamicSwaggerOptions = {
  openapi: {
    info: { title: 'Caracal', version: '2.0', description: 'Device Platform REST API' },
    components: {
      securitySchemes: {
        apiKeyAuth: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        basicAuth: { type: 'http', scheme: 'basic' }
      }
    },
    security: [{ apiKeyAuth: [] }, { basicAuth: [] }]
  },
  transform: ({ schema, url, route }) => ({
    url: url.replace(/\*$/, ':meta_key'),
    schema: withFaults(
      withWanted(withBody(withMetaKey(schema), route.config?.body)),
      route.config ?? {}
    )
  }),
  transformObject: (document) => {
    if ('openapiObject' in document) allowNoBody(document.openapiObject)
    return 'openapiObject' in document ? document.openapiObject : document.swaggerObject
  }
}

/** Of a body schema: the route answers without a body, too. */
export const OPTIONAL_BODY = { 'x-optional': true }

type Operations = Record<string, { requestBody?: { required?: boolean; content?: object } }>

/** The generator calls every body required. */
function allowNoBody({ paths = {} }: { paths?: object }): void {
  for (const operations of Object.values(paths) as Operations[]) {
    for (const { requestBody } of Object.values(operations)) {
      const [body] = Object.values(requestBody?.content ?? {})
      if (requestBody && body.schema['x-optional']) requestBody.required = false
    }
  }
}

/** What follows `/meta/` is one parameter, though its slashes may come as they are. */
function withMetaKey(schema: FastifySchema): FastifySchema {
  const { properties = {} } = (schema?.params ?? {}) as { properties?: object }
  if (!('*' in properties)) return schema
  const { '*': key, ...others } = properties as Record<string, ReturnType<typeof Type.String>>
  return { ...schema, params: Type.Object({ ...others, meta_key: key ?? Type.String() }) }
}

/** What a route reads by itself is no less a body. */
const withBody = (schema: FastifySchema, body: TSchema | undefined): FastifySchema =>
  body === undefined ? schema : { ...schema, body }

/** [ADR-0032] What the contract calls required is described so, though it may be left out. */
const withWanted = (schema: FastifySchema): FastifySchema =>
  schema?.body === undefined ? schema : { ...schema, body: described(schema.body as Described) }

type Described = TSchema & {
  description?: string
  anyOf?: Described[]
  properties?: Record<string, Described>
  required?: string[]
  'x-missing'?: string
}

function described({ 'x-missing': missing, ...schema }: Described): Described {
  const { anyOf, properties, required = [] } = schema
  if (anyOf) return { ...schema, anyOf: anyOf.map((one) => described(withHint(one, missing))) }
  if (!properties) return schema
  const isRequired = (name: string) =>
    required.includes(name) || properties[name]?.['x-missing'] !== undefined
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, described(property)])
    ),
    required: Object.keys(properties).filter(isRequired)
  }
}

const withHint = (schema: Described, missing: string | undefined): Described =>
  missing === undefined
    ? schema
    : {
        ...schema,
        description: [schema.description, `missing: ${missing}`].filter(Boolean).join('; ')
      }

type Config = {
  access?: { kind: string }
  errorKeys?: Readonly<Record<number, string>>
}

/** [contract: Errors] The statuses every route can answer, in their place beside its own. */
function withFaults(schema: FastifySchema, { access, errorKeys }: Config): FastifySchema {
  if (!schema?.response) return schema
  const isOpen = access?.kind === 'public'
  const isNarrow = !isOpen && access?.kind !== 'signedIn'
  const faults: Record<number, unknown> = {
    400: Fault('Bad request: the message names the field', errorKeys?.[400]),
    ...(!isOpen && { 401: Fault('Token invalid or missing') }),
    ...(isNarrow && { 403: Fault('Not allowed, or not visible to the caller') }),
    500: Fault('Unexpected error')
  }
  return { ...schema, response: { ...faults, ...(schema.response as object) } }
}
