import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { routeTable } from '../../bin/pages.ts'
import { guard } from '../../src/access/guard.ts'
import type { App, Deps } from '../../src/deps.ts'

test('every endpoint that has landed is registered, and no other', async () => {
  const routes = (await routeTable()).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(routes.sort(), [
    'DELETE /api/v2/auth',
    'DELETE /api/v2/installation/{installation_id}',
    'GET /api/v2/installation',
    'GET /api/v2/installation/{installation_id}',
    'GET /api/v2/installationinfo',
    'GET /api/v2/installationinfo/{client_id}',
    'GET /api/v2/ledger',
    'GET /api/v2/ping',
    'GET /api/v2/status/{installation_id}',
    'GET /api/v2/user/me',
    'GET /api/v3beta/log/{installation_id}',
    'GET /docs',
    'GET /docs/api-page.js',
    'GET /docs/openapi.json',
    'GET /health/live',
    'GET /health/ready',
    'GET /metrics',
    'POST /api/v2/auth',
    'POST /api/v2/installation',
    'POST /api/v2/status/{installation_id}',
    'POST /api/v3beta/log/{installation_id}',
    'PUT /api/v2/installation/{installation_id}'
  ])
})

test('the routes that ask for no sign-in are these', async () => {
  const open = (await routeTable()).filter(({ access }) => access.kind === 'public')
  assert.deepEqual(open.map(({ method, path }) => `${method} ${path}`).sort(), [
    'GET /api/v2/ping',
    'GET /docs',
    'GET /docs/api-page.js',
    'GET /docs/openapi.json',
    'GET /health/live',
    'GET /health/ready',
    'POST /api/v2/auth'
  ])
})

test('a route without declared access stops the start', () => {
  const app = Fastify() as unknown as App
  guard(app, {} as Deps)
  assert.throws(() => app.get('/open', () => ''), /GET \/open declares no access/)
})
