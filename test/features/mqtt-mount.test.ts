import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IClientOptions } from 'mqtt'
import { MAX_TOPIC_BYTES, MAX_TOPIC_LEVELS } from '../../src/lib/topic.ts'
import { eventually } from '../support/eventually.ts'
import { mountedGateway, mountedKey } from '../support/mounts.ts'
import {
  connectPacket,
  mqttClient,
  publishPacket,
  rawClient,
  type TestClient
} from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { slow } from '../support/rounds.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const { platform } = withPlatform()

/** A device with a mounted key, and a member who sees the whole topics. */
async function mountedSite(world: World, prefix = 'dev') {
  const { installation, user } = await world.site(['mqtt/#'])
  const { id: installation_id, client_id } = installation
  const key = await mountedKey(world, user, { installation_id, prefix })
  const under = (topic: string) => `${client_id}/${prefix}/${topic}`
  return { installation, user, key, cid: client_id, under }
}

const topicsOf = ({ messages }: TestClient) => messages.map(({ topic }) => topic)
const signIn = ({ token }: { token: string }, more: IClientOptions = {}) => ({
  username: 'anything',
  password: token,
  ...more
})
/** Everything that was sent before has arrived when the last message has. */
async function marked(sender: TestClient, whole: string, receiver: TestClient, own: string) {
  await sender.publish(whole, 'mark', { qos: 1 })
  await eventually(() => assert(topicsOf(receiver).includes(own)))
}

type Fresh = { installation_id: number; gateway?: { connected: boolean } }
async function gatewayState(world: World, id: number) {
  const { json } = await world.request('GET /api/v2/status', { as: world.admin })
  return (json as Fresh[]).find(({ installation_id }) => installation_id === id)?.gateway
}

for (const way of ['TCP', 'WebSocket'] as const) {
  const server = () =>
    way === 'TCP' ? platform().mqttPort : `${platform().url.replace('http', 'ws')}/mqtt`

  test(`PUBLISH, SUBSCRIBE and UNSUBSCRIBE below a mount, over ${way}`, async (t) => {
    const { world } = platform()
    const { user, key, under } = await mountedSite(world, 'tasmota/hall')
    const device = await mqttClient(t, server(), signIn(key))
    const member = await world.mqtt(user)
    assert.deepEqual(await member.subscribe(under('#'), 2), [2])
    assert.deepEqual(await device.subscribe(['cmnd/#', '+/twice'], 2), [2, 2])
    for (const qos of [0, 1, 2] as const) {
      await device.publish('tele/plug/SENSOR', `up ${qos}`, { qos })
      await member.publish(under('cmnd/plug/POWER'), `down ${qos}`, { qos })
      await member.publish(under('cmnd/twice'), `once ${qos}`, { qos })
    }
    await eventually(() => assert.equal(device.messages.length, 6))
    assert.deepEqual(
      device.messages.filter(({ payload }) => payload.startsWith('down')),
      [0, 1, 2].map((qos) => ({
        ...{ topic: 'cmnd/plug/POWER', payload: `down ${qos}` },
        ...{ qos, retain: false }
      }))
    )
    assert.equal(topicsOf(device).filter((topic) => topic === 'cmnd/twice').length, 3)
    await eventually(() =>
      assert.deepEqual(
        member.messages
          .filter(({ payload }) => payload.startsWith('up'))
          .map(({ topic, qos }) => [topic, qos]),
        [0, 1, 2].map((qos) => [under('tele/plug/SENSOR'), qos])
      )
    )
    await device.mqtt.unsubscribeAsync(['cmnd/#', '+/twice'])
    await device.subscribe('last')
    device.messages.length = 0
    await member.publish(under('cmnd/plug/POWER'), 'too late', { qos: 1 })
    await marked(member, under('last'), device, 'last')
    assert.deepEqual(topicsOf(device), ['last'])
  })

  test(`retained messages and wills below a mount, over ${way}`, async (t) => {
    const { world } = platform()
    const { user, key, under } = await mountedSite(world)
    const member = await world.mqtt(user)
    await member.publish(under('config'), 'from outside', { qos: 1, retain: true })
    const will = { topic: 'LWT', payload: Buffer.from('Offline'), qos: 1 as const, retain: true }
    const device = await mqttClient(t, server(), signIn(key, { will }))
    await device.publish('LWT', 'Online', { qos: 1, retain: true })
    await device.subscribe('#')
    await eventually(() => assert.deepEqual(topicsOf(device).sort(), ['LWT', 'config']))
    await member.subscribe(under('#'))
    await eventually(() => assert.equal(member.messages.length, 2))
    assert.deepEqual(
      member.messages.map(({ topic, retain }) => [topic, retain]).sort(),
      [under('LWT'), under('config')].map((topic) => [topic, true])
    )
    device.mqtt.stream.destroy()
    await eventually(() => assert.equal(member.payloads().at(-1), 'Offline'))
    assert.equal(member.messages.at(-1)?.topic, under('LWT'))
    const again = await mqttClient(t, server(), signIn(key))
    await again.subscribe('LWT')
    await eventually(() => assert.deepEqual(again.payloads(), ['Offline']))
    await again.publish('config', '', { qos: 1, retain: true })
    const late = await world.mqtt(user)
    await late.subscribe(under('config'))
    await marked(member, under('config'), late, under('config'))
    assert.deepEqual(late.payloads(), ['mark'], 'the empty message removed the retained one')
  })
}

