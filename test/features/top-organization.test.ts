import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

const stays = [400, { message: 'the last administrator cannot be removed' }]

onRegistryMatrix('the top organization', (engine) => {
  // Other tests would make more administrators.
  const { platform } = withPlatform(engine, {})

  test('keeps its last administrator, even if a tenant has administrators', async () => {
    const { world } = platform()
    const as = world.admin
    const { user } = await world.site(['#'])
    for (const [line, body] of [
      [`DELETE /api/v2/user/${as.id}`, undefined],
      [`PUT /api/v2/user/${as.id}`, { expire_at: 1 }],
      [`PUT /api/v2/user/${as.id}`, { organisations: [await world.organization()] }]
    ] as const) {
      await platform().deps.directory.catchUp()
      const { status, json } = await world.request(line, { as, body })
      assert.deepEqual([status, json], stays, line)
    }
    // A user who is not an administrator can be removed.
    const gone = await world.request(`DELETE /api/v2/user/${user.id}`, { as })
    assert.equal(gone.status, 200, gone.text)
  })

  test('publishes official apps, and a user who lost the reach cannot', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['edge/app/#'])
    const made = await world.request('POST /api/v2/edge/app', {
      as: user,
      body: {
        ...{ name: world.unique('app'), category: 'energy', tags: [], public: true },
        ...{ short_description: '', description: '', source_url: '' },
        publisher: { id: installation.organization_id }
      }
    })
    const at = `/api/v2/edge/app/${(made.json as { id: number }).id}`
    const upload = async (lua: string) => {
      const data = new FormData()
      data.append('app_json', new Blob(['{}']), 'app.json')
      data.append('app_lua', new Blob([lua]), 'app.lua')
      const headers = { 'x-api-key': user.token }
      const answer = await fetch(`${world.url}${at}/version`, {
        method: 'POST',
        headers,
        body: data
      })
      return ((await answer.json()) as { hash: string }).hash
    }
    const publish = async (name: string, hash: string, as: { token: string }) =>
      (await world.request(`POST ${at}/publish`, { as, body: { name, hash } })).status
    assert.equal(await publish('1.0', await upload('-- one'), user), 200)
    const official = { as: world.admin, body: { official: true } }
    assert.equal((await world.request(`PUT ${at}`, official)).status, 200)
    const next = await upload('-- two')
    assert.equal(await publish('2.0', next, user), 403)
    assert.equal(await publish('2.0', next, world.admin), 200)
  })

  test('finds users without organizations, and can give them one', async () => {
    const { world } = platform()
    const lost = await world.user()
    const { user: other, installation } = await world.site(['#'])
    const idsFor = async (as: { token: string }) => {
      const { json } = await world.request('GET /api/v2/user', { as })
      return (json as { id: number }[]).map(({ id }) => id)
    }
    assert((await idsFor(world.admin)).includes(lost.id))
    assert(!(await idsFor(other)).includes(lost.id))
    const at = `/api/v2/user/${lost.id}`
    assert.equal((await world.request(`GET ${at}`, { as: other })).status, 403)
    const organisations = [installation.organization_id]
    const given = await world.request(`PUT ${at}`, { as: world.admin, body: { organisations } })
    assert.equal(given.status, 200, given.text)
    assert((await idsFor(other)).includes(lost.id))
  })
})

test('users without organizations are named once at the start', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const settings = { CARACAL_DATA_DIR: dataDir }
  const before = await startTestPlatform({ settings })
  const { id, email } = await before.world.user()
  await before.world.user({ organizations: [1] })
  await before.stop()
  const again = await startTestPlatform({ settings })
  const told = again.logged.filter(({ msg }) => /belong to no organization/.test(String(msg)))
  await again.stop()
  rmSync(dataDir, { recursive: true })
  assert.deepEqual(
    told.map(({ users, count }) => ({ users, count })),
    [{ users: [{ id, email }], count: 1 }]
  )
})
