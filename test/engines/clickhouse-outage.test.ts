import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, startFront, withoutClickhouse } from '../support/clickhouse.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const skip = withoutClickhouse
const TIMEOUT_MS = 240_000

type Answer = { status: number; body: unknown }

test('a server that is killed after it stored a batch and before it answered: each sample is stored once', {
  skip
}, async (t) => {
  const front = await startFront()
  t.after(() => front.stop())
  const proxy = new TcpProxy(front.port)
  await proxy.listen()
  t.after(() => proxy.close())
  const url = new URL(front.url('caracal'))
  url.port = String(proxy.port)
  const platform = await startTestPlatform({ settings: { CARACAL_HISTORY_URL: url.href } })
  t.after(() => platform.stop())
  assert.equal(platform.historyEngine, 'clickhouse')

  const { world, mqttPort } = platform
  const { installation } = await world.site([])
  const get = async (path: string): Promise<Answer> => {
    const headers = { 'x-api-key': world.admin.token }
    const answer = await fetch(platform.url + path, { headers })
    return { status: answer.status, body: await answer.json() }
  }
  const log = `/api/v3beta/log/${installation.id}`
  const health = async () => {
    const { body } = await get('/health/ready')
    return (body as { engines: { history: { ok: boolean } } }).engines.history.ok
  }
  const device = await mqttClient(t, mqttPort, { username: 'x', password: world.admin.token })
  const publish = (value: number) =>
    device.publish(`${installation.client_id}/obj/t`, JSON.stringify({ value }), { qos: 1 })
  const values = async () => {
    const { status, body } = await get(log)
    assert.equal(status, 200)
    return (body as { data: { value: number }[] }).data.map(({ value }) => value)
  }

  await publish(1)
  await eventually(async () => assert.deepEqual(await values(), [1]), TIMEOUT_MS)
  await eventually(async () => assert.equal(await health(), true), TIMEOUT_MS)

  const killed = Promise.withResolvers<void>()
  proxy.swallowAnswerTo('INSERT+INTO+samples', () => front.kill().then(killed.resolve))
  await publish(2)
  await killed.promise
  await publish(3)
  assert.deepEqual(await get(log), { status: 503, body: { message: 'Service Unavailable' } })
  assert.equal(await health(), false)

  await front.restart()
  await eventually(async () => assert.deepEqual(await values(), [3, 2, 1]), TIMEOUT_MS)
  await eventually(async () => assert.equal(await health(), true), TIMEOUT_MS)
  // Without FINAL, which would hide what was stored twice.
  assert.equal(await rowsOn(front.port, 'SELECT count() FROM caracal.samples'), 3)
  assert.equal(await rowsOn(front.port, 'SELECT count() FROM caracal.samples WHERE value = 2'), 1)
})

async function rowsOn(port: number, sql: string): Promise<number> {
  const account = Buffer.from(`${ACCOUNT.user}:${ACCOUNT.password}`).toString('base64')
  const headers = { authorization: `Basic ${account}` }
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sql, headers })
  return Number(await answer.text())
}
