import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { App, Deps } from '../../src/deps.ts'
import { consolePages } from '../../src/features/console/routes.ts'
import { LYNX, speakLynx, tolerated } from '../../src/lynx.ts'
import { guard } from '../../src/permission/guard.ts'
import { routeTable } from '../../tools/pages.ts'

/** [contract: Endpoints] The endpoints that Caracal serves, as the contract writes them. */
const contract = [
  'POST /api/v2/auth',
  'PUT /api/v2/auth',
  'DELETE /api/v2/auth',
  'POST /api/v2/auth/reset_password',
  'PUT /api/v2/auth/reset_password',
  'GET /api/v2/log/{installation_id}',
  'POST /api/v2/log/{installation_id}',
  'GET /api/v3beta/log/{installation_id}',
  'POST /api/v3beta/log/{installation_id}',
  'GET /api/v3beta/search',
  'POST /api/v2/mobile',
  'GET /api/v2/mobile/{user_id}',
  'GET /api/v2/functionx/{installation_id}',
  'POST /api/v2/functionx/{installation_id}',
  'GET /api/v2/functionx/{installation_id}/{functionx_id}',
  'PUT /api/v2/functionx/{installation_id}/{functionx_id}',
  'DELETE /api/v2/functionx/{installation_id}/{functionx_id}',
  'GET /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}',
  'POST /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}',
  'PUT /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}',
  'DELETE /api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}',
  'GET /api/v2/devicex/{installation_id}',
  'POST /api/v2/devicex/{installation_id}',
  'GET /api/v2/devicex/{installation_id}/{devicex_id}',
  'PUT /api/v2/devicex/{installation_id}/{devicex_id}',
  'DELETE /api/v2/devicex/{installation_id}/{devicex_id}',
  'GET /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}',
  'POST /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}',
  'PUT /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}',
  'DELETE /api/v2/devicex/{installation_id}/{devicex_id}/meta/{meta_key}',
  'GET /api/v2/status/{installation_id}',
  'POST /api/v2/status/{installation_id}',
  'GET /api/v2/installationinfo',
  'GET /api/v2/installationinfo/{client_id}',
  'POST /api/v2/schedule/{installation_id}',
  'GET /api/v2/schedule/{installation_id}',
  'GET /api/v2/schedule/{installation_id}/{schedule_id}',
  'PUT /api/v2/schedule/{installation_id}/{schedule_id}',
  'DELETE /api/v2/schedule/{installation_id}/{schedule_id}',
  'POST /api/v2/gateway/verify/{installation_id}',
  'POST /api/v2/gateway/reset/{installation_id}',
  'GET /api/v2/gateway/registration/policy',
  'PUT /api/v2/gateway/registration/policy',
  'GET /api/v2/edge/app',
  'POST /api/v2/edge/app',
  'PUT /api/v2/edge/app',
  'GET /api/v2/edge/app/{app_id}',
  'GET /api/v2/edge/app/{app_id}/download',
  'GET /api/v2/edge/app/{app_id}/version',
  'POST /api/v2/edge/app/{app_id}/version',
  'POST /api/v2/edge/app/{app_id}/publish',
  'GET /api/v2/perimission',
  'POST /api/v2/user',
  'GET /api/v2/user',
  'GET /api/v2/user/{user_id}',
  'DELETE /api/v2/user/{user_id}',
  'PUT /api/v2/user/password',
  'POST /api/v2/organization',
  'GET /api/v2/organization/{organization_id}',
  'PUT /api/v2/organization/{organization_id}'
]

test('every endpoint of the contract in this list is registered', async () => {
  const routes = new Set((await routeTable()).map(({ method, path }) => `${method} ${path}`))
  assert.deepEqual(
    contract.filter((route) => !routes.has(route)),
    []
  )
})

