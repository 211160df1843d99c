import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const base = '/api/v2/gateway'
const asUser = ({ user }: { user: Account }) => user

type Information = { mqtt_username: string; mqtt_password: string; [field: string]: unknown }

const basic = (name: string | number, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})

async function credentialOf(world: World, installationId: number) {
  const line = `POST ${base}/credentials/${installationId}`
  const information = (await world.request(line, { as: world.admin })).json as Information
  const { mqtt_username: username, mqtt_password: password } = information
  return { information, username, password, headers: basic(username, password) }
}

/** An installation with a gateway, and a user it is assigned to. */
async function withGateway(world: World) {
  const installation = await world.installation({ timezone: 'Europe/Stockholm' })
  const user = await world.user({
    grants: ['gateway/reset/password/assigned'],
    assigned: [installation.id]
  })
  return { installation, user, ...(await credentialOf(world, installation.id)) }
}

const capabilitiesOf = async (world: World, id: number) => {
  const { json } = await world.request('GET /api/v2/installationinfo?assigned=false', {
    as: world.admin
  })
  const infos = json as { id: number; capabilities: string[] }[]
  return infos.find((info) => info.id === id)?.capabilities
}

onRegistryMatrix('gateway', (engine) => {
  const { platform, scenario } = withPlatform(engine, {
    settings: {
      CARACAL_PUBLIC_URL: 'https://caracal.example.org/',
      CARACAL_MQTT_PUBLIC_URL: 'mqtts://mqtt.example.org:8883'
    }
  })

  describe('credentials', () => {
    scenario('have everything that an edge client needs', {
      given: withGateway,
      as: () => platform().world.admin,
      request: ({ installation }) => `POST ${base}/credentials/${installation.id}`,
      expect: { status: 200 },
      and: ({ json }, { installation }) => {
        const { mqtt_password, ...information } = json as Information
        assert.deepEqual(information, {
          client_id: installation.client_id,
          installation_id: installation.id,
          api: 'https://caracal.example.org/lynx',
          aam: 'https://caracal.example.org/lynx',
          mqtt_broker: 'mqtt.example.org:8883',
          mqtt_username: String(installation.client_id),
          mqtt_client_id: `edge-${installation.client_id}`,
          timezone: 'Europe/Stockholm'
        })
        assert.match(mqtt_password, /^[A-Za-z0-9._:@+-]{22,}$/)
      }
    })
    scenario('end the old credential, over HTTP and on open connections', {
      given: async (world) => {
        const given = await withGateway(world)
        const { username, password } = given
        const client = await world.mqtt({ token: '' }, { username, password })
        return { ...given, client }
      },
      as: () => platform().world.admin,
      request: ({ installation }) => `POST ${base}/credentials/${installation.id}`,
      expect: { status: 200 },
      and: async (_, { installation, headers, client }, world) => {
        const old = await world.request(`GET /api/v2/functionx/${installation.id}`, { headers })
        assert.equal(old.status, 401)
        await eventually(() => assert.equal(client.mqtt.connected, false))
      }
    })
    scenario('without the grant', {
      given: withGateway,
      as: asUser,
      request: ({ installation }) => `POST ${base}/credentials/${installation.id}`,
      expect: forbidden
    })
    scenario('by a key that may do less than a gateway', {
      given: async (world) => {
        const given = await withGateway(world)
        const made = await world.request('POST /api/v2/user/me/security/token', {
          as: world.admin,
          body: { name: 'narrow', permissions: ['installation/update/all'] }
        })
        return { ...given, key: made.json as { token: string } }
      },
      as: ({ key }) => key,
      request: ({ installation }) => `POST ${base}/credentials/${installation.id}`,
      expect: forbidden
    })
    scenario('by the gateway itself', {
      given: withGateway,
      headers: ({ headers }) => headers,
      request: ({ installation }) => `POST ${base}/credentials/${installation.id}`,
      expect: forbidden
    })
    scenario('without a token', { request: `POST ${base}/credentials/1`, expect: unauthorized })
  })

  describe('verify', () => {
    const reports: [what: string, body: unknown, want: string[]][] = [
      ['a list', ['schedule', 'zwave'], ['schedule', 'zwave']],
      ['an object', { capabilities: ['schedule'] }, ['schedule']],
      ['twice the same and what is no text', ['a', 'a', 1, null, '', 'x'.repeat(101)], ['a']]
    ]
    for (const [what, body, want] of reports) {
      scenario(`takes the capabilities from ${what} and publishes this`, {
        given: withGateway,
        headers: ({ headers }) => headers,
        request: ({ installation }) => `POST ${base}/verify/${installation.id}`,
        body,
        expect: {
          status: 204,
          published: ({ installation }) => [`${installation.client_id}/evt/installation/updated`]
        },
        and: async ({ text }, { installation, headers }, world) => {
          assert.equal(text, '')
          assert.deepEqual(await capabilitiesOf(world, installation.id), want)
          const line = `POST ${base}/verify/${installation.id}`
          const again = () => world.request(line, { headers, body })
          assert.deepEqual(await world.published(again), [])
        }
      })
    }
    for (const body of [undefined, '', {}, { capabilities: 'x' }, '5', 'null', { other: 1 }]) {
      scenario(`keeps the capabilities if the body is ${JSON.stringify(body)}`, {
        given: async (world) => {
          const given = await withGateway(world)
          const line = `POST ${base}/verify/${given.installation.id}`
          await world.request(line, { headers: given.headers, body: ['schedule'] })
          return given
        },
        headers: ({ headers }) => headers,
        request: ({ installation }) => `POST ${base}/verify/${installation.id}`,
        body,
        expect: { status: 204 },
        and: async (_, { installation }, world) =>
          assert.deepEqual(await capabilitiesOf(world, installation.id), ['schedule'])
      })
    }
    scenario('with a wrong password', {
      given: withGateway,
      headers: ({ username }) => basic(username, 'a wrong password'),
      request: ({ installation }) => `POST ${base}/verify/${installation.id}`,
      expect: unauthorized
    })
    scenario('of another installation', {
      given: async (world) => ({
        ...(await withGateway(world)),
        other: await world.installation()
      }),
      headers: ({ headers }) => headers,
      request: ({ other }) => `POST ${base}/verify/${other.id}`,
      expect: unauthorized
    })
    scenario('of an installation that does not exist', {
      given: withGateway,
      headers: ({ headers }) => headers,
      request: `POST ${base}/verify/999999`,
      expect: unauthorized
    })
    scenario('by a user', {
      given: withGateway,
      as: () => platform().world.admin,
      request: ({ installation }) => `POST ${base}/verify/${installation.id}`,
      expect: unauthorized
    })
    scenario('without credentials', { request: `POST ${base}/verify/1`, expect: unauthorized })

    test('is refused for a while after ten wrong passwords', async () => {
      const { world } = platform()
      const { installation, username, headers } = await withGateway(world)
      const line = `POST ${base}/verify/${installation.id}`
      for (let i = 0; i < 10; i++) {
        await world.request(line, { headers: basic(username, `wrong password ${i}`) })
      }
      const { status, headers: answered } = await world.request(line, { headers })
      assert.equal(status, 429)
      assert(Number(answered.get('retry-after')) > 0)
    })
  })

  describe('registration policy', () => {
    const policy = `${base}/registration/policy`
    const start = { allow_unregistered: false, default_organization_id: 1 }
    scenario('is closed at first', {
      as: () => platform().world.admin,
      request: `GET ${policy}`,
      expect: { status: 200, body: start }
    })
    test('accepts the first password of a gateway while it is open, and no other after that', async () => {
      const { world } = platform()
      const { id, client_id } = await world.installation()
      const verify = async (password: string) =>
        (await world.request(`POST ${base}/verify/${id}`, { headers: basic(client_id, password) }))
          .status
      const set = (allow_unregistered: boolean) =>
        world.request(`PUT ${policy}`, {
          as: world.admin,
          body: { ...start, allow_unregistered }
        })
      assert.equal(await verify('presented first'), 401)
      assert.deepEqual((await set(true)).json, { ...start, allow_unregistered: true })
      assert.equal(await verify('short'), 401)
      assert.equal(await verify('presented first'), 204)
      assert.equal(await verify('presented second'), 401)
      assert.deepEqual((await set(false)).json, start)
      assert.equal(await verify('presented first'), 204)
    })
    test('cannot be changed by the administrator of a tenant, and applies only in its organization', async () => {
      const { world } = platform()
      const victim = await world.installation()
      const tenant = await world.user({
        grants: ['#'],
        organizations: [await world.organization()]
      })
      const body = { allow_unregistered: true, default_organization_id: 1 }
      const refused = await world.request(`PUT ${policy}`, { as: tenant, body })
      assert.equal(refused.status, 403)
      const narrow = { ...body, default_organization_id: await world.organization() }
      await platform().deps.directory.catchUp()
      assert.equal(
        (await world.request(`PUT ${policy}`, { as: world.admin, body: narrow })).status,
        200
      )
      const headers = basic(victim.client_id, 'presented first')
      const claim = await world.request(`POST ${base}/verify/${victim.id}`, { headers })
      assert.equal(claim.status, 401)
      await world.request(`PUT ${policy}`, { as: world.admin, body: start })
    })
    const refused: [string, unknown, string][] = [
      ['one field', { allow_unregistered: true }, 'default_organization_id is required'],
      ['text', { ...start, allow_unregistered: 'yes' }, 'allow_unregistered must be true or false'],
      [
        'organization 0',
        { ...start, default_organization_id: 0 },
        'default_organization_id must be a whole number of at least 1'
      ]
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what}`, {
        as: () => platform().world.admin,
        request: `PUT ${policy}`,
        body,
        expect: { status: 400, body: { message } }
      })
    }
    scenario('with an organization that is not visible', {
      as: () => platform().world.admin,
      request: `PUT ${policy}`,
      body: { ...start, default_organization_id: 999_999 },
      expect: forbidden
    })
    for (const method of ['GET', 'PUT']) {
      scenario(`${method} without the grant`, {
        given: (world) => world.site(['gateway/reset/#']),
        as: asUser,
        request: `${method} ${policy}`,
        body: method === 'PUT' ? start : undefined,
        expect: forbidden
      })
      scenario(`${method} without a token`, {
        request: `${method} ${policy}`,
        body: method === 'PUT' ? start : undefined,
        expect: unauthorized
      })
    }
  })

  describe('reset', () => {
    scenario('removes the credential and closes its connections', {
      given: async (world) => {
        const given = await withGateway(world)
        const { username, password } = given
        return { ...given, client: await world.mqtt({ token: '' }, { username, password }) }
      },
      as: asUser,
      request: ({ installation }) => `POST ${base}/reset/${installation.id}`,
      expect: { status: 200, body: { message: 'Reset' } },
      and: async (_, { installation, headers, client, username, password }, world) => {
        await eventually(() => assert.equal(client.mqtt.connected, false))
        const verify = await world.request(`POST ${base}/verify/${installation.id}`, { headers })
        assert.equal(verify.status, 401)
        const again = world.mqtt({ token: '' }, { username, password })
        await assert.rejects(again, { code: 4 })
      }
    })
    scenario('by an administrator it is not assigned to', {
      given: withGateway,
      as: () => platform().world.admin,
      request: ({ installation }) => `POST ${base}/reset/${installation.id}`,
      expect: forbidden
    })
    scenario('by a user it is assigned to, without the grant', {
      given: async (world) => {
        const given = await withGateway(world)
        const assigned = [given.installation.id]
        return { ...given, user: await world.user({ grants: ['installation/#'], assigned }) }
      },
      as: asUser,
      request: ({ installation }) => `POST ${base}/reset/${installation.id}`,
      expect: forbidden
    })
    scenario('without a token', { request: `POST ${base}/reset/1`, expect: unauthorized })
  })

  describe('a gateway', () => {
    test('uses its own installation over HTTP and nothing else', async () => {
      const { world } = platform()
      const { installation, headers } = await withGateway(world)
      const other = await world.installation()
      const get = async (path: string) => world.request(`GET ${path}`, { headers })
      const body = { type: 'switch', meta: { a: 'b' }, protected_meta: { pin: '1' } }
      await world.request(`POST /api/v2/functionx/${installation.id}`, { as: world.admin, body })
      const { json } = await get(`/api/v2/functionx/${installation.id}?pin=*`)
      assert.deepEqual(json, [])
      const list = (await get(`/api/v2/functionx/${installation.id}`)).json as object[]
      assert.equal(list.length, 1)
      assert(list.every((one) => !('protected_meta' in one)))
      assert.equal((await get(`/api/v2/functionx/${other.id}`)).status, 403)
      assert.equal((await get('/api/v2/user/me')).status, 401)
      assert.equal((await get('/api/v2/organization/1')).status, 403)
      assert.equal((await get('/metrics')).status, 403)
      const info = (await get('/api/v2/installationinfo')).json as { id: number }[]
      assert.deepEqual(
        info.map(({ id }) => id),
        [installation.id]
      )
    })

    test('publishes and receives its own topics over MQTT and no others', async (t) => {
      const { world, mqttPort } = platform()
      const { installation, username, password } = await withGateway(world)
      const other = await world.installation()
      const { client_id } = installation
      const clientId = `edge-${client_id}`
      const client = await mqttClient(t, mqttPort, { username, password, clientId })
      assert.deepEqual(await client.subscribe(`${client_id}/#`), [1])
      assert.deepEqual(await client.subscribe(`${other.client_id}/#`), [128])
      assert.deepEqual(await client.subscribe('#'), [128])
      await world.publish(world.admin, `${other.client_id}/set/x`, { value: 1 })
      await world.publish(world.admin, `${client_id}/set/x`, { value: 2 })
      await eventually(() => assert.equal(client.messages.length, 1))
      assert.equal(client.messages[0]?.topic, `${client_id}/set/x`)
      await client.publish(`${client_id}/obj/t`, '{"value":21}', { qos: 1 })
      await client.publish(`${other.client_id}/obj/t`, '{"value":22}', { qos: 1 })
      const status = async (id: number) =>
        (await world.request(`GET /api/v2/status/${id}`, { as: world.admin })).json as object[]
      await eventually(async () => assert.equal((await status(installation.id)).length, 1))
      assert.deepEqual(await status(other.id), [])
    })

    test('is deleted with its installation', async () => {
      const { world } = platform()
      const { installation, username, password, headers } = await withGateway(world)
      const client = await world.mqtt({ token: '' }, { username, password })
      await world.request(`DELETE /api/v2/installation/${installation.id}?silent=true`, {
        as: world.admin
      })
      const { status } = await world.request('GET /api/v2/installationinfo', { headers })
      assert.equal(status, 401)
      await eventually(() => assert.equal(client.mqtt.connected, false))
    })
  })
})
