import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mountedKey } from '../support/mounts.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

type Status = { topic: string; value: number; timestamp: number }
type Modelx = { id: number; type: string; meta: Record<string, string> }

const grants = ['mapping/#', 'mqtt/#', 'status/#', 'ledger/#', 'functionx/#', 'quota/#']
const plug = (payload: object) => JSON.stringify({ Time: '2026-01-01T12:00:00', ...payload })

onRegistryMatrix('values of mapped messages', (engine) => {
  const { platform } = withPlatform(engine)

  async function site(...mappings: object[]) {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    for (const body of mappings) await map(world, user, `${installation.id}`, body)
    const client = await world.mqtt(user)
    const { id, client_id } = installation
    const read = async <T>(path: string): Promise<T> =>
      (await world.request(`GET /api/v2/${path}/${id}`, { as: user })).json as T
    return {
      ...{ world, installation, user, client, client_id },
      /** Resolves when it is acknowledged. */
      send: (rest: string, payload: string, qos: 0 | 1 | 2 = 1) =>
        client.publish(`${client_id}/${rest}`, payload, { qos }),
      values: async () =>
        Object.fromEntries(
          (await read<Status[]>('status')).map(({ topic, value }) => [
            topic.slice(`${client_id}/`.length),
            value
          ])
        ),
      refused: async () => (await read<{ reason: string }[]>('ledger')).map(({ reason }) => reason),
      functions: () => read<Modelx[]>('functionx')
    }
  }

  async function map(world: World, user: Account, owner: string, body: object): Promise<number> {
    const { json, status, text } = await world.request(`POST /api/v2/mapping/${owner}`, {
      ...{ as: user, body }
    })
    assert.equal(status, 200, text)
    return (json as { id: number }).id
  }

  test('a message is stored when it is acknowledged, and its values are published', async () => {
    const { world, user, client_id, send, values, refused } = await site({ make: 'tasmota' })
    const listener = await world.mqtt(user)
    await listener.subscribe(`${client_id}/#`)
    const payload = plug({ ENERGY: { Power: 25, Total: 1.5 } })
    await send('dev/tele/plug/SENSOR', payload)
    assert.deepEqual(await values(), {
      'obj/dev/tasmota/plug/ENERGY/Power': 25,
      'obj/dev/tasmota/plug/ENERGY/Total': 1.5
    })
    const at = Date.parse('2026-01-01T12:00:00Z') / 1000
    await eventually(() =>
      assert.deepEqual(
        listener.messages
          .map(({ topic, payload, qos }) => [topic.replace(/^\d+\//, ''), payload, qos])
          .sort(),
        [
          ['dev/tele/plug/SENSOR', payload, 1],
          ['obj/dev/tasmota/plug/ENERGY/Power', `{"value":25,"timestamp":${at},"msg":""}`, 1],
          ['obj/dev/tasmota/plug/ENERGY/Total', `{"value":1.5,"timestamp":${at},"msg":""}`, 1]
        ]
      )
    )
    for (const qos of [0, 1, 2] as const) await send('dev/stat/plug/POWER', 'ON', qos)
    await eventually(async () => assert.equal((await values())['obj/dev/tasmota/plug/POWER'], 1))
    assert.deepEqual(await refused(), [])
  })

  test('a mapping that fails stores nothing, and the others of the same message still do', async () => {
    const good = { filter: 'dev/#', values: [{ path: 'a', topic: 'obj/good' }] }
    const bad = {
      ...{ name: 'Broken', filter: 'dev/#' },
      values: [
        { path: 'a', topic: 'obj/bad/a' },
        { path: 'b', topic: 'obj/bad/b' }
      ]
    }
    const { send, values, refused } = await site(bad, good)
    await send('dev/x', '{"a": 1, "b": "none"}')
    assert.deepEqual(await values(), { 'obj/good': 1 })
    await eventually(async () => {
      const [reason, ...more] = await refused()
      assert.match(reason ?? '', /^mapping failed: mapping \d+ \(Broken\): b: no numeric value$/)
      assert.deepEqual(more, [])
    })
    await send('dev/x', '{"a": 2, "b": 3}')
    assert.deepEqual(await values(), { 'obj/good': 2, 'obj/bad/a': 2, 'obj/bad/b': 3 })
  })

  test('a changed or deleted mapping counts from the next message on', async () => {
    const { world, user, installation, send, values } = await site()
    const one = { filter: 'dev/#', values: [{ topic: 'obj/one' }] }
    await send('dev/x', '1')
    assert.deepEqual(await values(), {})
    const id = await map(world, user, `${installation.id}`, one)
    await send('dev/x', '2')
    assert.deepEqual(await values(), { 'obj/one': 2 })
    const at = `/api/v2/mapping/${installation.id}/${id}`
    await world.request(`PUT ${at}`, { as: user, body: { values: [{ topic: 'obj/two' }] } })
    await send('dev/x', '3')
    assert.deepEqual(await values(), { 'obj/one': 2, 'obj/two': 3 })
    await world.request(`PUT ${at}`, { as: user, body: { active: false } })
    await send('dev/x', '4')
    await world.request(`PUT ${at}`, { as: user, body: { active: true } })
    await send('dev/x', '5')
    await world.request(`DELETE ${at}`, { as: user })
    await send('dev/x', '6')
    assert.deepEqual(await values(), { 'obj/one': 2, 'obj/two': 5 })
    await map(world, user, `organization/${installation.organization_id}`, one)
    await send('dev/x', '7')
    assert.deepEqual(await values(), { 'obj/one': 7, 'obj/two': 5 })
  })

  test('create_missing makes each function once, with its metadata', async () => {
    const { world, user, client_id, send, functions, installation } = await site({
      ...{ make: 'tasmota', create_missing: true }
    })
    await world.request(`POST /api/v2/functionx/${installation.id}`, {
      as: user,
      body: { type: 'mine', meta: { name: 'Mine', topic_read: 'obj/dev/tasmota/plug/POWER' } }
    })
    const many = await Promise.all(Array.from({ length: 5 }, () => world.mqtt(user)))
    await Promise.all(
      many.map(({ publish }) =>
        publish(`${client_id}/dev/tele/plug/SENSOR`, plug({ ENERGY: { Power: 1 } }), { qos: 1 })
      )
    )
    await send('dev/stat/plug/POWER', 'ON')
    await send('dev/stat/plug/POWER2', 'ON')
    const shown = (await functions()).map(({ type, meta }) => ({ type, ...meta }))
    assert.deepEqual(shown, [
      { type: 'mine', name: 'Mine', topic_read: 'obj/dev/tasmota/plug/POWER' },
      {
        ...{ type: 'power', name: 'plug ENERGY Power', unit: 'W' },
        topic_read: 'obj/dev/tasmota/plug/ENERGY/Power'
      },
      {
        ...{ type: 'switch', name: 'plug POWER2', topic_read: 'obj/dev/tasmota/plug/POWER2' },
        topic_write: 'set/obj/dev/tasmota/plug/POWER2'
      }
    ])
    const [, power] = await functions()
    await world.request(`DELETE /api/v2/functionx/${installation.id}/${power?.id}`, { as: user })
    await send('dev/tele/plug/SENSOR', plug({ ENERGY: { Power: 2 } }))
    assert.equal((await functions()).length, 2, 'what somebody deleted does not come back')
  })

  test('writing to topic_write sends what the make expects, to the mount of the device', async () => {
    const { world, user, client_id, send, values } = await site({ make: 'tasmota' })
    const device = await world.mqtt(user)
    await device.subscribe(`${client_id}/+/cmnd/#`)
    for (const payload of ['{"value":1,"timestamp":5,"msg":""}', '0', 'true', 'no value', '{}']) {
      await send('set/obj/dev/tasmota/plug/POWER', payload)
    }
    await send('set/obj/attic/tasmota/plug/POWER', '1')
    await send('set/obj/dev/tasmota/plug/ENERGY/Power', '1')
    await send('set/obj/dev/zigbee2mqtt/lamp/state', '1')
    await eventually(() =>
      assert.deepEqual(
        device.messages.map(({ topic, payload }) => [topic.replace(/^\d+\//, ''), payload]),
        [
          ['dev/cmnd/plug/POWER', 'ON'],
          ['dev/cmnd/plug/POWER', 'OFF'],
          ['dev/cmnd/plug/POWER', 'ON'],
          ['attic/cmnd/plug/POWER', 'ON']
        ]
      )
    )
    assert.deepEqual(await values(), {}, 'a command is not mapped')
  })

  test('a function that somebody made for a mapped topic may have a topic_write of its own', async () => {
    const { world, user, installation, client_id, send } = await site({ make: 'zigbee2mqtt' })
    const lamp = {
      topic_read: `${client_id}/obj/dev/zigbee2mqtt/lamp/state`,
      topic_write: 'set/kitchen/lamp'
    }
    await world.request(`POST /api/v2/functionx/${installation.id}`, {
      ...{ as: user, body: { type: 'lamp', meta: lamp } }
    })
    const device = await world.mqtt(user)
    await device.subscribe(`${client_id}/dev/#`)
    await send('set/kitchen/other', '1')
    await send('set/kitchen/lamp', '0')
    await eventually(() =>
      assert.deepEqual(
        device.messages.map(({ topic, payload }) => [topic.replace(/^\d+\//, ''), payload]),
        [['dev/zigbee2mqtt/lamp/set', '{"state":"OFF"}']]
      )
    )
  })

  test('a device with a mounted key knows nothing of the platform, and is read and switched', async () => {
    const { world, user, installation, send, values, functions } = await site({
      ...{ make: 'tasmota', create_missing: true }
    })
    const { id: installation_id } = installation
    const keys = [
      await mountedKey(world, user, { installation_id }),
      await mountedKey(world, user, { installation_id, prefix: 'attic/north' })
    ]
    const [plug, other] = await Promise.all(keys.map((key) => world.mqtt(key)))
    assert(plug && other)
    for (const one of [plug, other]) await one.subscribe('cmnd/plug/#')
    await plug.publish('stat/plug/POWER', 'OFF', { qos: 1 })
    await other.publish('stat/plug/POWER', 'ON', { qos: 1 })
    assert.deepEqual(await values(), {
      'obj/dev/tasmota/plug/POWER': 0,
      'obj/attic/north/tasmota/plug/POWER': 1
    })
    for (const { meta } of await functions()) await send(meta['topic_write'] ?? '', '{"value": 1}')
    for (const one of [plug, other]) {
      await eventually(() =>
        assert.deepEqual(
          one.messages.map(({ topic, payload }) => [topic, payload]),
          [['cmnd/plug/POWER', 'ON']]
        )
      )
    }
  })

  test('values and commands are not mapped, whatever the filter', async () => {
    const { send, values, refused } = await site({ filter: '#', values: [{ topic: 'obj/all' }] })
    await send('set/x', '1')
    await send('evt/x', '2')
    await send('obj/x', '{"value": 3}')
    await send('obj', '4')
    await send('x', '')
    assert.deepEqual(await values(), { 'obj/x': 3 })
    assert.deepEqual(await refused(), [])
    await send('x', '5')
    assert.deepEqual(await values(), { 'obj/x': 3, 'obj/all': 5 })
  })

  test('the blacklist keeps out what it names: a value, or a whole message', async () => {
    const { world, client_id, send, values, refused } = await site({
      ...{ filter: '#', values: [{ path: '*', topic: 'obj/{1}/{*}' }] }
    })
    for (const topic of [`${client_id}/obj/+/secret`, `${client_id}/quiet/#`]) {
      const body = { topic, mode: 'ignore', enabled: true, reason: '' }
      const made = await world.request('POST /api/v2/blacklist/topic', { as: world.admin, body })
      assert.equal(made.status, 200, made.text)
    }
    await send('loud/x', '{"secret": 1, "open": 2}')
    await send('quiet/x', '{"open": 2}')
    assert.deepEqual(await values(), { 'obj/loud/open': 2 })
    await eventually(async () => assert.deepEqual(await refused(), ['blacklisted']))
  })

  test('values of one message are all stored, or none when a quota is used up', async () => {
    const { world, installation, send, values, refused } = await site({
      ...{ filter: '#', values: [{ path: '*', topic: 'obj/{*}' }] }
    })
    const limits = await world.request(`PUT /api/v2/installation/${installation.id}/quota`, {
      as: world.admin,
      body: { topics: 3 }
    })
    assert.equal(limits.status, 200, limits.text)
    await send('x', '{"a": 1, "b": 2}')
    await send('x', '{"a": 3, "c": 4, "d": 5}')
    assert.deepEqual(await values(), { 'obj/a': 1, 'obj/b': 2 })
    await eventually(async () => assert.deepEqual(await refused(), ['too many topics']))
    await send('x', '{"a": 6, "c": 7}')
    assert.deepEqual(await values(), { 'obj/a': 6, 'obj/b': 2, 'obj/c': 7 })
  })

  test('a will of a device is mapped', async () => {
    const { world, user, client_id, values } = await site({ make: 'tasmota' })
    const will = { topic: `${client_id}/dev/tele/plug/LWT`, payload: Buffer.from('Offline') }
    const device = await world.mqtt(user, { will: { ...will, qos: 1, retain: true } })
    await device.publish(will.topic, 'Online', { qos: 1, retain: true })
    assert.deepEqual(await values(), { 'obj/dev/tasmota/plug/LWT': 1 })
    device.mqtt.stream.destroy()
    await eventually(async () =>
      assert.deepEqual(await values(), { 'obj/dev/tasmota/plug/LWT': 0 })
    )
  })

  test('a message that is much work counts as several', async () => {
    const keys = Array.from({ length: 900 }, (_, i) => [`k${i}`, 'x'])
    const wide = JSON.stringify(Object.fromEntries(keys))
    const { world, installation, send, refused } = await site({
      ...{
        filter: '#',
        values: [
          { path: '*', topic: 'obj/a' },
          { path: '*', topic: 'obj/b' }
        ]
      }
    })
    const limits = { as: world.admin, body: { messages_per_second: 1 } }
    await world.request(`PUT /api/v2/installation/${installation.id}/quota`, limits)
    // A minute's worth is there at once: 60 messages, or 15 of four.
    for (let i = 0; i < 18; i++) await send('x', wide)
    await eventually(async () => assert.deepEqual(await refused(), ['too many messages']))
  })

  test('hostile messages are acknowledged, and refused where they cannot be read', async () => {
    const { send, values, refused, client } = await site(
      { filter: '#', values: [{ path: '*.*.*.*', topic: 'obj/{*}' }] },
      { make: 'zigbee2mqtt' },
      { make: 'tasmota' }
    )
    const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    await send('zigbee2mqtt/x', nested)
    await send('zigbee2mqtt/x', `{"a":${'{"b":'.repeat(9000)}1${'}'.repeat(9001)}`)
    await send('zigbee2mqtt/x', `{"a":"${'x'.repeat(900_000)}"}`)
    await send('tele/x/SENSOR', '{"__proto__": {"Power": 1}, "constructor": {"x": 2}}')
    await send('x'.repeat(1010), '1')
    assert.equal(client.mqtt.connected, true)
    assert.deepEqual(await values(), {
      'obj/tasmota/x/__proto__/Power': 1,
      'obj/tasmota/x/constructor/x': 2
    })
    await eventually(async () => {
      const reasons = (await refused()).map((one) => one.replace(/^.*: /, ''))
      assert.deepEqual(reasons.sort(), ['not json', 'too large', 'too large'])
    })
  })
})
