import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { afterAnswer } from '../../src/http/after-answer.ts'
import { eventually } from '../support/eventually.ts'

test('the work begins after the answer was sent', async (t) => {
  const steps: string[] = []
  const app = Fastify()
  t.after(() => app.close())
  app.get('/', (_request, reply) => {
    afterAnswer(reply, () => steps.push('work'))
    reply.raw.once('finish', () => steps.push('answered'))
    return reply.send('x')
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  // On a connection that stays open.
  assert.equal(await (await fetch(url)).text(), 'x')
  await eventually(() => assert.deepEqual(steps, ['answered', 'work']))
})

test('the work also begins if the caller did not wait for the answer', async (t) => {
  const begun = Promise.withResolvers<void>()
  let isDone = false
  const app = Fastify()
  t.after(() => app.close())
  app.get('/', async (_request, reply) => {
    afterAnswer(reply, () => {
      isDone = true
    })
    begun.resolve()
    await once(reply.raw, 'close')
    return 'x'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n')
  await begun.promise
  socket.destroy()
  await eventually(() => assert(isDone))
})
