import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { handleError } from '../../src/http/error-handler.ts'
import { dropIfStalled, hungUpOrLate } from '../../src/http/hung-up.ts'
import { eventually } from '../support/eventually.ts'

test('a caller who stops reading is let go of, one who reads is not', async (t) => {
  const body = 'x'.repeat(32 * 1024 * 1024)
  let isClosed = false
  const server = createServer((_request, response) => {
    dropIfStalled(response, 300)
    response.on('close', () => {
      isClosed = !response.writableFinished
    })
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo

  const reader = await fetch(`http://127.0.0.1:${port}`)
  assert.equal((await reader.text()).length, body.length)

  const idler = connect(port, '127.0.0.1')
  t.after(() => idler.destroy())
  idler.on('error', () => {})
  idler.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  await eventually(() => assert(isClosed))
})

test('work that takes too long is given up and answered with 503', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  app.setErrorHandler(handleError)
  app.get('/', async (_request, reply) => {
    const signal = hungUpOrLate(reply.raw, 20)
    await once(signal, 'abort')
    signal.throwIfAborted()
  })
  const { statusCode, body } = await app.inject('/')
  assert.equal(statusCode, 503)
  assert.equal(body, '{"message":"Timed out"}')
})
