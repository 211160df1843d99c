import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { handleError } from '../../src/http/error-handler.ts'

const LENGTH = 4 * 1024 * 1024

test('who sends too much can send it to the end, reads why it was refused, and goes on', async (t) => {
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
  socket.write(head(LENGTH))
  await once(socket, 'data')
  assert.match(said, /^HTTP\/1\.1 413 .*\{"message":"Body too large"\}$/s)
  assert.doesNotMatch(said, /connection: close/i)
  socket.write('x'.repeat(LENGTH))
  said = ''
  socket.write(`${head(2)}hi`)
  await once(socket, 'data')
  assert.match(said, /^HTTP\/1\.1 200 .*taken$/s)
})
