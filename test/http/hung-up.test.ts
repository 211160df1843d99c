import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import pino from 'pino'
import { handleError } from '../../src/http/error-handler.ts'
import { dropIfStalled, hungUpOrLate } from '../../src/http/hung-up.ts'
import { eventually } from '../support/eventually.ts'
import { slow } from '../support/rounds.ts'

test('a caller who stops reading is disconnected, one who reads is not', slow, async (t) => {
  const body = 'x'.repeat(32 * 1024 * 1024)
  let isClosed = false
  const server = createServer((_request, response) => {
    dropIfStalled(response, 2000)
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

test('work that takes too long is stopped and answered with 503', async (t) => {
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

test('a caller who hangs up in the middle of a body is no error of ours', async (t) => {
  const lines: { level: number; status?: number; err?: object }[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const app = Fastify({ loggerInstance: log })
  t.after(() => app.close())
  app.setErrorHandler(handleError)
  app.post('/', () => 'stored')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo

  const caller = connect(port, '127.0.0.1')
  caller.write('POST / HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n')
  caller.write('content-length: 100\r\n\r\n{"name":')
  await once(caller, 'connect')
  caller.end()

  const noted = () => lines.filter(({ status, err }) => status !== undefined || err !== undefined)
  await eventually(() => assert.notEqual(noted().length, 0))
  assert.deepEqual(
    noted().map(({ level, status }) => ({ level, status })),
    [{ level: 30, status: 499 }]
  )
})
