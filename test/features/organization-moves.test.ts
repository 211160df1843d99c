import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onEveryRegistry } from '../support/registries.ts'

onEveryRegistry('two organizations that are moved below each other at the same time', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startTestPlatform({ registryUrl: await engine.url() })
  })
  after(() => platform.stop())

  test('one is moved, the other one is told why not', async () => {
    const { world, deps } = platform
    for (let attempt = 0; attempt < 10; attempt++) {
      const top = await world.organization()
      const [a, b] = [await world.organization(top), await world.organization(top)]
      const user = await world.user({ grants: ['organization/#'], organizations: [top] })
      const move = (what: number, parent: number) =>
        world.request(`PUT /api/v2/organization/${what}`, { as: user, body: { parent } })
      const answers = await Promise.all([move(a, b), move(b, a)])
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
      const refused = answers.find(({ status }) => status === 400)
      assert.deepEqual(refused?.json, {
        message: 'parent must not be the organization itself or below it'
      })
      const rows = await deps.registry
        .selectFrom('organizations')
        .select(['id', 'parent_id'])
        .where('id', 'in', [a, b])
        .execute()
      const parents = rows.map(({ parent_id }) => parent_id)
      assert.ok(parents.includes(top), 'one of them is still below the top')
    }
  })
})
