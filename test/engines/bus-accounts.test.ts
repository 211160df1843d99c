import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { slow } from '../support/rounds.ts'

/** Owners of one account: itself, and keys with sessions of their own. */
const owners = ['anna', 'anna key:1', 'anna key:2', 'anna key:3']

test('keys with sessions of their own share the limits of their account', slow, async (t) => {
  const limits = { connectionsPerOwner: 3, sessionsPerOwner: 2, filtersPerOwner: 4 }
  const { port, dataDir, bus } = await startBus(t, { limits })
  const open = (username: string, clean = true, clientId = 'same') =>
    mqttClient(t, port, { username, clean, clientId })
  const [one, two, three, four] = owners.map((owner) => () => open(owner))
  assert(one && two && three && four)
  const clients = [await one(), await two(), await three()]
  await assert.rejects(four(), { code: 3 })
  const [first, second] = clients
  assert(first && second)
  assert.deepEqual(await first.subscribe(['a', 'b', 'c']), [1, 1, 1])
  assert.deepEqual(await second.subscribe(['a', 'b']), [1, 128])
  assert.equal(bus.counts.refused.connections, 1)
  for (const { mqtt } of clients) await mqtt.endAsync()
  await eventually(() => assert.equal(bus.counts.connections, 0))

  for (const owner of owners.slice(0, 2)) await (await open(owner, false)).mqtt.endAsync()
  await assert.rejects(open(owners[2] ?? '', false), { code: 3 })
  await (await open('bert', false)).mqtt.endAsync()

  await bus.state()
  const copy = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(copy, { recursive: true }))
  await cp(dataDir, copy, { recursive: true })
  const next = await startBus(t, { dataDir: copy, limits: { ...limits, sessionsPerOwner: 1 } })
  assert.equal((await next.bus.state()).sessions, 2, 'one of anna, one of bert')
})

test('the queues of an account are limited together', async (t) => {
  const queue = { messages: 1000, bytes: 64_000, ownerBytes: 20_000 }
  const { port, bus } = await startBus(t, { queue })
  for (const username of owners) {
    const sleeper = await mqttClient(t, port, { username, clean: false, clientId: 'same' })
    await sleeper.subscribe('queue/#')
    await sleeper.mqtt.endAsync()
  }
  const sender = await mqttClient(t, port, { username: 'bert' })
  for (let i = 0; i < 20; i++) await sender.publish('queue/x', 'x'.repeat(1000), { qos: 1 })
  const { bytes } = await bus.state()
  assert(bytes > 10_000 && bytes <= 20_000, `${bytes} bytes are queued`)
})
