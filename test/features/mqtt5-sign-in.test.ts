import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startBus } from '../support/bus.ts'
import { eventually } from '../support/eventually.ts'
import { packet, rawClient } from '../support/mqtt.ts'
import {
  client5,
  connectBytes5,
  lengthed,
  publish5,
  settled,
  subscribe5
} from '../support/mqtt5.ts'
import { slow } from '../support/rounds.ts'

const id = lengthed('one')
const anna = lengthed('anna')
const notUtf8 = lengthed(Buffer.from([0xc3, 0x28]))
const noProperties = Buffer.from([0])
const CLEAN = 0x02
const WILL = 0x04
const PASSWORD = 0x40
const USER = 0x80

test('[MQTT-3.1.0-1] [MQTT-3.14.0-1] what comes before CONNECT ends the connection without an answer', async (t) => {
  const { port } = await startBus(t)
  for (const first of ['c000', 'e000', '30050001610078', 'f000', '82060001000161']) {
    const client = await rawClient(t, port)
    client.send(Buffer.from(first, 'hex'))
    await eventually(() => assert.ok(client.isClosed(), first))
    assert.equal(client.hex(), '')
  }
})

test('[MQTT-3.1.4-1] [MQTT-4.13.2-1] a malformed CONNECT ends the connection', async (t) => {
  const { bus, port } = await startBus(t)
  const will = [noProperties, lengthed('1/will'), lengthed('x')]
  const cases: [name: string, bytes: Buffer][] = [
    ['[MQTT-3.1.2-1] another protocol', connectBytes5(CLEAN | USER, [id, anna], { name: 'MQTX' })],
    ['[MQTT-3.1.2-3] the reserved flag', connectBytes5(CLEAN | USER | 1, [id, anna])],
    ['[MQTT-3.1.2-9] a will that is missing', connectBytes5(CLEAN | USER | WILL, [id, anna])],
    ['[MQTT-3.1.2-11] QoS without a will', connectBytes5(CLEAN | USER | 0x08, [id, anna])],
    ['[MQTT-3.1.2-12] a will of QoS 3', connectBytes5(USER | WILL | 0x18, [id, ...will, anna])],
    ['[MQTT-3.1.2-13] retain without a will', connectBytes5(CLEAN | USER | 0x20, [id, anna])],
    ['[MQTT-3.1.2-16] a user name without its flag', connectBytes5(CLEAN, [id, anna])],
    ['[MQTT-3.1.2-17] a flag without a user name', connectBytes5(CLEAN | USER, [id])],
    ['[MQTT-3.1.2-18] a password without its flag', connectBytes5(CLEAN | USER, [id, anna, id])],
    ['[MQTT-3.1.2-19] a flag without a password', connectBytes5(USER | PASSWORD, [id, anna])],
    ['[MQTT-3.1.3-1] fields in another order', connectBytes5(USER | WILL, [id, anna, ...will])],
    ['[MQTT-3.1.3-3] no client id', connectBytes5(CLEAN, [])],
    ['[MQTT-3.1.3-4] a client id that is not UTF-8', connectBytes5(USER, [notUtf8, anna])],
    [
      '[MQTT-3.1.3-11] the topic of a will that is not UTF-8',
      connectBytes5(USER | WILL, [id, noProperties, notUtf8, lengthed('x'), anna])
    ],
    ['[MQTT-3.1.3-12] a user name that is not UTF-8', connectBytes5(USER, [id, notUtf8])]
  ]
  for (const [name, bytes] of cases) {
    const client = await rawClient(t, port)
    client.send(bytes)
    await eventually(() => assert.ok(client.isClosed(), name))
    assert.ok(!client.hex().startsWith('20') || client.hex().slice(6, 8) >= '80', name)
  }
  assert.equal(bus.counts.connections, 0)
  const good = await rawClient(t, port)
  good.send(connectBytes5(USER | WILL | 0x10, [id, ...will, anna]))
  await eventually(() => assert.match(good.hex(), /^20..0000/))
})

