import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { ADMIN, startTestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'

onRegistryMatrix('at the reserve of the disk', (engine) => {
  test('reading, signing in and deleting work, and writing is 507', async (t) => {
    const platform = await startTestPlatform({ registryUrl: await engine.url() })
    t.after(() => platform.stop())
    const { world, deps } = platform
    const { admin } = world
    const { id } = await world.installation()
    deps.hasRoom = () => false

    const create = { as: admin, body: { name: 'x', parent: 1 } }
    const refused = await world.request('POST /api/v2/organization', create)
    assert.deepEqual(
      [refused.status, refused.json],
      [507, { message: 'The disk is full up to its reserve' }]
    )
    const change = { as: admin, body: { name: 'y' } }
    assert.equal((await world.request(`PUT /api/v2/installation/${id}`, change)).status, 507)
    assert.equal((await world.request('POST /api/v2/organization', { body: {} })).status, 401)

    const authorization = `Basic ${btoa(`${ADMIN.email}:${ADMIN.password}`)}`
    const signedIn = await world.request('POST /api/v2/auth', { headers: { authorization } })
    assert.equal(signedIn.status, 200)
    const read = await world.request(`POST /api/v2/status/${id}`, { as: admin, body: [] })
    assert.equal(read.status, 200)
    assert.equal((await world.request('GET /api/v2/user/me', { as: admin })).status, 200)
    assert.equal(
      (await world.request(`DELETE /api/v2/installation/${id}`, { as: admin })).status,
      200
    )

    deps.hasRoom = () => true
    assert.equal((await world.request('POST /api/v2/organization', create)).status, 200)
  })
})

describe('a registry that cannot grow', () => {
  test('a write is 507 and changes nothing, and works again when there is space', async (t) => {
    const platform = await startTestPlatform()
    t.after(() => platform.stop())
    const { world, deps, logged } = platform
    const { registry } = deps
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(registry)
    const limit = async (pages: number) => {
      await sql.raw(`pragma max_page_count = ${pages}`).execute(registry)
    }
    await limit((rows[0]?.page_count ?? 0) + 20)
    const create = () =>
      world.request('POST /api/v2/organization', {
        as: world.admin,
        body: { name: 'x', parent: 1, notes: 'x'.repeat(30_000) }
      })
    let answer = await create()
    for (let i = 0; i < 20 && answer.status === 200; i++) answer = await create()
    assert.deepEqual([answer.status, answer.json], [507, { message: 'The disk is full' }])
    assert(logged.some(({ msg }) => msg === 'The disk is full'))
    const me = await world.request('GET /api/v2/user/me', { as: world.admin })
    assert.equal(me.status, 200)
    await limit(1_000_000)
    assert.equal((await create()).status, 200)
  })
})
