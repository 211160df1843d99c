import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { unixMs } from '../../src/lib/unix-time.ts'
import { everything, startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import {
  connectPacket,
  mqttClient,
  packet,
  publishPacket,
  pubrelPacket,
  rawClient,
  subscribePacket
} from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { slow } from '../support/rounds.ts'

const codeOf = (code: number) => (error: Error & { code?: number }) => error.code === code
const rejection = (promise: Promise<unknown>, code: number) => assert.rejects(promise, codeOf(code))

test('PUBLISH is received at the lower of the sent and the granted QoS', async (t) => {
  const { port, handled } = await startBus(t)
  const sender = await mqttClient(t, port, { username: 'anna' })
  const receivers = []
  for (const granted of [0, 1, 2] as const) {
    const receiver = await mqttClient(t, port, { username: 'bert' })
    assert.deepEqual(await receiver.subscribe('1/#', granted), [granted])
    receivers.push(receiver)
  }

  for (const qos of [0, 1, 2] as const) await sender.publish('1/obj/t', `sent ${qos}`, { qos })

  for (const [granted, receiver] of receivers.entries()) {
    await eventually(() => assert.equal(receiver.messages.length, 3))
    const qosOf = new Map(receiver.messages.map(({ payload, qos }) => [payload, qos]))
    for (const sent of [0, 1, 2]) assert.equal(qosOf.get(`sent ${sent}`), Math.min(sent, granted))
  }
  assert.deepEqual(handled, ['anna 1/obj/t sent 0', 'anna 1/obj/t sent 1', 'anna 1/obj/t sent 2'])
})

test('PUBLISH of the platform itself goes to subscribers, not to the handler', async (t) => {
  const { bus, port, handled } = await startBus(t)
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('1/#')

  await bus.publish('1/evt/a', 'a')
  await bus.publish('1/evt/b', 'b', { qos: 1, retain: true })
  const late = await mqttClient(t, port)
  await late.subscribe('1/#')

  await eventually(() => assert.deepEqual(receiver.payloads().sort(), ['a', 'b']))
  await eventually(() =>
    assert.deepEqual(late.messages, [{ topic: '1/evt/b', payload: 'b', qos: 1, retain: true }])
  )
  assert.deepEqual(handled, [])
  await assert.rejects(bus.publish('1/#', 'x'))
})

test('PUBLISH of many messages with different QoS, and none is taken for a duplicate', async (t) => {
  const { bus, port } = await startBus(t)
  const receiver = await mqttClient(t, port)
  await receiver.subscribe(['1/#', '1/+', '1/t', '+/t'])
  const sent = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))
  await Promise.all(
    sent.map((n, i) =>
      bus.publish('1/t', n, { qos: i % 3 === 0 ? 1 : i % 3 === 1 ? 2 : 0, retain: i % 5 === 0 })
    )
  )
  await eventually(() => assert.deepEqual(receiver.payloads().sort(), sent))
})

test('PUBLISH to a kept session with overlapping filters comes once, and again until it is acknowledged', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await rawClient(t, port)
  const kept = connectPacket({ id: 'kept', clean: false })
  client.send(kept, subscribePacket(1, '1/#'), subscribePacket(2, '1/+'), subscribePacket(3, '1/t'))
  await eventually(() => assert.match(client.hex(), /9003000301$/))
  for (const payload of ['a', 'b', 'c']) await bus.publish('1/t', payload, { qos: 1 })
  await eventually(() => assert.equal(client.hex().split('312f74').length - 1, 3))
  client.socket.destroy()

  const back = await mqttClient(t, port, { clientId: 'kept', clean: false, username: 'anna' })
  await eventually(() => assert.deepEqual(back.payloads(), ['a', 'b', 'c']))
})

test(
  'PUBLISH while a kept session comes back: everything comes once and in order',
  slow,
  async (t) => {
    const { bus, port } = await startBus(t)
    const kept = { clientId: 'kept', clean: false }
    const before = await mqttClient(t, port, kept)
    await before.subscribe('1/#')
    await before.mqtt.endAsync()
    let sent = 0
    const send = () => bus.publish('1/t', String(sent++), { qos: 1 })
    for (let i = 0; i < 2000; i++) await send()
    let isBack = false
    const sending = (async () => {
      for (let more = 200; more > 0; more -= isBack ? 1 : 0) {
        await send()
        await new Promise(setImmediate)
      }
    })()
    const after = await mqttClient(t, port, kept)
    isBack = true
    await sending
    await eventually(() => assert.equal(after.messages.length, sent))
    assert.deepEqual(
      after.payloads(),
      Array.from({ length: sent }, (_, i) => String(i))
    )
  }
)

test('A retained message is kept until an empty one is published', async (t) => {
  const { port } = await startBus(t)
  const sender = await mqttClient(t, port)
  await sender.publish('1/a', 'kept', { qos: 1, retain: true })
  await sender.publish('1/b', 'gone', { qos: 1, retain: true })
  await sender.publish('1/b', '', { qos: 1, retain: true })

  const receiver = await mqttClient(t, port)
  await receiver.subscribe('1/+', 0)
  await sender.publish('1/c', 'live', { qos: 1, retain: true })

  await eventually(() =>
    assert.deepEqual(receiver.messages, [
      { topic: '1/a', payload: 'kept', qos: 0, retain: true },
      { topic: '1/c', payload: 'live', qos: 0, retain: false }
    ])
  )
})

