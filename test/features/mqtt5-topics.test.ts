import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { packet } from '../support/mqtt.ts'
import { type Client5, client5, lengthed, publish5, settled, subscribe5 } from '../support/mqtt5.ts'

const shown = (client: Client5): string[] =>
  client.all('publish').map(({ topic, payload }) => `${topic} ${payload}`)

const unsubscribe = (messageId: number, ...unsubscriptions: string[]) => ({
  ...{ cmd: 'unsubscribe' as const, messageId, unsubscriptions }
})

test('[MQTT-3.3.1-5] [MQTT-3.3.1-6] [MQTT-3.3.1-7] [MQTT-3.3.1-8] retained messages', async (t) => {
  const { bus, port } = await startBus(t)
  const sender = await client5(t, port)
  const watcher = await client5(t, port)
  watcher.send(subscribe5(1, '1/#', { qos: 0 }))
  await watcher.next('suback')
  let id = 0
  const publish = async (payload: string, retain: boolean) => {
    id++
    sender.send(publish5('1/t', payload, { qos: 1, id, retain }))
    await sender.next('puback', id)
  }
  const retained = async () => {
    const late = await client5(t, port)
    late.send(subscribe5(1, '1/#', { qos: 0 }))
    await late.next('suback')
    await settled(late)
    return late.all('publish').map(({ payload, retain }) => `${payload} ${retain}`)
  }
  await publish('first', true)
  await publish('second', true)
  await publish('live', false)
  assert.deepEqual(await retained(), ['second true'])
  await publish('', false)
  assert.deepEqual(await retained(), ['second true'])
  await publish('', true)
  assert.deepEqual(await retained(), [])
  assert.equal((await bus.state()).retained, 0)
  await watcher.next('publish', 5)
  assert.deepEqual(shown(watcher), ['1/t first', '1/t second', '1/t live', '1/t ', '1/t '])
})

test('[MQTT-3.3.2-3] [MQTT-4.7.1-1] [MQTT-4.7.1-2] [MQTT-4.7.2-1] [MQTT-4.7.3-1] wildcards', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await client5(t, port)
  const wrong = ['1/#/a', '1/a#', '#a', '1/+a', 'a+/1', '1/++', '']
  client.send(subscribe5(1, wrong))
  const refused = (await client.next('suback')).granted
  assert.deepEqual(
    refused,
    wrong.map(() => 0x8f)
  )
  const right = ['#', '+', '1/#', '1/+', '+/+', '/+', '1/+/b', '+/a/#']
  for (const [i, filter] of right.entries()) {
    client.send(subscribe5(10 + i, filter, { qos: 0, subscriptionIdentifier: i + 1 }))
  }
  await client.next('suback', 1 + right.length)
  const cases: [topic: string, filters: string[]][] = [
    ['1', ['#', '+', '1/#']],
    ['1/a', ['#', '1/#', '1/+', '+/+', '+/a/#']],
    ['/a', ['#', '+/+', '/+', '+/a/#']],
    ['1/a/b', ['#', '1/#', '1/+/b', '+/a/#']],
    ['1//b', ['#', '1/#', '1/+/b']],
    ['a/', ['#', '+/+']]
  ]
  for (const [i, [topic, filters]] of cases.entries()) {
    await bus.publish(topic, 'x')
    const { properties, topic: received } = await client.next('publish', i + 1)
    assert.equal(received, topic)
    const ids = [properties?.subscriptionIdentifier ?? []].flat().sort((a, b) => a - b)
    assert.deepEqual(
      ids.map((n) => right[n - 1]),
      filters,
      topic
    )
  }
  const before = client.all('publish').length
  for (const topic of ['$SYS/a', '$x']) await bus.publish(topic, 'x')
  await settled(client)
  assert.equal(client.all('publish').length, before)
})

