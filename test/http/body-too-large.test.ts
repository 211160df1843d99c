import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import Fastify from 'fastify'
import { handleError } from '../../src/http/error-handler.ts'
import { payloadTooLarge } from '../../src/http/errors.ts'

const BODY_BYTES = 4 * 1024 * 1024

test('a client that sends too much can finish, reads why it was refused, and uses the connection again', async (t) => {
  const app = Fastify({ bodyLimit: 1024 })
  app.setErrorHandler(handleError)
  app.post('/', () => 'taken')
  t.after(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const head = (length: number) =>
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n\r\n`
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  socket.write(head(BODY_BYTES))
  await once(socket, 'data')
  assert.match(said, /^HTTP\/1\.1 413 .*\{"message":"Body too large"\}$/s)
  assert.doesNotMatch(said, /connection: close/i)
  socket.write('x'.repeat(BODY_BYTES))
  said = ''
  socket.write(`${head(2)}hi`)
  await once(socket, 'data')
  assert.match(said, /^HTTP\/1\.1 200 .*taken$/s)
})

test('a refusal after the whole body was read leaves nothing to wait for', async (t) => {
  const app = Fastify()
  app.setErrorHandler(handleError)
  app.post('/', async () => {
    await wait(10)
    throw payloadTooLarge()
  })
  t.after(() => app.close())
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const send = async () => {
    const answer = await fetch(url, {
      method: 'POST',
      body: '{}',
      headers: { connection: 'close' }
    })
    assert.equal(answer.status, 413)
  }
  await send()
  const before = timers()
  for (let i = 0; i < 5; i++) await send()
  assert.ok(timers() < before + 5, `${timers()} timers, ${before} before`)
})
