import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ClientIdUse } from '../../src/bus/bus.ts'
import { type UnixMs, unixMs } from '../../src/lib/unix-time.ts'
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

/** The files that a process would leave if it were killed now, for the next one. */
async function killed(
  t: TestContext,
  { bus, dataDir }: Pick<Awaited<ReturnType<typeof startBus>>, 'bus' | 'dataDir'>
) {
  // Waits for writes that nobody else waits for.
  await bus.state()
  const copy = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(copy, { recursive: true }))
  await cp(dataDir, copy, { recursive: true })
  return { dataDir: copy }
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i))
const kept = { clientId: 'kept', clean: false, username: 'bert' }
const puback = (id: number) => packet(0x40, Buffer.from([id >> 8, id & 255]))
/** The PUBLISH packets among short packets, in order. */
function publishes(hex: string) {
  const bytes = Buffer.from(hex, 'hex')
  const found: { isAgain: boolean; id: number; payload: string }[] = []
  for (let at = 0; at + 1 < bytes.length; ) {
    const header = bytes[at] ?? 0
    const end = at + 2 + (bytes[at + 1] ?? 0)
    if (header >> 4 === 3 && end <= bytes.length) {
      const idAt = at + 4 + bytes.readUInt16BE(at + 2)
      const payload = bytes.subarray(idAt + 2, end).toString()
      found.push({ isAgain: (header & 8) !== 0, id: bytes.readUInt16BE(idAt), payload })
    }
    at = end
  }
  return found
}

test('A kept session, its filters and its queue survive kill -9', async (t) => {
  const first = await startBus(t)
  const before = await mqttClient(t, first.port, kept)
  await before.subscribe(['1/#', '1/gone'], 2)
  await before.mqtt.unsubscribeAsync('1/gone')
  await before.mqtt.endAsync()
  const sender = await mqttClient(t, first.port)
  for (const n of numbers(50)) {
    await sender.publish('1/t', n, { qos: Number(n) % 2 ? 1 : 2, retain: n === '7' })
  }
  await sender.publish('1/t', 'qos 0', { qos: 0 })

  const second = await startBus(t, await killed(t, first))
  await second.bus.publish('1/t', 'since', { qos: 1 })
  const after = await mqttClient(t, second.port, kept)
  assert.equal(after.sessionPresent, true)
  await eventually(() => assert.equal(after.messages.length, 51))
  // A client delivers a QoS 2 message at PUBREL, so messages are in order only within one QoS.
  const ofQos = (qos: number) => after.messages.filter((m) => m.qos === qos).map((m) => m.payload)
  assert.deepEqual(ofQos(1), [...numbers(50).filter((n) => Number(n) % 2), 'since'])
  assert.deepEqual(
    ofQos(2),
    numbers(50).filter((n) => Number(n) % 2 === 0)
  )
  assert.ok(after.messages.every(({ retain }) => !retain))
  await second.bus.publish('1/t', 'live', { qos: 1 })
  await eventually(() => assert.equal(after.payloads().at(-1), 'live'))
  await after.mqtt.endAsync()

  const third = await startBus(t, await killed(t, second))
  const again = await mqttClient(t, third.port, kept)
  await third.bus.publish('1/t', 'only this', { qos: 1 })
  await eventually(() => assert.deepEqual(again.payloads(), ['only this']))
  assert.equal((await third.bus.state()).sessions, 1)
})

test('QoS 1 messages in flight at kill -9 are sent again with DUP and the same ids, then the rest in order', async (t) => {
  const first = await startBus(t)
  const client = await rawClient(t, first.port)
  const connect = connectPacket({ id: 'kept', clean: false })
  client.send(connect, subscribePacket(1, '1/t'))
  await eventually(() => assert.match(client.hex(), /9003000101$/))
  for (const n of ['0', '1', '2']) await first.bus.publish('1/t', n, { qos: 1 })
  await eventually(() => assert.equal(publishes(client.hex()).length, 3))
  const sent = publishes(client.hex())
  client.send(puback(sent[1]?.id ?? 0))
  await eventually(async () => assert.equal((await first.bus.state()).queued, 2))
  client.socket.destroy()
  await eventually(() => assert.equal(first.bus.counts.connections, 0))
  await first.bus.publish('1/t', '3', { qos: 1 })

  const second = await startBus(t, await killed(t, first))
  const back = await rawClient(t, second.port)
  back.send(connect)
  await eventually(() => assert.equal(publishes(back.hex()).length, 3))
  await second.bus.publish('1/t', '4', { qos: 1 })
  await eventually(() => assert.equal(publishes(back.hex()).length, 4))
  const again = publishes(back.hex())
  assert.deepEqual(
    again.map(({ payload }) => payload),
    ['0', '2', '3', '4']
  )
  // Message 3 may or may not have been sent to the connection that had just ended.
  assert.deepEqual(
    again.filter(({ payload }) => payload !== '3').map(({ isAgain }) => isAgain),
    [true, true, false]
  )
  assert.deepEqual([again[0]?.id, again[1]?.id], [sent[0]?.id, sent[2]?.id])
  assert.equal(new Set(again.map(({ id }) => id)).size, 4)
})

