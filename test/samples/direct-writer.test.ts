import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { DirectWriter } from '../../src/samples/direct-writer.ts'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

/** A platform that acknowledges what ClickHouse has, with a proxy before each server. */
async function withProxies(t: TestContext) {
  const mosquitto = await startMosquitto(t)
  const database = new URL(await newDatabase())
  const [toBroker, toHistory] = [new TcpProxy(mosquitto.port), new TcpProxy(Number(database.port))]
  for (const proxy of [toBroker, toHistory]) {
    await proxy.listen()
    t.after(() => proxy.close())
  }
  database.port = String(toHistory.port)
  const platform = await startTestPlatform({
    settings: {
      CARACAL_ACK: 'history',
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${toBroker.port}`,
      CARACAL_HISTORY_URL: database.href
    }
  })
  let isStopped = false
  const stop = async () => {
    if (!isStopped) await platform.stop()
    isStopped = true
  }
  t.after(stop)
  const { id, client_id } = await platform.world.installation()
  const device = await mqttClient(t, mosquitto.port)
  const send = (topic: string, message: object, qos: 0 | 1 = 1) =>
    device.publish(`${client_id}/obj/${topic}`, JSON.stringify(message), { qos })
  return { ...platform, stop, toBroker, toHistory, installation_id: id, client_id, send }
}

async function get({ url, world }: TestPlatform, path: string) {
  const answer = await fetch(url + path, { headers: { 'x-api-key': world.admin.token } })
  return (await answer.json()) as Record<string, unknown> & { data: { value: number }[] }
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)

test('ACK=history is refused without an external broker and a ClickHouse server', () => {
  const [bus, history] = ['mqtt://broker.example.org', 'http://ch.example.org:8123/caracal']
  const f = (settings: Record<string, string>) =>
    assert.throws(
      () => readConfig({ CARACAL_ACK: 'history', ...settings }),
      /^Error: CARACAL_ACK: history needs an external broker in CARACAL_BUS_URL and a ClickHouse server in CARACAL_HISTORY_URL$/
    )
  f({})
  f({ CARACAL_BUS_URL: bus })
  f({ CARACAL_HISTORY_URL: history })
  assert.throws(() => readConfig({ CARACAL_ACK: 'disk' }), /CARACAL_ACK: must be spool: a value/)
  const both = { CARACAL_BUS_URL: bus, CARACAL_HISTORY_URL: history }
  assert.equal(readConfig({ CARACAL_ACK: 'history', ...both }).ACK, 'history')
  assert.equal(readConfig(both).ACK, 'spool')
})

const skip = withoutClickhouse || withoutMosquitto

describe('samples that are acknowledged when history has them', { skip }, () => {
  test('a value is in history when status shows it, and nothing goes through the spool', async (t) => {
    const platform = await withProxies(t)
    const { deps, installation_id, send } = platform
    await Promise.all(
      [1, 2, 3].map((value) => send('t', { value, timestamp: 1_700_000_000 + value }))
    )
    await send('none', {})
    await eventually(async () => {
      assert.equal(
        (await deps.latest.open(installation_id)).find(`${platform.client_id}/obj/t`)?.value,
        3
      )
    })
    // The batch of all three was stored before that.
    const { data } = await get(platform, `/api/v3beta/log/${installation_id}?from=0`)
    assert.deepEqual(sorted(data.map(({ value }) => value)), [1, 2, 3])
    const { samples, lastId } = await deps.spool.state()
    assert.equal(samples, 0)
    assert.equal(lastId, deps.ids.last)
    await eventually(async () => {
      const [entry] = (await get(platform, '/api/v2/ledger')) as unknown as { topic: string }[]
      assert.match(entry?.topic ?? '', /obj\/none$/)
    })
    const text = await deps.metrics.read()
    assert.match(text, /^caracal_samples_total 3$/m)
    assert.match(text, /^caracal_samples_moved_total 3$/m)
    assert.match(text, /^caracal_unacknowledged_samples 0$/m)
  })

  test('while history is away nothing is acknowledged or shown; then each value is stored once, though its connection broke', async (t) => {
    const platform = await withProxies(t)
    const { deps, installation_id, client_id, send, toHistory, toBroker } = platform
    await send('first', { value: 1 })
    await eventually(async () => assert.equal((await deps.latest.open(installation_id)).size, 1))
    await toHistory.close()
    const values = Array.from({ length: 50 }, (_, i) => i)
    for (const value of values) await send('t', { value })
    await send('t', { value: 50 }, 0)
    const figure = async (name: string) =>
      Number(new RegExp(`^caracal_${name} (\\S+)$`, 'm').exec(await deps.metrics.read())?.[1])
    await eventually(async () => assert.equal(await figure('unacknowledged_samples'), 51))
    assert((await figure('unacknowledged_oldest_sample_age_seconds')) > 0)
    await eventually(async () => {
      const { engines } = await get(platform, '/health/ready')
      assert.equal((engines as { history: { ok: boolean } }).history.ok, false)
    })
    // The broker sends the messages again over the next connection.
    const received = await figure('mqtt_received_total')
    await toBroker.close()
    await toBroker.listen()
    await eventually(async () => {
      assert.equal(await figure('mqtt_received_total'), received + values.length)
    })
    assert.equal(await figure('unacknowledged_samples'), 51)
    assert.equal((await deps.latest.open(installation_id)).find(`${client_id}/obj/t`), undefined)
    await assert.rejects(deps.removals.settle())
    await toHistory.listen()
    await eventually(async () => assert.equal(await figure('unacknowledged_samples'), 0))
    const { data } = await get(
      platform,
      `/api/v3beta/log/${installation_id}?from=0&limit=1000&topics=obj/t`
    )
    assert.deepEqual(sorted(data.map(({ value }) => value)), [...values, 50])
    assert.equal((await deps.latest.open(installation_id)).find(`${client_id}/obj/t`)?.value, 50)
    assert.equal(await figure('samples_total'), 52)
  })

  test('a removal waits for what is on its way, so nothing of it comes back', async (t) => {
    const platform = await withProxies(t)
    const { deps, installation_id, send } = platform
    const { removals } = deps
    for (let value = 0; value < 20; value++)
      await send('t', { value, timestamp: 1_700_000_000 + value })
    await eventually(async () => assert.equal((await deps.latest.open(installation_id)).size, 1))
    const from = 0 as Parameters<typeof removals.remove>[0]['from']
    const to = Date.now() as typeof from
    const removed = await removals.remove({ installation_id, topics: undefined, from, to })
    assert.equal(removed, 20)
    assert.equal((await deps.latest.open(installation_id)).size, 0)
  })

  test('a stop acknowledges what history takes, and gives up the rest with its charges', async (t) => {
    const platform = await withProxies(t)
    const { deps, installation_id, send, toHistory, stop } = platform
    const { accounts, directory } = deps
    const installation = directory.installation(installation_id)
    assert(installation)
    const bytes = () => accounts.placeOf(installation).own.bytes
    const before = bytes()
    await send('t', { value: 1 })
    await eventually(async () => assert.equal((await deps.latest.open(installation_id)).size, 1))
    const stored = bytes()
    assert(stored > before)
    await toHistory.close()
    await send('t', { value: 2 })
    await eventually(() => assert(bytes() > stored))
    await wait(300)
    await stop()
    assert.equal(bytes(), stored)
    const { spool, history, metrics, log } = deps
    const writer = new DirectWriter({ spool, history, metrics, log })
    await writer.close()
    await assert.rejects(writer.append('', 1), /the platform stops/)
  })
})
