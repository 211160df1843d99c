import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
type Key = Account & { id: number; permissions?: string[]; type: string; current: boolean }

onRegistryMatrix('API keys', (engine) => {
  let ahead = 0
  const { platform, scenario } = withPlatform(engine, { clock: () => unixMs(Date.now() + ahead) })
  const mine = '/api/v2/user/me/security/token'
  const make = async (as: { token: string }, body: object, path = mine): Promise<Key> => {
    const { status, json, text } = await platform().world.request(`POST ${path}`, { as, body })
    assert.equal(status, 200, text)
    return json as Key
  }

  test('a key has a name, is shown once, is listed with its last use, and can be deleted', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/#', 'mqtt/#'])
    const key = await make(user, { name: 'Grafana', expire: null, session_timeout: null })
    const { id, token, created, last_used, ...rest } = key as unknown as Record<string, unknown>
    assert.match(String(token), /^[A-Za-z0-9_-]{43}$/)
    assert(Number.isInteger(created) && Number.isInteger(last_used))
    assert.deepEqual(rest, {
      name: 'Grafana',
      type: 'key',
      expire: 0,
      session_timeout: 0,
      current: false,
      agent: '',
      accessed: []
    })
    const path = `GET /api/v2/status/${installation.id}`
    assert.equal((await world.request(path, { as: key })).status, 200)
    ahead += HOUR
    await world.request(path, { as: key, headers: { 'user-agent': 'grafana/9' } })
    const { json } = await world.request(`GET ${mine}`, { as: key })
    const listed = json as Record<string, unknown>[]
    assert(listed.every((one) => !('token' in one)))
    const shown = listed.find((one) => one['id'] === id)
    assert.equal(shown?.['current'], true)
    assert.equal(shown?.['agent'], 'grafana/9')
    assert.deepEqual(shown?.['accessed'], [
      { ip: '127.0.0.1', agent: 'grafana/9', last_accessed: shown?.['last_used'] }
    ])
    const connection = await world.mqtt(key)
    const gone = await world.request(`DELETE ${mine}/${id}`, { as: user })
    assert.deepEqual([gone.status, gone.json], [200, { message: 'Deleted' }])
    assert.equal((await world.request(path, { as: key })).status, 401)
    await eventually(() => assert.equal(connection.mqtt.connected, false))
    assert.equal((await world.request(`DELETE ${mine}/${id}`, { as: user })).status, 404)
  })

  test('a restricted key may do what its list and its owner allow, over HTTP and MQTT', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([
      'status/#',
      'log/#',
      'installation/list/all',
      'mqtt/#'
    ])
    const other = await world.installation({ organization_id: installation.organization_id })
    const key = await make(user, {
      name: 'narrow',
      permissions: ['status/read/all', `${installation.id}/mqtt/subscribe/#`]
    })
    for (const permissions of [['user/list'], ['status/read/all', '#'], ['999/status/#']]) {
      const wider = await world.request(`POST ${mine}`, {
        as: user,
        body: { name: 'wider', permissions }
      })
      assert.equal(wider.status, 403, 'nothing wider than its owner')
    }
    const status = async (line: string, as: Account = key) =>
      (await world.request(line, { as })).status
    assert.equal(await status(`GET /api/v2/status/${installation.id}`), 200)
    assert.equal(await status(`GET /api/v3beta/log/${installation.id}`), 403)
    assert.equal(await status('GET /api/v2/user/me'), 200)
    assert.deepEqual((await world.request('GET /api/v2/installation', { as: key })).json, [])
    assert.deepEqual((await world.request('GET /api/v2/permission', { as: key })).json, {
      'status/read/all': true,
      [`${installation.id}/mqtt/subscribe/#`]: true
    })
    const client = await world.mqtt(key)
    assert.deepEqual(
      await client.subscribe([`${installation.client_id}/#`, `${other.client_id}/#`, '#']),
      [1, 128, 128]
    )
    for (const [line, body] of [
      ['PUT /api/v2/user/me', { first_name: 'x' }],
      ['DELETE /api/v2/user/me', undefined],
      [
        'PUT /api/v2/user/password',
        { current_password: user.password, new_password: 'a brand new secret' }
      ],
      [
        'PUT /api/v2/user/me/password',
        { current_password: user.password, new_password: 'a brand new secret' }
      ],
      [`GET ${mine}`, undefined],
      [`POST ${mine}`, { name: 'wider' }]
    ] as const) {
      assert.equal((await world.request(line, { as: key, body })).status, 403, line)
    }
    await world.setGrants(user.id, ['log/#'])
    assert.equal(
      await status(`GET /api/v2/status/${installation.id}`),
      403,
      'never more than the owner'
    )
  })

  test('who may publish only where assigned makes a key for one such installation', async () => {
    const { world } = platform()
    const [one, two, foreign] = [
      await world.installation(),
      await world.installation(),
      await world.installation()
    ]
    const user = await world.user({ grants: ['mqtt/publish/assigned'], assigned: [one.id, two.id] })
    const key = await make(user, {
      name: 'device',
      permissions: [`${one.id}/mqtt/publish/assigned`]
    })
    const client = await world.mqtt(key)
    const values = (name: string) => ({ value: 1, msg: name })
    for (const [name, { client_id }] of Object.entries({ one, two, foreign })) {
      await client.publish(`${client_id}/obj/x`, JSON.stringify(values(name)), { qos: 1 })
    }
    const stored = async ({ id }: { id: number }) =>
      (await world.request(`GET /api/v2/status/${id}`, { as: world.admin })).json
    assert.equal(((await stored(one)) as object[]).length, 1)
    assert.deepEqual(await stored(two), [])
    for (const permission of [
      `${foreign.id}/mqtt/publish/assigned`,
      `${one.id}/mqtt/subscribe/assigned`,
      `${one.id}/mqtt/#`
    ]) {
      const body = { name: 'wider', permissions: [permission] }
      const { status } = await world.request(`POST ${mine}`, { as: user, body })
      assert.equal(status, 403, permission)
    }
  })

  test('a key that may make keys cannot make keys with more rights', async () => {
    const { world } = platform()
    const user = await world.user({ grants: ['status/#', 'user/#'] })
    const list = ['status/read/all', 'user/security/token/create_delete']
    const key = await make(user, { name: 'maker', permissions: list })
    await make(key, { name: 'same', permissions: ['status/read/all'] })
    for (const body of [{ name: 'all' }, { name: 'wider', permissions: ['status/#'] }]) {
      assert.equal((await world.request(`POST ${mine}`, { as: key, body })).status, 403)
    }
  })

  test('with missing, null or {} permissions a key has all rights of its owner', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/#'])
    for (const permissions of [undefined, null, {}]) {
      const key = await make(user, { name: 'all', permissions })
      assert(!('permissions' in key))
      assert.equal(
        (await world.request(`GET /api/v2/status/${installation.id}`, { as: key })).status,
        200
      )
    }
  })

  test('the key has the requested length, at least 22', async () => {
    const { world } = platform()
    const user = await world.user()
    assert.match((await make(user, { name: 'short', length: 22 })).token, /^[\w-]{22}$/)
    assert.match((await make(user, { name: 'long', length: 100 })).token, /^[\w-]{100}$/)
  })

  for (const [what, body, message] of [
    ['no name', {}, /name is required/],
    ['an empty list', { name: 'x', permissions: [] }, /permissions/],
    ['a length of 21', { name: 'x', length: 21 }, /length must be a whole number from 22 to/],
    ['an end in the past', { name: 'x', expire: 1000 }, /expire is in the past/],
    ['a permission that is none', { name: 'x', permissions: ['a/#/b'] }, /is not a permission/]
  ] as const) {
    scenario(`POST with ${what}`, {
      given: (world) => world.user(),
      as: (user) => user,
      request: `POST ${mine}`,
      body,
      expect: { status: 400 },
      and: ({ json }) => assert.match((json as { message: string }).message, message)
    })
  }

  test('keys of others need the grants, and those of a user with a greater priority are forbidden', async () => {
    const { world } = platform()
    const organizations = [await world.organization()]
    const helper = await world.user({
      grants: ['user/list', 'user/security/token/#'],
      organizations,
      priority: 300
    })
    const clerk = await world.user({ grants: ['user/list'], organizations })
    const chief = await world.user({ organizations, priority: 900 })
    const of = (user: Account) => `/api/v2/user/${user.id}/security/token`
    const status = async (line: string, as: Account, body?: object) =>
      (await world.request(line, { as, body })).status
    const key = await make(helper, { name: 'for you' }, of(clerk))
    assert.equal(
      ((await world.request('GET /api/v2/user/me', { as: key })).json as { id: number }).id,
      clerk.id
    )
    assert.equal(await status(`GET ${of(clerk)}`, helper), 200)
    assert.equal(await status(`GET ${of(helper)}`, clerk), 403)
    assert.equal(await status(`POST ${of(helper)}`, clerk, { name: 'x' }), 403)
    assert.equal(await status(`POST ${of(chief)}`, helper, { name: 'x' }), 403)
    assert.equal(await status(`DELETE ${of(chief)}/1`, helper), 403)
    assert.equal(
      await status(`DELETE ${of(helper)}/${key.id}`, helper),
      404,
      'a key of somebody else'
    )
    assert.equal(await status(`DELETE ${of(clerk)}/${key.id}`, helper), 200)
  })
  for (const [line, body] of [
    [`GET ${mine}`, undefined],
    [`POST ${mine}`, { name: 'x' }],
    [`DELETE ${mine}/1`, undefined]
  ] as const) {
    scenario(`${line} without a token`, { request: line, body, expect: unauthorized })
  }
  scenario('GET of a stranger', {
    given: async (world) => ({
      user: await world.user({ grants: ['user/#'] }),
      stranger: await world.user()
    }),
    as: ({ user }) => user,
    request: ({ stranger }) => `GET /api/v2/user/${stranger.id}/security/token`,
    expect: forbidden
  })

  // This test comes last: after the twenty years nothing but a key is still valid.
  test('a key ends by its date or after a time without use', async () => {
    const { world } = platform()
    const user = await world.user()
    const now = Math.floor(Date.now() / 1000) + ahead / 1000
    const dated = await make(user, { name: 'dated', expire: now + 3600 })
    const idle = await make(user, { name: 'idle', session_timeout: 7200 })
    const forever = await make(user, { name: 'forever' })
    const works = async (as: Account) =>
      (await world.request('GET /api/v2/user/me', { as })).status === 200
    assert.deepEqual([await works(dated), await works(idle)], [true, true])
    ahead += HOUR
    assert.deepEqual([await works(dated), await works(idle)], [false, true])
    ahead += 2 * HOUR
    assert.deepEqual([await works(idle), await works(forever)], [false, true])
    ahead += 20 * 365 * DAY
    assert.equal(await works(forever), true)
    assert.equal(await works(user), false)
  })
})
