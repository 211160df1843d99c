import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient, type TestClient } from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'

/** The configuration of the edge client. */
function bridgeSettings(edgePort: number, remote: { port: number; cid: number; token: string }) {
  const { port, cid, token } = remote
  return [
    `listener ${edgePort} 127.0.0.1`,
    'allow_anonymous true',
    'connection platform',
    `address 127.0.0.1:${port}`,
    `remote_clientid edge-${cid}`,
    `remote_username ${cid}`,
    `remote_password ${token}`,
    'cleansession false',
    'keepalive_interval 60',
    `notification_topic ${cid}/box/event/status`,
    'restart_timeout 1',
    ...['set', 'obj', 'cmd', 'evt'].map((tree) => `topic ${tree}/# both 1 "" ${cid}/`)
  ]
}

const payloadsOn = ({ messages }: TestClient, topic: string): string[] =>
  messages.filter((message) => message.topic === topic).map(({ payload }) => payload)

test('a mosquitto bridge loses no values, commands, status and wills at kill -9 of either side', async (t) => {
  if (spawnSync('mosquitto', ['-h']).error) {
    assert.notEqual(process.env['CI'], 'true', 'CI must have mosquitto')
    t.skip('mosquitto is not installed')
    return
  }
  const [port, edgePort] = [await freePort(), await freePort()]
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () => startCaracal({ CARACAL_DATA_DIR, CARACAL_MQTT_PORT: String(port), ...ADMIN })
  let caracal = await start()
  const { token, id, client_id: cid } = await createInstallation(caracal, 'Edge')
  const file = join(temporaryDirectory(), 'bridge.conf')
  writeFileSync(file, `${bridgeSettings(edgePort, { port, cid, token }).join('\n')}\n`)
  const startEdge = () => startMosquitto(t, file, edgePort)
  const user = async () => {
    const client = await mqttClient(t, port, { username: 'user', password: token })
    await client.subscribe(`${cid}/#`)
    return client
  }
  const statusOf = async () => {
    const client = await user()
    await eventually(() => assert.ok(payloadsOn(client, status).length > 0))
    const [first] = client.messages.filter(({ topic }) => topic === status)
    await client.mqtt.endAsync()
    return `${first?.payload} ${first?.retain ? 'retained' : 'live'}`
  }
  const status = `${cid}/box/event/status`

  let watcher = await user()
  let edge = await startEdge()
  await eventually(() => assert.equal(payloadsOn(watcher, status).at(-1), '1'))
  assert.equal(await statusOf(), '1 retained')
  await edge.client.publish('obj/temp', '{"value":21}', { qos: 1 })
  // The bridge tells its status before it subscribes, so the first commands may come too early.
  await eventually(async () => {
    await watcher.publish(`${cid}/set/lamp`, 'on', { qos: 1 })
    assert.equal(payloadsOn(edge.client, 'set/lamp').at(-1), 'on')
  })
  await eventually(async () => assert.deepEqual(await valuesOf(caracal.url, token, id), [21]))
  assert.deepEqual(payloadsOn(edge.client, 'obj/temp'), ['{"value":21}'])

  // The gateway is disconnected and the platform is killed; acknowledged messages still reach the gateway.
  edge.process.kill('SIGKILL')
  await eventually(() => assert.equal(payloadsOn(watcher, status).at(-1), '0'))
  const commands = Array.from({ length: 20 }, (_, i) => `while away ${i}`)
  for (const command of commands) await watcher.publish(`${cid}/set/lamp`, command, { qos: 1 })
  await caracal.kill('SIGKILL')
  caracal = await start()
  assert.equal(await statusOf(), '0 retained')
  edge = await startEdge()
  await eventually(() => {
    assert.deepEqual([...new Set(payloadsOn(edge.client, 'set/lamp'))], commands)
  })
  await eventually(async () => assert.equal(await statusOf(), '1 retained'))

  // The platform is killed while the gateway is connected; the gateway keeps what it could not send.
  const sleeper = { clientId: 'sleeper', clean: false, username: 'user', password: token }
  const before = await mqttClient(t, port, sleeper)
  await before.subscribe(status)
  await before.mqtt.endAsync()
  await caracal.kill('SIGKILL')
  await edge.client.publish('obj/temp', '{"value":22}', { qos: 1 })
  caracal = await start()
  const woken = await mqttClient(t, port, sleeper)
  await eventually(() => assert.deepEqual(payloadsOn(woken, status).slice(-2), ['0', '1']), 40_000)
  watcher = await user()
  await eventually(async () => assert.deepEqual(await valuesOf(caracal.url, token, id), [22]))
  await watcher.publish(`${cid}/set/lamp`, 'off', { qos: 1 })
  await eventually(() => assert.equal(payloadsOn(edge.client, 'set/lamp').at(-1), 'off'))
  await edge.client.publish('obj/temp', '{"value":23}', { qos: 1 })
  await eventually(() => assert.ok(payloadsOn(watcher, `${cid}/obj/temp`).includes('{"value":23}')))
  const echoed = payloadsOn(edge.client, 'obj/temp')
  assert.deepEqual(echoed, ['{"value":22}', '{"value":23}'])
  assert.equal(payloadsOn(watcher, `${cid}/set/lamp`).length, 1)
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

const ADMIN = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

/** With a client on the edge side of the bridge. */
async function startMosquitto(
  t: TestContext,
  file: string,
  port: number
): Promise<{ process: ChildProcess; client: TestClient }> {
  const mosquitto = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
  t.after(() => mosquitto.kill('SIGKILL'))
  await once(mosquitto, 'spawn')
  const client = await eventually(() => mqttClient(t, port))
  await client.subscribe('#')
  return { process: mosquitto, client }
}

async function valuesOf(url: string, token: string, id: number): Promise<number[]> {
  const answer = await fetch(`${url}/api/v2/status/${id}`, { headers: { 'x-api-key': token } })
  return ((await answer.json()) as { value: number }[]).map(({ value }) => value)
}