test('[MQTT-4.7.3-3] [MQTT-4.7.3-4] [MQTT-1.5.4-3] topics are compared and passed on as they are', async (t) => {
  const { port } = await startBus(t)
  const client = await client5(t, port)
  const topics = ['1/\ufeffa', '1/a', '1/\u00e9', '1/e\u0301', '1/A', '1/a ', '1/\u{1f600}']
  for (const [i, topic] of topics.entries()) {
    client.send(subscribe5(i + 1, topic, { qos: 0, subscriptionIdentifier: i + 1 }))
  }
  await client.next('suback', topics.length)
  for (const topic of topics) client.send(publish5(topic, 'x'))
  await client.next('publish', topics.length)
  assert.deepEqual(
    client
      .all('publish')
      .map(({ topic, properties }) => [topic, properties?.subscriptionIdentifier]),
    topics.map((topic, i) => [topic, i + 1])
  )
  // The platform takes no topic that is as long as MQTT allows, and says so.
  const long = 'a'.repeat(65_535)
  client.send(publish5(long, 'x', { qos: 1, id: 1 }))
  assert.equal((await client.next('puback')).reasonCode, 0x87)
})

test('[MQTT-3.8.4-1] [MQTT-3.8.4-2] [MQTT-3.8.4-5] [MQTT-3.8.4-7] [MQTT-3.9.2-1] [MQTT-3.9.2-2] [MQTT-3.9.3-2] [MQTT-3.11.2-1] [MQTT-3.11.2-2] [MQTT-2.2.1-6] [MQTT-2.2.2-1] SUBACK and UNSUBACK have no properties', async (t) => {
  const { port, grants } = await startBus(t)
  grants.set('anna', { publish: '#', subscribe: '1/#', receive: '#' })
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    await client.next('connack')
    const raw: Buffer[] = []
    client.socket.on('data', (bytes) => raw.push(bytes))
    // One filter twice counts as two packets: the second replaces the first.
    const filter = (name: string, qos: number) => [lengthed(name), Buffer.from([qos])]
    const filters = [
      ...filter('1/a', 2),
      ...filter('2/a', 1),
      ...filter('1/b', 0),
      ...filter('1/a', 1)
    ]
    client.send(packet(0x82, Buffer.from([0xff, 0xfe, 0]), ...filters))
    assert.equal((await client.next('suback')).messageId, 0xfffe)
    assert.equal(Buffer.concat(raw).toString('hex'), '9007fffe0002870001')
    client.send(publish5('1/a', 'x', { qos: 2, id: 1 }))
    assert.equal((await client.next('publish')).qos, 1)
    raw.length = 0
    client.send(unsubscribe(3, '1/b', '1/c'))
    await client.next('unsuback')
    assert.ok(Buffer.concat(raw).toString('hex').endsWith('b0050003000011'))
  }
})

test('[MQTT-3.8.4-8] [MQTT-3.3.4-2] a message comes with the lower QoS, and with the highest of the filters that match', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    for (const qos of [0, 1, 2] as const) client.send(subscribe5(qos + 1, `1/${qos}`, { qos }))
    client.send(subscribe5(4, '2/#', { qos: 0 }), subscribe5(5, '2/t', { qos: 2 }))
    client.send(subscribe5(6, '2/+', { qos: 1 }))
    await client.next('suback', 6)
    let n = 0
    for (const granted of [0, 1, 2]) {
      for (const sent of [0, 1, 2] as const) {
        await bus.publish(`1/${granted}`, 'x', { qos: sent })
        const { qos } = await client.next('publish', ++n)
        assert.equal(qos, Math.min(granted, sent))
      }
    }
    await bus.publish('2/t', 'x', { qos: 2 })
    assert.equal((await client.next('publish', ++n)).qos, 2)
    await settled(client)
    assert.equal(client.all('publish').length, n, 'one copy')
  }
})

