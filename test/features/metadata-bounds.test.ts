import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'

const LARGE = 'x'.repeat(64 * 1024)
const message = 'the metadata must not have more than 262144 characters in all'

onRegistryMatrix('metadata of an owner', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startTestPlatform({ registryUrl: await engine.url() })
  })
  after(() => platform.stop())

  for (const owner of ['user', 'installation', 'organization'] as const) {
    describe(`of ${owner}`, () => {
      test('is bounded in all, key by key and at once, and what was there stays', async () => {
        const { world } = platform
        const { id } = await {
          user: () => world.user({ organizations: [1] }),
          installation: () => world.installation(),
          organization: async () => ({ id: await world.organization() })
        }[owner]()
        await platform.deps.directory.catchUp()
        const url = `/api/v2/${owner}/${id}`
        const as = world.admin
        const put = (key: string, value: string) =>
          world.request(`PUT ${url}/meta/${key}?create_missing=true`, { as, body: { value } })
        for (const key of ['a', 'b', 'c']) assert.equal((await put(key, LARGE)).status, 200)
        const refused = await put('d', LARGE)
        assert.deepEqual([refused.status, refused.json], [413, { message }])
        const posted = await world.request(`POST ${url}/meta/d`, { as, body: { value: LARGE } })
        assert.equal(posted.status, 413)
        assert.equal((await world.request(`GET ${url}/meta/d`, { as })).status, 404)
        assert.equal((await put('d', 'small')).status, 200)

        const meta = Object.fromEntries(['e', 'f', 'g', 'h'].map((key) => [key, LARGE]))
        const { status, json } = await world.request(`PUT ${url}`, { as, body: { meta } })
        assert.deepEqual([status, json], [413, { message }])
        const { json: found } = await world.request(`GET ${url}`, { as })
        assert.deepEqual(Object.keys((found as { meta: object }).meta), ['a', 'b', 'c', 'd'])
      })
    })
  }
})
