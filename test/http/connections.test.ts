import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Connections } from '../../src/http/connections.ts'

async function serve(
  t: TestContext,
  listener: RequestListener,
  options?: ConstructorParameters<typeof Connections>[1]
) {
  const server = createServer(listener)
  const connections = new Connections(server, options)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { server, connections, port }
}

async function send(t: TestContext, port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let heard = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.write(bytes)
  return { socket, heard: () => heard }
}

test('a request that has arrived is answered before its connection ends', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const { connections, port, server } = await serve(t, async (_request, response) => {
    resolve()
    await wait(300)
    response.end('done')
  })
  const { socket, heard } = await send(t, port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await arrived
  const closed = once(socket, 'close')
  server.close()
  await connections.drain({ receiveMs: 0, answerMs: 10_000 })
  await closed
  assert.match(heard(), /done/)
})

test('an answer that does not end is cut off', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const { connections, port, server } = await serve(t, (_request, response) => {
    response.write('begun')
    resolve()
  })
  const { socket } = await send(t, port, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await arrived
  const closed = [once(socket, 'close'), once(server, 'close')]
  server.close()
  await connections.drain({ receiveMs: 0, answerMs: 100 })
  await Promise.all(closed)
})

test('an incomplete request is cut off much earlier than an answer', async (t) => {
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  const { connections, port, server } = await serve(t, (request) => {
    request.resume()
    resolve()
  })
  const { socket } = await send(
    t,
    port,
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf'
  )
  await arrived
  const closed = [once(socket, 'close'), once(server, 'close')]
  server.close()
  const began = performance.now()
  await connections.drain({ receiveMs: 50, answerMs: 60_000 })
  assert(performance.now() - began < 30_000)
  await Promise.all(closed)
})

test('an upgraded connection stays until all connections are destroyed', async (t) => {
  const { connections, port, server } = await serve(t, () => {})
  server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Yes\r\n\r\n'))
  const { socket } = await send(
    t,
    port,
    'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  )
  await once(socket, 'data')
  const closed = once(server, 'close')
  server.close()
  await connections.drain()
  assert.equal(socket.destroyed, false)
  connections.destroy()
  await closed
})

test('connections that send no request are limited per address', async (t) => {
  const told: object[] = []
  const log = { warn: (fields: object) => void told.push(fields) }
  const limits = { inAll: 10, perAddress: 2 }
  const answer: RequestListener = (_request, response) => void response.end('done')
  const { connections, port } = await serve(t, answer, { limits, log })
  const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'
  // Connections that have sent a request are not counted, though they stay open.
  for (let i = 0; i < 5; i++) {
    const { heard } = await send(t, port, request)
    while (!heard().includes('done')) await wait(5)
  }
  const silent = [await send(t, port, 'GET /'), await send(t, port, 'GET /')]
  await wait(50)
  const refused = await send(t, port, request)
  await once(refused.socket, 'close')
  assert.deepEqual([refused.heard(), connections.refused], ['', 1])
  assert.deepEqual(told, [{ address: '127.0.0.1' }])
  silent[0]?.socket.destroy()
  await wait(50)
  const { heard } = await send(t, port, request)
  while (!heard().includes('done')) await wait(5)
})
