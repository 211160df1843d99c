import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlatformBus } from '../../src/platform/bus.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient, type TestClient } from '../support/mqtt.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const REFUSED = 128

/** Sends a last message; when it arrives, everything before it was handled. */
async function settled(world: World, listener: TestClient, own: number): Promise<void> {
  const mark = world.unique('mark')
  await listener.publish(`${own}/cmd/${mark}`, mark, { qos: 1 })
  await eventually(() => assert(listener.payloads().includes(mark)))
}

onRegistryMatrix('MQTT', (engine) => {
  const { platform } = withPlatform(engine)

  test('CONNECT with a token under any name, or with e-mail and password', async (t) => {
    const { world, mqttPort } = platform()
    const user = await world.user()
    const accepted = [
      { username: 'token', password: user.token },
      { username: user.email, password: user.token },
      { username: user.email, password: user.password }
    ]
    for (const options of accepted) await mqttClient(t, mqttPort, options)
    const refused = [
      { username: 'token', password: 'x'.repeat(43) },
      { username: user.email, password: 'wrong password' },
      { username: 'nobody@example.org', password: user.password },
      {}
    ]
    for (const options of refused) {
      await assert.rejects(mqttClient(t, mqttPort, options), { code: 4 })
    }
  })

  test('CONNECT over WebSocket at /mqtt', async (t) => {
    const { world, httpPort } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const client = await mqttClient(t, `ws://127.0.0.1:${httpPort}/mqtt`, {
      username: 'api-key',
      password: user.token
    })
    assert.deepEqual(await client.subscribe(`${installation.client_id}/#`), [1])
    await settled(world, client, installation.client_id)
  })

  test('CONNECT is refused for a while after ten wrong passwords', async (t) => {
    const { world, mqttPort } = platform()
    const user = await world.user()
    for (let i = 0; i < 10; i++) {
      const wrong = mqttClient(t, mqttPort, { username: user.email, password: 'wrong one' })
      await assert.rejects(wrong, { code: 4 })
    }
    const right = mqttClient(t, mqttPort, { username: user.email, password: user.password })
    await assert.rejects(right, { code: 3 })
  })

  test('SUBSCRIBE works on the installations of the grant and no others', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/subscribe/all', 'mqtt/publish/all'])
    const foreign = await world.installation()
    const client = await world.mqtt(user)
    const own = installation.client_id
    const granted = await client.subscribe([
      `${own}/#`,
      `${own}/obj/+/temp`,
      `${foreign.client_id}/#`,
      '999999/#',
      '#',
      '+/obj/#',
      'tmp/test',
      '$SYS/#',
      `$share/group/${own}/#`,
      `${installation.id}/#`
    ])
    assert.deepEqual(granted, [1, 1, ...Array.from({ length: 8 }, () => REFUSED)])
    assert.equal(client.mqtt.connected, true)
  })

  test('a subscription that begins with a wildcard brings only messages that the receiver may see', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const foreign = await world.installation()
    const listener = await world.mqtt(user)
    assert.deepEqual(await listener.subscribe(['#', '+/obj/#']), [1, 1])
    const publisher = await world.mqtt(world.admin)
    await publisher.publish(`${foreign.client_id}/obj/x`, '{"value":1}', { qos: 1 })
    await publisher.publish(`${foreign.client_id}/obj/x`, '{"value":1}', { qos: 1, retain: true })
    await publisher.publish(`${installation.client_id}/obj/x`, '{"value":2}', { qos: 1 })
    await settled(world, listener, installation.client_id)
    const topics = new Set(listener.messages.map(({ topic }) => topic.split('/')[0]))
    assert.deepEqual([...topics], [String(installation.client_id)])
    const later = await world.mqtt(user)
    await later.subscribe('#')
    await settled(world, later, installation.client_id)
    assert(!later.messages.some(({ topic }) => topic.startsWith(`${foreign.client_id}/`)))
  })

  test('PUBLISH where the sender may not publish is acknowledged and dropped', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(['mqtt/publish/all', 'mqtt/subscribe/all'])
    const foreign = await world.installation()
    const owner = await world.user({
      grants: ['mqtt/#', 'status/#'],
      organizations: [foreign.organization_id]
    })
    const listener = await world.mqtt(owner)
    await listener.subscribe(`${foreign.client_id}/#`)
    const sender = await world.mqtt(user)
    for (const qos of [0, 1, 2] as const) {
      for (const topic of ['obj/x', 'set/x', 'evt/x']) {
        const to = `${foreign.client_id}/${topic}`
        await sender.publish(to, '{"value":1}', { qos, retain: true })
      }
    }
    await settled(world, listener, foreign.client_id)
    assert.deepEqual(
      listener.messages.filter(({ topic }) => !topic.includes('/cmd/')),
      []
    )
    assert.equal(await statusText(deps, foreign.id), '')
    assert.equal(sender.mqtt.connected, true)
    await sender.publish(`${installation.client_id}/obj/x`, '{"value":1}', { qos: 1 })
    assert.notEqual(await statusText(deps, installation.id), '')
  })

  test('a right that ends no longer applies to open connections, queued and retained messages', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const topic = `${installation.client_id}/obj/x`
    const options = { clientId: world.unique('sleeper'), clean: false }
    const sleeper = await world.mqtt(user, options)
    await sleeper.subscribe(`${installation.client_id}/#`)
    await sleeper.mqtt.endAsync()
    const awake = await world.mqtt(user)
    await awake.subscribe(`${installation.client_id}/#`)
    await world.publish(world.admin, topic, { value: 1 })
    await eventually(() => assert.equal(awake.messages.length, 1))

    await world.setGrants(user.id, ['mqtt/publish/all'])
    // It was closed already; the test waits for the end.
    await (deps.bus as PlatformBus).recheck()
    const publisher = await world.mqtt(world.admin)
    await publisher.publish(topic, '{"value":2}', { qos: 1, retain: true })
    const back = await world.mqtt(user, options)
    assert.deepEqual(await back.subscribe(topic), [REFUSED])
    assert.deepEqual(back.messages, [])
    assert.equal(awake.messages.length, 1)
  })

  test('a deleted user is disconnected', async () => {
    const { world, deps } = platform()
    const user = await world.user()
    const { recordChange } = await import('../../src/registry/changes.ts')
    const client = await world.mqtt(user)
    await deps.registry.deleteFrom('users').where('id', '=', user.id).execute()
    await recordChange(deps.registry, 'user', user.id, Date.now())
    await eventually(() => assert.equal(client.mqtt.connected, false))
  })

  test('a client id belongs to its principal', async () => {
    const { world } = platform()
    const [one, other] = [await world.user(), await world.user()]
    const clientId = world.unique('device')
    const first = await world.mqtt(one, { clientId })
    const beside = await world.mqtt(other, { clientId })
    assert.equal(first.mqtt.connected, true)
    await world.mqtt(one, { clientId })
    await eventually(() => assert.equal(first.mqtt.connected, false))
    assert.equal(beside.mqtt.connected, true)
  })

  test('a will is checked like a PUBLISH, and its value is stored', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const foreign = await world.installation()
    const dying = async (topic: string) => {
      const will = { topic, payload: Buffer.from('{"value":0}'), qos: 1 as const, retain: false }
      const client = await world.mqtt(user, { will })
      client.mqtt.stream.destroy()
    }
    await dying(`${foreign.client_id}/obj/alive`)
    await dying(`${installation.client_id}/obj/alive`)
    await eventually(async () =>
      assert.match(await statusText(deps, installation.id), /obj\/alive/)
    )
    assert.equal(await statusText(deps, foreign.id), '')
  })
})
