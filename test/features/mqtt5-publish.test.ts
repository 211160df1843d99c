import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient, packet } from '../support/mqtt.ts'
import { type Client5, client5, puback5, publish5, subscribe5 } from '../support/mqtt5.ts'

const text = (value: string): Buffer =>
  Buffer.concat([Buffer.from([value.length >> 8, value.length & 255]), Buffer.from(value)])

/** User properties with a name twice, which mqtt-packet cannot write in this order. */
const passed = Buffer.concat([
  Buffer.from([0x01, 1, 0x03]),
  text('text/plain'),
  Buffer.from([0x08]),
  text('1/answer'),
  Buffer.from([0x09]),
  text('\x01\x02'),
  ...['a=1', 'b=2', 'a=3', '=', 'a=1'].map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return Buffer.concat([Buffer.from([0x26]), text(name), text(value)])
  })
])

function publishWith(properties: Buffer, { qos, id }: { qos: number; id: number }): Buffer {
  const number = qos > 0 ? [Buffer.from([id >> 8, id & 255])] : []
  const length = Buffer.from([properties.length])
  return packet(0x30 | (qos << 1), text('1/t'), ...number, length, properties, Buffer.from('x'))
}

const bytesOf = (client: Client5): { hex: () => string } => {
  const chunks: Buffer[] = []
  client.socket.on('data', (chunk) => chunks.push(chunk))
  return { hex: () => Buffer.concat(chunks).toString('hex') }
}

test('[MQTT-3.3.2-4] [MQTT-3.3.2-15] [MQTT-3.3.2-16] [MQTT-3.3.2-17] [MQTT-3.3.2-18] [MQTT-3.3.2-20] properties reach live receivers unaltered and in order', async (t) => {
  const { port } = await startBus(t)
  const receiver = await client5(t, port)
  receiver.send(subscribe5(1, '1/#', { qos: 2 }))
  await receiver.next('suback')
  const old = await mqttClient(t, port)
  await old.subscribe('1/#')
  const received = bytesOf(receiver)
  const sender = await client5(t, port)
  for (const qos of [0, 1, 2]) {
    sender.send(publishWith(passed, { qos, id: qos }))
    const expected = passed.toString('hex')
    await eventually(() => assert.equal(received.hex().split(expected).length - 1, qos + 1))
  }
  await eventually(() =>
    assert.deepEqual(old.payloads(), ['x', 'x', 'x'], 'MQTT 3 gets no properties')
  )
})

test('[MQTT-3.3.2-5] [MQTT-3.3.2-6] a message expires, and its receivers are told how long it has left', async (t) => {
  let now = unixMs(1_800_000_000_000)
  const { port } = await startBus(t, { clock: () => now })
  const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 1000 } }
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#'))
  await before.next('suback')
  before.send({ cmd: 'disconnect', reasonCode: 0 })
  await eventually(() => assert.ok(before.isClosed()))

  const sender = await client5(t, port)
  const sending = [10, 60, undefined].map((messageExpiryInterval, i) => {
    const properties = messageExpiryInterval === undefined ? {} : { messageExpiryInterval }
    return publish5(`1/${i}`, 'x', { qos: 1, id: i + 1, retain: true, properties })
  })
  sender.send(...sending)
  await sender.next('puback', 3)
  now = unixMs(now + 20_500)

  const back = await client5(t, port, kept)
  await back.next('publish', 2)
  const late = await client5(t, port)
  late.send(subscribe5(1, '1/#', { qos: 0 }))
  await late.next('publish', 2)
  for (const client of [back, late]) {
    client.send(packet(0xc0))
    await client.next('pingresp')
    const shown = client
      .all('publish')
      .map(({ topic, properties }) => [topic, properties?.messageExpiryInterval])
    assert.deepEqual(shown.sort(), [
      ['1/1', 40],
      ['1/2', undefined]
    ])
  }
})