test('# of a mounted client is everything below its mount, and nothing beside it', async () => {
  const { world } = platform()
  const { user, key, cid, under } = await mountedSite(world)
  const { installation: foreign } = await world.site([])
  const device = await world.mqtt(key)
  assert.deepEqual(await device.subscribe(['#', '+', '+/#', '/#'], 2), [2, 2, 2, 2])
  const member = await world.mqtt(user)
  const admin = await world.mqtt(world.admin)
  for (const retain of [false, true]) {
    for (const qos of [0, 1, 2] as const) {
      const outside = [`${cid}/dev`, `${cid}/dev/`, `${cid}/device/x`, `${cid}/obj/x`, `${cid}/de`]
      for (const topic of [...outside, `${cid}/dev/$SYS/x`, `${cid}/dev/$x`]) {
        await member.publish(topic, '{"value":1}', { qos, retain })
      }
      await admin.publish(`${foreign.client_id}/dev/x`, 'x', { qos, retain })
    }
  }
  await member.publish(under('a//b'), 'inside', { qos: 1, retain: true })
  await marked(member, under('last'), device, 'last')
  assert.deepEqual(topicsOf(device), ['a//b', 'last'])
  const late = await world.mqtt(key)
  await late.subscribe('#')
  await marked(member, under('last'), late, 'last')
  assert.deepEqual([...new Set(topicsOf(late))].sort(), ['a//b', 'last'])
})

test('client ids, also of others, are ordinary levels below a mount', async () => {
  const { world, deps } = platform()
  const { installation, user, key, cid, under } = await mountedSite(world)
  const { installation: other } = await world.site([])
  const device = await world.mqtt(key)
  const member = await world.mqtt(user)
  const admin = await world.mqtt(world.admin)
  await member.subscribe(`${cid}/#`)
  await admin.subscribe(`${other.client_id}/#`)
  const topics = [`${other.client_id}/obj/x`, `${cid}/obj/x`, 'obj/x', '../obj/x', `${cid}/set/x`]
  for (const topic of topics) await device.publish(topic, '{"value":1}', { qos: 1, retain: true })
  await eventually(() => assert.deepEqual(topicsOf(member), topics.map(under)))
  for (const { id } of [installation, other]) assert.equal(await statusText(deps, id), '')
  assert.deepEqual(
    await device.subscribe([`${other.client_id}/#`, `${cid}/#`, '0/#', '+/obj/#']),
    [1, 1, 1, 1]
  )
  device.messages.length = 0
  await admin.publish(`${other.client_id}/obj/y`, '{"value":2}', { qos: 1 })
  await member.publish(`${cid}/obj/y`, '{"value":2}', { qos: 1 })
  await marked(member, under(`${cid}/last`), device, `${cid}/last`)
  assert(
    topicsOf(device).every(
      (topic) => topic.endsWith('obj/x') || topic.endsWith('last') || topic === `${cid}/set/x`
    )
  )
  assert.deepEqual(topicsOf(admin), [`${other.client_id}/obj/y`])
})

