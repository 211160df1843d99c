import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const changes = (id: number) =>
  [
    [`PUT /api/v2/user/${id}`, { email: 'mine@example.org' }],
    [`PUT /api/v2/user/${id}`, { mobile: '+46 70 000 00 00' }],
    [`PUT /api/v2/user/${id}`, { note: 'seen' }],
    [`PUT /api/v2/user/${id}`, { role: 3 }],
    [`PUT /api/v2/user/${id}/password`, { new_password: 'a brand new secret' }],
    [`POST /api/v2/user/${id}/meta/key`, { value: 'x' }],
    [`PUT /api/v2/user/${id}/meta/key?create_missing=true`, { value: 'x' }],
    [`DELETE /api/v2/user/${id}/meta/key`, undefined],
    [`GET /api/v2/user/${id}/security/token`, undefined],
    [`POST /api/v2/user/${id}/security/token`, { name: 'k' }],
    [`POST /api/v2/user/${id}/security/token`, { name: 'k', permissions: ['user/list'] }],
    [`DELETE /api/v2/user/${id}/security/token/1`, undefined],
    [`DELETE /api/v2/user/${id}`, undefined]
  ] as const

onRegistryMatrix('a restricted key or role', (engine) => {
  const { platform } = withPlatform(engine)
  const status = async (line: string, as: { token: string }, body?: unknown) =>
    (await platform().world.request(line, { as, body })).status

  async function restricted(world: World, owner: { token: string }, permissions: string[]) {
    const body = { name: world.unique('key'), permissions }
    const made = await world.request('POST /api/v2/user/me/security/token', { as: owner, body })
    assert.equal(made.status, 200, made.text)
    return made.json as { id: number; token: string }
  }
  const unharmed = async ({ email, password, token }: Account, as: { token: string }) => {
    const { world } = platform()
    const authorization = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`
    const headers = { authorization }
    assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 200)
    const { json } = await world.request('GET /api/v2/user/me', { as: { token } })
    assert.equal((json as { email: string }).email, email)
    assert.equal(await status('GET /api/v2/user', as), 200)
  }

  test('of an administrator cannot change another administrator', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    const admin = { grants: ['#'], organizations, priority: 1000 }
    const owner = await world.user(admin)
    const other = await world.user(admin)
    const key = await restricted(world, owner, ['user/#'])
    for (const [line, body] of changes(other.id)) {
      assert.equal(await status(line, key, body), 403, `${line} ${JSON.stringify(body)}`)
      assert.equal(await status(line.replace('/api', '/lynx/api'), key, body), 403, `lynx ${line}`)
    }
    await unharmed(other, key)
    const peer = `PUT /api/v2/user/${other.id}`
    assert.equal(await status(peer, owner, { note: 'the whole account may' }), 200)
  })

  test('of the same priority cannot change a user with more grants', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    const grants = ['user/list', 'user/update', 'user/create/delete', 'user/security/#']
    const clerk = await world.user({ grants, organizations, priority: 100 })
    const other = await world.user({ grants: ['#'], organizations, priority: 100 })
    for (const [line, body] of changes(other.id)) {
      assert.equal(await status(line, clerk, body), 403, `${line} ${JSON.stringify(body)}`)
    }
    await unharmed(other, clerk)
    const below = await world.user({ grants: ['user/list'], organizations, priority: 100 })
    assert.equal(await status(`PUT /api/v2/user/${below.id}`, clerk, { note: 'x' }), 200)
    assert.equal(
      await status(`PUT /api/v2/user/${below.id}/password`, clerk, {
        new_password: 'a new secret'
      }),
      200
    )
  })

  test('cannot change what its owner signs in with, nor delete the owner', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    const installation = await world.installation({ organization_id: organizations[0] ?? 0 })
    const owner = await world.user({ grants: ['#'], organizations, priority: 1000 })
    const key = await restricted(world, owner, ['user/#', 'installation/#'])
    const below = await world.organization(organizations[0])
    for (const [line, body] of [
      ['PUT /api/v2/user/me', { email: 'mine@example.org' }],
      ['PUT /api/v2/user/me', { mobile: '+46 70 000 00 00' }],
      ['PUT /api/v2/user/me', { password: 'a brand new secret' }],
      ['PUT /api/v2/user/me', { organisations: [below] }],
      ['PUT /api/v2/user/me', { assigned_installations: [installation.id] }],
      [
        'PUT /api/v2/user/me/password',
        { current_password: owner.password, new_password: 'a new secret' }
      ],
      [
        'PUT /api/v2/user/password',
        { current_password: owner.password, new_password: 'a new secret' }
      ],
      ['POST /api/v2/user/me/security/token', { name: 'wide' }],
      ['POST /api/v2/user/me/security/token', { name: 'wide', permissions: ['log/read/all'] }],
      ['DELETE /api/v2/user/me', undefined]
    ] as const) {
      assert.equal(await status(line, key, body), 403, `${line} ${JSON.stringify(body)}`)
    }
    await unharmed(owner, key)
    assert.equal(await status('PUT /api/v2/user/me', key, { note: 'a note is fine' }), 200)
    const narrow = { name: 'narrow', permissions: ['user/list'] }
    assert.equal(await status('POST /api/v2/user/me/security/token', key, narrow), 200)
  })

  test('cannot reset the password of a user with more grants', async () => {
    const { world } = platform()
    const organization = await world.organization()
    const organizations = [organization]
    const grants = ['organization/update', 'user/list', 'user/update']
    const clerk = await world.user({ grants, organizations, priority: 100 })
    const more = await world.user({ grants: ['log/read/all'], organizations, priority: 100 })
    const same = await world.user({ grants: ['user/list'], organizations, priority: 100 })
    const path = `POST /api/v2/organization/${organization}/force_password_reset`
    const { json } = await world.request(path, { as: clerk })
    assert.deepEqual(json, { message: '1 user must set a new password' })
    assert.equal(await status('GET /api/v2/user/me', more), 200)
    assert.equal(await status('GET /api/v2/user/me', same), 401)
    const owner = await world.user({ grants: ['#'], organizations, priority: 1000 })
    const key = await restricted(world, owner, grants)
    const again = await world.request(path, { as: key })
    assert.deepEqual(again.json, { message: '1 user must set a new password' })
    assert.equal(await status('GET /api/v2/user/me', more), 200)
  })

  test('cannot delete an organization with a member who has more grants', async () => {
    const { world } = platform()
    const top = await world.organization()
    const below = await world.organization(top)
    const grants = ['organization/create_delete', 'user/create/delete', 'user/list']
    const clerk = await world.user({ grants, organizations: [top], priority: 100 })
    const member = await world.user({ grants: ['log/#'], organizations: [below], priority: 1 })
    const path = `DELETE /api/v2/organization/${below}?force=true`
    assert.equal(await status(path, clerk), 403)
    await unharmed(member, clerk)
  })

  test('cannot take a user into an organization who only shares an installation', async () => {
    const { world } = platform()
    const shared = await world.installation()
    const [a, b] = [await world.organization(), await world.organization()]
    const assigned = [shared.id]
    const grants = ['user/list/assigned', 'user/update']
    const clerk = await world.user({ grants, organizations: [a], assigned })
    const neighbour = await world.user({ organizations: [b], assigned })
    const at = `PUT /api/v2/user/${neighbour.id}`
    assert.equal(await status(at, clerk, { note: 'seen' }), 200)
    assert.equal(await status(at, clerk, { organisations: [b, a] }), 403)
    assert.equal(await status(at, world.admin, { organisations: [b, a] }), 200)
  })

  test('cannot assign an installation to a user whose role may do more there', async () => {
    const { world } = platform()
    const organization_id = await world.organization()
    const installation = await world.installation({ organization_id })
    const organizations = [organization_id]
    const clerk = await world.user({
      grants: ['installation/#', 'user/list'],
      organizations,
      priority: 100
    })
    const accomplice = await world.user({ grants: ['log/read/assigned'], organizations })
    const modest = await world.user({ grants: ['installation/list/assigned'], organizations })
    const at = `/api/v2/installation/${installation.id}`
    const give = (...users: number[]) => status(`PUT ${at}`, clerk, { users })
    assert.equal(await give(accomplice.id), 403)
    const body = { name: 'new', organization_id, users: [accomplice.id] }
    assert.equal(await status('POST /api/v2/installation', clerk, body), 403)
    assert.equal(await give(modest.id), 200)
    await world.request(`PUT ${at}`, {
      as: world.admin,
      body: { users: [accomplice.id, modest.id] }
    })
    assert.equal(await give(accomplice.id, modest.id), 200, 'who is there stays')
    assert.equal(await give(), 200, 'and may be let go')
  })
})
