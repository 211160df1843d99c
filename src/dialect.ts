import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { App } from './deps.ts'
import { routePath } from './http/route-path.ts'

/** The API stands here a second time, for clients that were written for another server [ADR-0017]. */
export const LYNX = '/lynx'

/** What an answer has that the same route under `/api` does not have, or the other way round. */
export type Difference = {
  /** It has the body that the contract leaves out. */
  body?: true
  /** Topics begin after `<client_id>/`. */
  shortTopics?: true
  /** Values that come a second time under another name. */
  also?: Readonly<Record<string, string>>
  without?: readonly string[]
  /** Text under `/api`, a number here. */
  integers?: readonly string[]
  /** The list in the answer whose objects are meant. */
  inside?: string
}

const installation: Difference = { without: ['timezone'] }
const schedule: Difference = { integers: ['updated_at'] }

/** Every difference of an answer, by route; a route that is not here answers the same twice. */
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
      // Clients read `message` of every error, and the contract has another name here.
      error: 'message'
    }
  },
  'GET /api/v2/status/{installation_id}': { shortTopics: true },
  'POST /api/v2/status/{installation_id}': { shortTopics: true },
  'GET /api/v2/installation': installation,
  'POST /api/v2/installation': installation,
  'GET /api/v2/installation/{installation_id}': installation,
  'PUT /api/v2/installation/{installation_id}': installation,
  'GET /api/v2/schedule/{installation_id}': schedule,
  'POST /api/v2/schedule/{installation_id}': { body: true, ...schedule },
  'GET /api/v2/schedule/{installation_id}/{schedule_id}': schedule,
  'PUT /api/v2/schedule/{installation_id}/{schedule_id}': schedule
}

/** Addresses that clients get wrong, after `/api/v2/`, and what they mean. */
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
  /** Under `/api` as well: this client leaves `/lynx` out of the address. */
  everywhere?: true
}

/** Parameters that clients send to routes which have no use for them; others are 400 [ADR-0031]. */
export const tolerated: readonly Tolerated[] = [
  ...['GET', 'POST'].map(
    (method): Tolerated => ({
      route: `${method} /api/v3beta/log/{installation_id}`,
      name: 'include_total',
      sentBy: 'Grafana data source 3.3',
      everywhere: true
    })
  ),
  {
    route: 'GET /api/v2/installationinfo/{client_id}',
    name: 'assigned',
    sentBy: 'go-lynx, node-lynx 2'
  },
  {
    route: 'GET /api/v2/installationinfo/{client_id}',
    name: 'assigned_only',
    sentBy: 'py-lynx'
  }
]

const START = `${LYNX}/api/v2/`

/** The address that is meant; under `/api` always the one that is written. */
export function addressOf(url: string): string {
  if (!url.startsWith(START)) return url
  const rest = url.slice(START.length)
  return START + addresses.reduce((path, { written, meant }) => path.replace(written, meant), rest)
}

/** The routes registered from now on take what `tolerated` says. */
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

/** The routes registered in this scope answer as the table says. */
export function speakLynx(scope: App): void {
  scope.addHook('onRoute', (route) => {
    // The description of the API has each route once.
    route.schema = { ...route.schema, hide: true }
    const difference = differences[nameOf(route)]
    if (!difference) return
    const { body, ...changes } = difference
    if (body) route.config = { ...route.config, bodiless: [] }
    if (Object.keys(changes).length === 0) return
    route.onSend = [
      async (request: FastifyRequest, _reply: FastifyReply, payload: unknown) =>
        isText(payload) ? changed(textOf(payload), changes, request) : payload,
      ...[route.onSend ?? []].flat()
    ]
  })
}

/** As the contract writes it: `GET /api/v2/user/{user_id}`, at both addresses and for HEAD too. */
function nameOf({ method, url }: RouteOptions): string {
  const path = url.startsWith(`${LYNX}/`) ? url.slice(LYNX.length) : url
  return `${method === 'HEAD' ? 'GET' : method} ${routePath(path)}`
}

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

/** Not parsed, for it is asked often: inside a text every quote is escaped, so this is a key. */
const shortTopics = (json: string, { client_id }: { client_id: number }): string =>
  json.replaceAll(`"topic":"${client_id}/`, '"topic":"')

type Fields = Record<string, unknown>

function objectsIn(answer: unknown, inside = ''): Fields[] {
  if (Array.isArray(answer)) return answer
  const { [inside]: list } = answer as Fields
  return Array.isArray(list) ? list : [answer as Fields]
}

function change(fields: Fields, { also = {}, without = [], integers = [] }: Difference): void {
  for (const [name, copy] of Object.entries(also)) {
    if (Object.hasOwn(fields, name)) fields[copy] = fields[name]
  }
  for (const name of without) delete fields[name]
  for (const name of integers) {
    if (Object.hasOwn(fields, name)) fields[name] = Number(fields[name])
  }
}