test('When a message is acknowledged while it is sent again, newer messages still come after it', async (t) => {
  const first = await startBus(t)
  const client = await rawClient(t, first.port)
  client.send(
    connectPacket({ id: 'kept', clean: false, username: 'bert' }),
    subscribePacket(1, '1/t')
  )
  await eventually(() => assert.match(client.hex(), /9003000101$/))
  await Promise.all(numbers(400).map((n) => first.bus.publish('1/t', n, { qos: 1 })))
  await eventually(() => assert.equal(publishes(client.hex()).length, 400))

  const second = await startBus(t, await killed(t, first))
  for (const n of ['400', '401']) await second.bus.publish('1/t', n, { qos: 1 })
  const back = await mqttClient(t, second.port, kept)
  await second.bus.publish('1/t', '402', { qos: 1 })
  await eventually(() => assert.deepEqual(back.payloads(), numbers(403)))
})

test('An outgoing QoS 2 message comes once after kill -9 before PUBREC, before PUBCOMP and after it', async (t) => {
  const connect = connectPacket({ id: 'kept', clean: false })
  const first = await startBus(t)
  const one = await rawClient(t, first.port)
  one.send(connect, subscribePacket(1, '1/t', 2))
  await eventually(() => assert.match(one.hex(), /9003000102$/))
  await first.bus.publish('1/t', '7', { qos: 2 })
  await eventually(() => assert.equal(publishes(one.hex()).length, 1))
  const id = one.hex().slice(-6, -2)

  const second = await startBus(t, await killed(t, first))
  const two = await rawClient(t, second.port)
  two.send(connect)
  await eventually(() => assert.equal(two.hex(), `200201003c080003312f74${id}37`))
  two.send(Buffer.from(`5002${id}`, 'hex'))
  await eventually(() => assert.ok(two.hex().endsWith(`6202${id}`)))

  const third = await startBus(t, await killed(t, second))
  const three = await rawClient(t, third.port)
  three.send(connect)
  await eventually(() => assert.equal(three.hex(), `200201006202${id}`))
  three.send(Buffer.from(`7002${id}`, 'hex'))
  await eventually(async () => assert.equal((await third.bus.state()).queued, 0))

  const fourth = await startBus(t, await killed(t, third))
  const four = await rawClient(t, fourth.port)
  four.send(connect, packet(0xc0))
  await eventually(() => assert.equal(four.hex(), '20020100d000'))
})

test('An incoming QoS 2 message is handled once after kill -9 before PUBREL and after it', async (t) => {
  const message = publishPacket('1/t', '1', { qos: 2, id: 5 })
  const again = publishPacket('1/t', '1', { qos: 2, id: 5, dup: true })
  const first = await startBus(t)
  const sleeper = await mqttClient(t, first.port, kept)
  await sleeper.subscribe('1/t', 2)
  await sleeper.mqtt.endAsync()
  const one = await rawClient(t, first.port)
  one.send(connectPacket({ id: 'sender', clean: false }), message)
  await eventually(() => assert.match(one.hex(), /50020005$/))

  const second = await startBus(t, await killed(t, first))
  const two = await rawClient(t, second.port)
  two.send(connectPacket({ id: 'sender', clean: false }), again)
  await eventually(() => assert.equal(two.hex(), '2002010050020005'))
  assert.deepEqual(second.handled, [])
  two.send(pubrelPacket(5))
  await eventually(() => assert.match(two.hex(), /70020005$/))

  const third = await startBus(t, await killed(t, second))
  const three = await rawClient(t, third.port)
  three.send(connectPacket({ id: 'sender', clean: false }), message)
  await eventually(() => assert.match(three.hex(), /50020005$/))
  assert.deepEqual(third.handled, ['anna 1/t 1'])
  const awake = await mqttClient(t, third.port, kept)
  await eventually(() => assert.deepEqual(awake.payloads(), ['1', '1']))
})