test('CONNECT with a kept session delivers the messages of the meantime in order', async (t) => {
  const { port } = await startBus(t)
  const kept = { clientId: 'kept', clean: false, username: 'bert' }
  const before = await mqttClient(t, port, kept)
  assert.equal(before.sessionPresent, false)
  await before.subscribe('1/#', 1)
  await before.mqtt.endAsync()

  const sender = await mqttClient(t, port)
  const sent = Array.from({ length: 200 }, (_, i) => String(i))
  await Promise.all(sent.map((n) => sender.publish('1/t', n, { qos: 1, retain: true })))
  await sender.publish('1/t', 'qos 0', { qos: 0 })

  const after = await mqttClient(t, port, kept)
  assert.equal(after.sessionPresent, true)
  await eventually(() => assert.deepEqual(after.payloads(), sent))
  assert.ok(after.messages.every(({ qos, retain }) => qos === 1 && !retain))
  await sender.publish('1/t', 'live', { qos: 1 })
  await eventually(() => assert.equal(after.payloads().at(-1), 'live'))
  await after.mqtt.endAsync()

  const again = await mqttClient(t, port, kept)
  await sender.publish('1/t', 'only this', { qos: 1 })
  await eventually(() => assert.deepEqual(again.payloads(), ['only this']))
  await again.mqtt.endAsync()

  const clean = await mqttClient(t, port, { ...kept, clean: true })
  assert.equal(clean.sessionPresent, false)
  await clean.mqtt.endAsync()
  await sender.publish('1/t', 'for nobody', { qos: 1 })
  assert.equal((await mqttClient(t, port, kept)).sessionPresent, false)
})

test('PUBLISH at QoS 2 to a kept session comes once if the connection ends before PUBREC or PUBCOMP', async (t) => {
  const { port } = await startBus(t)
  const kept = connectPacket({ id: 'kept', clean: false })
  const first = await rawClient(t, port)
  first.send(kept, subscribePacket(1, '1/#', 2))
  await eventually(() => assert.match(first.hex(), /9003000102$/))
  const sender = await mqttClient(t, port)
  await sender.publish('1/t', 'x', { qos: 2 })
  await eventually(() => assert.match(first.hex(), /34080003312f74....78$/))
  const id = first.hex().slice(-6, -2)
  first.socket.destroy()

  const second = await rawClient(t, port)
  second.send(kept)
  await eventually(() => assert.ok(second.hex().endsWith(`3c080003312f74${id}78`), second.hex()))
  second.send(Buffer.from(`5002${id}`, 'hex'))
  await eventually(() => assert.ok(second.hex().endsWith(`6202${id}`)))
  second.socket.destroy()

  const third = await rawClient(t, port)
  third.send(kept)
  await eventually(() => assert.equal(third.hex(), `200201006202${id}`))
  third.send(Buffer.from(`7002${id}`, 'hex'), packet(0xc0))
  await eventually(() => assert.ok(third.hex().endsWith('d000')))
  third.socket.destroy()

  const fourth = await rawClient(t, port)
  fourth.send(kept, packet(0xc0))
  await eventually(() => assert.equal(fourth.hex(), '20020100d000'))
})

test('CONNECT with MQTT 3.1 works like 3.1.1', async (t) => {
  const { port, handled } = await startBus(t)
  const old = await mqttClient(t, port, {
    protocolId: 'MQIsdp',
    protocolVersion: 3,
    username: 'anna'
  })
  await old.subscribe('1/#')
  await old.publish('1/obj/t', 'x', { qos: 2 })

  await eventually(() => assert.deepEqual(old.payloads(), ['x']))
  assert.deepEqual(handled, ['anna 1/obj/t x'])
})

test('PUBLISH at QoS 1 and 2 is acknowledged in order, after the handler is done', async (t) => {
  const waiting: Array<() => void> = []
  const { port, handled } = await startBus(t, {
    handle: () => new Promise((resolve) => waiting.push(resolve))
  })
  const client = await rawClient(t, port)
  client.send(connectPacket({}))
  await eventually(() => assert.equal(client.hex(), '20020000'))
  client.send(
    publishPacket('a', '1', { qos: 1, id: 1 }),
    publishPacket('b', '2', { qos: 2, id: 2 }),
    publishPacket('c', '3', { qos: 1, id: 3 })
  )

  await eventually(() => assert.deepEqual(handled, ['anna a 1', 'anna b 2', 'anna c 3']))
  waiting[2]?.()
  waiting[1]?.()
  const other = await mqttClient(t, port)
  await other.subscribe('#')
  assert.equal(client.hex(), '20020000')

  waiting[0]?.()
  await eventually(() => assert.equal(client.hex().length, '20020000'.length * 4))
  const acks = client.hex().slice('20020000'.length)
  assert.ok(acks.includes('50020002'))
  assert.ok(acks.indexOf('40020001') < acks.indexOf('40020003'))
  await eventually(() => assert.deepEqual(other.payloads().sort(), ['1', '2', '3']))
})

test('PUBLISH that the handler rejects is not acknowledged, and the connection is closed', async (t) => {
  let isDown = true
  const { port, handled } = await startBus(t, {
    handle: () => (isDown ? Promise.reject(new Error('disk full')) : Promise.resolve())
  })
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#')
  for (const qos of [1, 2]) {
    const kept = connectPacket({ id: `kept ${qos}`, clean: false })
    isDown = true
    const client = await rawClient(t, port)
    const twice = publishPacket('a', `${qos}`, { qos, id: 7 })
    client.send(kept, twice, twice)
    await eventually(() => assert.ok(client.isClosed()))
    assert.equal(client.hex(), '20020000')
    assert.deepEqual(receiver.payloads(), [])

    isDown = false
    const back = await rawClient(t, port)
    back.send(kept, publishPacket('a', `${qos}`, { qos, id: 7, dup: true }))
    await eventually(() => assert.equal(back.hex(), `20020100${qos === 1 ? '40' : '50'}020007`))
    await eventually(() => assert.deepEqual(receiver.payloads(), [`${qos}`]))
    receiver.messages.length = 0
  }
  assert.ok(handled.length >= 4)
})

