import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startBus } from '../support/bus.ts'
import { startCrowd } from '../support/crowd.ts'
import { eventually } from '../support/eventually.ts'
import { longestRound } from '../support/loop.ts'
import { mqttClient } from '../support/mqtt.ts'
import { rounds } from '../support/rounds.ts'

/** Limit of processor time for the broker and the few clients that share its thread. */
const LONGEST_ROUND_MS = 20

const RECEIVERS = rounds(1000, 250)

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

test(`messages to ${RECEIVERS} open connections do not block the event loop, and keep their order`, async (t) => {
  const { bus, port } = await startBus(t)
  const crowd = await startCrowd(t, { port, count: RECEIVERS })
  await crowd.subscribe('1/#', 1)
  const sender = await mqttClient(t, port, { username: 'carl' })
  const sent: string[] = []
  const longest = await longestRound(LONGEST_ROUND_MS, async (attempt) => {
    for (const n of numbers(10)) {
      const topic = n % 2 ? '1/odd' : '1/even'
      sent.push(`${topic} ${sent.length}`)
      void sender.publish(topic, `${sent.length - 1}`, { qos: n % 3 ? 1 : 0 })
    }
    while (bus.counts.delivered < attempt * 10 * RECEIVERS) await wait(2)
  })
  await eventually(async () => {
    for (const received of await crowd.received()) assert.deepEqual(received, sent)
  })
  assert.ok(longest < LONGEST_ROUND_MS, `${longest} ms in one round`)
})

test('if some of many receivers disconnect during the delivery, the others get all messages', async (t) => {
  const [all, leaving] = [rounds(1000, 250), rounds(400, 100)]
  const { bus, port } = await startBus(t)
  const crowd = await startCrowd(t, { port, count: all })
  await crowd.subscribe('1/#')
  const sending = numbers(30).map((n) => bus.publish('1/t', `${n}`))
  await sending[2]
  await crowd.leave(leaving)
  await Promise.all(sending)
  const sent = numbers(30).map((n) => `1/t ${n}`)
  await eventually(async () => {
    const staying = await crowd.received()
    assert.equal(staying.length, all - leaving)
    for (const received of staying) assert.deepEqual(received, sent)
  })
  await eventually(() => assert.equal(bus.counts.connections, all - leaving))
})

test('acknowledged messages to many receivers come after a restart that interrupted the delivery', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const before = await startBus(t, { dataDir, limits: { drainMs: 1 } })
  const crowd = await startCrowd(t, { port: before.port, count: 300 })
  await crowd.subscribe('1/#')
  const kept = { clientId: 'kept', username: 'bert', clean: false }
  const receiver = await mqttClient(t, before.port, kept)
  await receiver.subscribe('1/#')
  const sender = await mqttClient(t, before.port)
  const sent = numbers(100).map(String)
  await Promise.all(sent.map((n) => sender.publish('1/t', n, { qos: 1 })))
  await before.bus.close()
  await assert.rejects(before.bus.publish('1/t', 'late'), /the bus is closed/)

  const after = await startBus(t, { dataDir })
  const back = await mqttClient(t, after.port, kept)
  await eventually(() => {
    const all = [...receiver.payloads(), ...back.payloads()]
    assert.deepEqual([...new Set(all)], sent)
  })
})

test('a kept session among many receivers gets more than its window in order', async (t) => {
  const { port } = await startBus(t)
  const crowd = await startCrowd(t, { port, count: 60 })
  await crowd.subscribe('1/#')
  const receiver = await mqttClient(t, port, { clientId: 'kept', username: 'bert', clean: false })
  await receiver.subscribe('1/#')
  const sender = await mqttClient(t, port)
  const sent = numbers(1500).map(String)
  await Promise.all(sent.map((n) => sender.publish('1/t', n, { qos: 1 })))
  await eventually(() => assert.equal(receiver.messages.length, sent.length))
  assert.deepEqual(receiver.payloads(), sent)
})