test('PUBACK and PUBREC wait for the queue only if a kept session waits for the message', async (t) => {
  let makeRoom = () => {}
  const disk = {
    isEnough: true,
    whenEnough: () =>
      new Promise<void>((resolve) => {
        makeRoom = resolve
      })
  }
  const { bus, port } = await startBus(t, { disk })
  const sleeper = await mqttClient(t, port, kept)
  await sleeper.subscribe('1/#', 2)
  await sleeper.mqtt.endAsync()
  const awake = await mqttClient(t, port)
  await awake.subscribe('#', 1)

  for (const [qos, ack] of [
    [1, '40020007'],
    [2, '50020007']
  ] as const) {
    disk.isEnough = false
    const client = await rawClient(t, port)
    client.send(connectPacket({}), publishPacket('2/t', '2', { qos, id: 6 }))
    await eventually(() => assert.match(client.hex(), /0020006$/))
    client.send(publishPacket('1/t', String(qos), { qos, id: 7 }), packet(0xc0))
    await eventually(() => assert.match(client.hex(), /d000$/))
    assert.doesNotMatch(client.hex(), new RegExp(ack))
    disk.isEnough = true
    makeRoom()
    await eventually(() => assert.match(client.hex(), new RegExp(ack)))
  }
  disk.isEnough = false
  await bus.publish('1/t', 'not retained', { qos: 0, retain: true })
  assert.equal(bus.counts.dropped['disk reserve'], 1)
  await eventually(() => assert.deepEqual(awake.payloads(), ['2', '1', '2', '2', 'not retained']))
  const back = await mqttClient(t, port, kept)
  await eventually(() => assert.deepEqual(back.payloads(), ['1', '2']))
})

test('Retained messages that were set, replaced and cleared are the same after kill -9', async (t) => {
  const first = await startBus(t, { limits: { retainedMessages: 3, retainedBytes: 100 } })
  const sender = await mqttClient(t, first.port)
  const retain = (topic: string, payload: string, qos: 0 | 1 | 2 = 1) =>
    sender.publish(topic, payload, { qos, retain: true })
  await retain('1/a', 'old')
  await retain('1/a', 'new', 2)
  await retain('1/b', 'gone')
  await retain('1/b', '')
  await retain('1/c', 'qos 0', 0)
  await retain('1/d', 'third')
  await retain('1/e', 'too many')
  await retain('1/d', 'x'.repeat(100))
  await retain('2/e', 'another installation')
  assert.equal(first.bus.counts.dropped['retained full'], 2)

  const second = await startBus(t, await killed(t, first))
  const receiver = await mqttClient(t, second.port)
  await receiver.subscribe('+/+', 2)
  const expected = ['1/a new 2', '1/c qos 0 0', '1/d third 1', '2/e another installation 1']
  await eventually(() =>
    assert.deepEqual(
      receiver.messages.map(({ topic, payload, qos }) => `${topic} ${payload} ${qos}`).sort(),
      expected
    )
  )
  assert.ok(receiver.messages.every(({ retain: isRetained }) => isRetained))
})