test('$ and malformed topics are refused as without a mount', async (t) => {
  const { world, mqttPort } = platform()
  const { user, key, cid, under } = await mountedSite(world)
  const device = await world.mqtt(key)
  const filters = ['$SYS/#', '$share/g/#', `$share/g/${cid}/obj/#`, '$', `$share//${cid}/#`]
  assert.deepEqual(await device.subscribe(filters), [128, 128, 128, 128, 128])
  const member = await world.mqtt(user)
  await member.subscribe(`${cid}/#`)
  await device.publish('$SYS/x', 'x', { qos: 1 })
  await device.publish('$share/g/x', 'x', { qos: 2, retain: true })
  await marked(device, 'last', member, under('last'))
  assert.deepEqual(topicsOf(member), [under('last')])
  for (const topic of ['', 'a/+', '#', 'a\0b']) {
    const raw = await rawClient(t, mqttPort)
    raw.send(connectPacket({ id: `raw-${cid}`, password: key.token }), publishPacket(topic, 'x'))
    await eventually(() => assert(raw.isClosed(), JSON.stringify(topic)))
  }
  const will = { topic: '$SYS/will', payload: Buffer.from('x'), qos: 1 as const, retain: false }
  const dying = await world.mqtt(key, { will })
  dying.mqtt.stream.destroy()
  await marked(device, 'last', member, under('last'))
  assert(topicsOf(member).every((topic) => topic === under('last')))
  assert.equal(device.mqtt.connected, true)
})

test('the limits of topics hold for the whole topic', async () => {
  const { world } = platform()
  const { user, key, cid, under } = await mountedSite(world, 'a/b')
  const device = await world.mqtt(key)
  const member = await world.mqtt(user)
  await member.subscribe(`${cid}/#`)
  const levels = (count: number) => new Array(count).fill('x').join('/')
  const bytes = MAX_TOPIC_BYTES - under('').length
  const fits = [levels(MAX_TOPIC_LEVELS - 3), 'é'.repeat(bytes / 2)]
  const tooLong = [levels(MAX_TOPIC_LEVELS - 2), 'y'.repeat(bytes + 1)]
  for (const topic of [...tooLong, ...fits]) await device.publish(topic, 'x', { qos: 1 })
  await marked(device, 'last', member, under('last'))
  assert.deepEqual(topicsOf(member), [...fits, 'last'].map(under))
  assert.deepEqual(await device.subscribe([...tooLong, ...fits]), [128, 128, 1, 1])
  await eventually(async () => {
    const { json } = await world.request('GET /api/v2/ledger?limit=100', { as: world.admin })
    const entries = json as { topic: string; reason: string; sender: string }[]
    assert.deepEqual(
      entries
        .filter(({ topic }) => topic.startsWith(under('')))
        .map(({ reason, sender }) => [reason, sender]),
      [1, 2].map(() => ['topic too long', `user:${user.id} key:${key.id}`])
    )
  })
})

