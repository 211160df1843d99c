import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient, packet } from '../support/mqtt.ts'
import { type Client5, client5, subscribe5 } from '../support/mqtt5.ts'

const payloadsOf = (client: Client5): string[] =>
  client.all('publish').map(({ payload }) => String(payload))

async function member(...given: Parameters<typeof client5>): Promise<Client5> {
  const client = await client5(...given)
  client.send(subscribe5(1, '$share/g/1/#', { qos: 1 }))
  assert.deepEqual((await client.next('suback')).granted, [1])
  return client
}

test('each message goes to one member of a group, in turn', async (t) => {
  const { bus, port } = await startBus(t)
  const members = [await member(t, port), await member(t, port), await member(t, port)]
  const plain = await client5(t, port)
  plain.send(subscribe5(1, '1/#', { qos: 0 }))
  const other = await client5(t, port)
  other.send(subscribe5(1, '$share/other/1/+', { qos: 1, subscriptionIdentifier: 7 }))
  await plain.next('suback')
  await other.next('suback')
  const sent = Array.from({ length: 30 }, (_, i) => String(i))
  for (const n of sent) await bus.publish('1/t', n, { qos: Number(n) % 2 === 0 ? 1 : 0 })
  for (const { next } of members) await next('publish', 10)
  await plain.next('publish', 30)
  const { properties } = await other.next('publish', 30)
  assert.equal(properties?.subscriptionIdentifier, 7)
  const received = members.flatMap(payloadsOf)
  assert.deepEqual(
    received.map(Number).sort((a, b) => a - b),
    sent.map(Number)
  )
  // A member that is gone is passed over.
  members[0]?.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 4))
  for (let i = 0; i < 4; i++) await bus.publish('1/t', 'more')
  await members[1]?.next('publish', 12)
  await members[2]?.next('publish', 12)
  members[1]?.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['$share/g/1/#'] })
  assert.deepEqual((await members[1]?.next('unsuback'))?.granted, [0])
  await bus.publish('1/t', 'last')
  await members[2]?.next('publish', 13)
})

test('kept sessions of a group get messages while no member is connected, also after a restart', async (t) => {
  const first = await startBus(t)
  const kept = (clientId: string) => ({
    ...{ clientId, clean: false },
    properties: { sessionExpiryInterval: 1000 }
  })
  for (const id of ['a', 'b']) {
    const client = await member(t, first.port, kept(id))
    client.send({ cmd: 'disconnect', reasonCode: 0 })
    await eventually(() => assert.ok(client.isClosed()))
  }
  await eventually(() => assert.equal(first.bus.counts.connections, 0))
  for (let i = 0; i < 4; i++) await first.bus.publish('1/t', String(i), { qos: 1 })
  await first.bus.publish('1/t', 'for nobody', { qos: 0 })
  await first.bus.close()

  const second = await startBus(t, { dataDir: first.dataDir })
  await second.bus.publish('1/t', '4', { qos: 1 })
  const a = await client5(t, second.port, kept('a'))
  await a.next('publish', 2)
  await second.bus.publish('1/t', 'to the connected one', { qos: 1 })
  await eventually(() => assert.ok(payloadsOf(a).includes('to the connected one')))
  const b = await client5(t, second.port, kept('b'))
  await b.next('publish', 2)
  for (const client of [a, b]) {
    client.send(packet(0xc0))
    await client.next('pingresp')
  }
  const received = [...payloadsOf(a), ...payloadsOf(b)].sort()
  assert.deepEqual(received, ['0', '1', '2', '3', '4', 'to the connected one'])
})