test('PUBLISH at QoS 1 by a client that disconnects meanwhile is stored and delivered', async (t) => {
  const waiting: Array<() => void> = []
  const { port, handled } = await startBus(t, {
    handle: () => new Promise((resolve) => waiting.push(resolve))
  })
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#')
  const client = await rawClient(t, port)
  client.send(
    connectPacket({}),
    publishPacket('a', '0'),
    publishPacket('a', '1', { qos: 1, id: 1 }),
    publishPacket('a', '2', { qos: 2, id: 2 }),
    packet(0xe0)
  )
  await eventually(() => assert.ok(client.isClosed()))
  assert.equal(handled.length, 3)

  for (const resolve of waiting) resolve()
  await eventually(() => assert.deepEqual(receiver.payloads(), ['0', '1', '2']))
})

test('PUBLISH at QoS 2 that is repeated before PUBREL is handled and delivered once', async (t) => {
  const { port, handled } = await startBus(t)
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#', 2)
  const kept = connectPacket({ id: 'kept', clean: false })
  const message = publishPacket('a', 'x', { qos: 2, id: 5 })
  const again = publishPacket('a', 'x', { qos: 2, id: 5, dup: true })
  const client = await rawClient(t, port)
  client.send(kept)
  await eventually(() => assert.equal(client.hex(), '20020000'))

  client.send(message, again, again)
  await eventually(() => assert.equal(client.hex(), '20020000500200055002000550020005'))
  client.send(again)
  await eventually(() => assert.match(client.hex(), /(50020005){4}$/))
  client.socket.destroy()
  const back = await rawClient(t, port)
  back.send(kept, again, pubrelPacket(5))
  await eventually(() => assert.equal(back.hex(), '200201005002000570020005'))
  assert.deepEqual(handled, ['anna a x'])

  back.send(message)
  await eventually(() => assert.deepEqual(receiver.payloads(), ['x', 'x']))
  assert.equal(handled.length, 2)
})

test('PUBLISH packets sent together with CONNECT are handled in order of arrival', async (t) => {
  const { port, handled } = await startBus(t)
  const client = await rawClient(t, port)
  const numbered = (from: number) =>
    Array.from({ length: 500 }, (_, i) => publishPacket('a', String(from + i)))
  client.send(connectPacket({}), ...numbered(0))
  client.send(...numbered(500))
  await eventually(() => assert.equal(handled.length, 1000))
  client.send(...numbered(1000))

  await eventually(() => assert.equal(handled.length, 1500))
  assert.deepEqual(
    handled,
    Array.from({ length: 1500 }, (_, i) => `anna a ${i}`)
  )
})

test('PUBLISH on a topic that the sender may not use is acknowledged and dropped', async (t) => {
  const { bus, port, grants, handled, refused } = await startBus(t)
  grants.set('anna', { ...everything, publish: '1/#' })
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#')
  const kept = { clientId: 'kept', clean: false }
  const offline = await mqttClient(t, port, kept)
  await offline.subscribe('#')
  await offline.mqtt.endAsync()

  const sender = await mqttClient(t, port, { username: 'anna' })
  for (const qos of [0, 1, 2] as const) {
    await sender.publish('2/t', `no ${qos}`, { qos, retain: true })
    await sender.publish('$SYS/x/new/clients', `no ${qos}`, { qos })
  }
  await sender.publish('1/t', 'yes', { qos: 1 })

  const late = await mqttClient(t, port)
  await late.subscribe('#')
  const back = await mqttClient(t, port, kept)
  await bus.publish('1/t', 'end', { qos: 1 })
  for (const { payloads } of [receiver, back]) {
    await eventually(() => assert.deepEqual(payloads(), ['yes', 'end']))
  }
  await eventually(() => assert.deepEqual(late.payloads(), ['end']))
  assert.deepEqual(handled, ['anna 1/t yes'])
  assert.equal(refused.length, 6)
  assert.deepEqual(refused.slice(0, 2), ['anna 2/t no 0', 'anna $SYS/x/new/clients no 0'])
  assert.equal(bus.counts.dropped.forbidden, 6)
})

test('SUBSCRIBE with some filters that are not allowed: these get 128, and the others work', async (t) => {
  const { bus, port, grants } = await startBus(t)
  grants.set('anna', { publish: '#', subscribe: '1/#', receive: '#' })
  const client = await mqttClient(t, port, { username: 'anna', clientId: 'kept', clean: false })

  const wanted = ['1/a', '2/a', '#', '$SYS/#', '$share/g/1/a', '$share//1/a', '$x', '1/b']
  assert.deepEqual(await client.subscribe(wanted), [1, 128, 128, 128, 128, 128, 128, 1])
  for (const topic of ['2/a', '3/a', '1/a', '1/b']) await bus.publish(topic, topic, { qos: 1 })
  await eventually(() => assert.deepEqual(client.payloads(), ['1/a', '1/b']))

  // Filters that were not granted must not fill the queue of the session.
  await client.mqtt.endAsync()
  await bus.publish('2/a', 'no', { qos: 1 })
  await bus.publish('1/a', 'yes', { qos: 1 })
  const back = await mqttClient(t, port, { username: 'anna', clientId: 'kept', clean: false })
  await eventually(() => assert.deepEqual(back.payloads(), ['yes']))
})

test('UNSUBSCRIBE and SUBSCRIBE that are sent together are handled in order', async (t) => {
  const { bus, port, grants } = await startBus(t)
  for (const clean of [true, false]) {
    const client = await rawClient(t, port)
    const unsubscribe = packet(0xa2, Buffer.from([0, 2, 0, 3]), Buffer.from('1/t'))
    client.send(connectPacket({ id: 'one', clean }), subscribePacket(1, '1/t'))
    await eventually(() => assert.match(client.hex(), /9003000101/))
    client.send(unsubscribe, subscribePacket(3, '1/t'))
    await eventually(() => assert.match(client.hex(), /9003000301/))
    await bus.publish('1/t', 'x', { qos: 1 })
    await eventually(() => assert.match(client.hex(), /0003312f74....78$/))

    grants.set('anna', { ...everything, subscribe: '2/#' })
    await bus.recheck()
    await bus.publish('1/t', 'y', { qos: 1 })
    client.send(packet(0xc0))
    await eventually(() => assert.match(client.hex(), /d000$/))
    assert.doesNotMatch(client.hex(), /0003312f74....79/)
    grants.clear()
  }
})

