import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { lightClient } from '../support/light-client.ts'
import { ATTEMPTS, longestRound } from '../support/loop.ts'
import { connectPacket, mqttClient, packet } from '../support/mqtt.ts'

/** Limit of processor time for the broker and the test clients, which share a thread. */
const LONGEST_ROUND_MS = 20

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const text = (value: string) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
}
const subscribeAll = (id: number, filters: string[], qos = 1) =>
  packet(
    0x82,
    Buffer.from([id >> 8, id & 255]),
    ...filters.flatMap((filter) => [text(filter), Buffer.from([qos])])
  )

const unsubscribeAll = (id: number, filters: string[]) =>
  packet(0xa2, Buffer.from([id >> 8, id & 255]), ...filters.map(text))

test('SUBSCRIBE at its limits with 10 000 retained messages does not block the event loop', async (t) => {
  const { bus, port } = await startBus(t)
  for (const i of numbers(10_000)) {
    const path = numbers(20).map((level) => (i >> (level % 14)) & 1)
    await bus.publish(`1/${path.join('/')}/${i}`, 'x', { retain: true })
  }
  const reader = await lightClient(t, port, connectPacket({}))
  const filters = numbers(200).map((n) => {
    const path = numbers(20).map((level) => ((n >> (level % 8)) & 1 || level % 2 ? '+' : '0'))
    return `1/${path.join('/')}/+`
  })
  const longest = await longestRound(LONGEST_ROUND_MS, async (attempt) => {
    reader.send(subscribeAll(1, filters))
    // Each message comes once, though most filters match it.
    await eventually(() => assert.equal(bus.counts.delivered, attempt * 10_000))
  })
  assert.ok(longest < LONGEST_ROUND_MS, `${longest} ms in one round`)
})

test('SUBSCRIBE and UNSUBSCRIBE with 8 000 filters are answered, and longer ones end the connection', async (t) => {
  const { bus, port } = await startBus(t)
  const reader = await lightClient(t, port, connectPacket({}))
  const filters = ['1/a', ...numbers(8000).map(() => 'a')]
  const packets = numbers(ATTEMPTS.length + 1).map((id) => [
    subscribeAll(id, filters),
    unsubscribeAll(id, filters)
  ])
  const longest = await longestRound(LONGEST_ROUND_MS, async (attempt) => {
    const id = `000${attempt}`
    reader.send(...(packets[attempt] ?? []))
    await eventually(() => assert.ok(reader.hex().includes(`b002${id}`)))
    // The codes of the first 200 filters, and of the others.
    assert.match(reader.hex(), new RegExp(`90[0-9a-f]{4}${id}(01){200}808080`))
    assert.equal(bus.counts.refused.filters, attempt * 7801)
  })
  assert.ok(longest < LONGEST_ROUND_MS, `${longest} ms in one round`)
  const neighbour = await mqttClient(t, port)
  reader.send(
    subscribeAll(
      2,
      numbers(10_000).map((n) => `1/${n}/+/+`)
    )
  )
  await eventually(() => assert.ok(reader.socket.closed))
  assert.deepEqual(await neighbour.subscribe('1/#'), [1])
})

test('rechecks and messages are fast with 20 connections of 1 000 matching filters each', async (t) => {
  const { bus, port } = await startBus(t)
  const levels = numbers(1000).map((n) =>
    numbers(10).map((bit) => ((n >> bit) & 1 ? '+' : String(bit)))
  )
  const filters = levels.map((path) => `1/${path.join('/')}`)
  const readers = await Promise.all(
    numbers(20).map((n) => lightClient(t, port, connectPacket({ id: `reader ${n}` })))
  )
  for (const { send, hex } of readers) {
    for (const part of numbers(5)) {
      send(subscribeAll(part + 1, filters.slice(part * 200, part * 200 + 200)))
      await eventually(() => assert.ok(hex().includes(`90ca01000${part + 1}01`)))
    }
  }
  assert.equal(bus.counts.refused.filters, 0)
  const ofRecheck = await longestRound(LONGEST_ROUND_MS, () => bus.recheck())
  assert.ok(ofRecheck < LONGEST_ROUND_MS, `${ofRecheck} ms in one round`)
  const topic = `1/${numbers(10).join('/')}`
  const ofMessage = await longestRound(LONGEST_ROUND_MS, async (attempt) => {
    await bus.publish(topic, 'x', { qos: 1 })
    // Each connection gets the message once.
    await eventually(() => assert.equal(bus.counts.delivered, attempt * 20))
  })
  assert.ok(ofMessage < LONGEST_ROUND_MS, `${ofMessage} ms in one round`)
})
