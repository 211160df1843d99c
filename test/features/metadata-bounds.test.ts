import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

const LARGE_VALUE = 'x'.repeat(64 * 1024)
const message = 'the metadata must not have more than 262144 characters in all'
const manyKeys = 'the metadata must not have more than 2000 keys in all'

onRegistryMatrix('metadata of an owner', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startTestPlatform({ registryUrl: await engine.url() })
  })
  after(() => platform.stop())

  for (const owner of ['user', 'installation', 'organization'] as const) {
    describe(`of ${owner}`, () => {
      test(
        'has a total limit, key by key and at once, and the old metadata stay',
        slow,
        async () => {
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
          for (const key of ['a', 'b', 'c']) assert.equal((await put(key, LARGE_VALUE)).status, 200)
          const refused = await put('d', LARGE_VALUE)
          assert.deepEqual([refused.status, refused.json], [413, { message }])
          const posted = await world.request(`POST ${url}/meta/d`, {
            as,
            body: { value: LARGE_VALUE }
          })
          assert.equal(posted.status, 413)
          assert.equal((await world.request(`GET ${url}/meta/d`, { as })).status, 404)
          assert.equal((await put('d', 'small')).status, 200)

          const keys = Array.from({ length: 2001 }, (_, i) => [`key ${i}`, ''])
          const many = { meta: Object.fromEntries(keys) }
          const tooMany = await world.request(`PUT ${url}`, { as, body: many })
          assert.deepEqual([tooMany.status, tooMany.json], [413, { message: manyKeys }])

          const meta = Object.fromEntries(['e', 'f', 'g', 'h'].map((key) => [key, LARGE_VALUE]))
          const { status, json } = await world.request(`PUT ${url}`, { as, body: { meta } })
          assert.deepEqual([status, json], [413, { message }])
          const { json: found } = await world.request(`GET ${url}`, { as })
          assert.deepEqual(Object.keys((found as { meta: object }).meta), ['a', 'b', 'c', 'd'])
        }
      )
    })
  }

  test('a function has a limited number of keys, and keys can be removed even above the limit', async () => {
    const { world, deps } = platform
    const { id } = await world.installation()
    const as = world.admin
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, '']))
    const url = `/api/v2/functionx/${id}`
    const create = (count: number) =>
      world.request(`POST ${url}`, { as, body: { type: 'x', meta: keys(count) } })
    const refused = await create(2001)
    assert.deepEqual([refused.status, refused.json], [413, { message: manyKeys }])
    const made = await create(2000)
    assert.equal(made.status, 200)
    const one = `${url}/${(made.json as { id: number }).id}`
    const more = await world.request(`POST ${one}/meta/more`, { as, body: { value: '' } })
    assert.deepEqual([more.status, more.json], [413, { message: manyKeys }])
    // As it may have been stored before there was a limit.
    const meta = JSON.stringify(keys(2010))
    await deps.registry
      .updateTable('modelx')
      .set({ meta })
      .where('installation_id', '=', id)
      .execute()
    assert.equal((await world.request(`DELETE ${one}/meta/key 1`, { as })).status, 200)
  })

  test('a body with too many quotes and brackets is refused', async () => {
    const { world } = platform
    const { id } = await world.installation()
    const message = 'body must not have more than 100000 quotes and brackets'
    for (const body of [`[${'{},'.repeat(100_001)}1]`, `["${'","'.repeat(50_001)}"]`]) {
      const answer = await world.request(`POST /api/v2/status/${id}`, { as: world.admin, body })
      assert.deepEqual([answer.status, answer.json], [413, { message }])
    }
  })
})