test('SUBSCRIBE with malformed filters gets 128, or the connection is closed', async (t) => {
  const { port } = await startBus(t)
  for (const filter of ['a+', '+a', 'a#', 'a/b#', 'a/#/b', 'a/+b', '', 'a/'.repeat(5000)]) {
    const client = await rawClient(t, port)
    client.send(connectPacket({}), subscribePacket(1, filter))
    await eventually(() =>
      assert.ok(client.isClosed() || client.hex() === '200200009003000180', filter)
    )
  }
})

test('Every delivery is checked: live and retained messages, queued messages and wills', async (t) => {
  const { bus, port, grants } = await startBus(t)
  const sender = await mqttClient(t, port, {
    username: 'anna',
    will: { topic: '2/will', payload: Buffer.from('secret'), qos: 1, retain: false }
  })
  await sender.publish('2/t', 'secret retained', { qos: 1, retain: true })
  grants.set('bert', { ...everything, receive: '1/#' })
  const kept = { clientId: 'kept', clean: false, username: 'bert' }
  const live = await mqttClient(t, port, { username: 'bert' })
  await live.subscribe('#')
  const offline = await mqttClient(t, port, kept)
  await offline.subscribe('#')
  await offline.mqtt.endAsync()

  await sender.publish('2/t', 'secret', { qos: 1 })
  await sender.publish('2/t', 'secret', { qos: 0 })
  sender.mqtt.stream.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  await bus.publish('1/t', 'end', { qos: 1 })

  const back = await mqttClient(t, port, kept)
  await eventually(() => assert.deepEqual(back.payloads(), ['end']))
  await eventually(() => assert.deepEqual(live.payloads(), ['end']))
})

test('CONNECT to a kept session checks its subscriptions again', async (t) => {
  const { bus, port, grants } = await startBus(t)
  const kept = { clientId: 'kept', clean: false, username: 'bert' }
  const before = await mqttClient(t, port, kept)
  await before.subscribe(['1/#', '2/#'])
  await before.mqtt.endAsync()
  grants.set('bert', { ...everything, subscribe: '1/#' })

  const after = await mqttClient(t, port, kept)
  await bus.publish('2/t', 'no', { qos: 1 })
  await bus.publish('1/t', 'yes', { qos: 1 })
  await eventually(() => assert.deepEqual(after.payloads(), ['yes']))
  await after.mqtt.endAsync()
  await bus.publish('2/t', 'no', { qos: 1 })
  await bus.publish('1/t', 'yes', { qos: 1 })

  const again = await mqttClient(t, port, kept)
  await eventually(() => assert.deepEqual(again.payloads(), ['yes']))
})

test('A kept session does not get messages that it may not receive, and the others stay queued', async (t) => {
  const { bus, port, grants } = await startBus(t)
  grants.set('bert', { ...everything, receive: '1/#' })
  const kept = connectPacket({ id: 'kept', clean: false, username: 'bert' })
  const client = await rawClient(t, port)
  client.send(kept, subscribePacket(1, '#', 1))
  await eventually(() => assert.match(client.hex(), /9003000101$/))
  const topics = ['1/a', '2/a', '1/b', '2/b']
  await Promise.all(topics.map((topic) => bus.publish(topic, topic, { qos: 1 })))
  await eventually(() => assert.match(client.hex(), /312f62$/))
  client.socket.destroy()

  const back = await mqttClient(t, port, { clientId: 'kept', clean: false, username: 'bert' })
  await eventually(() => assert.deepEqual(back.payloads(), ['1/a', '1/b']))
})

test('A will is sent when the connection is lost, but not after DISCONNECT', async (t) => {
  const { bus, port, grants, handled, refused } = await startBus(t)
  grants.set('carl', { ...everything, publish: '1/#' })
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#')
  const withWill = (username: string, topic: string) =>
    mqttClient(t, port, {
      username,
      will: { topic, payload: Buffer.from(username), qos: 1, retain: true }
    })
  const lost = await withWill('anna', '1/obj/alive')
  const polite = await withWill('bert', '1/obj/alive')
  const forbidden = await withWill('carl', '2/obj/alive')

  await polite.mqtt.endAsync()
  forbidden.mqtt.stream.destroy()
  await eventually(() => assert.deepEqual(refused, ['carl 2/obj/alive carl']))
  lost.mqtt.stream.destroy()
  await eventually(() => assert.deepEqual(receiver.payloads(), ['anna']))
  assert.deepEqual(handled, ['anna 1/obj/alive anna'])

  const late = await mqttClient(t, port)
  await late.subscribe('#')
  await bus.publish('1/t', 'end')
  await eventually(() => assert.deepEqual(late.payloads(), ['anna', 'end']))
})

test('CONNECT with a malformed will is closed, and no will is sent', async (t) => {
  const { bus, port } = await startBus(t)
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('#')
  for (const [topic, qos] of [
    ['a/#', 1],
    ['', 1],
    ['a\0', 1],
    ['a', 3]
  ] as const) {
    const client = await rawClient(t, port)
    client.send(connectPacket({ will: { topic, payload: 'x', qos } }))
    await eventually(() => assert.ok(client.isClosed()))
    assert.equal(client.hex(), '')
  }
  const deep = await rawClient(t, port)
  deep.send(connectPacket({ will: { topic: '/'.repeat(5000), payload: 'x', qos: 1 } }))
  await eventually(() => assert.equal(deep.hex(), '20020000'))
  deep.socket.destroy()
  await eventually(() => assert.equal(bus.counts.connections, 1))
  await bus.publish('a', 'end')
  await eventually(() => assert.deepEqual(receiver.payloads(), ['end']))
})

