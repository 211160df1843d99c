import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { answerBack, type Sent } from '../support/commands.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

/** A platform whose connection to the broker can be cut, and a device that holds its answers. */
async function withBrokerAway(t: TestContext) {
  const mosquitto = await startMosquitto(t)
  const broker = new TcpProxy(mosquitto.port)
  await broker.listen()
  t.after(() => broker.close())
  const platform = await startTestPlatform({
    settings: { CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}` }
  })
  t.after(() => platform.stop())
  const { world } = platform
  const { id, client_id } = await world.installation()
  const device = await mqttClient(t, mosquitto.port, { protocolVersion: 5 })
  const got: Sent[] = []
  device.mqtt.on('message', (topic, payload, { properties = {} }) => {
    got.push({ topic, payload: payload.toString(), properties })
  })
  await device.subscribe(`${client_id}/set/#`)
  const send = (timeout: number) =>
    world.request(`POST /api/v2/command/${id}`, {
      ...{ as: world.admin, body: { topic: 'set/x', timeout } }
    })
  return { ...platform, broker, device, got, send }
}

describe('commands while an external broker is away', { skip: withoutMosquitto }, () => {
  test('503, and nothing is sent', async (t) => {
    const { broker, send, got, deps } = await withBrokerAway(t)
    await broker.close()
    const { status, json } = await send(30)
    assert.equal(status, 503)
    assert.deepEqual(json, { message: 'The command could not be sent' })
    assert.equal(deps.commands.waiting, 0)
    assert.deepEqual(got, [])
  })

  test('an answer that comes after the connection is back is heard', slow, async (t) => {
    const { broker, send, got, device, world } = await withBrokerAway(t)
    const many = Array.from({ length: 20 }, () => send(30))
    await eventually(() => assert.equal(got.length, 20))
    const isReady = async () => (await world.request('GET /health/ready')).status
    await broker.close()
    await eventually(async () => assert.equal(await isReady(), 503))
    await broker.listen()
    await eventually(async () => assert.equal(await isReady(), 200))
    for (const sent of got) answerBack(sent, device, 'late')
    const answers = await Promise.all(many)
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })
})
