import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBus } from '../support/bus.ts'
import { client5, publish5, settled, subscribe5 } from '../support/mqtt5.ts'

test('[MQTT-3.9.3-1] [MQTT-3.8.4-6] SUBACK has a reason for each filter', async (t) => {
  const { port, grants } = await startBus(t, { limits: { filtersPerSubscribe: 6 } })
  grants.set('anna', { publish: '#', subscribe: '1/#', receive: '#' })
  const client = await client5(t, port)
  const long = 'a/'.repeat(100)
  client.send(subscribe5(1, ['1/a', '2/a', '1/#/a', '1/a', long, '$SYS/#', '1/c'], { qos: 2 }))
  const { granted } = await client.next('suback')
  assert.deepEqual(granted, [2, 0x87, 0x8f, 2, 0x8f, 0x87, 0x97])
})

test('[MQTT-3.11.3-1] [MQTT-3.11.3-2] UNSUBACK has a reason for each filter', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    client.send(subscribe5(1, ['1/a', '1/b']))
    await client.next('suback')
    client.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['1/a', '1/x', '1/b'] })
    assert.deepEqual((await client.next('unsuback')).granted, [0, 0x11, 0])
    await bus.publish('1/a', 'x', { qos: 1 })
    await settled(client)
    assert.equal(client.all('publish').length, 0)
  }
})

test('[MQTT-3.8.3-3] no local: a client does not get its own messages', async (t) => {
  const { port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    const other = await client5(t, port)
    client.send(subscribe5(1, '1/#', { nl: true, qos: 2 }), subscribe5(2, '2/#', { qos: 2 }))
    client.send(subscribe5(3, '2/+', { nl: true, qos: 2, subscriptionIdentifier: 7 }))
    await client.next('suback', 3)
    client.send(
      publish5('1/t', 'own', { qos: 1, id: 1 }),
      publish5('2/t', 'own', { qos: 1, id: 2 })
    )
    await client.next('puback', 2)
    other.send(
      publish5('1/t', 'other', { qos: 1, id: 1 }),
      publish5('2/t', 'other', { qos: 1, id: 2 })
    )
    await client.next('publish', 3)
    await settled(client)
    const shown = client
      .all('publish')
      .map(({ topic, payload, properties }) => [
        topic,
        String(payload),
        properties?.subscriptionIdentifier
      ])
    // The filter with no local does not count for a message of its own client.
    assert.deepEqual(shown, [
      ['2/t', 'own', undefined],
      ['1/t', 'other', undefined],
      ['2/t', 'other', 7]
    ])
    client.socket.destroy()
  }
})

test('[MQTT-3.3.1-12] [MQTT-3.3.1-13] retain as published', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    client.send(subscribe5(1, '1/a', { rap: true }), subscribe5(2, '1/b', { rap: false }))
    await client.next('suback', 2)
    for (const topic of ['1/a', '1/b']) {
      await bus.publish(topic, '', { qos: 1, retain: true })
      await bus.publish(topic, 'x', { qos: 1 })
    }
    await client.next('publish', 4)
    const shown = client.all('publish').map(({ topic, retain }) => [topic, retain])
    assert.deepEqual(shown, [
      ['1/a', true],
      ['1/a', false],
      ['1/b', false],
      ['1/b', false]
    ])
  }
})

test('[MQTT-3.3.1-9] [MQTT-3.3.1-10] [MQTT-3.3.1-11] retain handling', async (t) => {
  const { bus, port } = await startBus(t)
  await bus.publish('1/a', 'x', { retain: true })
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    const countAfter = async (id: number, filter: string, rh: number) => {
      client.send(subscribe5(id, filter, { rh }))
      await client.next('suback', id)
      await settled(client)
      return client.all('publish').length
    }
    assert.equal(await countAfter(1, '1/a', 0), 1)
    assert.equal(await countAfter(2, '1/a', 0), 2)
    assert.equal(await countAfter(3, '1/a', 1), 2)
    assert.equal(await countAfter(4, '1/+', 1), 3)
    assert.equal(await countAfter(5, '1/+', 1), 3)
    assert.equal(await countAfter(6, '1/#', 2), 3)
    assert.ok(client.all('publish').every(({ retain }) => retain))
  }
})

test('[MQTT-3.3.4-3] [MQTT-3.3.4-4] [MQTT-3.8.4-3] a message has the identifiers of all filters that match', async (t) => {
  const { bus, port } = await startBus(t)
  await bus.publish('1/old', 'x', { retain: true })
  for (const sessionExpiryInterval of [0, 100]) {
    const client = await client5(t, port, { properties: { sessionExpiryInterval } })
    client.send(subscribe5(1, ['1/t', '2/t'], { subscriptionIdentifier: 1 }))
    client.send(subscribe5(2, '+/t', { subscriptionIdentifier: 268_435_455 }))
    client.send(subscribe5(3, '#'), subscribe5(4, '1/old', { subscriptionIdentifier: 5 }))
    await client.next('suback', 4)
    await settled(client)
    const old = client.all('publish').map(({ properties }) => properties?.subscriptionIdentifier)
    assert.ok(old.includes(5), 'also for a retained message')
    const before = client.all('publish').length
    for (const qos of [0, 1] as const) await bus.publish('1/t', 'x', { qos })
    await client.next('publish', before + 2)
    const shown = client.all('publish').slice(before)
    for (const { properties } of shown) {
      const ids = [properties?.subscriptionIdentifier].flat()
      assert.deepEqual(ids.sort(), [1, 268_435_455])
    }
    // A new SUBSCRIBE replaces the identifier.
    client.send(subscribe5(5, '1/t'), subscribe5(6, '+/t', { subscriptionIdentifier: 9 }))
    await client.next('suback', 6)
    const count = client.all('publish').length
    await bus.publish('1/t', 'x')
    const { properties } = await client.next('publish', count + 1)
    assert.equal(properties?.subscriptionIdentifier, 9)
  }
})