test('CONNECT with a client id of another owner: both stay connected and their sessions stay apart', async (t) => {
  const { bus, port } = await startBus(t)
  const clients = []
  for (const username of ['anna', 'bert']) {
    for (const clean of [true, false]) {
      const clientId = clean ? 'one' : 'two'
      const will = {
        topic: '1/will',
        payload: Buffer.from(`${username} ${clientId}`),
        qos: 1 as const
      }
      const client = await mqttClient(t, port, { clientId, username, clean, will })
      assert.equal(client.sessionPresent, false)
      await client.subscribe(`${username}/#`)
      clients.push(client)
    }
  }
  assert.ok(clients.every(({ mqtt }) => mqtt.connected))
  for (const [i, client] of clients.entries()) {
    await Promise.all([
      client.publish('anna/t', `${i}`, { qos: 2 }),
      client.publish('bert/t', `${i}`, { qos: 2 })
    ])
  }
  for (const client of clients) {
    await eventually(() => assert.deepEqual(client.payloads().sort(), ['0', '1', '2', '3']))
  }
  const listener = await mqttClient(t, port)
  await listener.subscribe('1/will')
  const [first, , third] = clients
  first?.mqtt.stream.destroy()
  await eventually(() => assert.deepEqual(listener.payloads(), ['anna one']))
  assert.ok(third?.mqtt.connected)
  assert.equal((await bus.state()).sessions, 2)

  // A clean start ends only the owner's own session.
  const again = { clientId: 'two', username: 'anna' }
  await (await mqttClient(t, port, { ...again, clean: true })).mqtt.endAsync()
  assert.equal((await bus.state()).sessions, 1)
  const bert = await mqttClient(t, port, { ...again, username: 'bert', clean: false })
  assert.equal(bert.sessionPresent, true)

  const nameless = await rawClient(t, port)
  nameless.send(connectPacket({ id: '', clean: false }))
  await eventually(() => assert.ok(nameless.isClosed()))
  assert.equal(nameless.hex(), '20020002')
})

test('CONNECT with a client id that looks like the internal name of another owner', async (t) => {
  const { bus, port } = await startBus(t)
  const anna = await mqttClient(t, port, { clientId: 'one', username: 'anna', clean: false })
  await anna.subscribe('1/#')
  for (const clean of [true, false]) {
    const bert = await mqttClient(t, port, { clientId: 'anna\none', username: 'bert', clean })
    assert.equal(bert.sessionPresent, false)
    await bert.mqtt.endAsync()
  }
  await bus.publish('1/t', 'still', { qos: 1 })
  await eventually(() => assert.deepEqual(anna.payloads(), ['still']))
})

test('CONNECT many times with one client id by two owners: one connection of each owner is left', async (t) => {
  const { bus, port } = await startBus(t)
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      mqttClient(t, port, { clientId: 'one', username: i % 2 ? 'anna' : 'bert' })
    )
  )
  const owners = new Set(attempts.map(({ status }, i) => status === 'fulfilled' && i % 2))
  assert.equal([...owners].filter((owner) => owner !== false).length, 2)
  await eventually(() => assert.equal(bus.counts.connections, 2))
})

test('CONNECT by the same owner takes over, after the will of the old connection was sent', async (t) => {
  const { bus, port, handled } = await startBus(t, {
    handle: ({ payload }) =>
      new Promise((resolve) => setTimeout(resolve, String(payload) === 'gone' ? 50 : 0))
  })
  const device = {
    clientId: 'one',
    username: 'anna',
    will: { topic: '1/status', payload: Buffer.from('gone'), qos: 1 as const, retain: true }
  }
  let last = await mqttClient(t, port, device)
  await last.publish('1/status', 'here', { qos: 1, retain: true })
  for (let i = 0; i < 5; i++) {
    const previous = last
    last = await mqttClient(t, port, device)
    await last.publish('1/status', 'here', { qos: 1, retain: true })
    await eventually(() => assert.equal(previous.mqtt.connected, false))
  }
  const receiver = await mqttClient(t, port)
  await receiver.subscribe('1/status')
  await eventually(() => assert.deepEqual(receiver.payloads(), ['here']))
  assert.equal(handled.filter((line) => line.endsWith('gone')).length, 5)

  const storm = await Promise.allSettled(
    Array.from({ length: 20 }, () => mqttClient(t, port, { ...device, will: undefined }))
  )
  assert.ok(storm.some(({ status }) => status === 'fulfilled'))
  await eventually(() => assert.equal(bus.counts.connections, 2))
  await bus.publish('1/status', 'end')
  await eventually(() => assert.equal(receiver.payloads().at(-1), 'end'))
})

test('CONNECT with a client id that names an object property', async (t) => {
  const { bus, port } = await startBus(t)
  for (const clientId of ['constructor', '__proto__', 'hasOwnProperty', 'toString']) {
    for (const clean of [true, false]) {
      const client = await mqttClient(t, port, { clientId, clean })
      await client.subscribe([clientId, `${clientId}/#`])
      await client.publish(clientId, 'x', { qos: 2, retain: true })
      await eventually(() => assert.ok(client.payloads().includes('x')))
      await client.mqtt.endAsync()
    }
  }
  await eventually(() => assert.equal(bus.counts.connections, 0))
})

test('CONNECT that cannot sign in gets the code of the reason', async (t) => {
  const { bus, port, addresses } = await startBus(t)
  await rejection(mqttClient(t, port, { username: 'anna', password: 'wrong' }), 4)
  await rejection(mqttClient(t, port, { username: 'anna', password: 'often' }), 3)
  await rejection(mqttClient(t, port, { username: 'anna', password: 'broken' }), 3)
  const anonymous = await mqttClient(t, port)
  await anonymous.publish('1/t', 'x', { qos: 1 })
  assert.deepEqual(addresses, Array(4).fill('127.0.0.1'))
  assert.equal(bus.counts.connections, 1)
})