test('[MQTT-3.3.4-9] the broker sends no more than the receive maximum of the client', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { receiveMaximum: 2, sessionExpiryInterval }
    const client = await client5(t, port, { clientId: `c${sessionExpiryInterval}`, properties })
    client.send(subscribe5(1, '1/#', { qos: 2 }))
    await client.next('suback')
    for (let i = 0; i < 6; i++) await bus.publish('1/t', String(i), { qos: 1 })
    const first = await client.next('publish', 2)
    client.send(packet(0xc0))
    await client.next('pingresp')
    assert.equal(client.all('publish').length, 2)
    // QoS 0 is not counted.
    await bus.publish('1/t', 'now', { qos: 0 })
    await client.next('publish', 3)
    client.send(puback5(client.all('publish')[0]?.messageId ?? 0))
    await eventually(() => assert.equal(client.all('publish').length, 4))
    client.send(puback5(first.messageId ?? 0))
    for (let n = 4; n < 7; n++) {
      const { messageId = 0 } = await client.next('publish', n)
      client.send(puback5(messageId))
    }
    const { messageId = 0 } = await client.next('publish', 7)
    client.send(puback5(messageId))
    const payloads = client.all('publish').map(({ payload }) => String(payload))
    assert.deepEqual(
      payloads.filter((payload) => payload !== 'now'),
      ['0', '1', '2', '3', '4', '5']
    )
    // Retained messages are counted too.
    client.socket.destroy()
  }
  for (let i = 0; i < 3; i++) await bus.publish(`2/${i}`, 'x', { qos: 1, retain: true })
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { receiveMaximum: 2, sessionExpiryInterval }
    const client = await client5(t, port, { clientId: `r${sessionExpiryInterval}`, properties })
    client.send(subscribe5(1, '2/#'))
    const { messageId = 0 } = await client.next('publish', 2)
    client.send(packet(0xc0))
    await client.next('pingresp')
    assert.equal(client.all('publish').length, 2)
    client.send(puback5(messageId))
    await client.next('publish', 3)
  }
})

test('[MQTT-3.3.4-7] a client that sends more than the receive maximum of the broker loses its connection', async (t) => {
  const { port } = await startBus(t, { handle: () => new Promise(() => {}) })
  for (const qos of [1, 2] as const) {
    const client = await client5(t, port)
    await client.next('connack')
    for (let id = 1; id <= 1001; id++) client.send(publish5('1/t', 'x', { qos, id }))
    assert.equal((await client.next('disconnect')).reasonCode, 0x93)
  }
})

test('[MQTT-3.3.2-7] [MQTT-3.3.2-12] topic aliases of the client belong to its connection', async (t) => {
  const { port, handled } = await startBus(t)
  const kept = { clientId: 'one', clean: false, properties: { sessionExpiryInterval: 100 } }
  const client = await client5(t, port, kept)
  const alias = (topic: string, payload: string, topicAlias: number, id: number) =>
    publish5(topic, payload, { qos: 1, id, properties: { topicAlias } })
  client.send(alias('1/a', '1', 1, 1), alias('1/b', '2', 32, 2), alias('', '3', 1, 3))
  client.send(alias('1/c', '4', 1, 4), alias('', '5', 1, 5), alias('', '6', 32, 6))
  await client.next('puback', 6)
  assert.deepEqual(
    handled,
    ['1/a 1', '1/b 2', '1/a 3', '1/c 4', '1/c 5', '1/b 6'].map((it) => `anna ${it}`)
  )
  client.socket.destroy()
  const back = await client5(t, port, kept)
  back.send(alias('', '7', 1, 7))
  assert.equal((await back.next('disconnect')).reasonCode, 0x82)
})

test('[MQTT-3.1.2-26] [MQTT-3.1.2-27] [MQTT-3.3.2-11] the broker uses topic aliases if the client allows them', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await client5(t, port, { properties: { topicAliasMaximum: 2 } })
  const plain = await client5(t, port)
  for (const { send, next } of [client, plain]) {
    send(subscribe5(1, '1/#'))
    await next('suback')
  }
  for (const topic of ['1/a', '1/a', '1/b', '1/c', '1/a', '1/c']) await bus.publish(topic, 'x')
  await client.next('publish', 6)
  await plain.next('publish', 6)
  const shown = client
    .all('publish')
    .map(({ topic, properties }) => [topic, properties?.topicAlias])
  assert.deepEqual(shown, [
    ['1/a', 1],
    ['', 1],
    ['1/b', 2],
    ['1/c', undefined],
    ['', 1],
    ['1/c', undefined]
  ])
  assert.ok(plain.all('publish').every(({ properties }) => properties?.topicAlias === undefined))
})

