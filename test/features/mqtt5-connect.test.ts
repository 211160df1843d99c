import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient, packet } from '../support/mqtt.ts'
import { client5, publish5, subscribe5 } from '../support/mqtt5.ts'

test('[MQTT-3.2.2-16] CONNACK tells the limits of the broker and the client id that it gave', async (t) => {
  const { port } = await startBus(t, { limits: { keepAlive: 60, sessionExpiry: 1000 } })
  const nameless = await client5(t, port, {
    ...{ keepalive: 120 },
    properties: { sessionExpiryInterval: 5000 }
  })
  const { reasonCode, sessionPresent, properties } = await nameless.next('connack')
  assert.deepEqual([reasonCode, sessionPresent], [0, false])
  assert.match(properties?.assignedClientIdentifier ?? '', /^[0-9a-f-]{36}$/)
  assert.equal(properties?.receiveMaximum, 1000)
  assert.equal(properties?.maximumPacketSize, 1024 * 1024)
  assert.equal(properties?.topicAliasMaximum, 32)
  assert.equal(properties?.serverKeepAlive, 60)
  assert.equal(properties?.sessionExpiryInterval, 1000)
  // [MQTT5 3.2.2.3.4] Without these properties QoS 2, retained messages, wildcards and
  // identifiers are available.
  assert.equal(properties?.maximumQoS, undefined)
  assert.equal(properties?.retainAvailable, undefined)

  const named = await client5(t, port, { clientId: 'one', keepalive: 10 })
  const connack = await named.next('connack')
  assert.equal(connack.properties?.assignedClientIdentifier, undefined)
  assert.equal(connack.properties?.serverKeepAlive, undefined)
  assert.equal(connack.properties?.sessionExpiryInterval, undefined)
})

test('[MQTT-3.2.2-7] [MQTT-4.12.0-1] CONNECT that is refused gets the reason and a text', async (t) => {
  const limits = { connectionsPerOwner: 1 }
  const { port } = await startBus(t, {
    limits,
    mayUse: (_, id) => (id === 'no' ? 'never' : 'always')
  })
  const refused = async (asked: Parameters<typeof client5>[2]) => {
    const client = await client5(t, port, asked)
    const { reasonCode, properties } = await client.next('connack')
    await eventually(() => assert.ok(client.isClosed()))
    return [reasonCode, properties?.reasonString]
  }
  assert.deepEqual(await refused({ password: Buffer.from('wrong') }), [
    0x86,
    'wrong user name or password'
  ])
  assert.deepEqual(await refused({ password: Buffer.from('often') }), [0x88, 'try again later'])
  assert.deepEqual(await refused({ clientId: 'no' }), [0x85, 'this client id cannot be used'])
  const method = { properties: { authenticationMethod: 'SCRAM-SHA-1' } }
  assert.deepEqual(await refused(method), [0x8c, 'only a user name and a password are accepted'])
  await client5(t, port, { clientId: '1' })
  await eventually(async () => {
    const [code] = await refused({ clientId: '2' })
    assert.equal(code, 0x97)
  })
})

test('[MQTT-3.1.2-4] [MQTT-3.1.2-5] [MQTT-3.1.2-6] [MQTT-3.1.2-23] [MQTT-3.1.4-4] [MQTT-3.2.2-2] [MQTT-3.2.2-3] [MQTT-4.1.0-2] clean start and session expiry', async (t) => {
  let now = unixMs(1_800_000_000_000)
  const { bus, port } = await startBus(t, { clock: () => now })
  const session = async (expiry: number | undefined, clean = false) => {
    const properties = expiry === undefined ? {} : { sessionExpiryInterval: expiry }
    const client = await client5(t, port, { clientId: 'one', clean, properties })
    const { sessionPresent } = await client.next('connack')
    return { sessionPresent, ...client }
  }
  const leave = async (client: Awaited<ReturnType<typeof session>>, expiry?: number) => {
    const properties = expiry === undefined ? {} : { sessionExpiryInterval: expiry }
    client.send({ cmd: 'disconnect', reasonCode: 0, properties })
    await eventually(() => assert.ok(client.isClosed()))
    await eventually(() => assert.equal(bus.counts.connections, 0))
  }
  const ends = [await session(undefined), await session(0)]
  assert.deepEqual(
    ends.map(({ sessionPresent }) => sessionPresent),
    [false, false]
  )
  await leave(ends[1] ?? (await session(0)))

  await leave(await session(100))
  const back = await session(100)
  assert.equal(back.sessionPresent, true)
  await leave(back)
  now = unixMs(now + 101_000)
  const late = await session(100)
  assert.equal(late.sessionPresent, false, 'it has expired')
  // DISCONNECT changes the expiry.
  await leave(late, 1000)
  now = unixMs(now + 500_000)
  const longer = await session(100)
  assert.equal(longer.sessionPresent, true)
  await leave(longer, 0)
  const gone = await session(100)
  assert.equal(gone.sessionPresent, false)
  await leave(gone)
  const clean = await session(100, true)
  assert.equal(clean.sessionPresent, false)
  await leave(clean)
  // A session that is resumed without an expiry ends with the connection.
  const resumed = await session(0)
  assert.equal(resumed.sessionPresent, true)
  await leave(resumed)
  assert.equal((await session(100)).sessionPresent, false)
})