test('CONNECT with an unsupported version is refused in the form of that version, counted and logged', async (t) => {
  const lines: { level: number; address: string; version: number; refused: number }[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })
  let now = unixMs(1_800_000_000_000)
  const { bus, port, addresses } = await startBus(t, { log, clock: () => now })
  const refused: [level: number, connack: string][] = [
    [6, '2003008400'],
    [7, '2003008400'],
    [127, '2003008400'],
    [0x86, '2003008400'],
    [2, '20020001'],
    [0, '20020001']
  ]
  for (const [level, connack] of refused) {
    const client = await rawClient(t, port)
    client.send(connectPacket({ level, id: 'x' }), publishPacket('a', 'x'))
    await eventually(() => assert.ok(client.isClosed(), String(level)))
    assert.equal(client.hex(), connack, String(level))
  }
  const slow = await rawClient(t, port)
  for (const byte of connectPacket({ level: 6 }).subarray(0, 9)) {
    slow.send(Buffer.from([byte]))
    await new Promise(setImmediate)
  }
  await eventually(() => assert.equal(slow.hex(), '2003008400'))

  assert.deepEqual(addresses, [], 'nobody was asked to sign in')
  assert.equal(bus.counts.refusedVersions, 7)
  assert.equal(bus.counts.connections, 0)

  const shown = lines.map(({ level, address, version, refused }) => ({
    ...{ level, address, version, refused }
  }))
  assert.deepEqual(shown, [{ level: 40, address: '127.0.0.1', version: 6, refused: 1 }])
  now = unixMs(now + 60_000)
  const later = await rawClient(t, port)
  later.send(connectPacket({ level: 6 }))
  await eventually(() => assert.equal(later.hex(), '2003008400'))
  assert.equal(lines[1]?.refused, 7, 'with those that had no line of their own')
})

test('CONNECT with the bridge bit does not get its own messages back', async (t) => {
  const { bus, port } = await startBus(t)
  const bridge = connectPacket({ id: 'edge-1', level: 0x84, clean: false })
  const client = await rawClient(t, port)
  client.send(bridge, subscribePacket(1, '1/#', 1))
  await eventually(() => assert.equal(client.hex(), '200200009003000101'))

  // Its messages are mixed with those of others; dropping its own must not lose the others.
  const own = Array.from({ length: 20 }, (_, i) =>
    publishPacket('1/a', 'own', { qos: 1, id: i + 1 })
  )
  client.send(...own)
  await Promise.all(own.map(() => bus.publish('1/b', 'other', { qos: 1 })))
  const count = (hex: string, text: string) =>
    hex.split(Buffer.from(text).toString('hex')).length - 1
  await eventually(() => assert.equal(count(client.hex(), 'other'), 20))
  await eventually(() => assert.equal(client.hex().split('400200').length - 1, 20))
  client.socket.destroy()

  const back = await rawClient(t, port)
  back.send(bridge, packet(0xc0))
  await eventually(() => assert.match(back.hex(), /d000/))
  await eventually(() => assert.equal(count(back.hex(), 'other'), 20))
  assert.equal(count(client.hex() + back.hex(), 'own'), 0)
})

for (const version of ['mqttv311', 'mqttv50']) {
  test(`A mosquitto bridge with ${version} sends values and gets commands, without an echo`, async (t) => {
    if (spawnSync('mosquitto', ['-h']).error) {
      assert.notEqual(process.env['CI'], 'true', 'CI must have mosquitto')
      t.skip('mosquitto is not installed')
      return
    }
    const { bus, port, handled } = await startBus(t)
    const edgePort = await freePort()
    const dir = await mkdtemp(join(tmpdir(), 'caracal-bridge-'))
    t.after(() => rm(dir, { recursive: true }))
    const trees = ['set', 'obj', 'cmd', 'evt'].map((tree) => `topic ${tree}/# both 1 "" 12/`)
    const settings = [
      `listener ${edgePort} 127.0.0.1`,
      'allow_anonymous true',
      'connection platform',
      `address 127.0.0.1:${port}`,
      'remote_clientid edge-12',
      'remote_username gateway',
      'remote_password secret',
      'cleansession false',
      'notification_topic 12/box/event/status',
      'restart_timeout 1',
      `bridge_protocol_version ${version}`,
      ...trees
    ]
    await writeFile(join(dir, 'bridge.conf'), `${settings.join('\n')}\n`)
    const watcher = await mqttClient(t, port)
    await watcher.subscribe('#')
    const mosquitto = spawn('mosquitto', ['-c', join(dir, 'bridge.conf')], { stdio: 'ignore' })
    t.after(() => mosquitto.kill())
    const status = (payload: string) =>
      watcher.messages.some((m) => m.topic === '12/box/event/status' && m.payload === payload)
    await eventually(() => assert.ok(status('1')))
    const edge = await eventually(() => mqttClient(t, edgePort))
    await edge.subscribe('#')
    // The bridge tells its status before it subscribes.
    await eventually(async () => {
      await bus.publish('12/cmd/ready', 'ready', { qos: 1 })
      assert.ok(edge.payloads().includes('ready'))
    })

    await edge.publish('obj/temp', '21', { qos: 1 })
    await bus.publish('12/set/lamp', 'on', { qos: 1 })
    await eventually(() => assert.ok(handled.includes('gateway 12/obj/temp 21')))
    await eventually(() => assert.ok(edge.payloads().includes('on')))
    await edge.publish('obj/temp', 'last', { qos: 1 })
    await bus.publish('12/set/lamp', 'off', { qos: 1 })
    await eventually(() => assert.ok(watcher.payloads().includes('last')))
    await eventually(() => assert.ok(edge.payloads().includes('off')))

    const seen = (topic: string, { messages }: typeof edge) =>
      messages.filter((m) => m.topic === topic).map(({ payload }) => payload)
    assert.deepEqual(seen('obj/temp', edge), ['21', 'last'])
    assert.deepEqual(seen('set/lamp', edge), ['on', 'off'])
    assert.deepEqual(seen('12/obj/temp', watcher), ['21', 'last'])
    assert.deepEqual(seen('12/set/lamp', watcher), ['on', 'off'])
    mosquitto.kill('SIGKILL')
    await eventually(() => assert.ok(status('0')))
  })
}

