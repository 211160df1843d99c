import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { IClientOptions } from 'mqtt'
import { WebSocket } from 'ws'
import { eventually } from '../support/eventually.ts'
import {
  connectPacket,
  mqttClient,
  packet,
  publishPacket,
  rawClient,
  subscribePacket
} from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

type Credential = {
  client_id: number
  mqtt_broker: string
  mqtt_username: string
  mqtt_password: string
  mqtt_client_id: string
}
const hex = (length: number) => randomBytes(length / 2).toString('hex')

/** How the known clients connect. The password is an API key unless another one is given. */
describe('MQTT as existing clients speak it', () => {
  const { platform } = withPlatform()

  const keyOf = async (world: World, as: Account, more: object = {}): Promise<string> => {
    const body = { name: 'client', ...more }
    const made = await world.request('POST /api/v2/user/me/security/token', { as, body })
    return (made.json as { token: string }).token
  }
  const site = async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#', 'user/#'])
    const { id, client_id: cid } = installation
    return { id, cid, user, key: await keyOf(world, user), world }
  }
  type Site = Awaited<ReturnType<typeof site>>
  const credentialOf = async ({ world, id }: Site): Promise<Credential> => {
    const line = `POST /api/v2/gateway/credentials/${id}`
    return (await world.request(line, { as: world.admin })).json as Credential
  }
  const values = ({ id }: Site): Promise<string> => statusText(platform().deps, id)

  type Row = {
    options: (site: Site) => IClientOptions | Promise<IClientOptions>
    over?: ('tcp' | 'ws')[]
    qos?: 0 | 1 | 2
  }
  const uuid = () => `paho-ws-mqtt-${randomUUID()}`
  const rows: Record<string, Row> = {
    'Node-RED nodes': {
      options: ({ key }) => ({
        ...{ username: 'node-red', password: key, clientId: `node-red_${hex(8)}` },
        ...{ keepalive: 60, clean: true }
      }),
      over: ['tcp', 'ws'],
      qos: 0
    },
    'react-lynx with an e-mail': {
      options: ({ key, user }) => ({
        ...{ username: user.email, password: key, clientId: uuid(), keepalive: 5 }
      }),
      over: ['ws'],
      qos: 0
    },
    'react-lynx with api-key': {
      options: ({ key }) => ({
        ...{ username: 'api-key', password: key, clientId: uuid(), keepalive: 5 }
      }),
      over: ['ws'],
      qos: 0
    },
    'react-lynx with bearer and the token of a sign-in': {
      options: ({ user }) => ({
        ...{ username: 'bearer', password: user.token, clientId: uuid(), keepalive: 5 }
      }),
      over: ['ws'],
      qos: 0
    },
    'go-lynx with apikey': { options: ({ key }) => ({ username: 'apikey', password: key }) },
    'go-lynx with bearer': {
      options: ({ user }) => ({ username: 'bearer', password: user.token })
    },
    'go-lynx with Basic': {
      options: ({ user }) => ({ username: user.email, password: user.password })
    },
    'Signal K': {
      options: ({ key }) => ({
        ...{ username: 'Token', password: key },
        clientId: `urn:mrn:signalk:uuid:${randomUUID()}`
      }),
      qos: 2
    },
    'edge app share-data': {
      options: ({ key, id }) => ({
        ...{ username: 'api-key', password: key, clientId: `edge-app-share-${id}` }
      })
    },
    'MicroPython sensor': {
      options: ({ key, cid }) => ({
        ...{ username: 'picosensor', password: key, clientId: hex(16) },
        will: {
          ...{ topic: `${cid}/obj/pico/alive`, payload: Buffer.from('{"value": 0}') },
          ...{ qos: 0, retain: false }
        }
      }),
      qos: 0
    },
    'a key restricted to MQTT': {
      options: async ({ user, world }) => {
        const permissions = ['mqtt/publish/all', 'mqtt/subscribe/all']
        return { username: 'any', password: await keyOf(world, user, { permissions }) }
      }
    },
    'a gateway': {
      options: async (given) => {
        const { mqtt_username, mqtt_password, mqtt_client_id } = await credentialOf(given)
        return { username: mqtt_username, password: mqtt_password, clientId: mqtt_client_id }
      }
    }
  }
  for (const [name, { options, over = ['tcp'], qos = 1 }] of Object.entries(rows)) {
    for (const transport of over) {
      test(`${name} over ${transport}: connects, listens, publishes, and the value is stored`, async (t) => {
        const given = await site()
        const { mqttPort, httpPort } = platform()
        const server = transport === 'tcp' ? mqttPort : `ws://127.0.0.1:${httpPort}/mqtt`
        const client = await mqttClient(t, server, await options(given))
        const { cid } = given
        assert.deepEqual(await client.subscribe(`${cid}/#`, qos), [qos])
        await client.publish(`${cid}/obj/x`, '{"value":21.5}', { qos })
        await eventually(async () => assert.match(await values(given), /"value":21\.5/))
        await eventually(() => assert.deepEqual(client.payloads(), ['{"value":21.5}']))
        await client.mqtt.endAsync()
      })
    }
  }

  test('the will of a sensor is its last value when its connection is lost', async (t) => {
    const given = await site()
    const options = await rows['MicroPython sensor']?.options(given)
    const sensor = await mqttClient(t, platform().mqttPort, options)
    sensor.mqtt.stream.destroy()
    await eventually(async () => assert.match(await values(given), /"value":0,.*pico\/alive/))
  })

  test('every other password is refused with code 4', async (t) => {
    const { user, key } = await site()
    const { mqttPort } = platform()
    for (const [username, password] of [
      ['node-red', `${key}x`],
      ['bearer', 'x'.repeat(43)],
      ['apikey', user.password],
      ['Token', ''],
      ['', '']
    ]) {
      await assert.rejects(mqttClient(t, mqttPort, { username, password }), { code: 4 }, username)
    }
  })

  test('a client in a browser works: subprotocol mqtt, a client id of 49 characters, an answer to PINGREQ', async (t) => {
    const { key } = await site()
    const socket = new WebSocket(`ws://127.0.0.1:${platform().httpPort}/mqtt`, 'mqtt')
    t.after(() => socket.terminate())
    const frames: string[] = []
    socket.on('message', (data: Buffer) => frames.push(data.toString('hex')))
    await once(socket, 'open')
    assert.equal(socket.protocol, 'mqtt')
    const id = uuid()
    assert.equal(id.length, 49)
    socket.send(connectPacket({ id, username: 'api-key', password: key }))
    await eventually(() => assert.deepEqual(frames, ['20020000']))
    socket.send(packet(0xc0))
    await eventually(() => assert.deepEqual(frames, ['20020000', 'd000']))
  })

  test('SUBACK comes before the messages of the subscription', async (t) => {
    const { cid, key, world, user } = await site()
    const sender = await world.mqtt(user)
    for (let i = 0; i < 50; i++) {
      await sender.publish(`${cid}/box/${i}`, 'x'.repeat(1000), { qos: 1, retain: true })
    }
    const client = await rawClient(t, platform().mqttPort)
    const connect = connectPacket({ id: uuid(), username: 'api-key', password: key })
    client.send(connect, subscribePacket(7, `${cid}/#`, 0))
    const connack = '20020000'
    const suback = '9003000700'
    await eventually(() => assert(client.hex().length > 50 * 2000))
    assert.equal(client.hex().slice(0, connack.length + suback.length), connack + suback)
  })

  test('z2m_iotopen, which speaks MQTT 5 only, gets in and sends a value', async (t) => {
    const { key, cid } = await site()
    const options = {
      ...{ protocolVersion: 5 as const, clientId: 'z2m-mqtt-1', keepalive: 120 },
      ...{ username: 'configured', password: key }
    }
    const client = await mqttClient(t, platform().mqttPort, options)
    assert.deepEqual(await client.subscribe(`${cid}/#`), [1])
    await client.publish(`${cid}/obj/z2m/temperature`, '{"value": 21.5}', { qos: 1 })
    await eventually(() => assert.deepEqual(client.payloads(), ['{"value": 21.5}']))
  })

  test('react-lynx may subscribe to 0/# until it knows the installation, and gets nothing', async () => {
    const { user, world, cid } = await site()
    const client = await world.mqtt(user)
    assert.deepEqual(await client.subscribe(['0/#', '0', '00/#', '0x/#']), [1, 1, 128, 128])
    await client.publish('0/obj/x', '{"value": 1}', { qos: 1 })
    await world.publish(world.admin, '0/obj/x', { value: 2 })
    await client.subscribe(`${cid}/#`)
    await client.publish(`${cid}/cmd/last`, '1', { qos: 1 })
    await eventually(() =>
      assert.deepEqual(
        client.messages.map(({ topic }) => topic),
        [`${cid}/cmd/last`]
      )
    )
  })

  test('a topic outside any installation is refused, and the connection stays open', async () => {
    const { user, world, cid } = await site()
    const client = await world.mqtt(user)
    assert.deepEqual(await client.subscribe('tmp/time/test'), [128])
    for (const qos of [0, 1, 2] as const) await client.publish('tmp/time/test', '1', { qos })
    await client.publish(`${cid}/cmd/x`, '1', { qos: 1 })
    await eventually(async () => {
      const { json } = await world.request('GET /api/v2/ledger', { as: world.admin })
      const lines = json as { topic: string; reason: string }[]
      const refused = lines.filter(({ topic }) => topic === 'tmp/time/test')
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        Array(3).fill('unknown client id')
      )
    })
  })

  describe('the edge client’s bridge', () => {
    const trees = ['set', 'obj', 'cmd', 'evt']

    test('with the bridge bit of mosquitto has a kept session, a will, four topic trees and no echo', async (t) => {
      const given = await site()
      const { cid, world, user } = given
      const { mqtt_username, mqtt_password, mqtt_client_id } = await credentialOf(given)
      const status = `${cid}/box/event/status`
      const listener = await world.mqtt(user)
      await listener.subscribe(`${cid}/#`)
      const connect = connectPacket({
        ...{ id: mqtt_client_id, level: 0x84, clean: false },
        ...{ username: mqtt_username, password: mqtt_password },
        will: { topic: status, payload: '0', qos: 1 }
      })
      const bridge = await rawClient(t, platform().mqttPort)
      bridge.send(connect, ...trees.map((tree, i) => subscribePacket(i + 1, `${cid}/${tree}/#`, 1)))
      const subacks = trees.map((_, i) => `90030${(i + 1).toString(16).padStart(3, '0')}01`)
      await eventually(() => assert.equal(bridge.hex(), ['20020000', ...subacks].join('')))

      const own = trees.map((tree, i) =>
        publishPacket(`${cid}/${tree}/own`, '{"value":1}', { qos: 1, id: i + 10 })
      )
      bridge.send(...own, publishPacket(status, '1', { qos: 1, id: 20 }))
      await eventually(() =>
        assert.deepEqual(
          listener.messages.map(({ topic }) => topic),
          [...trees.map((tree) => `${cid}/${tree}/own`), status]
        )
      )
      await world.publish(user, `${cid}/set/lamp`, 'on')
      const lamp = Buffer.from(`${cid}/set/lamp`).toString('hex')
      await eventually(() => assert(bridge.hex().includes(lamp)))
      assert(!bridge.hex().includes(Buffer.from('/own').toString('hex')), 'no echo')
      bridge.socket.destroy()
      await eventually(() => assert.equal(listener.messages.at(-1)?.payload, '0'))

      await world.publish(user, `${cid}/set/fan`, 'off')
      const back = await rawClient(t, platform().mqttPort)
      back.send(connect)
      const fan = Buffer.from(`${cid}/set/fan`).toString('hex')
      await eventually(() => assert(back.hex().includes(fan)))
      assert.equal(back.hex().slice(0, 8), '20020100', 'the session was kept')
    })

    test('works as a real mosquitto with only the credential of the gateway', async (t) => {
      if (spawnSync('mosquitto', ['-h']).error) {
        assert.notEqual(process.env['CI'], 'true', 'CI must have mosquitto')
        t.skip('mosquitto is not installed')
        return
      }
      const given = await site()
      const { cid, world, user } = given
      const credential = await credentialOf(given)
      const listener = await world.mqtt(user)
      await listener.subscribe(`${cid}/#`)
      const edge = await startBridge(t, credential, platform().mqttPort)
      const heard = (topic: string) =>
        listener.messages.filter((message) => message.topic === topic).map((m) => m.payload)
      await eventually(() => assert.deepEqual(heard(`${cid}/box/event/status`), ['1']))
      for (const tree of trees) await edge.publish(`${tree}/up`, '{"value":3}', { qos: 1 })
      for (const tree of trees) {
        await eventually(() => assert.deepEqual(heard(`${cid}/${tree}/up`), ['{"value":3}']))
        // The bridge may have connected, but not subscribed yet.
        await eventually(async () => {
          await world.publish(user, `${cid}/${tree}/down`, '{"value":4}')
          assert(
            edge.messages.some(({ topic }) => topic === `${tree}/down`),
            tree
          )
        })
      }
      await eventually(async () => assert.match(await values(given), /"value":3/))
    })

    test('accepts every character of credentials and keys on its set-up page', async () => {
      const given = await site()
      const { user, world } = given
      const allowed = /^[A-Za-z0-9:_\-+.@]+$/
      for (const length of [undefined, 22, 64, 256]) {
        assert.match(await keyOf(world, user, { length }), allowed)
      }
      const { mqtt_broker, mqtt_username, mqtt_password } = await credentialOf(given)
      for (const text of [mqtt_broker, mqtt_username, mqtt_password, user.token]) {
        assert.match(text, allowed)
      }
      assert.match(mqtt_broker, /^[^/]+:\d+$/, 'host and port, no scheme')
      assert.equal(mqtt_username, String(given.cid))
    })
  })
})

/** A mosquitto with the bridge of the edge client's template, and a client on its side. */
async function startBridge(t: TestContext, credential: Credential, port: number) {
  const { client_id, mqtt_username, mqtt_password, mqtt_client_id } = credential
  const edgePort = await freePort()
  const directory = mkdtempSync(join(tmpdir(), 'caracal-edge-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, 'bridge.conf')
  const settings = [
    `listener ${edgePort} 127.0.0.1`,
    'allow_anonymous true',
    'connection platform',
    `address 127.0.0.1:${port}`,
    `remote_clientid ${mqtt_client_id}`,
    `remote_username ${mqtt_username}`,
    `remote_password ${mqtt_password}`,
    'cleansession false',
    'keepalive_interval 60',
    `notification_topic ${client_id}/box/event/status`,
    'restart_timeout 1',
    ...['set', 'obj', 'cmd', 'evt'].map((tree) => `topic ${tree}/# both 1 "" ${client_id}/`)
  ]
  writeFileSync(file, `${settings.join('\n')}\n`)
  const mosquitto = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
  t.after(() => mosquitto.kill('SIGKILL'))
  await once(mosquitto, 'spawn')
  const client = await eventually(() => mqttClient(t, edgePort))
  await client.subscribe('#')
  return client
}