test('[MQTT-3.8.4-4] a filter that is replaced loses no message, and sends the retained ones again', async (t) => {
  const { bus, port } = await startBus(t)
  await bus.publish('1/old', 'old', { retain: true })
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    client.send(subscribe5(1, '1/#', { qos: 1 }))
    await client.next('publish')
    const sending = (async () => {
      for (let i = 0; i < 50; i++) await bus.publish('1/t', String(i), { qos: 1 })
    })()
    for (let i = 0; i < 5; i++) client.send(subscribe5(i + 2, '1/#', { qos: i % 2 === 0 ? 2 : 1 }))
    await sending
    await client.next('suback', 6)
    await eventually(() => {
      const numbers = client.all('publish').filter(({ topic }) => topic === '1/t')
      assert.equal(new Set(numbers.map(({ payload }) => String(payload))).size, 50)
    })
    await eventually(() => assert.ok(shown(client).filter((it) => it === '1/old old').length >= 2))
    client.socket.destroy()
  }
})

test('[MQTT-3.10.4-1] [MQTT-3.10.4-2] [MQTT-3.10.4-3] [MQTT-3.10.4-4] [MQTT-3.10.4-5] [MQTT-3.10.4-6] UNSUBSCRIBE', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    client.send(subscribe5(1, ['1/#', '1/+', '2/t'], { qos: 2 }))
    await client.next('suback')
    await bus.publish('1/t', 'begun', { qos: 2 })
    const { messageId = 0 } = await client.next('publish')
    client.send(unsubscribe(0xfffe, '1/t', '1/+', '1/#', '1/#', '#'))
    const { messageId: answered, granted } = await client.next('unsuback')
    assert.deepEqual([answered, granted], [0xfffe, [0x11, 0, 0, 0x11, 0x11]])
    await bus.publish('1/t', 'after', { qos: 1 })
    await bus.publish('2/t', 'other', { qos: 1 })
    assert.equal(String((await client.next('publish', 2)).payload), 'other')
    client.send({ cmd: 'pubrec', messageId, reasonCode: 0 })
    assert.deepEqual((await client.next('pubrel')).reasonCode, 0)
    client.send({ cmd: 'pubcomp', messageId, reasonCode: 0 })
    client.send(unsubscribe(2, 'nothing'))
    assert.deepEqual((await client.next('unsuback', 2)).granted, [0x11])
  }
})

test('[MQTT-3.14.4-1] [MQTT-3.14.4-2] [MQTT-3.14.2-1] [MQTT-3.14.2-2] DISCONNECT of the broker is the last packet', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await client5(t, port, { properties: { sessionExpiryInterval: 100 } })
  client.send(subscribe5(1, '1/#'))
  await client.next('suback')
  client.send(packet(0xf0), packet(0xc0), publish5('1/t', 'x', { qos: 1, id: 1 }))
  await bus.publish('1/t', 'x', { qos: 1 })
  const { reasonCode, properties } = await client.next('disconnect')
  assert.equal(reasonCode, 0x82)
  assert.equal(properties?.sessionExpiryInterval, undefined)
  await eventually(() => assert.ok(client.isClosed()))
  assert.equal(client.packets.at(-1)?.cmd, 'disconnect')
  assert.equal(client.all('pingresp').length, 0)
})

test('[MQTT-1.5.5-1] lengths have no more bytes than they need', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await client5(t, port)
  client.send(subscribe5(1, '1/#', { qos: 0, subscriptionIdentifier: 127 }))
  client.send(subscribe5(2, '2/#', { qos: 0, subscriptionIdentifier: 128 }))
  await client.next('suback', 2)
  const received: Buffer[] = []
  client.socket.on('data', (bytes) => received.push(bytes))
  // The head of a PUBLISH here: topic 5, properties 3 or 4.
  for (const [topic, bytes] of [
    ['1/t', 119],
    ['1/t', 120],
    ['2/t', 16_374],
    ['2/t', 16_375]
  ] as const) {
    received.length = 0
    const n = client.all('publish').length
    await bus.publish(topic, 'x'.repeat(bytes))
    await client.next('publish', n + 1)
    const all = Buffer.concat(received)
    const lengthBytes = all.indexOf(lengthed(topic)) - 1
    const length = all.length - 1 - lengthBytes
    assert.equal(lengthBytes, length < 128 ? 1 : length < 16_384 ? 2 : 3)
  }
})