test('Hostile input closes its connection and does not affect others', async (t) => {
  const { bus, port } = await startBus(t, { limits: { packetBytes: 65_536 } })
  const bystander = await mqttClient(t, port)
  await bystander.subscribe('#')
  const signedIn = connectPacket({})
  const huge = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])
  const inputs: Record<string, Buffer> = {
    'an HTTP request': Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    'PUBLISH before CONNECT': publishPacket('a', 'x'),
    'huge PUBLISH before CONNECT': huge,
    'huge CONNECT': Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]),
    'length of five bytes': Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80, 0x01]),
    'empty CONNECT': Buffer.from([0x10, 0, 0x10, 0]),
    'unknown protocol': connectPacket({ name: 'AMQP' }),
    'unknown level': connectPacket({ level: 9 }),
    'second CONNECT': Buffer.concat([signedIn, signedIn]),
    'huge PUBLISH': Buffer.concat([signedIn, huge]),
    'empty topic': Buffer.concat([signedIn, publishPacket('', 'x')]),
    'wildcard in topic': Buffer.concat([signedIn, publishPacket('a/#', 'x')]),
    'plus in topic': Buffer.concat([signedIn, publishPacket('a/+', 'x')]),
    'NUL in topic': Buffer.concat([signedIn, publishPacket('a\0', 'x')]),
    'both QoS bits': Buffer.concat([signedIn, publishPacket('a', 'x', { qos: 3, id: 1 })]),
    'SUBSCRIBE without filters': Buffer.concat([signedIn, packet(0x82, Buffer.from([0, 1]))]),
    'reserved type': Buffer.concat([signedIn, packet(0xf0)])
  }
  for (const [name, bytes] of Object.entries(inputs)) {
    const client = await rawClient(t, port)
    client.send(bytes)
    await eventually(() => assert.ok(client.isClosed(), name))
  }
  for (let i = 0; i < 200; i++) {
    const noise = Buffer.from(Array.from({ length: 200 }, () => Math.floor(Math.random() * 256)))
    const client = await rawClient(t, port)
    client.send(...(i % 2 ? [signedIn] : []), noise)
    client.socket.end()
  }
  const oddButLegal = await rawClient(t, port)
  oddButLegal.send(
    signedIn,
    Buffer.from('40020fff50020fff62020fff70020fff', 'hex'),
    publishPacket('a', 'y'.repeat(65_000)),
    publishPacket('/'.repeat(9000), 'x'),
    packet(0xc0)
  )
  await eventually(() => assert.match(oddButLegal.hex(), /d000/))

  await bus.publish('a', 'end')
  await eventually(() => assert.equal(bystander.payloads().at(-1), 'end'))
  assert.ok(bystander.mqtt.connected)
  assert.ok(!bystander.payloads().includes('x'))
})

test('A packet above the limit ends the connection at its header', async (t) => {
  const { port } = await startBus(t)
  const client = await rawClient(t, port)
  client.send(connectPacket({}))
  await eventually(() => assert.equal(client.hex(), '20020000'))
  // The header says 1 MiB plus one byte; nothing of the body is sent.
  client.send(Buffer.from([0x30, 0x81, 0x80, 0x40]))
  await eventually(() => assert.ok(client.isClosed()))

  const sender = await mqttClient(t, port)
  await sender.publish('a', 'x'.repeat(1024 * 1024 - 100), { qos: 1 })
})

test('A connection that sends nothing, or half a CONNECT, is closed', async (t) => {
  const { port } = await startBus(t, { limits: { connectTimeoutMs: 100 } })
  const silent = await rawClient(t, port)
  const half = await rawClient(t, port)
  half.send(connectPacket({}).subarray(0, 8))
  await eventually(() => assert.ok(silent.isClosed() && half.isClosed()))
})

test('A receiver that does not read does not block others', async (t) => {
  const { bus, port } = await startBus(t)
  const stuck = await rawClient(t, port)
  stuck.send(connectPacket({}), subscribePacket(1, 'big', 1))
  await eventually(() => assert.match(stuck.hex(), /9003000101$/))
  stuck.socket.pause()
  const sender = await mqttClient(t, port)
  const reader = await mqttClient(t, port)
  await reader.subscribe('big', 1)

  const payload = 'x'.repeat(500_000)
  for (let i = 0; i < 60; i++) await sender.publish('big', payload, { qos: i % 2 ? 1 : 0 })
  await sender.publish('big', 'end', { qos: 1 })

  await eventually(() => assert.equal(reader.payloads().at(-1), 'end'))
  assert.equal(reader.messages.length, 61)
  assert.ok(bus.counts.dropped.slow > 0)
  await eventually(() => assert.equal(bus.counts.connections, 2))
})

