import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { generate } from 'mqtt-packet'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import { mountedKey } from '../support/mounts.ts'
import { mqttClient } from '../support/mqtt.ts'
import { client5, publish5, subscribe5 } from '../support/mqtt5.ts'
import { withPlatform } from '../support/scenario.ts'

const { platform } = withPlatform()

const as = ({ token }: { token: string }) => ({ username: 'app', password: Buffer.from(token) })

test('PUBACK of MQTT 5 says why a value is not stored, or why a message is dropped', async (t) => {
  const { world, mqttPort } = platform()
  const { installation, user } = await world.site(['mqtt/#'])
  const { client_id: cid } = installation
  const client = await client5(t, mqttPort, as(user))
  client.send(subscribe5(1, `${cid}/#`, { qos: 0 }))
  await client.next('suback')
  const cases: [topic: string, payload: string, code: number, text?: string, stored?: 'no'][] = [
    [`${cid}/obj/a`, '{"value": 1}', 0],
    [`${cid}/obj/a`, 'on', 0, 'not json', 'no'],
    [`${cid}/obj/a`, '{"value": "x"}', 0, 'no numeric value', 'no'],
    ['999999/obj/a', '{"value": 1}', 0x87, 'unknown client id'],
    [`${cid}/obj/${'a/'.repeat(64)}`, '{"value": 1}', 0x83, 'topic too long'],
    [`${cid}/free`, 'anything', 0]
  ]
  for (const [i, [topic, payload, code, text, stored]] of cases.entries()) {
    client.send(publish5(topic, payload, { qos: 1, id: i + 1 }))
    const { reasonCode, properties } = await client.next('puback', i + 1)
    const told = [reasonCode, properties?.reasonString, properties?.userProperties?.['stored']]
    assert.deepEqual(told, [code, text, stored], `${topic} ${payload}`)
  }
  await client.next('publish', 4)
  const delivered = client.all('publish').map(({ payload }) => String(payload))
  assert.deepEqual(delivered, ['{"value": 1}', 'on', '{"value": "x"}', 'anything'])
})

test('below a mount: shared subscriptions, topic aliases, and response topics', async (t) => {
  const { world, mqttPort } = platform()
  const { installation, user } = await world.site(['mqtt/#'])
  const { id: installation_id, client_id: cid } = installation
  const key = await mountedKey(world, user, { installation_id, prefix: 'dev' })
  const devices = [
    await client5(t, mqttPort, { ...as(key), properties: { topicAliasMaximum: 1 } }),
    await client5(t, mqttPort, as(key))
  ]
  for (const device of devices) {
    device.send(subscribe5(1, ['$share/g/jobs', 'all', '$share/g/$SYS/x'], { qos: 1 }))
    assert.deepEqual((await device.next('suback')).granted, [1, 1, 0x87])
  }
  const app = await client5(t, mqttPort, as(user))
  app.send(subscribe5(1, `${cid}/#`))
  await app.next('suback')
  const properties = { responseTopic: `${cid}/dev/answer`, contentType: 'text/plain' }
  for (const id of [1, 2]) {
    app.send(publish5(`${cid}/dev/jobs`, String(id), { qos: 1, id, properties }))
  }
  for (const device of devices) {
    const { topic, properties: received } = await device.next('publish')
    assert.deepEqual([topic, received?.responseTopic], ['jobs', 'answer'])
    assert.equal(received?.contentType, 'text/plain')
  }
  const [first] = devices
  assert.ok(first)
  const ask = { properties: { responseTopic: 'back', topicAlias: 3 } }
  first.send(publish5('up', 'x', ask), publish5('', 'y', { properties: { topicAlias: 3 } }))
  await eventually(() => {
    const up = app.all('publish').filter(({ topic }) => topic === `${cid}/dev/up`)
    assert.deepEqual(
      up.map(({ payload, properties: got }) => [String(payload), got?.responseTopic]),
      [
        ['x', `${cid}/dev/back`],
        ['y', undefined]
      ]
    )
  })
})

test('[MQTT-4.2.0-1] [MQTT-6.0.0-4] MQTT 5 over WebSocket', async (t) => {
  const { world, url } = platform()
  const { installation, user } = await world.site(['mqtt/#'])
  const { client_id: cid } = installation
  const options = { protocolVersion: 5 as const, username: 'app', password: user.token }
  const client = await mqttClient(t, `${url.replace('http', 'ws')}/mqtt`, options)
  assert.deepEqual(await client.subscribe(`${cid}/#`, 2), [2])
  for (const qos of [0, 1, 2] as const) await client.publish(`${cid}/t`, 'x'.repeat(1000), { qos })
  await eventually(() => assert.equal(client.messages.length, 3))
})

test('[MQTT-6.0.0-1] [MQTT-6.0.0-2] a packet may come in several frames, and no frame may be text', async (t) => {
  const { world, url } = platform()
  const { user } = await world.site(['mqtt/#'])
  const bytes = generate(
    {
      ...{ cmd: 'connect', clientId: 'ws', username: 'app', password: Buffer.from(user.token) },
      ...{ protocolId: 'MQTT', protocolVersion: 5, clean: true, keepalive: 0 }
    },
    { protocolVersion: 5 }
  )
  const open = async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/mqtt`, 'mqtt')
    t.after(() => socket.terminate())
    await once(socket, 'open')
    assert.equal(socket.protocol, 'mqtt')
    const received: Buffer[] = []
    socket.on('message', (chunk: Buffer) => received.push(chunk))
    return { socket, hex: () => Buffer.concat(received).toString('hex') }
  }
  const split = await open()
  for (const byte of bytes) split.socket.send(Buffer.from([byte]))
  await eventually(() => assert.match(split.hex(), /^20..0000/))
  split.socket.send(Buffer.from('c000c000', 'hex'))
  await eventually(() => assert.match(split.hex(), /d000d000$/))
  const wrong = await open()
  const closed = once(wrong.socket, 'close')
  wrong.socket.send('text')
  await closed
})
