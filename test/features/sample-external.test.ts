import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

/** A platform on an external broker, and somebody who listens there. */
async function withListener(t: TestContext, settings: Record<string, string> = {}) {
  const mosquitto = await startMosquitto(t)
  const broker = new TcpProxy(mosquitto.port)
  await broker.listen()
  t.after(() => broker.close())
  const platform = await startTestPlatform({
    settings: { CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}`, ...settings }
  })
  t.after(() => platform.stop())
  const { world, deps } = platform
  const { id, client_id } = await world.installation()
  const listener = await mqttClient(t, mosquitto.port)
  await listener.subscribe(`${client_id}/obj/#`, 1)
  const send = (values: number[]) =>
    world.request(`POST /api/v3beta/sample/${id}`, {
      as: world.admin,
      body: values.map((value) => ({ topic: 'obj/x', value, timestamp: 1_700_000_000 + value }))
    })
  const figure = async (name: string) => {
    const { text } = await world.request('GET /metrics', { as: world.admin })
    return Number(text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1])
  }
  const valueNow = async () => (await deps.latest.open(id)).find(`${client_id}/obj/x`)?.value
  return { ...platform, broker, listener, client_id, id, send, figure, valueNow }
}

const values = Array.from({ length: 300 }, (_, i) => i + 1)

describe('values over HTTP with an external broker', { skip: withoutMosquitto }, () => {
  test('subscribers get them, and they are stored and charged once', async (t) => {
    const { listener, client_id, id, send, figure, valueNow, deps } = await withListener(t)
    assert.equal((await send(values)).status, 204)
    assert.equal(await valueNow(), 300)
    await eventually(() => assert.equal(listener.messages.length, 300))
    assert.deepEqual(
      listener.payloads().map((text) => JSON.parse(text).value),
      values
    )
    // It comes after them through the same session.
    await listener.publish(`${client_id}/obj/last`, '1', { qos: 1 })
    await eventually(async () => assert.equal((await deps.latest.open(id)).size, 2))
    assert.equal(await figure('caracal_samples_total'), 301)
    const { bytes } = deps.accounts.findPlace(id)?.own ?? {}
    const each = `${client_id}/obj/x`.length + 16
    assert.equal(bytes, 300 * each + each + 3)
  })

  test('while the broker is away they are stored, and the answer says so', slow, async (t) => {
    const { broker, send, valueNow, logged } = await withListener(t)
    await broker.close()
    assert.equal((await send(values)).status, 204)
    assert.equal(await valueNow(), 300)
    assert(logged.some(({ msg }) => msg === 'values are stored, but not published'))
  })
})

const skip = withoutClickhouse || withoutMosquitto
describe('values over HTTP that are acknowledged by history', { skip }, () => {
  test('204 comes when history has all of them', async (t) => {
    const { listener, send, deps, id, client_id, figure } = await withListener(t, {
      CARACAL_ACK: 'history',
      CARACAL_HISTORY_URL: await newDatabase()
    })
    assert.equal((await send(values)).status, 204)
    const held = await deps.history.latestIn(id, '')
    assert.deepEqual(
      held.map(({ topic, value }) => [topic, value]),
      [[`${client_id}/obj/x`, 300]]
    )
    assert.equal((await deps.spool.state()).samples, 0)
    await eventually(() => assert.equal(listener.messages.length, 300))
    assert.equal(await figure('caracal_samples_total'), 300)
  })
})
