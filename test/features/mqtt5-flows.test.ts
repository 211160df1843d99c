import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Packet } from 'mqtt-packet'
import { unixMs } from '../../src/lib/unix-time.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient, packet, publishPacket, rawClient } from '../support/mqtt.ts'
import { client5, lengthed, puback5, publish5, settled, subscribe5 } from '../support/mqtt5.ts'

const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 1000 } }
const pubrel = (messageId: number) => ({ cmd: 'pubrel' as const, messageId, reasonCode: 0 })
const pubrec = (messageId: number) => ({ cmd: 'pubrec' as const, messageId, reasonCode: 0 })
const pubcomp = (messageId: number) => ({ cmd: 'pubcomp' as const, messageId, reasonCode: 0 })

test('[MQTT-2.2.1-5] [MQTT-3.3.4-1] [MQTT-4.3.2-4] [MQTT-4.3.3-8] [MQTT-4.3.3-11] a PUBLISH gets the answer of its QoS with its packet id', async (t) => {
  const { port, handled } = await startBus(t)
  const client = await client5(t, port)
  client.send(publish5('1/a', '0'), publish5('1/a', '1', { qos: 1, id: 65_535 }))
  client.send(publish5('1/a', '2', { qos: 2, id: 7 }))
  assert.deepEqual((await client.next('puback')).messageId, 65_535)
  assert.deepEqual((await client.next('pubrec')).messageId, 7)
  client.send(pubrel(7))
  const { messageId, reasonCode } = await client.next('pubcomp')
  assert.deepEqual([messageId, reasonCode], [7, 0])
  await settled(client)
  assert.equal(client.packets.length, 5)
  assert.deepEqual(
    handled,
    ['0', '1', '2'].map((n) => `anna 1/a ${n}`)
  )
})

test('[MQTT-4.3.2-5] [MQTT-4.3.3-10] [MQTT-4.3.3-12] which PUBLISH with a packet id of before is a new message', async (t) => {
  const { port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const watcher = await client5(t, port, { username: 'bert' })
    watcher.send(subscribe5(1, '1/#', { qos: 0 }))
    await watcher.next('suback')
    const client = await client5(t, port, {
      clientId: 'one',
      properties: { sessionExpiryInterval }
    })
    await client.next('connack')
    const repeated = { ...publish5('1/a', 'qos 1', { qos: 1, id: 1 }), dup: true } as Packet
    client.send(publish5('1/a', 'qos 1', { qos: 1, id: 1 }))
    await client.next('puback')
    client.send(repeated)
    await client.next('puback', 2)
    const once = publish5('1/a', 'qos 2', { qos: 2, id: 1 })
    const again = { ...once, dup: true } as Packet
    client.send(once, again, again)
    await client.next('pubrec', 3)
    assert.ok(client.all('pubrec').every(({ reasonCode }) => reasonCode === 0))
    client.send(pubrel(1))
    await client.next('pubcomp')
    client.send(again)
    await client.next('pubrec', 4)
    await watcher.next('publish', 4)
    await settled(watcher)
    assert.deepEqual(
      watcher.all('publish').map(({ payload }) => String(payload)),
      ['qos 1', 'qos 1', 'qos 2', 'qos 2']
    )
    watcher.socket.destroy()
    client.socket.destroy()
  }
})

test('[MQTT-2.2.1-2] [MQTT-3.3.1-2] [MQTT-3.3.1-3] [MQTT-4.3.1-1] [MQTT-4.3.2-2] [MQTT-4.3.3-2] DUP of a sender is not passed on', async (t) => {
  const { port } = await startBus(t)
  const properties = { sessionExpiryInterval: 100 }
  const receivers = [await client5(t, port), await client5(t, port, { properties })]
  for (const receiver of receivers) {
    receiver.send(subscribe5(1, '1/#', { qos: 2 }))
    await receiver.next('suback')
  }
  const sender = await rawClient(t, port)
  sender.send(packet(0x10, lengthed('MQTT'), Buffer.from([4, 2, 0, 60]), lengthed('')))
  for (const qos of [0, 1, 2]) {
    sender.send(publishPacket('1/t', 'x', { qos, id: qos, dup: true }))
  }
  for (const receiver of receivers) {
    await receiver.next('publish', 3)
    for (const { dup, qos, messageId } of receiver.all('publish')) {
      assert.equal(dup, false)
      assert.equal(messageId === undefined, qos === 0)
    }
  }
})