test('The will of a connection that kill -9 ended is sent once at the next start', async (t) => {
  const first = await startBus(t)
  const watcher = await mqttClient(t, first.port, kept)
  await watcher.subscribe('1/#')
  await watcher.mqtt.endAsync()
  const device = (port: number, name: string, topic = `1/${name}`) =>
    mqttClient(t, port, {
      username: name,
      clientId: name,
      will: { topic, payload: Buffer.from(`${name} is gone`), qos: 1, retain: true }
    })
  await device(first.port, 'lost')
  await device(first.port, 'revoked')
  await device(first.port, 'forbidden', '2/x')
  const back = await device(first.port, 'back')
  const polite = await device(first.port, 'polite')
  await polite.mqtt.endAsync()
  await eventually(() => assert.equal(first.bus.counts.connections, 4))

  const left = await killed(t, first)
  const second = await startBus(t, {
    ...left,
    ended: ['revoked'],
    grants: { forbidden: { ...everything, publish: '1/#' } }
  })
  const returned = await device(second.port, 'back')
  await returned.publish('1/back', 'back is here', { qos: 1, retain: true })
  await eventually(() => assert.equal(second.handled.length, 3))
  assert.deepEqual(second.handled.slice(0, 2).sort(), [
    'back 1/back back is gone',
    'lost 1/lost lost is gone'
  ])
  assert.deepEqual(second.handled[2], 'back 1/back back is here')
  assert.deepEqual(second.refused, ['forbidden 2/x forbidden is gone'])
  await returned.mqtt.endAsync()
  await eventually(() => assert.equal(second.bus.counts.connections, 0))
  await eventually(() => assert.equal(second.bus.counts.dropped.forbidden, 2))

  const third = await startBus(t, await killed(t, second))
  const awake = await mqttClient(t, third.port, kept)
  await eventually(() =>
    assert.deepEqual(awake.payloads().sort(), ['back is gone', 'back is here', 'lost is gone'])
  )
  assert.deepEqual(third.handled, [])
  const late = await mqttClient(t, third.port)
  await late.subscribe('#')
  await eventually(() => assert.deepEqual(late.payloads().sort(), ['back is here', 'lost is gone']))
  assert.equal(back.mqtt.connected, true)
})

test('The will of a connection that close ended is sent at the next start', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'caracal-bus-'))
  t.after(() => rm(dataDir, { recursive: true }))
  const first = await startBus(t, { dataDir })
  const will = { topic: '1/t', payload: Buffer.from('gone'), qos: 1 as const, retain: false }
  await mqttClient(t, first.port, { username: 'anna', will })
  await first.bus.close()
  assert.deepEqual(first.handled, [])
  const second = await startBus(t, { dataDir })
  await eventually(() => assert.deepEqual(second.handled, ['anna 1/t gone']))
})

test('A queue above its limit loses its oldest messages, and they are counted', async (t) => {
  const queue = { messages: 10, bytes: 3000, ownerBytes: 5000 }
  const first = await startBus(t, { queue })
  for (const clientId of ['kept', 'other']) {
    const client = await mqttClient(t, first.port, { ...kept, clientId })
    await client.subscribe(`${clientId}/t`)
    await client.mqtt.endAsync()
  }
  for (const n of numbers(25)) await first.bus.publish('kept/t', n, { qos: 1 })
  assert.equal(first.bus.counts.dropped['queue full'], 15)
  assert.equal((await first.bus.state()).queued, 10)

  const second = await startBus(t, { ...(await killed(t, first)), queue })
  const back = await mqttClient(t, second.port, kept)
  await eventually(() => assert.deepEqual(back.payloads(), numbers(25).slice(15)))
  await back.mqtt.endAsync()
  const big = (n: number) => String(n).repeat(1000)
  for (let n = 0; n < 4; n++) await second.bus.publish('kept/t', big(n), { qos: 1 })
  assert.equal(second.bus.counts.dropped['queue full'], 2)
  for (let n = 0; n < 4; n++) await second.bus.publish('other/t', big(n), { qos: 1 })
  assert.equal(second.bus.counts.dropped['queue full'], 4)
  await eventually(async () => assert.equal((await second.bus.state()).queued, 4))
  const again = await mqttClient(t, second.port, kept)
  await eventually(() => assert.deepEqual(again.payloads(), [big(2), big(3)]))
})

test('A receiver that does not acknowledge gets a window of messages, and the rest later', async (t) => {
  const { bus, port } = await startBus(t)
  const connect = connectPacket({ id: 'kept', clean: false })
  const client = await rawClient(t, port)
  client.send(connect, subscribePacket(1, '1/t'))
  await eventually(() => assert.match(client.hex(), /9003000101$/))
  await Promise.all(numbers(1500).map((n) => bus.publish('1/t', n, { qos: 1 })))
  await eventually(() => assert.equal(publishes(client.hex()).length, 1000))
  assert.equal((await bus.state()).queued, 1500)

  let acknowledged = 0
  await eventually(() => {
    const sent = publishes(client.hex())
    client.send(...sent.slice(acknowledged).map(({ id }) => puback(id)))
    acknowledged = sent.length
    assert.equal(sent.length, 1500)
  })
  await bus.publish('1/t', '1500', { qos: 1 })
  await eventually(() => assert.equal(publishes(client.hex()).length, 1501))
  assert.deepEqual(
    publishes(client.hex()).map(({ payload }) => payload),
    numbers(1501)
  )
})