test('a mounted key neither gets nor ends a session of another key', async (t) => {
  const { world, mqttPort } = platform()
  const { installation, user, key, cid, under } = await mountedSite(world)
  const { id: installation_id } = installation
  const kept = { clientId: world.unique('phone'), clean: false }
  const whole = signIn(user, kept)
  const sleeper = await mqttClient(t, mqttPort, whole)
  await sleeper.subscribe(`${cid}/#`)
  await sleeper.mqtt.endAsync()
  const admin = await world.mqtt(world.admin)
  await admin.publish(`${cid}/obj/secret`, '{"value":1}', { qos: 1 })
  const others = [
    await mountedKey(world, user, { installation_id, prefix: 'other' }),
    await mountedKey(world, user, { installation_id })
  ]
  const devices: TestClient[] = []
  for (const one of [key, ...others]) {
    const device = await mqttClient(t, mqttPort, signIn(one, kept))
    assert.equal(device.sessionPresent, false)
    await device.subscribe('#')
    devices.push(device)
  }
  const back = await mqttClient(t, mqttPort, whole)
  assert.equal(back.sessionPresent, true)
  await eventually(() => assert.deepEqual(topicsOf(back), [`${cid}/obj/secret`]))
  await admin.publish(under('x'), 'x', { qos: 1 })
  for (const device of [devices[0], devices[2]]) {
    await eventually(() => assert.deepEqual(device && topicsOf(device), ['x']))
  }
  assert.deepEqual(devices[1]?.messages, [])
  assert(devices.every(({ mqtt }) => mqtt.connected) && back.mqtt.connected)
  const taken = await mqttClient(t, mqttPort, signIn(key, kept))
  assert.equal(taken.sessionPresent, true, 'the same key takes over')
  await eventually(() => assert.equal(devices[0]?.mqtt.connected, false))
  // A deleted key leaves nothing behind.
  const sessions = async () => {
    const { text } = await world.request('GET /metrics', { as: world.admin })
    return Number(/^caracal_mqtt_sessions (\d+)/m.exec(text)?.[1])
  }
  const before = await sessions()
  await world.request(`DELETE /api/v2/user/me/security/token/${key.id}`, { as: user })
  await eventually(() => assert.equal(taken.mqtt.connected, false))
  await eventually(async () => assert.equal(await sessions(), before - 1), 20_000)
})

test('a gateway with another mount, or with none, has another session', async (t) => {
  const { world, mqttPort } = platform()
  const { installation, user, key, cid } = await mountedSite(world)
  const line = `POST /api/v2/gateway/credentials/${installation.id}`
  const { json } = await world.request(line, { as: world.admin })
  const { mqtt_username, mqtt_password, mqtt_client_id } = json as Record<string, string>
  const clientId = mqtt_client_id ?? ''
  const plain = { username: mqtt_username ?? '', password: mqtt_password ?? '', clientId }
  const edge = await mqttClient(t, mqttPort, { ...plain, clean: false })
  await edge.subscribe(`${cid}/#`)
  await edge.mqtt.endAsync()
  const member = await world.mqtt(user)
  await member.publish(`${cid}/set/secret`, 'x', { qos: 1 })
  await member.publish(`${cid}/dev/x`, 'x', { qos: 1 })
  for (const prefix of ['dev', 'z2m']) {
    const gateway = { ...(await mountedGateway(world, installation.id, prefix)), clean: false }
    const device = await mqttClient(t, mqttPort, gateway)
    assert.equal(device.sessionPresent, false)
    await device.subscribe('#')
    await marked(member, `${cid}/${prefix}/last`, device, 'last')
    assert.deepEqual(topicsOf(device), ['last'])
    assert.equal((await gatewayState(world, installation.id))?.connected, true)
    await device.mqtt.endAsync()
  }
  const again = { ...(await mountedGateway(world, installation.id, 'dev')), clean: false }
  assert.equal((await mqttClient(t, mqttPort, again)).sessionPresent, true, 'the mount is the same')
  // A mounted key of a user cannot appear as the gateway, of this installation or another one.
  await assert.rejects(mqttClient(t, mqttPort, signIn(key, { clientId })), { code: 2 })
})