test('[MQTT-2.2.1-4] [MQTT-4.3.2-1] [MQTT-4.3.3-1] packet ids of the broker are not 0 and not in use', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { sessionExpiryInterval }
    const client = await client5(t, port, { clientId: 'ids', properties })
    client.send(subscribe5(1, '1/#', { qos: 2 }))
    await client.next('suback')
    // The first message is never acknowledged, so its id stays in use when the others begin again.
    await bus.publish('1/t', 'first', { qos: 1 })
    const first = (await client.next('publish')).messageId ?? 0
    assert.ok(first > 0)
    const used = new Set<number>()
    for (let i = 0; i < 40; i++) {
      await bus.publish('1/t', 'x', { qos: i % 2 === 0 ? 1 : 2 })
      const { messageId = 0, qos } = await client.next('publish', i + 2)
      assert.ok(messageId > 0 && messageId !== first)
      assert.equal(used.has(messageId), false)
      if (qos === 1) client.send(puback5(messageId))
      else used.add(messageId)
    }
    client.socket.destroy()
  }
})

test('[MQTT-3.3.1-1] [MQTT-4.3.2-3] [MQTT-4.3.3-3] [MQTT-4.3.3-5] [MQTT-4.3.3-6] [MQTT-4.4.0-1] what is not acknowledged is repeated, and nothing else', async (t) => {
  const { bus, port } = await startBus(t)
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#', { qos: 2 }))
  await before.next('suback')
  for (const qos of [1, 1, 2, 2, 2] as const) await bus.publish('1/t', `qos ${qos}`, { qos })
  await before.next('publish', 5)
  const ids = before.all('publish').map(({ messageId = 0 }) => messageId)
  // The first is done, the fourth waits for PUBCOMP, the fifth is done.
  before.send(puback5(ids[0] ?? 0), pubrec(ids[3] ?? 0), pubrec(ids[4] ?? 0))
  await before.next('pubrel', 2)
  before.send(pubcomp(ids[4] ?? 0))
  await settled(before)
  assert.equal(before.all('publish').length, 5, 'nothing is repeated on the same connection')
  before.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 0))

  const back = await client5(t, port, kept)
  await back.next('pubrel')
  await settled(back)
  const repeated = back.packets.flatMap<unknown>((sent) =>
    sent.cmd === 'publish'
      ? [[sent.cmd, sent.messageId, sent.dup]]
      : sent.cmd === 'pubrel'
        ? [[sent.cmd, sent.messageId]]
        : []
  )
  assert.deepEqual(repeated, [
    ['publish', ids[1], true],
    ['publish', ids[2], true],
    ['pubrel', ids[3]]
  ])
})

test('[MQTT-4.3.3-7] [MQTT-4.3.3-13] expiry does not stop a delivery or an exchange that has begun', async (t) => {
  let now = unixMs(1_800_000_000_000)
  const { bus, port } = await startBus(t, { clock: () => now })
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#', { qos: 2 }))
  await before.next('suback')
  const sender = await client5(t, port)
  const properties = { messageExpiryInterval: 10 }
  sender.send(publish5('1/t', 'one', { qos: 1, id: 1, properties }))
  sender.send(publish5('1/t', 'two', { qos: 2, id: 2, properties }))
  sender.send(publish5('1/t', 'three', { qos: 2, id: 3, properties }))
  await sender.next('pubrec', 2)
  await before.next('publish', 3)
  const ids = before.all('publish').map(({ messageId = 0 }) => messageId)
  before.send(pubrec(ids[2] ?? 0))
  await before.next('pubrel')
  before.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  now = unixMs(now + 20_000)
  const back = await client5(t, port, kept)
  await back.next('pubrel')
  const repeated = back
    .all('publish')
    .map(({ messageId, dup, properties: left }) => [messageId, dup, left?.messageExpiryInterval])
  assert.deepEqual(repeated, [
    [ids[0], true, 0],
    [ids[1], true, 0]
  ])
  sender.send(pubrel(2), pubrel(3))
  await sender.next('pubcomp', 2)
  assert.ok(sender.all('pubcomp').every(({ reasonCode }) => reasonCode === 0))
})

test('[MQTT-4.4.0-2] a message that the client refuses is not sent again', async (t) => {
  const { bus, port } = await startBus(t)
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#', { qos: 2 }))
  await before.next('suback')
  for (const qos of [1, 2, 1] as const) await bus.publish('1/t', `qos ${qos}`, { qos })
  await before.next('publish', 3)
  const [first, second, third] = before.all('publish').map(({ messageId = 0 }) => messageId)
  before.send({ cmd: 'puback', messageId: first ?? 0, reasonCode: 0x97 })
  before.send({ cmd: 'pubrec', messageId: second ?? 0, reasonCode: 0x83 })
  await settled(before)
  before.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 0))
  const back = await client5(t, port, kept)
  assert.equal((await back.next('publish')).messageId, third)
  await settled(back)
  assert.equal(back.all('publish').length, 1)
})