test('Kept sessions of two owners stay apart after restarts; too many sessions of one owner are refused', async (t) => {
  const limits = { sessionsPerOwner: 2 }
  const first = await startBus(t, { limits })
  for (const clientId of ['one', 'two']) {
    const client = await mqttClient(t, first.port, { ...kept, clientId })
    await client.mqtt.endAsync()
  }
  const second = await startBus(t, { ...(await killed(t, first)), limits })
  const connect = (clientId: string, username: string, clean = false) =>
    mqttClient(t, second.port, { clientId, username, clean })
  assert.equal((await connect('one', 'anna')).sessionPresent, false)
  await assert.rejects(connect('three', 'bert'), { code: 3 })
  assert.equal((await connect('one', 'bert')).sessionPresent, true)
  await connect('three', 'anna')
  await connect('four', 'bert', true)
  await connect('one', 'bert', true)
  await connect('five', 'bert')
})

/** The client id `reserved` belongs to anna. */
const reserved = (owner: string, clientId: string): ClientIdUse => {
  if (clientId !== 'reserved') return 'unless taken'
  return owner === 'anna' ? 'always' : 'never'
}

test('A reserved client id is refused to others, and nothing is kept', async (t) => {
  const { bus, port } = await startBus(t, { mayUse: reserved })
  for (const clean of [true, false]) {
    const refused = mqttClient(t, port, { clientId: 'reserved', username: 'bert', clean })
    await assert.rejects(refused, { code: 2 })
  }
  assert.equal((await bus.state()).sessions, 0)
  const owner = { clientId: 'reserved', username: 'anna', clean: false }
  assert.equal((await mqttClient(t, port, owner)).sessionPresent, false)
  assert.equal((await mqttClient(t, port, owner)).sessionPresent, true)
})

test('The owner of a reserved client id gets it even if another client has had it before', async (t) => {
  let mayUse: typeof reserved = () => 'unless taken'
  const first = await startBus(t, { mayUse: (...asked) => mayUse(...asked) })
  const foreign = { clientId: 'reserved', username: 'bert', clean: false }
  const before = await mqttClient(t, first.port, foreign)
  await before.subscribe('1/#')
  mayUse = reserved
  await assert.rejects(mqttClient(t, first.port, foreign), { code: 2 })
  const owner = { clientId: 'reserved', username: 'anna', clean: false }
  const newcomer = await mqttClient(t, first.port, owner)
  assert.equal(newcomer.sessionPresent, false)
  await newcomer.subscribe('2/#')
  await first.bus.publish('1/t', 'for bert', { qos: 1 })
  await first.bus.publish('2/t', 'for anna', { qos: 1 })
  await eventually(() => assert.deepEqual(newcomer.payloads(), ['for anna']))

  const second = await startBus(t, await killed(t, first))
  assert.equal((await mqttClient(t, second.port, owner)).sessionPresent, true)
})

test('The wills of two owners with the same client id survive kill -9', async (t) => {
  const first = await startBus(t)
  for (const username of ['anna', 'bert']) {
    const will = { topic: '1/will', payload: Buffer.from(username), qos: 1 as const, retain: false }
    await mqttClient(t, first.port, { clientId: 'one', username, will })
  }
  const listener = { clientId: 'ear', username: 'carl', clean: false }
  const ear = await mqttClient(t, first.port, listener)
  await ear.subscribe('1/will')
  const second = await startBus(t, await killed(t, first))
  const again = await mqttClient(t, second.port, listener)
  await eventually(() => assert.deepEqual(again.payloads().sort(), ['anna', 'bert']))
})

