import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
const push = basic('push', 'secret:with:colons')

onRegistryMatrix('mobile', (engine) => {
  const { platform, scenario } = withPlatform(engine, {
    settings: { CARACAL_SYSTEM_ACCOUNTS: 'push:secret:with:colons,other:x' }
  })
  const register = (as: Account, body: unknown) =>
    platform().world.request('POST /api/v2/mobile', { as, body })
  const tokensOf = async ({ id }: { id: number }) =>
    (await platform().world.request(`GET /api/v2/mobile/${id}`, { headers: push })).json

  test('a phone belongs to the user who registered it last', async () => {
    const { world } = platform()
    const [one, two] = [
      await world.user({ grants: ['mobile/create'] }),
      await world.user({ grants: ['mobile/create'] })
    ]
    const phone = { device_id: world.unique('phone'), firebase_token: world.unique('token') }
    const { status, json } = await register(one, { ...phone, extra: 1 })
    assert.equal(status, 200)
    assert.deepEqual(json, { invalid: [], messages: [], missing: [], mobile: phone, valid: true })
    const tablet = { device_id: world.unique('tablet'), firebase_token: world.unique('token') }
    await register(one, tablet)
    assert.deepEqual(
      new Set((await tokensOf(one)) as string[]),
      new Set([phone.firebase_token, tablet.firebase_token])
    )
    await register(two, phone)
    assert.deepEqual(await tokensOf(one), [tablet.firebase_token])
    assert.deepEqual(await tokensOf(two), [phone.firebase_token])
    const renewed = world.unique('token')
    await register(two, { ...phone, firebase_token: renewed })
    assert.deepEqual(await tokensOf(two), [renewed])
    assert.deepEqual(await tokensOf({ id: 999_999 }), [])
  })

  for (const device_id of ["Ada's phone - 2nd (work)", 'åäö +1.5/3', 'x'.repeat(255)]) {
    test(`a phone may have the id ${device_id.slice(0, 30)}`, async () => {
      const { world } = platform()
      const user = await world.user({ grants: ['mobile/create'] })
      const firebase_token = world.unique('token')
      const { json } = await register(user, { device_id, firebase_token })
      assert.deepEqual((json as { valid: boolean }).valid, true)
      assert.deepEqual(await tokensOf(user), [firebase_token])
    })
  }

  for (const [body, answer] of [
    [{}, { missing: ['device_id', 'firebase_token'], invalid: [] }],
    [
      { device_id: 'd', firebase_token: '' },
      { missing: ['firebase_token'], invalid: [] }
    ],
    [
      { device_id: null, firebase_token: 't' },
      { missing: ['device_id'], invalid: [] }
    ],
    [
      { device_id: 5, firebase_token: 't' },
      { missing: [], invalid: ['device_id'] }
    ],
    [
      { device_id: 'a\nb', firebase_token: 't' },
      { missing: [], invalid: ['device_id'] }
    ],
    [
      { device_id: '  ', firebase_token: 't' },
      { missing: [], invalid: ['device_id'] }
    ],
    [
      { device_id: 'x'.repeat(1025), firebase_token: 't' },
      { missing: [], invalid: ['device_id'] }
    ],
    [
      { device_id: 'd', firebase_token: 'a b' },
      { missing: [], invalid: ['firebase_token'] }
    ]
  ] as const) {
    scenario(`POST ${JSON.stringify(body).slice(0, 60)} is 200 and stores nothing`, {
      given: (world) => world.user({ grants: ['mobile/create'] }),
      as: (user) => user,
      request: 'POST /api/v2/mobile',
      body,
      expect: { status: 200 },
      and: async ({ json }, user) => {
        const { valid, missing, invalid, messages } = json as Record<string, unknown>
        assert.deepEqual({ valid, missing, invalid }, { valid: false, ...answer })
        assert.equal((messages as string[]).length, answer.invalid.length)
        assert.deepEqual(await tokensOf(user), [])
      }
    })
  }
  for (const body of ['[]', '"x"', 'null', '{']) {
    scenario(`POST ${body}, which is not an object`, {
      given: (world) => world.user({ grants: ['mobile/create'] }),
      as: (user) => user,
      request: 'POST /api/v2/mobile',
      body,
      expect: { status: 400 }
    })
  }
  scenario('POST without the grant', {
    given: (world) => world.user(),
    as: (user) => user,
    request: 'POST /api/v2/mobile',
    body: {},
    expect: forbidden
  })
  scenario('POST without a token', {
    request: 'POST /api/v2/mobile',
    body: {},
    expect: unauthorized
  })

  scenario('GET as an ordinary user, even the administrator', {
    as: () => platform().world.admin,
    request: 'GET /api/v2/mobile/1',
    expect: forbidden
  })
  scenario('GET with a wrong system password', {
    request: 'GET /api/v2/mobile/1',
    headers: basic('push', 'secret'),
    expect: unauthorized
  })
  scenario('GET without credentials', { request: 'GET /api/v2/mobile/1', expect: unauthorized })
  scenario('a system account may use nothing else', {
    request: 'GET /api/v2/user/me',
    headers: push,
    expect: unauthorized
  })
})
