import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { App } from './deps.ts'
import { routePath } from './http/route-path.ts'

/**
 * The API is served here a second time, for clients that were written for another server
 * [ADR-0017].
 */
export const LYNX = '/lynx'

/** How an answer differs from the answer of the same route under `/api`. */
export type Difference = {
  /** The answer has a body here and none under `/api`. */
  body?: true
  /** Topics are shown without `<client_id>/`. */
  shortTopics?: true
  /** Fields that the answer repeats under another name. */
  also?: Readonly<Record<string, string>>
  without?: readonly string[]
  /** Fields that the contract does not have. */
  more?: Readonly<Record<string, TSchema>>
  /** Fields that are text under `/api` and a number here. */
  integers?: readonly string[]
  /** The changes apply to the objects of this list in the answer. */
  inside?: string
}

const installation: Difference = { without: ['timezone'] }
const role: Difference = { without: ['organization_id'] }
const schedule: Difference = { integers: ['updated_at'] }
const user: Difference = {
  more: {
    assigned_installations: Type.Array(Type.Integer()),
    expire_at: Type.Integer({ default: 0 })
  }
}

/** The differences of answers, by route. All other routes answer the same as under `/api`. */
export const differences: Readonly<Record<string, Difference>> = {
  'POST /api/v2/auth': { also: { nextstep: 'next_step' } },
  'DELETE /api/v2/auth': { body: true },
  'POST /api/v2/auth/reset_password': { body: true },
  'PUT /api/v2/auth/reset_password': { body: true },
  'GET /api/v3beta/search': {
    inside: 'results',
    also: {
      installationID: 'installation_id',
      metaMatches: 'meta_matches',
      allMetadata: 'metadata',
      // Clients read `message` of every error; the contract names the field `error` here.
      error: 'message'
    }
  },
  'GET /api/v2/status/{installation_id}': { shortTopics: true },
  'POST /api/v2/status/{installation_id}': { shortTopics: true },
  'GET /api/v2/installation': installation,
  'POST /api/v2/installation': installation,
  'GET /api/v2/installation/{installation_id}': installation,
  'PUT /api/v2/installation/{installation_id}': installation,
  'GET /api/v2/user': user,
  'POST /api/v2/user': user,
  'GET /api/v2/user/{user_id}': user,
  'PUT /api/v2/user/{user_id}': user,
  'GET /api/v2/role': role,
  'POST /api/v2/role': role,
  'GET /api/v2/role/{role_id}': role,
  'PUT /api/v2/role/{role_id}': role,
  'GET /api/v2/schedule/{installation_id}': schedule,
  'POST /api/v2/schedule/{installation_id}': { body: true, ...schedule },
  'GET /api/v2/schedule/{installation_id}/{schedule_id}': schedule,
  'PUT /api/v2/schedule/{installation_id}/{schedule_id}': schedule
}

/** What a body may contain although the same route under `/api` refuses it. */
export type Tolerance = {
  /** Numbers that clients may send as text. */
  numbers?: readonly string[]
  /** Text that clients may send as a number. */
  texts?: readonly string[]
  /** Lists that clients may send as `{}`, which means an empty list. */
  lists?: readonly string[]
  /** Field names that clients may send with capital letters. */
  anyCase?: readonly string[]
  /** Wrong names and the right ones. A wrong name counts if the right field is missing or empty. */
  misspelt?: Readonly<Record<string, string>>
}

const ofObject: Tolerance = { numbers: ['installation_id'] }
const ofSchedule: Tolerance = {
  numbers: ['installation_id', 'value'],
  // Our answers show a number, and clients send it back.
  texts: ['updated_at'],
  misspelt: { dat_of_month: 'day_of_month' }
}
const ofUser: Tolerance = { lists: ['organisations', 'assigned_installations'] }
const ofInstallation: Tolerance = { lists: ['users'] }
const ofEdgeApp: Tolerance = { lists: ['tags'] }
const ofMetaKey: Tolerance = { anyCase: ['value', 'protected'] }

