import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'

const required = process.env['CI'] === 'true'
let postgres: Postgres | undefined
let platform: TestPlatform

before(async () => {
  postgres = await startPostgres()
  if (postgres) platform = await startTestPlatform({ registryUrl: postgres.url })
})
after(async () => {
  await platform?.stop()
  await postgres?.stop()
})

test('while the registry server is away there is 503 and samples are kept, and later all works again', async (t) => {
  if (!postgres) {
    assert(!required, 'PostgreSQL is not installed, and CI=true skips nothing')
    return t.skip('PostgreSQL is not installed')
  }
  const { world } = platform
  const installation = await world.installation()
  const device = await world.mqtt(world.admin)
  const list = `GET /api/v2/functionx/${installation.id}`
  assert.equal((await world.request(list, { as: world.admin })).status, 200)

  await postgres.crash()
  const body = { type: 'switch', meta: { name: 'lamp' } }
  const during = await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      i % 2
        ? world.request(list, { as: world.admin })
        : world.request(`POST /api/v2/functionx/${installation.id}`, { as: world.admin, body })
    )
  )
  for (const { status, json } of during) {
    assert.deepEqual([status, json], [503, { message: 'Service Unavailable' }])
  }
  assert.equal((await world.request('GET /health/ready')).status, 503)
  assert.equal((await world.request('GET /health/live')).status, 200)
  const topic = `${installation.client_id}/obj/lamp`
  await device.publish(topic, '{"value": 1, "timestamp": 1700000000}', { qos: 1 })

  await postgres.resume()
  await eventually(async () => {
    assert.equal((await world.request('GET /health/ready')).status, 200)
  })
  await eventually(() => {
    const told = platform.logged
      .map(({ msg }) => msg)
      .filter((msg) => /^the registry/.test(`${msg}`))
    assert.deepEqual(told, ['the registry does not answer', 'the registry answers again'])
  })
  const { status, json } = await world.request(list, { as: world.admin })
  assert.deepEqual([status, json], [200, []], 'nothing was half written')
  const posted = await world.request(`POST /api/v2/functionx/${installation.id}`, {
    as: world.admin,
    body
  })
  assert.equal(posted.status, 200)
  const values = await world.request(`GET /api/v2/status/${installation.id}`, { as: world.admin })
  assert.deepEqual(
    (values.json as { topic: string }[]).map((value) => value.topic),
    [topic]
  )
})