test('MQTT over WebSocket works at /mqtt, and nowhere else', async (t) => {
  const { bus, port: tcp } = await startBus(t)
  const server = createServer((_request, response) => response.end('http'))
  bus.attach(server, ({ socket }) => socket.remoteAddress ?? '')
  const port = await listening(t, server)
  const url = `ws://127.0.0.1:${port}`

  const client = await mqttClient(t, `${url}/mqtt`)
  await client.subscribe('1/#')
  const other = await mqttClient(t, tcp)
  const payload = 'x'.repeat(300_000)
  await other.publish('1/t', payload, { qos: 1 })
  await client.publish('1/t', payload, { qos: 2 })
  await eventually(() => assert.deepEqual(client.payloads(), [payload, payload]))

  const plain = new WebSocket(`${url}/mqtt`)
  await once(plain, 'open')
  assert.equal(plain.protocol, '')
  plain.send(connectPacket({ level: 6 }))
  assert.deepEqual(await once(plain, 'message'), [Buffer.from('2003008400', 'hex'), true])
  const named = new WebSocket(`${url}/mqtt`, ['soap', 'mqtt'])
  await once(named, 'open')
  assert.equal(named.protocol, 'mqtt')
  named.send('text')
  await once(named, 'close')
  const tooLong = new WebSocket(`${url}/mqtt`, 'mqtt')
  tooLong.on('error', () => {})
  await once(tooLong, 'open')
  tooLong.send(Buffer.alloc(3 * 1024 * 1024, 0x10))
  await once(tooLong, 'close')

  for (const path of ['/', '/mqtt/', '/mqtt2', '/x/mqtt', '/MQTT']) {
    assert.equal(await upgradeStatus(port, path), 404, path)
  }
  bus.stopAccepting()
  assert.equal(await upgradeStatus(port, '/mqtt'), 503)
  await other.publish('1/t', 'end', { qos: 1 })
  await eventually(() => assert.equal(client.payloads().at(-1), 'end'))
})

test('recheck closes connections whose credential ended, and removes subscriptions that are no longer allowed', async (t) => {
  const { bus, port, grants, ended, handled } = await startBus(t)
  const will = { topic: '1/status', payload: Buffer.from('gone'), qos: 1 as const, retain: false }
  const anna = await mqttClient(t, port, { username: 'anna', will })
  const bert = await mqttClient(t, port, { username: 'bert', clientId: 'kept', clean: false })
  const carl = await mqttClient(t, port, { username: 'carl' })
  await bert.subscribe(['1/#', '2/#'])
  await carl.subscribe(['1/#', '2/#'])

  ended.add('anna')
  grants.set('bert', { publish: '1/#', subscribe: '1/#', receive: '#' })
  await bus.recheck()
  await eventually(() => assert.equal(anna.mqtt.connected, false))
  await bert.publish('2/t', 'no', { qos: 1 })
  await bus.publish('2/t', 'two', { qos: 1 })
  await bus.publish('1/t', 'one', { qos: 1 })

  await eventually(() => assert.deepEqual(carl.payloads(), ['two', 'one']))
  await eventually(() => assert.deepEqual(bert.payloads(), ['one']))
  assert.deepEqual(handled, [])
  await bert.mqtt.endAsync()
  await bus.publish('2/t', 'two', { qos: 1 })
  await bus.publish('1/t', 'later', { qos: 1 })
  const back = await mqttClient(t, port, { username: 'bert', clientId: 'kept', clean: false })
  await eventually(() => assert.deepEqual(back.payloads(), ['later']))
})

test('recheck while a client signs in: a credential that ended meanwhile does not get in', async (t) => {
  const { bus, port, ended, letIn } = await startBus(t)
  const attempt = rejection(mqttClient(t, port, { username: 'anna', password: 'slow' }), 4)
  await eventually(() => assert.equal(letIn.length, 1))
  ended.add('anna')
  await bus.recheck()
  letIn[0]?.()
  await attempt
})

test('recheck that is called often joins several calls into one round', async (t) => {
  const { bus, port, renewals } = await startBus(t)
  await mqttClient(t, port)
  await mqttClient(t, port)
  await Promise.all(Array.from({ length: 100 }, () => bus.recheck()))
  assert.equal(renewals(), 4)
})

test('close acknowledges what was read and sends no will', async (t) => {
  const waiting: Array<() => void> = []
  const { bus, port, handled } = await startBus(t, {
    handle: () => new Promise((resolve) => waiting.push(resolve))
  })
  const device = await mqttClient(t, port, {
    username: 'anna',
    will: { topic: '1/status', payload: Buffer.from('gone'), qos: 1, retain: true }
  })
  const acknowledged = [
    device.publish('1/obj/t', '1', { qos: 1 }),
    device.publish('1/obj/t', '2', { qos: 1 })
  ]
  await eventually(() => assert.equal(waiting.length, 2))

  const closed = bus.close()
  const late = connect(port, '127.0.0.1')
  const [error] = await once(late, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
  for (const resolve of waiting) resolve()
  await Promise.all([closed, ...acknowledged])
  await eventually(() => assert.equal(device.mqtt.connected, false))
  assert.deepEqual(handled, ['anna 1/obj/t 1', 'anna 1/obj/t 2'])
  await assert.rejects(bus.publish('1/t', 'x'))
})

test('close ends within the limit if a handler never answers', async (t) => {
  const { bus, port } = await startBus(t, { handle: () => new Promise(() => {}) })
  const device = await mqttClient(t, port)
  device.mqtt.publish('1/obj/t', '1', { qos: 1 })
  await eventually(() => assert.equal(bus.counts.received, 1))
  await bus.close()
  await eventually(() => assert.equal(device.mqtt.connected, false))
})

test('counts are plain numbers', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await mqttClient(t, port)
  await client.subscribe('1/#')
  await client.publish('1/t', 'x', { qos: 1 })
  await client.publish('2/t', 'x', { qos: 1 })
  await eventually(() =>
    assert.deepEqual(bus.counts, {
      connections: 1,
      received: 2,
      delivered: 1,
      refusedVersions: 0,
      dropped: {
        ...{ forbidden: 0, slow: 0, 'too large': 0 },
        ...{ 'queue full': 0, 'retained full': 0, 'disk reserve': 0 }
      },
      refused: { connections: 0, sessions: 0, filters: 0, newcomers: 0 }
    })
  )
  await client.mqtt.endAsync()
  await eventually(() => assert.equal(bus.counts.connections, 0))
})

async function listening(t: TestContext, server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return address.port
}

/** The status of an upgrade request that gets an ordinary answer. */
async function upgradeStatus(port: number, path: string): Promise<number | undefined> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ=='
  }
  const asked = request({ host: '127.0.0.1', port, path, headers }).end()
  const [response] = await once(asked, 'response')
  return response.statusCode
}