/** The tolerances for bodies, by route. All other routes accept the same as under `/api`. */
export const bodyTolerances: Readonly<Record<string, Tolerance>> = {
  'POST /api/v2/functionx/{installation_id}': ofObject,
  'PUT /api/v2/functionx/{installation_id}/{functionx_id}': ofObject,
  'POST /api/v2/devicex/{installation_id}': ofObject,
  'PUT /api/v2/devicex/{installation_id}/{devicex_id}': ofObject,
  'POST /api/v2/schedule/{installation_id}': ofSchedule,
  'PUT /api/v2/schedule/{installation_id}/{schedule_id}': ofSchedule,
  'POST /api/v2/user': ofUser,
  'PUT /api/v2/user/{user_id}': ofUser,
  'POST /api/v2/installation': ofInstallation,
  'PUT /api/v2/installation/{installation_id}': ofInstallation,
  'POST /api/v2/edge/app': ofEdgeApp,
  'PUT /api/v2/edge/app': ofEdgeApp,
  'PUT /api/v2/edge/app/{app_id}': ofEdgeApp,
  'POST /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}': ofMetaKey,
  'PUT /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}': ofMetaKey,
  'POST /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}': ofMetaKey,
  'PUT /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}': ofMetaKey,
  'POST /api/v2/installation/{installation_id}/meta/{meta_key}': ofMetaKey,
  'PUT /api/v2/installation/{installation_id}/meta/{meta_key}': ofMetaKey,
  'POST /api/v2/organization/{organization_id}/meta/{meta_key}': ofMetaKey,
  'PUT /api/v2/organization/{organization_id}/meta/{meta_key}': ofMetaKey,
  'POST /api/v2/user/{user_id}/meta/{meta_key}': ofMetaKey,
  'PUT /api/v2/user/{user_id}/meta/{meta_key}': ofMetaKey
}

type Fields = Record<string, unknown>

type BodyDefault = {
  meaning: string
  fill: (body: Fields, caller: { organizationIds: readonly number[] }) => void
}

/** Required fields that clients leave out of a body, by route. */
export const bodyDefaults: Readonly<Record<string, BodyDefault>> = {
  'POST /api/v2/edge/app': {
    meaning: "`publisher` that is missing, or has the id 0, is the caller's first organization",
    fill: (body, { organizationIds }) => {
      const publisher = body['publisher'] ?? {}
      if (!isFields(publisher) || publisher['id']) return
      body['publisher'] = { ...publisher, id: organizationIds[0] }
    }
  }
}

