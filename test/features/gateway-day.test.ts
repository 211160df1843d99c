import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

type Credential = { mqtt_username: string; mqtt_password: string; mqtt_client_id: string }
/** The 31st of February. */
const never = { day_of_month: '30', month: '1' }

type Instance = { app_id: number; version: string; config: { interval: number } }

/** The test acts as a gateway, with HTTP (Basic) and MQTT. */
onRegistryMatrix('a day of a gateway', (engine) => {
  const { platform } = withPlatform(engine)

  test('from its credential to a command', async (t) => {
    const { world, mqttPort } = platform()
    const { installation, user: owner } = await world.site([
      'installation/#',
      'edge/#',
      'schedule/#',
      'functionx/#',
      'status/#',
      'mqtt/#'
    ])
    const { id, client_id } = installation
    const asOwner = async <T>(line: string, body?: object): Promise<T> => {
      const { status, json, text } = await world.request(line, { as: owner, body })
      assert.equal(status, 200, `${line}: ${text}`)
      return json as T
    }

    // The owner makes a credential, an app, a schedule.
    const credential = await asOwner<Credential>(`POST /api/v2/gateway/credentials/${id}`)
    const app = await asOwner<{ id: number }>('POST /api/v2/edge/app', {
      name: 'Thermostat',
      publisher: { id: installation.organization_id }
    })
    const form = new FormData()
    const input = { interval: { type: 'number', required: true } }
    form.append('app_json', new Blob([JSON.stringify({ input })]), 'app.json')
    form.append('app_lua', new Blob(['print("warm")']), 'app.lua')
    const upload = await fetch(`${world.url}/api/v2/edge/app/${app.id}/version`, {
      method: 'POST',
      headers: { 'x-api-key': owner.token },
      body: form
    })
    const { hash } = (await upload.json()) as { hash: string }
    await asOwner(`POST /api/v2/edge/app/${app.id}/publish`, { name: '1.0', hash })
    await asOwner(`POST /api/v2/edge/app/configured/${id}`, {
      app_id: app.id,
      version: '1.0',
      name: 'Hall',
      config: { interval: 60 }
    })
    await asOwner(`POST /api/v2/schedule/${id}`, { topic: 'set/lamp', value: 1, ...never })

    // The gateway uses the credential, tells its capabilities, and reads its own data.
    const { mqtt_username: username, mqtt_password: password } = credential
    const headers = { authorization: `Basic ${btoa(`${username}:${password}`)}` }
    const verified = await world.request(`POST /api/v2/gateway/verify/${id}`, {
      headers,
      body: { capabilities: ['schedule', 'edge_app'] }
    })
    assert.equal(verified.status, 204)
    const read = async <T>(path: string): Promise<T> => {
      const { status, json, text } = await world.request(`GET ${path}`, { headers })
      assert.equal(status, 200, `${path}: ${text}`)
      return (json ?? text) as T
    }
    const schedules = await read<{ topic: string }[]>(`/api/v2/schedule/${id}?executor=gateway`)
    assert.deepEqual(
      schedules.map(({ topic }) => topic),
      ['set/lamp']
    )
    const [instance] = await read<Instance[]>(`/api/v2/edge/app/configured/${id}`)
    assert.deepEqual(instance?.config, { interval: 60 })
    const script = `/api/v2/edge/app/${instance?.app_id}/download?version=${instance?.version}`
    assert.equal(await read<string>(script), 'print("warm")')
    const created = await world.request(`POST /api/v2/functionx/${id}`, {
      headers,
      body: { type: 'temperature', meta: { name: 'Hall', topic_read: 'obj/hall/temperature' } }
    })
    assert.equal(created.status, 200)

    // It connects, publishes values, and receives commands and news.
    const gateway = await mqttClient(t, mqttPort, {
      username,
      password,
      clientId: credential.mqtt_client_id,
      clean: false
    })
    await gateway.subscribe(`${client_id}/set/#`)
    await gateway.subscribe(`${client_id}/evt/#`)
    await gateway.publish(`${client_id}/obj/hall/temperature`, '{"value":20.5}', { qos: 1 })
    const [status] = await asOwner<{ value: number; topic: string }[]>(`GET /api/v2/status/${id}`)
    assert.deepEqual([status?.value, status?.topic], [20.5, `${client_id}/obj/hall/temperature`])
    await world.publish(owner, `${client_id}/set/lamp`, { value: 1 })
    await asOwner(`POST /api/v2/schedule/${id}`, { topic: 'set/fan', value: 2, ...never })
    await eventually(() => {
      const topics = gateway.messages.map(({ topic }) => topic)
      assert.deepEqual(topics, [`${client_id}/set/lamp`, `${client_id}/evt/schedule/updated`])
    })
    assert.equal(gateway.payloads()[0], '{"value":1}')

    // A new credential ends the old one at once.
    await asOwner(`POST /api/v2/gateway/credentials/${id}`)
    await eventually(() => assert.equal(gateway.mqtt.connected, false))
    const { status: after } = await world.request(`GET /api/v2/schedule/${id}`, { headers })
    assert.equal(after, 401)
  })
})
