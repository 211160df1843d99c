import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { networksOf } from '../../src/lib/networks.ts'
import { ExecutorFault, Executors } from '../../src/outbound/executors.ts'
import { startExecutor } from '../support/executor.ts'

const never = new AbortController().signal
const call = (executors: Executors, url: string) =>
  executors.call({ url, secret: '', body: '{}' }, never).then(
    () => 'sent',
    (error) => {
      assert(error instanceof ExecutorFault, String(error))
      return error.outcome
    }
  )

test('an address that is not public is never called, whatever its name', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const executors = new Executors(networksOf(''), systemClock)
  const hosts = [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0.0.0.0', '0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    // These names lead to this machine, though they are not literal addresses.
    ...['localhost', 'LOCALHOST']
  ]
  for (const host of hosts) {
    assert.equal(await call(executors, `http://${host}:${executor.port}/`), 'refused', host)
  }
  assert.deepEqual(executor.received, [])
})

test('an allowed network is called, by address and by name, and no other', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const { port } = executor
  const executors = new Executors(networksOf('127.0.0.0/8,::1'), systemClock)
  assert.equal(await call(executors, `http://127.0.0.1:${port}/a`), 'sent')
  assert.equal(await call(executors, `http://0x7f.1:${port}/b`), 'sent')
  assert.equal(await call(executors, `http://localhost:${port}/c`), 'sent')
  assert.deepEqual(
    executor.received.map(({ url, headers }) => [url, headers.host]),
    [
      ['/a', `127.0.0.1:${port}`],
      ['/b', `127.0.0.1:${port}`],
      ['/c', `localhost:${port}`]
    ]
  )
  // If one address of a name may not be called, the name is refused.
  const half = new Executors(networksOf('10.0.0.0/8'), systemClock)
  assert.equal(await call(half, `http://localhost:${port}/`), 'refused')
  assert.equal(executor.received.length, 3)
})

test('a server without TLS or an unknown name is unreachable', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const executors = new Executors(networksOf('127.0.0.1'), systemClock)
  assert.equal(await call(executors, `https://127.0.0.1:${executor.port}/`), 'unreachable')
  assert.equal(await call(executors, 'http://nobody.invalid/'), 'unreachable')
  assert.equal(await call(executors, `http://${'a'.repeat(64)}.example/`), 'unreachable')
})

test('a name server that does not answer delays no other call, and nothing is left after the call', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  let asked = 0
  silent.on('message', () => asked++)
  const servers = [`127.0.0.1:${silent.address().port}`]
  const executors = new Executors(networksOf('127.0.0.0/8,::1'), systemClock, servers)
  const stop = new AbortController()
  const slow = Array.from({ length: 40 }, (_, i) =>
    executors.call({ url: `http://slow${i}.example/`, secret: '', body: '{}' }, stop.signal)
  )
  const ends = Promise.allSettled(slow)
  // One A and one AAAA query each.
  while (asked < 80) await once(silent, 'message')
  assert.equal(await call(executors, `http://localhost:${executor.port}/`), 'sent')
  assert.equal(await Promise.race([ends, 'waiting']), 'waiting')
  stop.abort()
  for (const end of await ends) {
    assert(end.status === 'rejected' && end.reason instanceof ExecutorFault)
    assert.equal(end.reason.outcome, 'unreachable')
    assert.match(String(end.reason.cause), /ECANCELLED/)
  }
})

test('calls at once are limited per installation, per organization and in total', () => {
  const executors = new Executors(networksOf(''), systemClock)
  const sender = (id: number, organization_id = 1) => ({ id, organization_id })
  for (let i = 0; i < 4; i++) assert.equal(executors.enter(sender(1)), 0)
  assert.equal(executors.enter(sender(1)), 1)
  executors.leave(sender(1))
  assert.equal(executors.enter(sender(1)), 0)
  for (let id = 2; id <= 13; id++) assert.equal(executors.enter(sender(id)), 0)
  // The organization is at its limit; others still work.
  assert.equal(executors.enter(sender(14)), 1)
  for (let id = 14; id <= 61; id++) assert.equal(executors.enter(sender(id, id)), 0)
  assert.equal(executors.isBusy, true)
  executors.leave(sender(61, 61))
  assert.equal(executors.isBusy, false)
  executors.leave(sender(2))
  assert.equal(executors.enter(sender(62)), 0)
})
