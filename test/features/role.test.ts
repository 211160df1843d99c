import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue, firstRoles } from '../../src/permission/catalogue.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const keeper = async (world: World) => {
  const organizations = [await world.organization()]
  return world.user({
    grants: ['role/#', 'status/#', 'log/read/all'],
    organizations,
    priority: 300
  })
}
const as = (user: Account) => user

onRegistryMatrix('role and permission', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  test('GET role shows the three that come with the platform', async () => {
    const { world } = platform()
    const { json } = await world.request('GET /api/v2/role', { as: await keeper(world) })
    const roles = json as { id: number; name: string; priority: number; permissions: object }[]
    assert.deepEqual(
      roles.slice(0, 3).map(({ id, name, priority }) => [id, name, priority]),
      [
        [1, 'Administrator', 1000],
        [2, 'Manager', 500],
        [3, 'User', 100]
      ]
    )
    assert.deepEqual(roles[0]?.permissions, { '#': true })
  })

  test('a role is made, read, changed and deleted', async () => {
    const { world } = platform()
    const user = await keeper(world)
    const name = world.unique('Reader')
    const permissions = { 'status/read/all': true, 'status/read/assigned': false }
    const made = await world.request('POST /api/v2/role', {
      as: user,
      body: { name, priority: 50, permissions }
    })
    assert.equal(made.status, 200, made.text)
    const { id, organization_id, ...rest } = made.json as { id: number; organization_id: number }
    const me = await world.request('GET /api/v2/user/me', { as: user })
    assert.deepEqual((me.json as { organisations: number[] }).organisations, [organization_id])
    assert.deepEqual(rest, { name, priority: 50, permissions })
    const path = `/api/v2/role/${id}`
    assert.deepEqual((await world.request(`GET ${path}`, { as: user })).json, made.json)
    const changed = await world.request(`PUT ${path}`, {
      as: user,
      body: { id: 1, name: null, priority: 60, permissions: { 'log/read/all': true } }
    })
    assert.deepEqual(changed.json, {
      id,
      organization_id,
      name,
      priority: 60,
      permissions: { 'log/read/all': true }
    })
    assert.deepEqual((await world.request(`DELETE ${path}`, { as: user })).json, {
      message: 'Deleted'
    })
    assert.equal((await world.request(`GET ${path}`, { as: user })).status, 404)
  })

  test('a change of a role applies at once to its users', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/read/all'])
    const me = await world.request('GET /api/v2/user/me', { as: user })
    const { role } = me.json as { role: number }
    const status = async () =>
      (await world.request(`GET /api/v2/status/${installation.id}`, { as: user })).status
    assert.equal(await status(), 200)
    const body = { permissions: { 'log/read/all': true } }
    assert.equal(
      (await world.request(`PUT /api/v2/role/${role}`, { as: world.admin, body })).status,
      200
    )
    assert.equal(await status(), 403)
  })

  for (const [what, body] of [
    ['a priority above the caller’s', { name: 'x', priority: 301, permissions: {} }],
    [
      'a grant the caller does not have',
      { name: 'x', priority: 1, permissions: { 'user/list': true } }
    ],
    ['a pattern wider than the caller’s', { name: 'x', priority: 1, permissions: { '#': true } }],
    [
      'a pattern across the caller’s',
      { name: 'x', priority: 1, permissions: { '+/read/all': true } }
    ],
    [
      'an installation the caller cannot see',
      { name: 'x', priority: 1, permissions: { '99/status/#': true } }
    ]
  ] as const) {
    scenario(`POST role with ${what}`, {
      given: keeper,
      as,
      request: 'POST /api/v2/role',
      body,
      expect: forbidden
    })
  }
  for (const [what, body] of [
    ['without a name', { priority: 1, permissions: {} }],
    ['without a priority', { name: 'x' }],
    ['with permissions that are no map', { name: 'x', priority: 1, permissions: { a: 'yes' } }],
    [
      'with a permission that is no pattern',
      { name: 'x', priority: 1, permissions: { 'a/#/b': true } }
    ],
    ['with a name that is taken', { name: 'User', priority: 1, permissions: {} }]
  ] as const) {
    scenario(`POST role ${what}`, {
      given: keeper,
      as,
      request: 'POST /api/v2/role',
      body,
      expect: { status: 400 }
    })
  }
  scenario('PUT role of the Administrator', {
    given: keeper,
    as: () => platform().world.admin,
    request: 'PUT /api/v2/role/1',
    body: { permissions: {} },
    expect: { status: 400 }
  })
  scenario('PUT role above the caller', {
    given: keeper,
    as,
    request: 'PUT /api/v2/role/2',
    body: { name: 'x' },
    expect: forbidden
  })
  scenario('PUT role with a grant that the caller does not have', {
    given: async (world) => {
      const user = await keeper(world)
      const body = { name: world.unique('r'), priority: 1 }
      const { json } = await world.request('POST /api/v2/role', { as: user, body })
      return { user, id: (json as { id: number }).id }
    },
    as: ({ user }) => user,
    request: ({ id }) => `PUT /api/v2/role/${id}`,
    body: { permissions: { 'user/#': true } },
    expect: forbidden
  })
  scenario('DELETE role that comes with the platform', {
    as: () => platform().world.admin,
    request: 'DELETE /api/v2/role/3',
    expect: { status: 400, body: { message: 'the role comes with the platform' } }
  })
  test('DELETE role that users have is refused', async () => {
    const { world } = platform()
    const user = await world.user()
    const { json } = await world.request('GET /api/v2/user/me', { as: user })
    const path = `/api/v2/role/${(json as { role: number }).role}`
    const { status, json: answer } = await world.request(`DELETE ${path}`, { as: world.admin })
    assert.deepEqual(
      [status, answer],
      [400, { message: 'users or registration policies have this role' }]
    )
  })
  for (const [line, body] of [
    ['GET /api/v2/role', undefined],
    ['GET /api/v2/role/1', undefined],
    ['POST /api/v2/role', { name: 'x', priority: 1 }],
    ['PUT /api/v2/role/2', {}],
    ['DELETE /api/v2/role/2', undefined]
  ] as const) {
    scenario(`${line} without the grant`, {
      given: (world) => world.user({ grants: ['status/#'] }),
      as,
      request: line,
      body,
      expect: forbidden
    })
    scenario(`${line} without a token`, { request: line, body, expect: unauthorized })
  }

  for (const path of ['/api/v2/perimission', '/api/v2/permission']) {
    scenario(`GET ${path} lists grants as written and the names they cover`, {
      given: (world) => world.user({ grants: ['status/#', '12/log/#', 'external/node-red/admin'] }),
      as,
      request: `GET ${path}`,
      expect: {
        status: 200,
        body: {
          'status/#': true,
          '12/log/#': true,
          'external/node-red/admin': true,
          'status/read/all': true,
          'status/read/assigned': true
        }
      }
    })
    scenario(`GET ${path} without a token`, { request: `GET ${path}`, expect: unauthorized })
  }
  scenario('GET permission of the administrator lists the whole catalogue', {
    as: () => platform().world.admin,
    request: 'GET /api/v2/permission',
    expect: {
      status: 200,
      body: Object.fromEntries(['#', ...catalogue].map((name) => [name, true]))
    }
  })

  test('GET permission lists the names for the Node-RED container to administrators only', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    /** The keys that the container reads: those under its prefix, without our wildcards. */
    const nodeRed = async (as: { token: string }) => {
      const names = []
      for (const path of ['/api/v2/permission', '/api/v2/perimission', '/lynx/api/v2/permission']) {
        const { json } = await world.request(`GET ${path}`, { as })
        names.push(
          Object.keys(json as object).filter((key) => key.startsWith('external/node-red/'))
        )
      }
      assert.deepEqual(names[1], names[0])
      assert.deepEqual(names[2], names[0])
      return names[0]?.sort()
    }
    assert.deepEqual(await nodeRed(world.admin), ['external/node-red/*', 'external/node-red/read'])
    for (const { name, permissions } of firstRoles.slice(1)) {
      const grants = Object.keys(permissions)
      assert.deepEqual(await nodeRed(await world.user({ grants, organizations })), [], name)
    }
    const reader = await world.user({ grants: ['external/node-red/read'], organizations })
    assert.deepEqual(await nodeRed(reader), ['external/node-red/read'])
    const manager = await world.user({
      grants: Object.keys(firstRoles[1]?.permissions ?? {}).concat('role/create_delete'),
      organizations: [1]
    })
    for (const permission of ['external/node-red/*', 'external/#', '+/node-red/read', '#']) {
      const { status } = await world.request('POST /api/v2/role', {
        as: manager,
        body: { name: world.unique('role'), priority: 1, permissions: { [permission]: true } }
      })
      assert.equal(status, 403, permission)
    }
  })

  test('GET permission/explain names the grant, or says that none allows it', async () => {
    const { world } = platform()
    const installation = await world.installation()
    const foreign = await world.installation()
    const user = await world.user({
      grants: [
        'status/+/all',
        'log/read/assigned',
        'device/zwave/view',
        'installation/list/all',
        'functionx/list/all',
        `${foreign.id}/log/#`
      ],
      organizations: [installation.organization_id],
      assigned: [installation.id]
    })
    const explain = async (permission: string, id?: number) => {
      const query = new URLSearchParams({ permission, ...(id && { installation_id: String(id) }) })
      const { json } = await world.request(`GET /api/v2/permission/explain?${query}`, { as: user })
      const { granted, grant } = json as { granted: boolean; grant: string | null }
      return [granted, grant]
    }
    assert.deepEqual(await explain('status/read/all'), [true, 'status/+/all'])
    assert.deepEqual(await explain('user/list'), [false, null])
    assert.deepEqual(await explain('status/read/all', installation.id), [true, 'status/+/all'])
    assert.deepEqual(await explain('status/read', installation.id), [true, 'status/+/all'])
    assert.deepEqual(await explain('status/read', foreign.id), [false, null])
    assert.deepEqual(await explain('log/read', installation.id), [true, 'log/read/assigned'])
    assert.deepEqual(await explain('log/read/all', installation.id), [false, null])
    assert.deepEqual(await explain('log/read/assigned', installation.id), [
      true,
      'log/read/assigned'
    ])
    assert.deepEqual(await explain('log/read', foreign.id), [true, `${foreign.id}/log/#`])
    assert.deepEqual(await explain('log/read', 999_999), [false, null])
    assert.deepEqual(await explain('user/list', installation.id), [false, null])
    assert.deepEqual(await explain('device/zwave/view', installation.id), [
      true,
      'device/zwave/view'
    ])
    assert.deepEqual(await explain('device/lora/view', installation.id), [false, null])
    assert.deepEqual(await explain('device/zwave/view', foreign.id), [false, null])
    assert.deepEqual(await explain('functionx/zwave/view', installation.id), [
      true,
      'functionx/list/all'
    ])
    const bad = await world.request('GET /api/v2/permission/explain', { as: user })
    assert.deepEqual([bad.status, bad.json], [400, { message: 'permission is required' }])
    assert.equal((await world.request('GET /api/v2/permission/explain?permission=x')).status, 401)
  })
  test('GET permission/installation/{id} tells what the caller may do there', async () => {
    const { world } = platform()
    const [near, far] = [await world.installation(), await world.installation()]
    const user = await world.user({
      grants: ['installation/list/all', 'log/read/assigned', `${far.id}/#`, 'mqtt/publish/all'],
      organizations: [near.organization_id]
    })
    const allowed = async (id: number) => {
      const at = `GET /api/v2/permission/installation/${id}`
      const { json } = await world.request(at, { as: user })
      return Object.entries(json as object).flatMap(([name, may]) => (may ? [name] : []))
    }
    assert.deepEqual(await allowed(near.id), ['installation/list', 'mqtt/publish'])
    assert((await allowed(far.id)).includes('gateway/reset/password'))
    const other = await world.installation()
    for (const [as, status] of [
      [undefined, 401],
      [user, 403]
    ] as const) {
      const answer = await world.request(`GET /api/v2/permission/installation/${other.id}`, { as })
      assert.equal(answer.status, status)
    }
  })
})
