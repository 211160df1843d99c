import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestPlatform } from '../support/platform.ts'

test('a change that cannot be published is logged and stays', async (t) => {
  const { world, deps, logged, stop } = await startTestPlatform()
  t.after(stop)
  const { installation, user } = await world.site(['functionx/#'])
  await deps.bus.close()
  const path = `/api/v2/functionx/${installation.id}`
  const answer = await world.request(`POST ${path}`, { as: user, body: { type: 'switch' } })
  assert.equal(answer.status, 200)
  const list = await world.request(`GET ${path}`, { as: user })
  assert.deepEqual(list.json, [answer.json])
  const lines = logged.filter(({ msg }) => msg === 'a change could not be announced')
  assert.deepEqual(
    lines.map(({ topic }) => topic),
    [`${installation.client_id}/evt/functionx/updated`]
  )
})