test('[MQTT-4.1.0-1] [MQTT-4.5.0-1] [MQTT-4.6.0-5] [MQTT-4.6.0-6] a kept session gets every message, in order', async (t) => {
  const { bus, port } = await startBus(t)
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#', { qos: 2 }))
  await before.next('suback')
  const sender = await mqttClient(t, port, { protocolVersion: 5 })
  const send = async (from: number, to: number) => {
    for (let n = from; n < to; n++)
      await sender.publish('1/t', String(n), { qos: n % 2 === 0 ? 1 : 2 })
  }
  await send(0, 10)
  await before.next('publish', 10)
  before.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  await send(10, 30)
  const back = await client5(t, port, kept)
  await send(30, 40)
  await back.next('publish', 40)
  for (const qos of [1, 2]) {
    const numbers = back
      .all('publish')
      .filter((sent) => sent.qos === qos)
      .map(({ payload }) => Number(payload))
    assert.deepEqual(
      numbers,
      Array.from({ length: 20 }, (_, i) => 2 * i + qos - 1)
    )
  }
})

test('[MQTT-3.3.4-10] [MQTT-4.9.0-1] [MQTT-4.9.0-2] [MQTT-4.9.0-3] a client that acknowledges nothing is still answered', async (t) => {
  const { bus, port } = await startBus(t)
  for (const sessionExpiryInterval of [0, 100]) {
    const properties = { receiveMaximum: 1, sessionExpiryInterval }
    const client = await client5(t, port, { clientId: 'quota', properties })
    client.send(subscribe5(1, '1/#', { qos: 2 }))
    await client.next('suback')
    for (let i = 0; i < 3; i++) await bus.publish('1/t', String(i), { qos: 2 })
    const { messageId = 0 } = await client.next('publish')
    client.send(publish5('2/t', 'x', { qos: 1, id: 1 }), publish5('2/t', 'x', { qos: 2, id: 2 }))
    client.send(pubrel(2), subscribe5(3, '3/#'))
    client.send({ cmd: 'unsubscribe', messageId: 4, unsubscriptions: ['3/#'] })
    for (const answer of ['puback', 'pubrec', 'pubcomp', 'unsuback'] as const)
      await client.next(answer)
    client.send(pubrec(messageId))
    await client.next('pubrel')
    await settled(client)
    assert.equal(client.all('publish').length, 1, 'PUBREC alone is no room')
    client.send(pubcomp(messageId))
    assert.equal(String((await client.next('publish', 2)).payload), '1')
    client.socket.destroy()
  }
})

test('[MQTT-3.4.2-1] [MQTT-3.4.2-2] [MQTT-3.4.2-3] [MQTT-3.5.2-1] [MQTT-3.5.2-2] [MQTT-3.5.2-3] [MQTT-3.7.2-1] [MQTT-3.7.2-2] [MQTT-3.7.2-3] acknowledgements have codes of their kind, and texts only if they fit', async (t) => {
  const { port, grants } = await startBus(t, {
    handle: (message) => {
      message.notStored = 'not json'
      return Promise.resolve()
    }
  })
  grants.set('anna', { publish: '1/#', subscribe: '#', receive: '#' })
  for (const maximumPacketSize of [20, 1000]) {
    const client = await client5(t, port, { clientId: 'one', properties: { maximumPacketSize } })
    client.send(publish5('1/t', 'x', { qos: 1, id: 1 }), publish5('1/t', 'x', { qos: 2, id: 2 }))
    client.send(publish5('2/t', 'x', { qos: 1, id: 3 }), publish5('2/t', 'x', { qos: 2, id: 4 }))
    client.send(pubrel(2), pubrel(99))
    await client.next('pubcomp', 2)
    const codes = (cmd: 'puback' | 'pubrec' | 'pubcomp') =>
      client.all(cmd).map(({ reasonCode }) => reasonCode)
    assert.deepEqual(
      [codes('puback'), codes('pubrec'), codes('pubcomp')],
      [
        [0, 0x87],
        [0, 0x87],
        [0, 0x92]
      ]
    )
    for (const { properties } of [...client.all('puback'), ...client.all('pubrec')]) {
      assert.equal(properties?.reasonString !== undefined, maximumPacketSize === 1000)
      if (maximumPacketSize === 20) assert.equal(properties?.userProperties, undefined)
    }
    assert.ok(client.all('pubcomp').every(({ properties }) => !properties))
  }
})

test('[MQTT-3.6.2-1] [MQTT-3.6.2-2] [MQTT-3.6.2-3] PUBREL of the broker has no properties', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await client5(t, port)
  client.send(subscribe5(1, '1/#', { qos: 2 }))
  await client.next('suback')
  await bus.publish('1/t', 'x', { qos: 2 })
  const { messageId = 0 } = await client.next('publish')
  client.send(pubrec(messageId), pubrec(messageId), pubrec(999))
  await client.next('pubrel', 3)
  const told = client.all('pubrel').map(({ reasonCode, properties }) => [reasonCode, properties])
  assert.deepEqual(told, [
    [0, undefined],
    [0, undefined],
    [0x92, undefined]
  ])
})
