import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { App } from '../../src/deps.ts'
import { serveConsole } from '../../src/features/console/routes.ts'
import { handleError } from '../../src/http/error-handler.ts'

test('without a built console, / says how to build it, and no file is there', async (t) => {
  const app = Fastify() as unknown as App
  app.setErrorHandler(handleError)
  t.after(() => app.close())
  await serveConsole(app, '/no/such/directory')
  for (const url of ['/', '/installations/1/live']) {
    const page = await app.inject({ url })
    assert.equal(page.statusCode, 200)
    assert.match(page.body, /npm run build/)
    assert.match(page.body, /href="\/docs"/)
  }
  const file = await app.inject({ url: '/assets/caracal.svg' })
  assert.equal(file.statusCode, 404)
  assert.deepEqual(file.json(), { message: 'Not found' })
})
