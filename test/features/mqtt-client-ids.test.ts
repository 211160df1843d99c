import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Credential = { mqtt_client_id: string; mqtt_username: string; mqtt_password: string }

async function gatewayOf(world: World, installationId: number) {
  const line = `POST /api/v2/gateway/credentials/${installationId}`
  const { json } = await world.request(line, { as: world.admin })
  const { mqtt_client_id, mqtt_username, mqtt_password } = json as Credential
  return { clientId: mqtt_client_id, username: mqtt_username, password: mqtt_password }
}

onRegistryMatrix('MQTT client ids', (engine) => {
  const { platform } = withPlatform(engine)
  const sessions = async () => {
    const { world } = platform()
    const { text } = await world.request('GET /metrics', { as: world.admin })
    return Number(/^caracal_mqtt_sessions (\d+)/m.exec(text)?.[1])
  }

  test('the id of a gateway is refused to accounts that may not publish there, and nothing is kept', async (t) => {
    const { world, mqttPort } = platform()
    const { installation, user: member } = await world.site(['mqtt/publish/all'])
    const { user: stranger, installation: other } = await world.site(['mqtt/#'])
    const reader = await world.user({
      grants: ['mqtt/subscribe/all'],
      organizations: [installation.organization_id]
    })
    const neighbour = await gatewayOf(world, other.id)
    const clientId = `edge-${installation.client_id}`
    const before = await sessions()
    const refused = [
      { clientId, username: 'x', password: stranger.token },
      { clientId, username: stranger.email, password: stranger.password },
      { clientId, username: 'x', password: reader.token },
      { ...neighbour, clientId },
      // The installation does not exist yet, so nobody may use its id.
      { clientId: 'edge-999999', username: 'x', password: stranger.token },
      { clientId: 'edge-999999', username: 'x', password: world.admin.token }
    ]
    for (const options of refused) {
      for (const clean of [true, false]) {
        await assert.rejects(mqttClient(t, mqttPort, { ...options, clean }), { code: 2 })
      }
    }
    assert.equal(await sessions(), before)
    await mqttClient(t, mqttPort, { clientId, username: 'x', password: member.token, clean: false })
    // An id that the platform never gives out belongs to the first account that uses it.
    const free = ['edge-', 'edge-0', 'edge-07', 'edge-7/1', 'edge-app-share-7', 'Edge-7', 'edge-7 ']
    for (const clientId of [...free, 'edge-99999999999999999999']) {
      await mqttClient(t, mqttPort, { clientId, username: 'x', password: stranger.token })
    }
  })

  test('nobody can keep out the client of another tenant by using its id first', async (t) => {
    const { world, mqttPort } = platform()
    const clientId = world.unique('phone-of-b')
    const [a, b] = [await world.site(['mqtt/#']), await world.site(['mqtt/#'])]
    const as = ({ token }: { token: string }) => ({ clientId, username: 'x', password: token })
    const squatter = await mqttClient(t, mqttPort, { ...as(a.user), clean: false })
    const topics = [a, b].map(({ installation }) => `${installation.client_id}/set/x`)
    await squatter.subscribe(topics[0] ?? '')
    const phone = await mqttClient(t, mqttPort, { ...as(b.user), clean: false })
    assert.equal(phone.sessionPresent, false)
    await phone.subscribe(topics[1] ?? '')
    for (const topic of topics) await world.publish(world.admin, topic, { value: 1 })
    for (const [i, client] of [squatter, phone].entries()) {
      await eventually(() =>
        assert.deepEqual(
          client.messages.map(({ topic }) => topic),
          [topics[i]]
        )
      )
      assert.equal(client.mqtt.connected, true)
    }
    await squatter.mqtt.endAsync()
    await phone.mqtt.endAsync()
    const back = await mqttClient(t, mqttPort, { ...as(b.user), clean: false })
    assert.equal(back.sessionPresent, true)
    const taken = await mqttClient(t, mqttPort, { ...as(b.user), clean: false })
    await eventually(() => assert.equal(back.mqtt.connected, false))
    assert.equal(taken.mqtt.connected, true, 'the same owner takes over')
  })

  test('a gateway gets its own id, even if another client has it', async (t) => {
    const { world, mqttPort } = platform()
    const { installation, user: member } = await world.site(['mqtt/#'])
    const topic = `${installation.client_id}/set/x`
    const gateway = { ...(await gatewayOf(world, installation.id)), clean: false }
    const { clientId } = gateway
    const account = { clientId, username: 'x', password: member.token, clean: false }
    const sleeper = await mqttClient(t, mqttPort, account)
    await sleeper.subscribe(topic)
    await sleeper.mqtt.endAsync()
    await world.publish(world.admin, topic, { value: 1 })
    const edge = await mqttClient(t, mqttPort, gateway)
    assert.equal(edge.sessionPresent, false)
    await edge.subscribe(topic)
    const back = await mqttClient(t, mqttPort, account)
    assert.equal(back.sessionPresent, true)
    await world.publish(world.admin, topic, { value: 2 })
    await eventually(() => assert.equal(edge.messages.length, 1))
    assert.match(edge.payloads().join(), /2/)
    await eventually(() => assert.equal(back.messages.length, 2))
    await edge.mqtt.endAsync()
    assert.equal((await mqttClient(t, mqttPort, gateway)).sessionPresent, true)
  })

  test('ids of a deleted account are free, and its sessions are gone', async (t) => {
    const { world, mqttPort } = platform()
    const { user, installation } = await world.site(['mqtt/#'])
    const { client_id } = installation
    const next = await world.user()
    const signedOut = await world.user({ organizations: [installation.organization_id] })
    const options = (clientId: string, { token }: { token: string }) => ({
      ...{ clientId, username: 'x', password: token, clean: false }
    })
    const [gone, left] = [world.unique('gone'), world.unique('left')]
    const sleeper = await mqttClient(t, mqttPort, options(gone, user))
    await sleeper.subscribe(`${client_id}/#`)
    await sleeper.mqtt.endAsync()
    await (await mqttClient(t, mqttPort, options(left, signedOut))).mqtt.endAsync()
    await world.publish(world.admin, `${client_id}/set/x`, { value: 1 })

    await world.request('DELETE /api/v2/auth', { as: signedOut })
    const before = await sessions()
    await world.request(`DELETE /api/v2/user/${user.id}`, { as: world.admin })
    await eventually(async () => assert.equal(await sessions(), before - 1))
    const free = await mqttClient(t, mqttPort, options(gone, next))
    assert.equal(free.sessionPresent, false)
    // An account that only signed out comes back with another token or the password.
    const { email: username, password } = signedOut
    const again = await mqttClient(t, mqttPort, { ...options(left, next), username, password })
    assert.equal(again.sessionPresent, true)
  })

  test('ids of a deleted organization and installation are free', async (t) => {
    const { world, mqttPort } = platform()
    const { user, installation } = await world.site(['mqtt/#'])
    const { organization_id } = installation
    const gateway = await gatewayOf(world, installation.id)
    const [ofUser, ofGateway] = [world.unique('user'), world.unique('gateway')]
    const held = [
      { clientId: ofUser, username: 'x', password: user.token },
      { ...gateway, clientId: ofGateway }
    ]
    for (const options of held) {
      await (await mqttClient(t, mqttPort, { ...options, clean: false })).mqtt.endAsync()
    }
    const next = await world.user()
    const as = { username: 'x', password: next.token }
    const before = await sessions()
    const line = `DELETE /api/v2/organization/${organization_id}?force=true`
    const { status, text } = await world.request(line, { as: world.admin })
    assert.equal(status, 200, text)
    await eventually(async () => assert.equal(await sessions(), before - 2))
    for (const { clientId } of held) await mqttClient(t, mqttPort, { ...as, clientId })
  })
})