test('[MQTT-3.1.2-24] [MQTT-3.1.2-25] a packet that is too large for the client is not sent, and counts as sent', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { maximumPacketSize: 100, receiveMaximum: 1, sessionExpiryInterval }
    const client = await client5(t, port, { clientId: `c${sessionExpiryInterval}`, properties })
    client.send(subscribe5(1, '1/#'))
    await client.next('suback')
    await bus.publish('1/t', 'x'.repeat(100), { qos: 1 })
    await bus.publish('1/t', 'small', { qos: 1 })
    assert.equal(String((await client.next('publish')).payload), 'small')
    client.socket.destroy()
  }
  assert.equal(bus.counts.dropped['too large'], 2)
})

test('[MQTT-4.3.3-9] a message that is dropped or not stored is told to its sender', async (t) => {
  const { port, grants, handled } = await startBus(t, {
    handle: (message) => {
      if (String(message.payload) === 'bad') message.notStored = 'not json'
      return Promise.resolve()
    }
  })
  grants.set('anna', { publish: '1/#', subscribe: '#', receive: '#' })
  const receiver = await client5(t, port, { username: 'bert' })
  receiver.send(subscribe5(1, '#', { qos: 0 }))
  const client = await client5(t, port)
  client.send(publish5('2/t', 'x', { qos: 1, id: 1 }), publish5('2/t', 'x', { qos: 2, id: 2 }))
  const refused = [await client.next('puback'), await client.next('pubrec')]
  for (const { reasonCode, properties } of refused) {
    assert.deepEqual([reasonCode, properties?.reasonString], [0x87, 'forbidden topic'])
  }
  // The id is free again after an error.
  client.send(publish5('1/t', 'good', { qos: 2, id: 2 }))
  const good = await client.next('pubrec', 2)
  assert.deepEqual([good.reasonCode, good.properties], [0, undefined])
  client.send({ cmd: 'pubrel', messageId: 2, reasonCode: 0 })
  assert.equal((await client.next('pubcomp')).reasonCode, 0)
  client.send({ cmd: 'pubrel', messageId: 99, reasonCode: 0 })
  assert.equal((await client.next('pubcomp', 2)).reasonCode, 0x92)

  client.send(publish5('1/t', 'bad', { qos: 1, id: 3 }))
  const { reasonCode, properties } = await client.next('puback', 2)
  assert.deepEqual(
    [reasonCode, properties?.reasonString, { ...properties?.userProperties }],
    [0, 'not json', { stored: 'no' }]
  )
  await receiver.next('publish', 2)
  assert.deepEqual(handled, ['anna 1/t good', 'anna 1/t bad'])
})

test('[MQTT-4.3.3-4] PUBREC with an error ends the delivery, and no PUBREL follows', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { receiveMaximum: 1, sessionExpiryInterval }
    const client = await client5(t, port, { clientId: `c${sessionExpiryInterval}`, properties })
    client.send(subscribe5(1, '1/#', { qos: 2 }))
    await client.next('suback')
    await bus.publish('1/t', 'a', { qos: 2 })
    await bus.publish('1/t', 'b', { qos: 2 })
    const { messageId = 0 } = await client.next('publish')
    client.send({ cmd: 'pubrec', messageId, reasonCode: 0x80 })
    const second = await client.next('publish', 2)
    assert.equal(String(second.payload), 'b')
    assert.equal(client.all('pubrel').length, 0)
    client.send({ cmd: 'pubrec', messageId: second.messageId ?? 0, reasonCode: 0 })
    assert.equal((await client.next('pubrel')).reasonCode, 0)
    client.send({ cmd: 'pubrec', messageId: 999, reasonCode: 0 })
    assert.equal((await client.next('pubrel', 2)).reasonCode, 0x92)
    client.socket.destroy()
  }
})