/** Wrong addresses that clients use, after `/api/v2/`, and the right ones. */
export const addresses: readonly { written: RegExp; meant: string; example: string }[] = [
  {
    written: /^organization\/(\d+)&/,
    meant: 'organization/$1?',
    example: 'organization/2&force=true'
  },
  { written: /^devicexx\//, meant: 'devicex/', example: 'devicexx/1' },
  {
    written: /^installationinfo\/grafana\/ds(?=\?|$)/,
    meant: 'installationinfo',
    example: 'installationinfo/grafana/ds'
  }
]

type Tolerated = {
  route: string
  name: string
  sentBy: string
  /** The parameter is tolerated under `/api` too: this client leaves `/lynx` out of the address. */
  everywhere?: true
}

/**
 * Parameters that clients send although the route ignores them. Other unknown ones are 400
 * [ADR-0031].
 */
export const tolerated: readonly Tolerated[] = [
  ...['GET', 'POST'].map(
    (method): Tolerated => ({
      route: `${method} /api/v3beta/log/{installation_id}`,
      name: 'include_total',
      sentBy: 'Grafana data source 3.3',
      everywhere: true
    })
  )
]

const START = `${LYNX}/api/v2/`

/** Corrects a wrong address under `/lynx`; addresses under `/api` stay as they are. */
export function addressOf(url: string): string {
  if (!url.startsWith(START)) return url
  const rest = url.slice(START.length)
  return START + addresses.reduce((path, { written, meant }) => path.replace(written, meant), rest)
}

/** The routes registered from now on accept the parameters in `tolerated`. */
export function tolerateClients(app: App): void {
  app.addHook('onRoute', (route) => {
    const isLynx = route.url.startsWith(`${LYNX}/`)
    const name = nameOf(route)
    const tolerates = tolerated
      .filter(({ route, everywhere }) => route === name && (isLynx || everywhere))
      .map(({ name }) => name)
    if (tolerates.length > 0) route.config = { ...route.config, tolerates }
  })
}

/** The routes registered in this scope follow the tables above. */
export function speakLynx(scope: App): void {
  scope.addHook('onRoute', (route) => {
    // The API page shows each route once.
    route.schema = { ...route.schema, hide: true }
    const name = nameOf(route)
    const tolerance = bodyTolerances[name]
    const missing = bodyDefaults[name]
    if (tolerance || missing) {
      route.preValidation = [
        async ({ body, principal }: FastifyRequest) => {
          if (!isFields(body)) return
          if (tolerance) putRight(body, tolerance)
          missing?.fill(body, principal)
        },
        ...[route.preValidation ?? []].flat()
      ]
    }
    const difference = differences[name]
    if (!difference) return
    const { body, more, without, ...changes } = difference
    if (body) route.config = { ...route.config, bodiless: [] }
    if (more || without)
      route.schema = { ...route.schema, response: fieldsOf(route.schema, difference) }
    if (Object.keys(changes).length === 0) return
    route.onSend = [
      async (request: FastifyRequest, _reply: FastifyReply, payload: unknown) => {
        if (payload instanceof Readable) return Readable.from(inParts(payload, changes, request))
        return isText(payload) ? changed(textOf(payload), changes, request) : payload
      },
      ...[route.onSend ?? []].flat()
    ]
  })
}

/** The name in the contract, `GET /api/v2/user/{user_id}`, for both addresses and for HEAD. */
function nameOf({ method, url }: RouteOptions): string {
  const path = url.startsWith(`${LYNX}/`) ? url.slice(LYNX.length) : url
  return `${method === 'HEAD' ? 'GET' : method} ${routePath(path)}`
}

type Response = { 200: TSchema & { items?: TSchema; properties?: Record<string, TSchema> } }

/** The schema of the answer, or of each object in its list, with the changed fields. */
function fieldsOf({ response }: FastifySchema, { more = {}, without = [] }: Difference): Response {
  const answers = response as Response
  const { items } = answers[200]
  const { properties } = (items ?? answers[200]) as Response[200]
  const fields = Object.fromEntries(
    Object.entries({ ...properties, ...more }).filter(([name]) => !without.includes(name))
  )
  const object = Type.Object(fields)
  return { ...answers, 200: items ? Type.Array(object) : object }
}

const NUMBER = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i

/** Corrects the body as the table says. Validation refuses other faults later. */
function putRight(body: Fields, tolerance: Tolerance): void {
  const { numbers = [], texts = [], lists = [], anyCase = [], misspelt = {} } = tolerance
  for (const written of anyCase.length > 0 ? Object.keys(body) : []) {
    const meant = written.toLowerCase()
    if (anyCase.includes(meant)) rename(body, written, meant)
  }
  for (const [written, meant] of Object.entries(misspelt)) rename(body, written, meant)
  for (const name of numbers) {
    const value = body[name]
    if (typeof value === 'string' && NUMBER.test(value)) body[name] = Number(value)
  }
  for (const name of texts) {
    if (typeof body[name] === 'number') body[name] = String(body[name])
  }
  for (const name of lists) {
    const value = body[name]
    if (isFields(value) && Object.keys(value).length === 0) body[name] = []
  }
}

/** If both names have a value, the right name counts. */
function rename(fields: Fields, written: string, meant: string): void {
  if (!Object.hasOwn(fields, written) || written === meant) return
  fields[meant] = fields[meant] || fields[written]
  delete fields[written]
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Payload = string | Uint8Array
const isText = (payload: unknown): payload is Payload =>
  typeof payload === 'string' || payload instanceof Uint8Array
const textOf = (payload: Payload): string =>
  typeof payload === 'string' ? payload : Buffer.from(payload).toString()

function changed(json: string, difference: Difference, { installation }: FastifyRequest): string {
  if (difference.shortTopics) return installation ? shortTopics(json, installation) : json
  const answer: unknown = JSON.parse(json)
  for (const object of objectsIn(answer, difference.inside)) change(object, difference)
  return JSON.stringify(answer)
}

/** Each part of a long list has whole objects only. */
async function* inParts(
  parts: AsyncIterable<string>,
  { shortTopics: isShort }: Difference,
  { installation }: FastifyRequest
): AsyncGenerator<string> {
  for await (const part of parts)
    yield isShort && installation ? shortTopics(part, installation) : part
}

/**
 * Replaces text instead of parsing, for speed. Quotes in values are escaped, so this finds keys
 * only.
 */
const shortTopics = (json: string, { client_id }: { client_id: number }): string =>
  json.replaceAll(`"topic":"${client_id}/`, '"topic":"')

function objectsIn(answer: unknown, inside = ''): Fields[] {
  if (Array.isArray(answer)) return answer
  const { [inside]: list } = answer as Fields
  return Array.isArray(list) ? list : [answer as Fields]
}

function change(fields: Fields, { also = {}, integers = [] }: Difference): void {
  for (const [name, copy] of Object.entries(also)) {
    if (Object.hasOwn(fields, name)) fields[copy] = fields[name]
  }
  for (const name of integers) {
    if (Object.hasOwn(fields, name)) fields[name] = Number(fields[name])
  }
}