test('Sessions of deleted owners end; sessions of owners who only signed out stay', async (t) => {
  const first = await startBus(t)
  for (const username of ['anna', 'bert', 'carl']) {
    const client = await mqttClient(t, first.port, { ...kept, clientId: username, username })
    await client.subscribe('1/#')
    if (username !== 'carl') await client.mqtt.endAsync()
  }
  await eventually(() => assert.equal(first.bus.counts.connections, 1))
  await first.bus.publish('1/t', 'x', { qos: 1 })
  first.ended.add('anna')
  await first.bus.recheck()
  assert.equal((await first.bus.state()).sessions, 3)
  first.gone.add('bert').add('carl')
  first.ended.add('bert').add('carl')
  const left = async ({ bus }: typeof first) => {
    const { sessions, queued } = await bus.state()
    return { sessions, queued }
  }
  await eventually(async () => {
    await first.bus.recheck()
    assert.deepEqual(await left(first), { sessions: 1, queued: 1 })
  })

  const second = await startBus(t, await killed(t, first))
  assert.deepEqual(await left(second), { sessions: 1, queued: 1 })
  const free = await mqttClient(t, second.port, { ...kept, clientId: 'bert', username: 'dora' })
  assert.equal(free.sessionPresent, false)
})

test('Sessions that nobody used end; sessions in use stay', async (t) => {
  let now: UnixMs = unixMs(1000)
  const clock = () => now
  const first = await startBus(t, { clock })
  const sleeper = await mqttClient(t, first.port, kept)
  await sleeper.subscribe('1/#')
  await sleeper.mqtt.endAsync()
  await eventually(() => assert.equal(first.bus.counts.connections, 0))
  await mqttClient(t, first.port, { ...kept, clientId: 'awake' })
  await first.bus.publish('1/t', 'x', { qos: 1 })
  now = unixMs(5000)
  assert.equal(first.bus.endSessionsUnusedSince(1000), 0)

  const second = await startBus(t, { ...(await killed(t, first)), clock })
  assert.equal((await second.bus.state()).queued, 1)
  assert.equal(second.bus.endSessionsUnusedSince(5000), 1)
  assert.deepEqual(await second.bus.state(), { sessions: 1, retained: 0, queued: 0, bytes: 0 })
  assert.equal((await mqttClient(t, second.port, kept)).sessionPresent, false)
  assert.equal(
    (await mqttClient(t, second.port, { ...kept, clientId: 'awake' })).sessionPresent,
    true
  )
})

test('Retained messages of deleted installations are removed, also from disk; others stay', async (t) => {
  const first = await startBus(t)
  for (const topic of ['1/a', '1/b', '12/a', 'news']) {
    await first.bus.publish(topic, 'x', { qos: 1, retain: true })
  }
  assert.equal(await first.bus.dropRetained((level) => level === '1'), 2)
  assert.equal(await first.bus.dropRetained((level) => level === '1'), 0)

  const second = await startBus(t, await killed(t, first))
  assert.equal((await second.bus.state()).retained, 2)
  const reader = await mqttClient(t, second.port)
  await reader.subscribe('#')
  await eventually(() => assert.equal(reader.messages.length, 2))
  assert.deepEqual(reader.messages.map(({ topic }) => topic).sort(), ['12/a', 'news'])
})

test('Queued messages are not delivered if the right ended while the process was down', async (t) => {
  const first = await startBus(t)
  const sleeper = await mqttClient(t, first.port, kept)
  await sleeper.subscribe(['1/#', '2/#', '3/#'])
  await sleeper.mqtt.endAsync()
  for (const topic of ['1/a', '2/a', '3/a']) await first.bus.publish(topic, topic, { qos: 1 })
  const second = await startBus(t, {
    ...(await killed(t, first)),
    grants: { bert: { publish: '#', subscribe: '1/#', receive: '1/#' } }
  })
  const back = await mqttClient(t, second.port, kept)
  await second.bus.publish('2/a', 'no', { qos: 1 })
  await second.bus.publish('1/a', 'end', { qos: 1 })
  await eventually(() => assert.deepEqual(back.payloads(), ['1/a', 'end']))
  await eventually(async () => assert.equal((await second.bus.state()).queued, 0))
})

test('A kept session with filters of QoS 0 and 1 on one topic gets a message once, at QoS 1', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await mqttClient(t, port, kept)
  await client.subscribe('1/#', 0)
  await client.subscribe('1/t', 1)
  await client.subscribe('+/t', 0)
  await bus.publish('1/t', 'x', { qos: 1 })
  await bus.publish('1/u', 'y', { qos: 1 })
  await eventually(() =>
    assert.deepEqual(
      client.messages.map(({ payload, qos }) => `${payload} ${qos}`),
      ['x 1', 'y 0']
    )
  )
  await eventually(async () => assert.equal((await bus.state()).queued, 0))
})