test('[MQTT-4.8.2-1] [MQTT-4.8.2-2] [MQTT-3.8.3-4] malformed and forbidden shared subscriptions are refused', async (t) => {
  const { bus, port, grants } = await startBus(t)
  grants.set('anna', { publish: '#', subscribe: '1/#', receive: '#' })
  const client = await client5(t, port)
  const filters = [
    '$share/g/1/a',
    '$share/g/2/a',
    '$share//1/a',
    '$share/g',
    '$share/g+/1/a',
    '$share/g/$SYS/#'
  ]
  client.send(subscribe5(1, filters))
  const { granted } = await client.next('suback')
  assert.deepEqual(granted, [1, 0x87, 0x8f, 0x8f, 0x8f, 0x87])
  // A permission that is lost takes the filter away.
  grants.set('anna', { publish: '#', subscribe: '2/#', receive: '#' })
  await bus.recheck()
  await bus.publish('1/a', 'x', { qos: 1 })
  client.send(packet(0xc0))
  await client.next('pingresp')
  assert.equal(client.all('publish').length, 0)
  client.send(subscribe5(2, '$share/g/1/a', { nl: true }))
  assert.equal((await client.next('disconnect')).reasonCode, 0x82)
})

test('a shared subscription gets no retained messages, and groups of different accounts stay apart', async (t) => {
  const { bus, port } = await startBus(t)
  await bus.publish('1/t', 'old', { retain: true })
  const anna = await member(t, port, { username: 'anna' })
  const bert = await member(t, port, { username: 'bert' })
  const old = await mqttClient(t, port)
  assert.deepEqual(await old.subscribe('$share/g/1/#'), [128], 'MQTT 3 has none')
  await bus.publish('1/t', 'new', { qos: 1 })
  for (const client of [anna, bert]) {
    await client.next('publish')
    assert.deepEqual(payloadsOf(client), ['new'])
  }
})

test('[MQTT-4.8.2-3] each member gets messages with the QoS that it was granted', async (t) => {
  const { bus, port } = await startBus(t)
  const members: Client5[] = []
  for (const qos of [0, 1, 2] as const) {
    const client = await client5(t, port)
    client.send(subscribe5(1, '$share/g/1/#', { qos }))
    assert.deepEqual((await client.next('suback')).granted, [qos])
    members.push(client)
  }
  for (let i = 0; i < 6; i++) await bus.publish('1/t', String(i), { qos: 2 })
  for (const [granted, { next, all }] of members.entries()) {
    await next('publish', 2)
    assert.ok(all('publish').every(({ qos }) => qos === granted))
  }
})

test('[MQTT-4.8.2-4] [MQTT-4.8.2-5] [MQTT-4.8.2-6] a message that is on its way to a member goes to no other', async (t) => {
  const { bus, port } = await startBus(t)
  const asked = { clientId: 'a', clean: false, properties: { sessionExpiryInterval: 1000 } }
  const a = await client5(t, port, asked)
  a.send(subscribe5(1, '$share/g/1/#', { qos: 2 }))
  await a.next('suback')
  for (const payload of ['begun', 'released', 'refused', 'refused']) {
    await bus.publish('1/t', payload, { qos: payload === 'refused' ? 1 : 2 })
  }
  await a.next('publish', 4)
  const [begun = 0, released = 0, refused = 0, other = 0] = a
    .all('publish')
    .map(({ messageId }) => messageId)
  a.send({ cmd: 'pubrec', messageId: released, reasonCode: 0 })
  await a.next('pubrel')
  a.send({ cmd: 'puback', messageId: refused, reasonCode: 0x80 })
  a.send({ cmd: 'puback', messageId: other, reasonCode: 0x97 })
  const b = await client5(t, port, { clientId: 'b' })
  b.send(subscribe5(1, '$share/g/1/#', { qos: 2 }))
  await b.next('suback')
  a.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  const back = await client5(t, port, asked)
  await back.next('pubrel')
  const { messageId, dup } = await back.next('publish')
  assert.deepEqual([messageId, dup], [begun, true])
  // The session ends before the message is complete.
  back.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 0 } })
  await eventually(() => assert.equal(bus.counts.connections, 1))
  b.send(packet(0xc0))
  await b.next('pingresp')
  assert.equal(b.all('publish').length, 0)
})