test('a restricted key does below its mount what its list allows', async () => {
  const { world } = platform()
  const { installation, user, cid } = await mountedSite(world)
  const { id: installation_id } = installation
  const permissions = [`${installation_id}/mqtt/publish/assigned`]
  await world.setGrants(user.id, ['mqtt/publish/all', 'mqtt/subscribe/all'])
  const key = await mountedKey(world, user, { installation_id }, { permissions })
  const device = await world.mqtt(key)
  const member = await world.mqtt(user)
  await member.subscribe(`${cid}/#`)
  assert.deepEqual(await device.subscribe(['#', 'cmnd/x']), [128, 128])
  await marked(device, 'up', member, `${cid}/dev/up`)
  await world.setGrants(user.id, ['mqtt/subscribe/all'])
  await eventually(() => assert.equal(device.mqtt.connected, false))
})

test('a topic on the blacklist is blocked by its whole name', async () => {
  const { world } = platform()
  const { user, key, cid, under } = await mountedSite(world)
  const body = { topic: under('bad/#'), mode: 'block', enabled: true, reason: 'x' }
  const { status, text } = await world.request('POST /api/v2/blacklist/topic', {
    as: world.admin,
    body
  })
  assert.equal(status, 200, text)
  const device = await world.mqtt(key)
  const member = await world.mqtt(user)
  await member.subscribe(`${cid}/#`)
  await device.publish('bad/x', 'x', { qos: 1, retain: true })
  await marked(device, 'good', member, under('good'))
  assert.deepEqual(topicsOf(member), [under('good')])
})

test(
  'sessions, queues, retained messages and wills below a mount survive a kill',
  slow,
  async (t) => {
    const first = await startTestPlatform()
    t.after(() => first.stop())
    const { world } = first
    const { installation, user, key, cid, under } = await mountedSite(world)
    const { id: installation_id } = installation
    const ended = await mountedKey(world, user, { installation_id, prefix: 'ended' })
    const gateway = await mountedGateway(world, installation_id, 'gw')
    const will = { topic: 'LWT', payload: Buffer.from('gone'), qos: 1 as const, retain: true }
    const kept = { clientId: 'sleeper', clean: false }
    const accounts: IClientOptions[] = [signIn(key, kept), { ...gateway, clean: false }]
    for (const account of accounts) {
      const client = await mqttClient(t, first.mqttPort, account)
      await client.subscribe(['cmnd/#', '#'], 2)
      await client.mqtt.endAsync()
    }
    const plain = await mqttClient(t, first.mqttPort, signIn(user, kept))
    await plain.subscribe(`${cid}/#`, 2)
    await plain.mqtt.endAsync()
    for (const one of [signIn(key), signIn(ended), { ...gateway, clientId: 'dying' }]) {
      await mqttClient(t, first.mqttPort, { ...one, will })
    }
    const member = await world.mqtt(user)
    for (const qos of [1, 2] as const) {
      await member.publish(under('cmnd/x'), `dev ${qos}`, { qos })
      await member.publish(`${cid}/gw/cmnd/x`, `gw ${qos}`, { qos })
    }
    await member.publish(`${cid}/dev`, 'outside', { qos: 1 })
    const device = await mqttClient(t, first.mqttPort, signIn(key))
    await device.publish('state', 'on', { qos: 1, retain: true })

    const dataDir = join(temporaryDirectory(), 'left')
    cpSync(first.dataDir, dataDir, { recursive: true })
    const registry = new DatabaseSync(join(dataDir, 'registry.sqlite'))
    registry.prepare('delete from tokens where id = ?').run(ended.id)
    registry.close()
    const second = await startTestPlatform({ settings: { CARACAL_DATA_DIR: dataDir } })
    t.after(() => second.stop())

    const listener = await mqttClient(t, second.mqttPort, signIn(user))
    await listener.subscribe(`${cid}/+/LWT`)
    await eventually(() =>
      assert.deepEqual(topicsOf(listener).sort(), [under('LWT'), `${cid}/gw/LWT`])
    )
    const woken = await mqttClient(t, second.mqttPort, signIn(key, kept))
    assert.equal(woken.sessionPresent, true)
    const queued = ({ messages }: TestClient) =>
      messages
        .flatMap(({ topic, payload }) => (topic === 'LWT' ? [] : [`${topic} ${payload}`]))
        .sort()
    await eventually(() => {
      assert.deepEqual(queued(woken), ['cmnd/x dev 1', 'cmnd/x dev 2', 'state on'])
      assert(topicsOf(woken).includes('LWT'))
    })
    const wokenGateway = await mqttClient(t, second.mqttPort, { ...gateway, clean: false })
    assert.equal(wokenGateway.sessionPresent, true)
    await eventually(() => assert.deepEqual(queued(wokenGateway), ['cmnd/x gw 1', 'cmnd/x gw 2']))
    const wokenPlain = await mqttClient(t, second.mqttPort, signIn(user, kept))
    await eventually(() => assert.equal(wokenPlain.messages.length, 8))
    assert.equal((await gatewayState(second.world, installation_id))?.connected, true)
    const late = await mqttClient(t, second.mqttPort, signIn(key))
    await late.subscribe('state')
    await eventually(() => assert.deepEqual(late.payloads(), ['on']))
  }
)