test('[MQTT-3.1.2-2] another version gets CONNACK 0x84', async (t) => {
  const { port } = await startBus(t)
  const client = await rawClient(t, port)
  client.send(connectBytes5(CLEAN | USER, [id, anna], { level: 6 }))
  await eventually(() => assert.ok(client.isClosed()))
  assert.equal(client.hex(), '2003008400')
})

test('[MQTT-3.1.4-5] [MQTT-3.2.0-1] [MQTT-3.2.0-2] [MQTT-3.2.2-1] CONNACK is the first packet, and the only one of its kind', async (t) => {
  const { bus, port } = await startBus(t)
  const kept = { clientId: 'one', clean: false, properties: { sessionExpiryInterval: 100 } }
  const before = await client5(t, port, kept)
  before.send(subscribe5(1, '1/#'))
  await before.next('suback')
  before.send({ cmd: 'disconnect', reasonCode: 0 })
  await eventually(() => assert.equal(bus.counts.connections, 0))
  await bus.publish('1/t', 'x', { qos: 1, retain: true })
  const back = await client5(t, port, kept)
  back.send(subscribe5(1, '1/#'), packet(0xc0))
  await back.next('publish')
  await settled(back)
  const [first] = back.packets
  assert.ok(first?.cmd === 'connack')
  assert.deepEqual([first.reasonCode, first.sessionPresent], [0, true])
  assert.equal(back.all('connack').length, 1)

  const raw = await rawClient(t, port)
  raw.send(connectBytes5(CLEAN | USER, [id, anna]))
  await eventually(() => assert.match(raw.hex(), /^20..00/), undefined)
})

test('[MQTT-3.1.3-8] [MQTT-3.1.4-2] [MQTT-3.1.4-6] [MQTT-3.2.2-6] [MQTT-3.2.2-8] nothing behind a CONNECT that is refused is handled', async (t) => {
  const { port, handled } = await startBus(t, {
    mayUse: (_, clientId) => (clientId === 'no' ? 'never' : 'always')
  })
  const kept = { clientId: 'kept', clean: false, properties: { sessionExpiryInterval: 100 } }
  await (await client5(t, port, kept)).next('connack')
  const cases = [
    [{ ...kept, password: Buffer.from('wrong') }, 0x86],
    [{ ...kept, password: Buffer.from('often') }, 0x88],
    [{ ...kept, password: Buffer.from('broken') }, 0x88],
    [{ ...kept, clientId: 'no' }, 0x85]
  ] as const
  for (const [asked, code] of cases) {
    const client = await client5(t, port, asked)
    client.send(publish5('1/t', 'x', { qos: 1, id: 1 }), subscribe5(2, '1/#'))
    const { reasonCode, sessionPresent } = await client.next('connack')
    assert.deepEqual([reasonCode, sessionPresent], [code, false])
    await eventually(() => assert.ok(client.isClosed()))
    assert.equal(client.packets.length, 1)
  }
  assert.deepEqual(handled, [])
})

test('[MQTT-3.1.3-2] [MQTT-3.1.3-5] [MQTT-3.1.3-6] [MQTT-3.1.3-7] client ids', async (t) => {
  const { port } = await startBus(t)
  const connack = async (clientId: string, clean = false) => {
    const properties = { sessionExpiryInterval: 100 }
    const client = await client5(t, port, { clientId, clean, properties })
    return client.next('connack')
  }
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const ids = ['a', letters.slice(0, 23), letters.slice(3).toUpperCase(), '01234567890123456789012']
  for (const clientId of ids) assert.equal((await connack(clientId)).sessionPresent, false)
  for (const clientId of ids) assert.equal((await connack(clientId)).sessionPresent, true)
  const given = new Set<string>()
  for (let i = 0; i < 2; i++) {
    const { properties, reasonCode } = await connack('', true)
    assert.equal(reasonCode, 0)
    given.add(properties?.assignedClientIdentifier ?? '')
  }
  assert.equal(given.size, 2)
  for (const clientId of given) assert.equal((await connack(clientId)).sessionPresent, true)
  const resuming = await rawClient(t, port)
  resuming.send(connectBytes5(USER, [lengthed(''), anna]))
  await eventually(() => assert.match(resuming.hex(), /^20..0000.*120024/, 'without clean start'))
})

