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

test('nothing is called that is not public, by whatever name', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const executors = new Executors(networksOf(''), systemClock)
  const hosts = [
    ...['127.0.0.1', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0.0.0.0', '0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    // These names lead here, though no literal address shows.
    ...['localhost', 'LOCALHOST']
  ]
  for (const host of hosts) {
    assert.equal(await call(executors, `http://${host}:${executor.port}/`), 'refused', host)
  }
  assert.deepEqual(executor.received, [])
})

test('a network that is open is called, by address and by name, and it alone', async (t) => {
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
  // One address of a name that may not be called closes the name.
  const half = new Executors(networksOf('10.0.0.0/8'), systemClock)
  assert.equal(await call(half, `http://localhost:${port}/`), 'refused')
  assert.equal(executor.received.length, 3)
})

test('what speaks no TLS, or has no name, is out of reach', async (t) => {
  const executor = await startExecutor()
  t.after(() => executor.stop())
  const executors = new Executors(networksOf('127.0.0.1'), systemClock)
  assert.equal(await call(executors, `https://127.0.0.1:${executor.port}/`), 'unreachable')
  assert.equal(await call(executors, 'http://nobody.invalid/'), 'unreachable')
  assert.equal(await call(executors, `http://${'a'.repeat(64)}.example/`), 'unreachable')
})

test('a name whose servers keep silent keeps nobody else waiting, and nothing after its end', async (t) => {
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
  // A and AAAA of each.
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

test('so many at once, each for itself, those of an organization and all together', () => {
  const executors = new Executors(networksOf(''), systemClock)
  const sender = (id: number, organization_id = 1) => ({ id, organization_id })
  for (let i = 0; i < 4; i++) assert.equal(executors.enter(sender(1)), 0)
  assert.equal(executors.enter(sender(1)), 1)
  executors.leave(sender(1))
  assert.equal(executors.enter(sender(1)), 0)
  for (let id = 2; id <= 13; id++) assert.equal(executors.enter(sender(id)), 0)
  // The organization has as many as it may; others go on.
  assert.equal(executors.enter(sender(14)), 1)
  for (let id = 14; id <= 61; id++) assert.equal(executors.enter(sender(id, id)), 0)
  assert.equal(executors.isBusy, true)
  executors.leave(sender(61, 61))
  assert.equal(executors.isBusy, false)
  executors.leave(sender(2))
  assert.equal(executors.enter(sender(62)), 0)
})