test('every route has an operationId of its own, except those that are not described', async () => {
  const described = (await routeTable()).filter(({ schema }) => !schema.hide)
  const ids = described.map(({ schema }) => schema.operationId)
  const nameless = described.filter(
    ({ schema }) => !/^[a-z][A-Za-z0-9]+$/.test(schema.operationId ?? '')
  )
  assert.deepEqual(
    nameless.map(({ method, path }) => `${method} ${path}`),
    []
  )
  assert.deepEqual(
    ids.filter((id, i) => ids.indexOf(id) !== i),
    []
  )
})

test('only these routes need no sign-in', async () => {
  const ofConsole = consolePages.map((page) => `GET ${page.replace('*', '{meta_key}')}`)
  const open = (await routeTable())
    .filter(({ access }) => access.kind === 'public')
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !ofConsole.includes(route))
  assert.deepEqual(open.sort(), [
    'GET /api/v2/ping',
    'GET /assets/{meta_key}',
    'GET /docs',
    'GET /docs/api-page-session.js',
    'GET /docs/api-page.js',
    'GET /docs/openapi.json',
    'GET /health/live',
    'GET /health/ready',
    'POST /api/v2/auth',
    'POST /api/v2/auth/reset_password',
    'POST /api/v2/user/register',
    'PUT /api/v2/auth/reset_password'
  ])
})

test('only these routes accept metadata filters with any name', async () => {
  const filtered = (await routeTable()).filter(({ isFiltered }) => isFiltered)
  assert.deepEqual(filtered.map(({ method, path }) => `${method} ${path}`).sort(), [
    'GET /api/v2/devicex/{installation_id}',
    'GET /api/v2/functionx/{installation_id}',
    'GET /api/v2/installation',
    'GET /api/v2/organization',
    'GET /api/v2/user'
  ])
})

test('every tolerated parameter belongs to a route that exists', async () => {
  const routes = new Set((await routeTable()).map(({ method, path }) => `${method} ${path}`))
  for (const { route } of tolerated) assert(routes.has(route), route)
})

test('every route that is not a GET declares its trace, except those that only read or store values', async () => {
  const all = await routeTable()
  const writes = all.filter(({ method }) => method !== 'GET')
  const named = (wanted: typeof writes) => wanted.map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(named(writes.filter(({ trace }) => trace === undefined)), [])
  const others = all.filter(({ method }) => method === 'GET')
  assert.deepEqual(named(others.filter(({ trace = 'nothing' }) => trace !== 'nothing')), [])
  assert.deepEqual(named(writes.filter(({ trace }) => trace === 'nothing')).sort(), [
    'POST /api/v2/log/{installation_id}',
    'POST /api/v2/mapping/{installation_id}/try',
    'POST /api/v2/notification/{installation_id}/message/try',
    'POST /api/v2/rule/{installation_id}/try',
    'POST /api/v2/status/{installation_id}',
    'POST /api/v2/write',
    'POST /api/v3beta/log/{installation_id}',
    'POST /api/v3beta/sample/{installation_id}',
    'POST /broker/acl',
    'POST /broker/auth',
    'POST /broker/mosquitto/acl',
    'POST /broker/mosquitto/user'
  ])
})

test('the declared trace of a route fits its path', async () => {
  for (const { method, path, trace } of await routeTable()) {
    if (trace === undefined || trace === 'nothing') continue
    if (typeof trace.id === 'object') {
      assert(path.includes(`{${trace.id.param}}`), `${method} ${path} has no ${trace.id.param}`)
    }
    assert.notEqual(method, 'GET', path)
  }
})

test('a route without declared access stops the start', () => {
  const app = Fastify() as unknown as App
  guard(app, {} as Deps)
  assert.throws(() => app.get('/open', () => ''), /GET \/open declares no access/)
})

test('a route without declared access stops the start under /lynx too', async () => {
  const app = Fastify() as unknown as App
  guard(app, {} as Deps)
  app.register(
    async (scope) => {
      speakLynx(scope as App)
      scope.get('/open', () => '')
    },
    { prefix: LYNX }
  )
  await assert.rejects(async () => app.ready(), /GET \/lynx\/open declares no access/)
})
