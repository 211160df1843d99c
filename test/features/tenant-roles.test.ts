import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

type Role = { id: number; name: string; organization_id?: number }
type Tenant = { organization: number; below: number; admin: Account }
const address = { address: '', city: '', country: '', zip: '' }

onRegistryMatrix('roles of a tenant', (engine) => {
  const { platform } = withPlatform(engine)
  const send = (line: string, as: { token: string }, body?: unknown) =>
    platform().world.request(line, { as, body })
  const status = async (line: string, as: { token: string }, body?: unknown) =>
    (await send(line, as, body)).status

  async function tenant(world: World): Promise<Tenant> {
    const organization = await world.organization()
    const below = await world.organization(organization)
    const admin = await world.user({ grants: ['#'], organizations: [organization], priority: 1000 })
    return { organization, below, admin }
  }
  async function roleOf(as: { token: string }, fields: object = {}): Promise<Role> {
    const { world } = platform()
    const body = {
      name: world.unique('role'),
      priority: 50,
      permissions: { 'log/read/all': true },
      ...fields
    }
    const made = await send('POST /api/v2/role', as, body)
    assert.equal(made.status, 200, made.text)
    return made.json as Role
  }
  const newUser = (world: World, fields: object) => ({
    email: `${world.unique('new')}@example.org`,
    first_name: '',
    last_name: '',
    address,
    ...fields
  })
  const listed = async (as: { token: string }): Promise<number[]> =>
    ((await send('GET /api/v2/role', as)).json as Role[]).map(({ id }) => id)

  test('do not change those of the platform', async () => {
    const { world } = platform()
    const { admin } = await tenant(world)
    const { user: reader, installation } = await world.site(['log/read/all'])
    const me = (await send('GET /api/v2/user/me', reader)).json as { role: number }
    for (const id of [2, 3, me.role]) {
      assert.equal(await status(`PUT /api/v2/role/${id}`, admin, { permissions: {} }), 403)
      assert.equal(await status(`DELETE /api/v2/role/${id}`, admin), 403)
    }
    const own = await roleOf(world.admin)
    assert.equal(own.organization_id, 0)
    assert.equal(await status(`DELETE /api/v2/role/${own.id}`, admin), 403)
    assert.equal(await status(`GET /api/v3beta/log/${installation.id}`, reader), 200)
    assert.equal(await status(`PUT /api/v2/role/${own.id}`, world.admin, { priority: 5 }), 200)
    assert.equal(await status(`DELETE /api/v2/role/${own.id}`, world.admin), 200)
  })

  test('are visible and usable there and below, and nowhere else', async () => {
    const { world } = platform()
    const [a, b] = [await tenant(world), await tenant(world)]
    const grants = ['#']
    const sub = await world.user({ grants, organizations: [a.below], priority: 1000 })
    const role = await roleOf(a.admin)
    assert.equal(role.organization_id, a.organization)
    for (const somebody of [a.admin, sub, world.admin]) {
      assert((await listed(somebody)).includes(role.id))
      assert.equal(await status(`GET /api/v2/role/${role.id}`, somebody), 200)
    }
    const path = `/api/v2/role/${role.id}`
    assert(!(await listed(b.admin)).includes(role.id))
    for (const [line, body] of [
      [`GET ${path}`, undefined],
      [`PUT ${path}`, { permissions: {} }],
      [`DELETE ${path}`, undefined]
    ] as const) {
      assert.equal(await status(line, b.admin, body), 404, line)
    }
    assert.equal(await status(`PUT ${path}`, sub, { permissions: {} }), 403, 'below it is used')
    assert.equal(await status(`DELETE ${path}`, sub), 403)

    const use = (as: { token: string }, organisations: number[]) =>
      send('POST /api/v2/user', as, newUser(world, { role: role.id, organisations }))
    assert.equal((await use(a.admin, [a.organization])).status, 200)
    assert.equal((await use(sub, [a.below])).status, 200)
    assert.deepEqual((await use(b.admin, [b.organization])).json, {
      message: 'role does not exist'
    })
    const elsewhere = { message: 'role belongs to another organization' }
    assert.deepEqual((await use(world.admin, [b.organization])).json, elsewhere)
    assert.deepEqual((await use(world.admin, [a.below, b.organization])).json, elsewhere)

    const policy = (as: { token: string }, organization_id: number) =>
      send('POST /api/v2/user/registration/policy', as, {
        email_pattern: `*@${world.unique('a')}.example`,
        role_id: role.id,
        organization_id
      })
    assert.equal((await policy(a.admin, a.below)).status, 200)
    assert.deepEqual((await policy(b.admin, b.organization)).json, {
      message: 'role_id does not exist'
    })
    assert.deepEqual((await policy(world.admin, b.organization)).json, {
      message: 'role_id belongs to another organization'
    })
  })

  test('cannot be taken to another place by moving their users', async () => {
    const { world } = platform()
    const [a, b] = [await tenant(world), await tenant(world)]
    const role = await roleOf(a.admin)
    const body = newUser(world, { role: role.id, organisations: [a.below] })
    const { id } = (await send('POST /api/v2/user', a.admin, body)).json as { id: number }
    const moved = await send(`PUT /api/v2/user/${id}`, world.admin, {
      organisations: [b.organization]
    })
    assert.deepEqual(
      [moved.status, moved.json],
      [400, { message: 'role belongs to another organization' }]
    )
    const both = { organisations: [b.organization], role: 3 }
    assert.equal(await status(`PUT /api/v2/user/${id}`, world.admin, both), 200)
    const back = { organisations: [a.below], role: role.id }
    assert.equal(await status(`PUT /api/v2/user/${id}`, world.admin, back), 200)
    const under = await send(`PUT /api/v2/organization/${a.below}`, world.admin, {
      parent: b.organization
    })
    assert.deepEqual(
      [under.status, under.json],
      [409, { message: 'users or registration policies have roles of an organization above' }]
    )
    assert.equal(
      await status(`PUT /api/v2/organization/${a.organization}`, world.admin, {
        parent: b.organization
      }),
      200,
      'the role goes along'
    )
    assert.equal(await status(`DELETE /api/v2/role/${role.id}`, a.admin), 400)
  })

  test('are deleted with their organization, by force, by callers who may delete them', async () => {
    const { world } = platform()
    const a = await tenant(world)
    const role = await roleOf(a.admin, { organization_id: a.below })
    const body = newUser(world, { role: role.id, organisations: [a.below] })
    assert.equal(await status('POST /api/v2/user', a.admin, body), 200)
    const pattern = { email_pattern: `*@${world.unique('a')}.example`, role_id: role.id }
    const policy = { ...pattern, organization_id: a.below }
    assert.equal(await status('POST /api/v2/user/registration/policy', a.admin, policy), 200)
    const child = { name: world.unique('empty'), parent: a.organization }
    const made = await send('POST /api/v2/organization', a.admin, child)
    const { id: empty } = made.json as { id: number }
    await roleOf(a.admin, { organization_id: empty })
    const refused = await send(`DELETE /api/v2/organization/${empty}`, a.admin)
    assert.deepEqual(
      [refused.status, refused.json],
      [400, { message: 'the organization has roles' }]
    )
    const clerk = await world.user({
      grants: ['organization/#', 'log/#'],
      organizations: [a.organization]
    })
    const path = `DELETE /api/v2/organization/${a.below}?force=true`
    assert.equal(await status(path, clerk), 403)
    assert.equal(await status(path, a.admin), 200)
    assert.equal(await status(`GET /api/v2/role/${role.id}`, world.admin), 404)
  })

  test('have unique names in their organization', async () => {
    const { world } = platform()
    const [a, b] = [await tenant(world), await tenant(world)]
    const name = world.unique('Reader')
    await roleOf(a.admin, { name })
    await roleOf(b.admin, { name })
    const platforms = await roleOf(world.admin, { name })
    const again = await send('POST /api/v2/role', a.admin, { name, priority: 1 })
    assert.deepEqual([again.status, again.json], [400, { message: 'name is taken' }])
    const other = await roleOf(b.admin)
    const rename = await send(`PUT /api/v2/role/${other.id}`, b.admin, { name: 'User' })
    assert.deepEqual([rename.status, rename.json], [400, { message: 'name is taken' }])
    assert.equal(await status(`DELETE /api/v2/role/${platforms.id}`, world.admin), 200)
  })

  test('are made where the maker reaches, and never have more rights than the maker', async () => {
    const { world } = platform()
    const [a, b] = [await tenant(world), await tenant(world)]
    const make = (as: { token: string }, fields: object) =>
      status('POST /api/v2/role', as, { name: world.unique('r'), priority: 1, ...fields })
    assert.equal(await make(a.admin, { organization_id: b.organization }), 403)
    assert.equal(await make(a.admin, { organization_id: 1 }), 403)
    const keeper = await world.user({
      grants: ['role/#', 'log/read/all'],
      organizations: [a.organization],
      priority: 100
    })
    assert.equal(await make(keeper, { permissions: { '#': true } }), 403)
    assert.equal(await make(keeper, { priority: 101 }), 403)
    const wide = await roleOf(a.admin, { permissions: { '#': true } })
    assert.equal(await status(`PUT /api/v2/role/${wide.id}`, keeper, { name: 'x' }), 403)
    const moved = { organization_id: a.below }
    assert.equal(await status(`PUT /api/v2/role/${wide.id}`, a.admin, moved), 400)
    const nowhere = await world.user({ grants: ['role/#'] })
    assert.equal(await make(nowhere, {}), 400)
  })

  test('an organization has at most a hundred, and others are not affected', slow, async () => {
    const { world } = platform()
    const [a, b] = [await tenant(world), await tenant(world)]
    for (let i = 0; i < 100; i++) await roleOf(a.admin)
    const body = { name: world.unique('r'), priority: 1 }
    const { status: full, json } = await send('POST /api/v2/role', a.admin, body)
    assert.deepEqual([full, json], [409, { message: 'the organization has 100 roles already' }])
    await roleOf(b.admin)
    await roleOf(a.admin, { organization_id: a.below })
    const permissions = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`a/${i}`, true]))
    assert.equal(await status('POST /api/v2/role', b.admin, { ...body, permissions }), 400)
  })

  test('have the same four keys for existing clients', async () => {
    const { world } = platform()
    const { admin } = await tenant(world)
    const { id } = await roleOf(admin)
    for (const line of [`GET /lynx/api/v2/role/${id}`, `PUT /lynx/api/v2/role/${id}`]) {
      const { json } = await send(line, admin, line.startsWith('PUT') ? {} : undefined)
      assert.deepEqual(Object.keys(json as object).sort(), [
        'id',
        'name',
        'permissions',
        'priority'
      ])
    }
    const { json } = await send('GET /lynx/api/v2/role', admin)
    for (const role of json as object[]) assert.equal(Object.keys(role).length, 4)
  })

  test('only a caller who reaches everything makes an edge app official', async () => {
    const { world } = platform()
    const { admin, organization } = await tenant(world)
    const app = {
      name: world.unique('app'),
      publisher: { id: organization, name: 'x' },
      category: 'c',
      tags: [],
      short_description: '',
      description: '',
      source_url: ''
    }
    assert.equal(await status('POST /api/v2/edge/app', admin, { ...app, official: true }), 403)
    const { json } = await send('POST /api/v2/edge/app', admin, { ...app, official: false })
    const { id } = json as { id: number }
    assert.equal(await status(`PUT /api/v2/edge/app/${id}`, admin, { official: true }), 403)
    assert.equal(await status(`PUT /api/v2/edge/app/${id}`, world.admin, { official: true }), 200)
    assert.equal(await status(`PUT /api/v2/edge/app/${id}`, admin, { official: false }), 403)
    assert.equal(await status(`DELETE /api/v2/edge/app/${id}`, admin), 403)
  })
})