test('DISCONNECT cannot give a session an expiry that it did not have', async (t) => {
  const { port } = await startBus(t)
  const client = await client5(t, port)
  await client.next('connack')
  client.send({ cmd: 'disconnect', reasonCode: 0, properties: { sessionExpiryInterval: 10 } })
  assert.equal((await client.next('disconnect')).reasonCode, 0x82)
})

test('[MQTT-4.13.1-1] the broker says why it ends a connection', async (t) => {
  const { bus, port, ended } = await startBus(t, { limits: { packetBytes: 4096 } })
  const reasonAfter = async (
    act: (client: Awaited<ReturnType<typeof client5>>) => unknown,
    asked?: Parameters<typeof client5>[2]
  ) => {
    const client = await client5(t, port, asked)
    await client.next('connack')
    await act(client)
    const { reasonCode, properties } = await client.next('disconnect')
    await eventually(() => assert.ok(client.isClosed()))
    assert.ok(properties?.reasonString, 'with a text')
    return reasonCode
  }
  const raw = (hex: string) => (client: { send: (bytes: Buffer) => void }) =>
    client.send(Buffer.from(hex, 'hex'))
  const cases: [name: string, reason: number, hex: string][] = [
    ['[MQTT-2.1.3-1] wrong flags', 0x81, '4302'.concat('0001')],
    ['[MQTT-3.6.1-1] flags of PUBREL', 0x81, '60020001'],
    ['[MQTT-3.8.1-1] flags of SUBSCRIBE', 0x81, '800700010000016100'],
    ['[MQTT-3.10.1-1] flags of UNSUBSCRIBE', 0x81, 'a00600010000'.concat('0161')],
    ['[MQTT-3.14.1-1] flags of DISCONNECT', 0x81, 'e100'],
    ['[MQTT-3.15.1-1] flags of AUTH', 0x81, 'f100'],
    [
      '[MQTT-1.5.7-1] a user property that is not UTF-8',
      0x81,
      '300b000161072600'.concat('01ff000161')
    ],
    ['[MQTT-3.3.2-1] no topic', 0x81, '3000'],
    ['[MQTT-3.3.2-13] a response topic that is not UTF-8', 0x81, '30080001610408'.concat('0001ff')],
    ['[MQTT-3.3.2-14] a wildcard in a response topic', 0x82, '30080001610408'.concat('000123')],
    ['[MQTT-3.3.2-19] a content type that is not UTF-8', 0x81, '30080001610403'.concat('0001ff')],
    ['[MQTT-3.8.3-1] a filter that is not UTF-8', 0x81, '8207000100000'.concat('1ff00')],
    ['[MQTT-3.10.3-1] UNSUBSCRIBE that is not UTF-8', 0x81, 'a206000100'.concat('0001ff')],
    ['[MQTT-3.10.3-2] UNSUBSCRIBE without filters', 0x82, 'a203000100'],
    ['[MQTT-4.7.0-1] a wildcard in a topic', 0x90, '30060003312f2b'.concat('00')],
    ['[MQTT-4.7.3-1] neither a topic nor an alias', 0x82, '3003000000'],
    ['[MQTT-4.7.3-2] NUL in a filter', 0x81, '820700010000010000'],
    ['[MQTT-3.3.1-4] QoS 3', 0x81, '36050001610001'],
    ['[MQTT-1.5.4-1] a topic that is not UTF-8', 0x81, '30050002c32800'],
    ['[MQTT-1.5.4-2] NUL in a topic', 0x81, '30050002610000'],
    ['a field beyond the end', 0x81, '30020009'],
    ['an unknown property', 0x81, '3006000161027f01'],
    ['[MQTT-3.1.0-2] a second CONNECT', 0x82, '100d00044d5154540502000000000000'.slice(0, 30)],
    ['a property twice', 0x82, '3008000161040101'.concat('0101')],
    ['[MQTT-3.3.4-6] a subscription identifier', 0x82, '30060001610'.concat('20b01')],
    ['[MQTT-2.2.1-3] packet id 0', 0x82, '3206000161000000'],
    ['[MQTT-3.8.3-2] SUBSCRIBE without filters', 0x82, '8203000100'],
    ['[MQTT-3.8.3-5] reserved options', 0x81, '820700010000016180'],
    ['retain handling 3', 0x82, '820700010000016130'],
    ['QoS 3 of a filter', 0x82, '820700010000016103'],
    ['subscription identifier 0', 0x82, '82090001020b0000016100'],
    ['[MQTT-4.12.0-7] AUTH', 0x82, 'f000'],
    ['[MQTT-3.3.2-8] topic alias 0', 0x94, '3007000161032300'.concat('00')],
    ['[MQTT-3.3.2-9] topic alias above the maximum', 0x94, '3007000161032300'.concat('21')],
    ['an unknown topic alias', 0x82, '3006000003230001'],
    ['[MQTT-3.3.2-2] a wildcard in a topic', 0x90, '300500012300'.concat('78')],
    ['[MQTT-3.2.2-15] a packet that is too large', 0x95, '308120']
  ]
  for (const [name, reason, hex] of cases) {
    assert.equal(await reasonAfter(raw(hex)), reason, name)
  }
  assert.equal(await reasonAfter(() => {}, { keepalive: 1 }), 0x8d, '[MQTT-3.1.2-22]')
  const taken = reasonAfter(() => client5(t, port, { clientId: 'one' }), { clientId: 'one' })
  assert.equal(await taken, 0x8e, '[MQTT-3.1.4-3]')
  const renewed = reasonAfter(
    () => {
      ended.add('bert')
      return bus.recheck()
    },
    { username: 'bert' }
  )
  assert.equal(await renewed, 0x98)
  assert.equal(await reasonAfter(() => void bus.close()), 0x8b)
})