test('random topics and filters through a mount equal those with the prefix written out', async (t) => {
  const { world, mqttPort } = platform()
  const { user, key, cid, under } = await mountedSite(world)
  const device = await mqttClient(t, mqttPort, signIn(key))
  const member = await world.mqtt(user)
  const sender = { mounted: await world.mqtt(key), whole: await world.mqtt(user) }
  const level = fc.constantFrom(
    'a',
    'b',
    '',
    'dev',
    String(cid),
    'obj',
    '..',
    ' ',
    'ä',
    '__proto__'
  )
  const levels = (one: fc.Arbitrary<string>) =>
    fc
      .array(one, { minLength: 1, maxLength: 4 })
      .map((list) => list.join('/'))
      .filter((text) => text !== '')
  const filter = fc
    .tuple(levels(fc.oneof(level, fc.constant('+'))), fc.boolean())
    .map(([text, isOpen]) => (isOpen ? `${text}/#` : text))
  const round = fc.record({
    filters: fc.uniqueArray(fc.oneof(filter, fc.constant('#')), { minLength: 1, maxLength: 4 }),
    dropped: fc.nat(3),
    topics: fc.array(levels(level), { minLength: 1, maxLength: 6 }),
    by: fc.constantFrom('mounted', 'whole'),
    qos: fc.constantFrom(0, 1, 2)
  })
  await fc.assert(
    fc.asyncProperty(round, async ({ filters, dropped, topics, by, qos }) => {
      const mark = 'mark/of/this/round'
      const own = [...filters, mark]
      const granted = await device.subscribe(own, qos)
      assert.deepEqual(await member.subscribe(own.map(under), qos), granted)
      const unwanted = filters.slice(0, dropped)
      if (unwanted.length > 0) {
        await device.mqtt.unsubscribeAsync(unwanted)
        await member.mqtt.unsubscribeAsync(unwanted.map(under))
      }
      device.messages.length = 0
      member.messages.length = 0
      const one = sender[by]
      for (const topic of [...topics, mark]) {
        await one.publish(by === 'mounted' ? topic : under(topic), topic, { qos })
      }
      for (const [client, last] of [
        [device, mark],
        [member, under(mark)]
      ] as const) {
        await eventually(() => assert(topicsOf(client).includes(last)))
      }
      assert.deepEqual(
        device.messages.map((message) => ({ ...message, topic: under(message.topic) })),
        member.messages
      )
      for (const { topic, payload } of device.messages) assert.equal(topic, payload)
      await device.mqtt.unsubscribeAsync(own)
      await member.mqtt.unsubscribeAsync(own.map(under))
    }),
    { numRuns: 60 }
  )
})
