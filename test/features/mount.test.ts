import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { hostilePrefixes, mountedGateway, mountedKey } from '../support/mounts.ts'
import { mqttClient } from '../support/mqtt.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const mine = '/api/v2/user/me/security/token'
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const onlyMqtt = { message: 'This key or credential has a mount: it is for MQTT only' }
const asUser = ({ user }: { user: Account }) => user
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})

type Site = { installation: { id: number } }
type Listed = { id: number; mount?: object; token?: string }

onRegistryMatrix('mounts', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const site = (world: World) => world.site(['mqtt/#'])
  const keysOf = async (as: { token: string }) =>
    (await platform().world.request(`GET ${mine}`, { as })).json as Listed[]

  describe('of keys', () => {
    test('the answer and the list show the mount, the list without the key', async () => {
      const { world } = platform()
      const { installation, user } = await site(world)
      const { id: installation_id } = installation
      const plain = await mountedKey(world, user, { installation_id })
      assert.deepEqual(plain.mount, { installation_id, prefix: 'dev' })
      const deep = await mountedKey(world, user, { installation_id, prefix: 'a/b/c/d/e/f/g/h' })
      const listed = await keysOf(user)
      for (const { id, mount } of [plain, deep]) {
        const shown = listed.find((one) => one.id === id)
        assert.deepEqual(shown?.mount, mount)
        assert(shown && !('token' in shown))
      }
      assert(
        listed.some((one) => !('mount' in one)),
        'the session has none'
      )
      const gone = await world.request(`DELETE ${mine}/${plain.id}`, { as: user })
      assert.equal(gone.status, 200)
      await assert.rejects(world.mqtt(plain), { code: 4 })
      await world.mqtt(deep)
    })

    scenario('no mount: null and a missing prefix mean the usual', {
      given: site,
      as: asUser,
      request: `POST ${mine}`,
      body: { name: 'plain', mount: null },
      expect: { status: 200 },
      and: async ({ json }, _, world) => {
        assert(!('mount' in (json as object)))
        const { status } = await world.request('GET /api/v2/user/me', {
          as: json as { token: string }
        })
        assert.equal(status, 200)
      }
    })

    scenario('without a sign-in', {
      given: site,
      request: `POST ${mine}`,
      body: ({ installation }: Site) => ({
        name: 'x',
        mount: { installation_id: installation.id }
      }),
      expect: unauthorized
    })

    scenario('at an installation that does not exist', {
      given: site,
      as: asUser,
      request: `POST ${mine}`,
      body: { name: 'x', mount: { installation_id: 999_999_999 } },
      expect: forbidden
    })

    scenario('at an installation of somebody else', {
      given: async (world) => ({ ...(await site(world)), other: await world.installation() }),
      as: asUser,
      request: `POST ${mine}`,
      body: ({ other }: { other: { id: number } }) => ({
        name: 'x',
        mount: { installation_id: other.id }
      }),
      expect: forbidden
    })

    scenario('by a caller who sees the installation and may not use it over MQTT', {
      given: (world) => world.site(['installation/#', 'status/#']),
      as: asUser,
      request: `POST ${mine}`,
      body: ({ installation }: Site) => ({
        name: 'x',
        mount: { installation_id: installation.id }
      }),
      expect: forbidden
    })

    scenario('by a restricted key that may not use the installation over MQTT', {
      given: async (world) => {
        const given = await world.site(['mqtt/#', 'status/#', 'user/#'])
        const { json } = await world.request(`POST ${mine}`, {
          as: given.user,
          body: { name: 'narrow', permissions: ['status/read/all', 'user/#'] }
        })
        return { ...given, user: json as Account }
      },
      as: asUser,
      request: `POST ${mine}`,
      body: ({ installation }: Site) => ({
        name: 'x',
        permissions: ['status/read/all'],
        mount: { installation_id: installation.id }
      }),
      expect: forbidden
    })

    test('hostile prefixes, ids and shapes are refused, and nothing is stored', async () => {
      const { world } = platform()
      const { installation, user } = await site(world)
      const { id: installation_id } = installation
      const mounts: unknown[] = [
        ...hostilePrefixes.map((prefix) => ({ installation_id, prefix })),
        ...[0, -1, 1.5, '1', '', null, 2 ** 53, {}, [installation_id]].map((id) => ({
          installation_id: id
        })),
        ...[{}, { prefix: 'dev' }, 'dev', [], 7, true]
      ]
      const before = await keysOf(user)
      for (const mount of mounts) {
        const { status, text } = await world.request(`POST ${mine}`, {
          as: user,
          body: { name: 'x', mount }
        })
        assert.equal(status, 400, `${JSON.stringify(mount)}: ${text}`)
        assert.match(text, /mount|prefix|installation_id|NUL/, JSON.stringify(mount))
      }
      assert.deepEqual(await keysOf(user), before)
    })

    test('a mounted key is for MQTT only', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const key = await mountedKey(world, user, { installation_id: installation.id })
      const { token } = key
      const ways: Record<string, string>[] = [
        { 'x-api-key': token },
        { authorization: `Bearer ${token}` },
        basic('anybody', token)
      ]
      const lines = [
        'GET /api/v2/user/me',
        `GET ${mine}`,
        `POST ${mine}`,
        'GET /api/v2/permission',
        `GET /api/v2/status/${installation.id}`,
        `GET /lynx/api/v2/status/${installation.id}`,
        `POST /api/v2/gateway/credentials/${installation.id}`,
        'DELETE /api/v2/auth',
        'GET /metrics'
      ]
      for (const headers of ways) {
        for (const line of lines) {
          const { status, json } = await world.request(line, { headers })
          assert.deepEqual([status, json], [403, onlyMqtt], line)
        }
      }
      await world.mqtt(key)
    })

    test('a key for another user reaches what that user reaches', async () => {
      const { world } = platform()
      const { installation, user } = await site(world)
      const stranger = await world.user({ grants: ['mqtt/#'] })
      const mount = { installation_id: installation.id }
      const make = async ({ id }: Account) => {
        const line = `POST /api/v2/user/${id}/security/token`
        const body = { name: 'made', mount }
        const { status, json, text } = await world.request(line, { as: world.admin, body })
        assert.equal(status, 200, text)
        return json as { token: string }
      }
      await world.mqtt(await make(user))
      await assert.rejects(world.mqtt(await make(stranger)), { code: 4 })
    })

    test('a key ends with the access of its owner, and comes back with it', async () => {
      const { world } = platform()
      const { installation, user } = await site(world)
      const key = await mountedKey(world, user, { installation_id: installation.id })
      const device = await world.mqtt(key)
      await world.setGrants(user.id, ['status/#'])
      await eventually(() => assert.equal(device.mqtt.connected, false))
      await assert.rejects(world.mqtt(key), { code: 4 })
      await world.setGrants(user.id, ['mqtt/subscribe/all'])
      await world.mqtt(key)
    })

    test('a key ends with its installation', async () => {
      const { world } = platform()
      const { installation, user } = await site(world)
      const key = await mountedKey(world, user, { installation_id: installation.id })
      const device = await world.mqtt(key)
      const line = `DELETE /api/v2/installation/${installation.id}`
      assert.equal((await world.request(line, { as: world.admin })).status, 200)
      await assert.rejects(world.mqtt(key), { code: 4 })
      await eventually(() => assert.equal(device.mqtt.connected, false), 20_000)
      assert(!(await keysOf(user)).some(({ id }) => id === key.id))
    })

    test('a program without mounts finds no such key', async () => {
      const { world, deps } = platform()
      const { installation, user } = await site(world)
      const { id } = await mountedKey(world, user, { installation_id: installation.id })
      const row = await deps.registry
        .selectFrom('tokens')
        .select('hash')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      assert.match(row.hash, /^mount\$[\w-]{43}$/)
    })
  })

  describe('of gateways', () => {
    const url = ({ installation }: Site) => `POST /api/v2/gateway/credentials/${installation.id}`

    scenario('the answer shows the mount', {
      given: site,
      as: () => platform().world.admin,
      request: url,
      body: { mount: { prefix: 'zigbee2mqtt' } },
      expect: { status: 200 },
      and: ({ json }, { installation }) =>
        assert.deepEqual((json as { mount: object }).mount, {
          installation_id: installation.id,
          prefix: 'zigbee2mqtt'
        })
    })

    scenario('the usual prefix', {
      given: site,
      as: () => platform().world.admin,
      request: url,
      body: { mount: {} },
      expect: { status: 200 },
      and: ({ text }) => assert.match(text, /"prefix":"dev"/)
    })

    test('without a mount: no body, or one without it', async () => {
      const { world } = platform()
      const { installation } = await site(world)
      for (const body of [undefined, '', 'null', {}, { mount: null }, { client_id: 7 }]) {
        const answer = await world.request(url({ installation }), { as: world.admin, body })
        assert.equal(answer.status, 200, answer.text)
        assert.doesNotMatch(answer.text, /"mount"/)
      }
    })

    scenario('without a sign-in', {
      given: site,
      request: url,
      body: { mount: {} },
      expect: unauthorized
    })

    scenario('without the right', {
      given: site,
      as: asUser,
      request: url,
      body: { mount: {} },
      expect: forbidden
    })

    scenario('at an installation that does not exist', {
      as: () => platform().world.admin,
      request: 'POST /api/v2/gateway/credentials/999999999',
      body: { mount: {} },
      expect: forbidden
    })

    test('hostile prefixes and shapes are refused, and the old credential stays', async () => {
      const { world } = platform()
      const { installation } = await site(world)
      const before = await mountedGateway(world, installation.id)
      const bodies = [
        ...hostilePrefixes.map((prefix) => ({ mount: { prefix } })),
        ...[{ mount: 'dev' }, { mount: [] }, { mount: 7 }, [], 7]
      ]
      for (const body of bodies) {
        const { status, text } = await world.request(url({ installation }), {
          as: world.admin,
          body
        })
        assert.equal(status, 400, `${JSON.stringify(body)}: ${text}`)
      }
      await world.mqtt({ token: '' }, before)
    })

    test('a gateway with a mount is for MQTT only; the next credential is whole again', async () => {
      const { world, mqttPort } = platform()
      const { installation } = await site(world)
      const gateway = await mountedGateway(world, installation.id)
      const headers = basic(gateway.username, gateway.password)
      for (const line of [
        `GET /api/v2/functionx/${installation.id}`,
        `POST /api/v2/gateway/verify/${installation.id}`,
        `GET /lynx/api/v2/functionx/${installation.id}`
      ]) {
        const { status, json } = await world.request(line, { headers })
        assert.deepEqual([status, json], [403, onlyMqtt], line)
      }
      const wrong = basic(gateway.username, 'a wrong password')
      const line = `POST /api/v2/gateway/verify/${installation.id}`
      assert.equal((await world.request(line, { headers: wrong })).status, 401)
      const device = await world.mqtt({ token: '' }, gateway)
      const { json } = await world.request(url({ installation }), { as: world.admin })
      const { mqtt_username: username, mqtt_password: password } = json as Record<string, string>
      await eventually(() => assert.equal(device.mqtt.connected, false))
      await assert.rejects(mqttClient({ after: () => {} }, mqttPort, gateway), { code: 4 })
      const whole = { headers: basic(username ?? '', password ?? '') }
      assert.equal(
        (await world.request(`GET /api/v2/functionx/${installation.id}`, whole)).status,
        200
      )
    })
  })
})