test('[MQTT-3.1.2-29] a client that does not want problem information gets no reason strings', async (t) => {
  const { port, grants } = await startBus(t)
  grants.set('anna', { publish: '1/#', subscribe: '#', receive: '#' })
  for (const requestProblemInformation of [true, false]) {
    const client = await client5(t, port, { properties: { requestProblemInformation } })
    client.send(publish5('2/t', 'x', { qos: 1, id: 1 }))
    const { reasonCode, properties } = await client.next('puback')
    assert.equal(reasonCode, 0x87)
    assert.equal(
      properties?.reasonString,
      requestProblemInformation ? 'forbidden topic' : undefined
    )
  }
})

test('MQTT 5 with mqtt.js: sign-in, QoS 0 to 2, a ping, and a leave', async (t) => {
  const { bus, port } = await startBus(t)
  const client = await mqttClient(t, port, { protocolVersion: 5, clientId: 'five' })
  assert.deepEqual(await client.subscribe('1/#', 2), [2])
  for (const qos of [0, 1, 2] as const) await client.publish('1/t', `at ${qos}`, { qos })
  await eventually(() => assert.deepEqual(client.payloads().sort(), ['at 0', 'at 1', 'at 2']))
  await client.mqtt.unsubscribeAsync('1/#')
  await client.mqtt.endAsync()
  await eventually(() => assert.equal(bus.counts.connections, 0))
})

test('[MQTT-3.12.4-1] PINGREQ is answered', async (t) => {
  const { port } = await startBus(t)
  const client = await client5(t, port)
  client.send(packet(0xc0), subscribe5(1, '1/#'))
  await client.next('pingresp')
  assert.deepEqual((await client.next('suback')).granted, [1])
})