test('[MQTT-3.1.2-28] [MQTT-4.12.0-6] CONNACK has no response information, and no authentication method that was not asked for', async (t) => {
  const { port } = await startBus(t)
  for (const requestResponseInformation of [undefined, false, true]) {
    const properties =
      requestResponseInformation === undefined ? {} : { requestResponseInformation }
    const client = await client5(t, port, { properties })
    const { reasonCode, properties: told = {} } = await client.next('connack')
    assert.equal(reasonCode, 0)
    assert.equal('responseInformation' in told, false)
    assert.equal('authenticationMethod' in told, false)
    await settled(client)
    assert.equal(client.all('auth').length, 0)
  }
})

test('[MQTT-3.2.2-22] the keep alive of the client counts if CONNACK names no other', async (t) => {
  const { port } = await startBus(t)
  const silent = await client5(t, port, { clientId: 'silent', keepalive: 1 })
  const talking = await client5(t, port, { clientId: 'talking', keepalive: 1 })
  const patient = await client5(t, port, { clientId: 'patient', keepalive: 3 })
  assert.equal((await silent.next('connack')).properties?.serverKeepAlive, undefined)
  for (let i = 0; i < 4; i++) {
    await wait(500)
    await settled(talking)
  }
  assert.equal((await silent.next('disconnect')).reasonCode, 0x8d)
  assert.equal(patient.isClosed(), false)
  assert.equal(talking.isClosed(), false)
})

test('[MQTT-3.2.2-19] [MQTT-3.2.2-20] [MQTT-3.14.2-3] [MQTT-3.14.2-4] a text that does not fit the client is left out', async (t) => {
  const { port } = await startBus(t)
  const small = { maximumPacketSize: 20 }
  const refused = await client5(t, port, { properties: small, password: Buffer.from('wrong') })
  const { reasonCode, properties } = await refused.next('connack')
  assert.deepEqual([reasonCode, properties?.reasonString], [0x86, undefined])
  const client = await client5(t, port, { clientId: 'one', properties: small })
  assert.equal((await client.next('connack')).reasonCode, 0)
  client.send(packet(0xf0))
  const last = await client.next('disconnect')
  assert.deepEqual([last.reasonCode, last.properties?.reasonString], [0x82, undefined])
  await eventually(() => assert.ok(client.isClosed()))
})

test(
  '[MQTT-3.1.2-24] a client that cannot take an answer that it asked for loses its connection',
  slow,
  async (t) => {
    const { port } = await startBus(t)
    const tiny = await client5(t, port, { clientId: 'one', properties: { maximumPacketSize: 10 } })
    assert.equal((await tiny.next('connack')).reasonCode, 0x95, 'CONNACK says what it must')
    await eventually(() => assert.ok(tiny.isClosed()))
    const none = await rawClient(t, port)
    const four = Buffer.from([0x27, 0, 0, 0, 4])
    none.send(connectBytes5(CLEAN | USER, [id, anna], { properties: four }))
    await eventually(() => assert.ok(none.isClosed()))
    assert.equal(none.hex(), '')

    const filters = Array.from({ length: 50 }, (_, i) => `1/${i}`)
    for (const isSubscribe of [true, false]) {
      const properties = { maximumPacketSize: 40 }
      const client = await client5(t, port, { clientId: 'one', properties })
      await client.next('connack')
      if (isSubscribe) client.send(subscribe5(1, filters))
      else client.send({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: filters })
      assert.equal((await client.next('disconnect')).reasonCode, 0x95)
      await eventually(() => assert.ok(client.isClosed()))
      assert.equal(client.packets.length, 2)
    }
  }
)
