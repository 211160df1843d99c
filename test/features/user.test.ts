import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { catalogue } from '../../src/permission/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const address = { address: 'Street 1', city: 'Town', country: 'SE', zip: '12345' }
const person = { first_name: 'New', last_name: 'Person', role: 3, address }
/** Not `#`, because that would make another administrator. */
const everythingButAll = catalogue.map((name) => name.split('/')[0]).map((first) => `${first}/#`)
const manager = ['user/#', 'installation/#', 'status/#']
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})

/** An organization with a manager and a member. */
async function office(world: World) {
  const organization = await world.organization()
  const organizations = [organization]
  const boss = await world.user({ grants: everythingButAll, organizations, priority: 500 })
  const member = await world.user({ organizations })
  return { organization, boss, member, email: `${world.unique('new')}@example.org` }
}
type Office = Awaited<ReturnType<typeof office>>
const asBoss = ({ boss }: Office) => boss
const asMember = ({ member }: Office) => member

onRegistryMatrix('user', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  describe('GET user/me', () => {
    scenario('is the caller with every field', {
      given: async (world) => {
        const installation = await world.installation()
        const organization = installation.organization_id
        const assigned = [installation.id]
        const user = await world.user({ organizations: [organization], assigned })
        return { user, installation, organization }
      },
      as: ({ user }) => user,
      request: 'GET /api/v2/user/me',
      expect: { status: 200 },
      and: ({ json }, { user, installation, organization }) => {
        const { role, ...rest } = json as Record<string, unknown>
        assert(Number.isInteger(role))
        assert.deepEqual(rest, {
          id: user.id,
          email: user.email,
          first_name: 'Test',
          last_name: 'User',
          sms_login: false,
          mobile: '',
          note: '',
          organisations: [organization],
          address: { address: '', city: '', country: '', zip: '' },
          meta: {}
        })
        assert.deepEqual([installation.organization_id], rest['organisations'])
      }
    })
    scenario('without a token', { request: 'GET /api/v2/user/me', expect: unauthorized })
    scenario('with a made-up token', {
      as: () => ({ token: 'x'.repeat(43) }),
      request: 'GET /api/v2/user/me',
      expect: unauthorized
    })
  })

  describe('POST user', () => {
    scenario('answers the user, without the password', {
      given: office,
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ email, organization }: Office) => ({
        ...person,
        id: 999_999,
        email,
        organisations: [organization],
        password: 'a good long secret',
        mobile: '+46 70 123',
        note: 'n',
        meta: { a: '1' },
        protected_meta: { b: '2' }
      }),
      expect: { status: 200 },
      and: async ({ json }, { email, organization }, world) => {
        const { id, ...rest } = json as Record<string, unknown>
        assert.notEqual(id, 999_999)
        assert.deepEqual(rest, {
          ...person,
          email,
          sms_login: false,
          mobile: '+46 70 123',
          note: 'n',
          organisations: [organization],
          meta: { a: '1' },
          protected_meta: { b: '2' }
        })
        const headers = basic(email, 'a good long secret')
        assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 200)
      }
    })

    scenario('without organisations is placed in the caller’s first one and cannot sign in yet', {
      given: office,
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ email }: Office) => ({ ...person, email, organisations: [], meta: null }),
      expect: { status: 200 },
      and: async ({ json }, { email, organization }, world) => {
        assert.deepEqual((json as { organisations: number[] }).organisations, [organization])
        for (const password of ['', 'x']) {
          const headers = basic(email, password)
          assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 401)
        }
      }
    })

    for (const [what, change, message] of [
      ['without an e-mail', { email: undefined }, 'email is required'],
      [
        'with an e-mail that is none',
        { email: 'nobody' },
        /^email must be an e-mail address, of at most 255 characters$/
      ],
      ['without a name', { first_name: undefined }, 'first_name is required'],
      ['without a role', { role: undefined }, 'role is required'],
      ['without an address', { address: undefined }, 'address is required'],
      ['with half an address', { address: { city: 'x' } }, /^address\.\w+ is required/],
      ['with a role that is not there', { role: 999_999 }, 'role does not exist'],
      ['with a common password', { password: 'iloveyou' }, /most common/],
      ['with a short password', { password: 'short' }, /at least 8/],
      ['with metadata of numbers', { meta: { a: 1 } }, 'meta.a must be text']
    ] as const) {
      scenario(what, {
        given: office,
        as: asBoss,
        request: 'POST /api/v2/user',
        body: ({ email }: Office) => ({ ...person, email, ...change }),
        expect: { status: 400 },
        and: ({ json }) => {
          const text = (json as { message: string }).message
          if (typeof message === 'string') assert.equal(text, message)
          else assert.match(text, message)
        }
      })
    }

    scenario('with an e-mail that is taken, in another case', {
      given: office,
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ member }: Office) => ({ ...person, email: member.email.toUpperCase() }),
      expect: { status: 400, body: { message: 'email is taken' } }
    })
    scenario('in an organization that is not the caller’s', {
      given: office,
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ email }: Office) => ({ ...person, email, organisations: [1] }),
      expect: forbidden
    })
    scenario('with a role above the caller’s', {
      given: office,
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ email }: Office) => ({ ...person, email, role: 1 }),
      expect: forbidden
    })
    scenario('with a role that may do more than the caller', {
      given: async (world) => {
        const organizations = [await world.organization()]
        const clerk = await world.user({
          grants: ['user/create/delete'],
          organizations,
          priority: 900
        })
        return { clerk, email: `${world.unique('new')}@example.org` }
      },
      as: ({ clerk }) => clerk,
      request: 'POST /api/v2/user',
      body: ({ email }: { email: string }) => ({ ...person, email }),
      expect: forbidden
    })
    scenario('with an installation the caller may not assign', {
      given: async (world) => ({ ...(await office(world)), foreign: await world.installation() }),
      as: asBoss,
      request: 'POST /api/v2/user',
      body: ({ email, foreign }: Office & { foreign: { id: number } }) => ({
        ...person,
        email,
        assigned_installations: [foreign.id]
      }),
      expect: forbidden
    })
    scenario('without the grant', {
      given: office,
      as: asMember,
      request: 'POST /api/v2/user',
      body: ({ email }: Office) => ({ ...person, email }),
      expect: forbidden
    })
    scenario('without a token', { request: 'POST /api/v2/user', body: {}, expect: unauthorized })
  })

  test('a Manager makes Users, as the roles come with the platform', async () => {
    const { world } = platform()
    const made = await world.request('POST /api/v2/user', {
      as: world.admin,
      body: {
        ...person,
        role: 2,
        email: `${world.unique('manager')}@x.y`,
        password: 'correct horse'
      }
    })
    const { email } = made.json as { email: string }
    const headers = basic(email, 'correct horse')
    const body = (role: number) => ({ ...person, role, email: `${world.unique('new')}@x.y` })
    for (const [role, status] of [
      [3, 200],
      [2, 200],
      [1, 403]
    ] as const) {
      const { status: got, text } = await world.request('POST /api/v2/user', {
        headers,
        body: body(role)
      })
      assert.equal(got, status, `role ${role}: ${text}`)
    }
  })

  describe('GET user and user/{id}', () => {
    test('show the caller, and users who share a visible organization or installation', async () => {
      const { world } = platform()
      const above = await world.organization()
      const below = await world.organization(above)
      const installation = await world.installation()
      const lister = await world.user({
        grants: ['user/list'],
        organizations: [above],
        meta: { team: 'A' }
      })
      const inside = await world.user({
        organizations: [below],
        meta: { Team: 'Alpha', desk: '1' }
      })
      const outside = await world.user({
        assigned: [installation.id],
        protected_meta: { team: 'a' }
      })
      const neighbour = await world.user({
        grants: ['user/list/assigned'],
        assigned: [installation.id]
      })
      const alone = await world.user()
      const list = async (as: Account, query = '') =>
        ((await world.request(`GET /api/v2/user${query}`, { as })).json as { id: number }[]).map(
          ({ id }) => id
        )
      assert.deepEqual(await list(lister), [lister.id, inside.id])
      assert.deepEqual(await list(lister, '?team=a*'), [lister.id, inside.id])
      assert.deepEqual(await list(lister, '?team=a*&desk=1'), [inside.id])
      assert.deepEqual(await list(neighbour), [outside.id, neighbour.id])
      assert.deepEqual(await list(neighbour, '?team=a'), [], 'a protected key reveals nothing')
      assert.deepEqual(await list(alone), [alone.id])

      const get = async (as: Account, id: number) =>
        (await world.request(`GET /api/v2/user/${id}`, { as })).status
      assert.equal(await get(lister, inside.id), 200)
      assert.equal(await get(lister, outside.id), 403)
      assert.equal(await get(lister, 999_999), 403)
      assert.equal(await get(neighbour, outside.id), 200)
      assert.equal(await get(alone, alone.id), 200)
      assert.equal(await get(inside, lister.id), 403)
    })
    scenario('GET user without a token', { request: 'GET /api/v2/user', expect: unauthorized })
    scenario('GET user/{id} without a token', {
      request: 'GET /api/v2/user/1',
      expect: unauthorized
    })
    scenario('GET user/{id} with an id that is none', {
      given: office,
      as: asBoss,
      request: 'GET /api/v2/user/you',
      expect: { status: 400 }
    })
  })

  describe('PUT user/me', () => {
    scenario('changes the caller’s own fields and keeps the rest', {
      given: office,
      as: asMember,
      request: 'PUT /api/v2/user/me',
      body: { first_name: 'Other', last_name: null, mobile: '+1 2', id: 1, created: 5 },
      expect: { status: 200 },
      and: ({ json }, { member }) => {
        const { id, first_name, last_name, mobile } = json as Record<string, unknown>
        assert.deepEqual([id, first_name, last_name, mobile], [member.id, 'Other', 'User', '+1 2'])
      }
    })
    test('accepts the whole user as it was read', async () => {
      const { world } = platform()
      const { member } = await office(world)
      const { json } = await world.request('GET /api/v2/user/me', { as: member })
      const back = await world.request('PUT /api/v2/user/me', { as: member, body: json })
      assert.deepEqual([back.status, back.json], [200, json])
    })
    for (const [what, body] of [
      ['role', { role: 1 }],
      ['organisations', { organisations: [1] }],
      ['expire_at', { expire_at: 5 }],
      ['assigned_installations', { assigned_installations: [1] }]
    ] as const) {
      scenario(`cannot raise the caller’s own ${what}`, {
        given: office,
        as: asMember,
        request: 'PUT /api/v2/user/me',
        body,
        expect: forbidden
      })
    }
    scenario('does not change protected metadata', {
      given: (world) => world.user({ protected_meta: { level: '1' } }),
      as: (user) => user,
      request: 'PUT /api/v2/user/me',
      body: { protected_meta: { level: '9' } },
      expect: { status: 200 },
      and: async (_answer, user, world) => {
        const { json } = await world.request(`GET /api/v2/user/${user.id}/meta/level`, { as: user })
        assert.deepEqual(json, { message: 'Forbidden' })
      }
    })
    scenario('with a second factor but no number for it', {
      given: office,
      as: asMember,
      request: 'PUT /api/v2/user/me',
      body: { sms_login: true },
      expect: { status: 400, body: { message: 'mobile is required for sms_login' } }
    })
    test('can turn the second factor on but not off', async () => {
      const { world } = platform()
      const user = await world.user({ mobile: '+1 555 0100' })
      const put = (sms_login: boolean) =>
        world.request('PUT /api/v2/user/me', { as: user, body: { sms_login } })
      assert.equal((await put(true)).status, 200)
      assert.equal((await put(false)).status, 403)
    })
    test('a new password ends the other sessions and keeps this one', async () => {
      const { world } = platform()
      const user = await world.user()
      const login = await world.request('POST /api/v2/auth', {
        headers: basic(user.email, user.password)
      })
      const other = login.json as { token: string }
      const body = { password: 'a brand new secret' }
      assert.equal((await world.request('PUT /api/v2/user/me', { as: user, body })).status, 200)
      assert.equal((await world.request('GET /api/v2/user/me', { as: user })).status, 200)
      assert.equal((await world.request('GET /api/v2/user/me', { as: other })).status, 401)
    })
    scenario('without a token', { request: 'PUT /api/v2/user/me', body: {}, expect: unauthorized })
  })

  describe('PUT user/{id}', () => {
    scenario('changes a member', {
      given: office,
      as: asBoss,
      request: ({ member }) => `PUT /api/v2/user/${member.id}`,
      body: { note: 'seen', mobile: '+1 2', sms_login: true, expire_at: 4_000_000_000 },
      expect: { status: 200 },
      and: ({ json }) => {
        const { note, sms_login } = json as Record<string, unknown>
        assert.deepEqual([note, sms_login], ['seen', true])
      }
    })
    test('keeps memberships that the caller cannot see', async () => {
      const { world } = platform()
      const { boss, organization } = await office(world)
      const elsewhere = await world.organization()
      const both = await world.user({ organizations: [organization, elsewhere] })
      const { json } = await world.request(`PUT /api/v2/user/${both.id}`, {
        as: boss,
        body: { organisations: [organization] }
      })
      assert.deepEqual(
        (json as { organisations: number[] }).organisations,
        [organization, elsewhere].sort((a, b) => a - b)
      )
    })
    scenario('of someone with a greater priority', {
      given: async (world) => {
        const given = await office(world)
        const chief = await world.user({ organizations: [given.organization], priority: 900 })
        return { ...given, chief }
      },
      as: asBoss,
      request: ({ chief }) => `PUT /api/v2/user/${chief.id}`,
      body: { note: 'x' },
      expect: forbidden
    })
    scenario('with an e-mail that is taken', {
      given: office,
      as: asBoss,
      request: ({ member }) => `PUT /api/v2/user/${member.id}`,
      body: ({ boss }: Office) => ({ email: boss.email.toUpperCase() }),
      expect: { status: 400, body: { message: 'email is taken' } }
    })
    scenario('with somebody else’s password', {
      given: office,
      as: asBoss,
      request: ({ member }) => `PUT /api/v2/user/${member.id}`,
      body: { password: 'a brand new secret' },
      expect: { status: 400 }
    })
    scenario('of a stranger', {
      given: async (world) => ({ ...(await office(world)), stranger: await world.user() }),
      as: asBoss,
      request: ({ stranger }) => `PUT /api/v2/user/${stranger.id}`,
      body: {},
      expect: forbidden
    })
    scenario('without the grant', {
      given: office,
      as: asMember,
      request: ({ boss }) => `PUT /api/v2/user/${boss.id}`,
      body: {},
      expect: forbidden
    })
    scenario('without a token', { request: 'PUT /api/v2/user/1', body: {}, expect: unauthorized })
  })

  describe('DELETE user', () => {
    test('ends sessions and MQTT connections, and removes links', async () => {
      const { world, deps } = platform()
      const { boss, organization } = await office(world)
      const installation = await world.installation({ organization_id: organization })
      const leaver = await world.user({
        organizations: [organization],
        assigned: [installation.id]
      })
      const connection = await world.mqtt(leaver)
      const { status, json } = await world.request(`DELETE /api/v2/user/${leaver.id}`, { as: boss })
      assert.deepEqual([status, json], [200, { message: 'Deleted' }])
      assert.equal((await world.request('GET /api/v2/user/me', { as: leaver })).status, 401)
      await eventually(() => assert.equal(connection.mqtt.connected, false))
      for (const table of ['tokens', 'user_organizations', 'user_installations'] as const) {
        const rows = await deps.registry
          .selectFrom(table)
          .select('user_id')
          .where('user_id', '=', leaver.id)
          .execute()
        assert.deepEqual(rows, [])
      }
    })
    scenario('me', {
      given: office,
      as: asMember,
      request: 'DELETE /api/v2/user/me',
      expect: { status: 200, body: { message: 'Deleted' } }
    })
    scenario('of someone with a greater priority', {
      given: async (world) => {
        const organizations = [await world.organization()]
        const boss = await world.user({ grants: ['user/#'], organizations, priority: 5 })
        return { boss, chief: await world.user({ organizations }) }
      },
      as: ({ boss }) => boss,
      request: ({ chief }) => `DELETE /api/v2/user/${chief.id}`,
      expect: forbidden
    })
    scenario('without the grant', {
      given: office,
      as: asMember,
      request: ({ boss }) => `DELETE /api/v2/user/${boss.id}`,
      expect: forbidden
    })
    scenario('without a token', { request: 'DELETE /api/v2/user/1', expect: unauthorized })
    scenario('me without a token', { request: 'DELETE /api/v2/user/me', expect: unauthorized })
  })

  describe('on a platform with one administrator', () => {
    const { platform, scenario } = withPlatform(engine, {})
    scenario('the last administrator cannot be removed', {
      as: () => platform().world.admin,
      request: 'DELETE /api/v2/user/me',
      expect: { status: 400, body: { message: 'the last administrator cannot be removed' } }
    })
    scenario('the last administrator keeps the role', {
      as: () => platform().world.admin,
      request: 'PUT /api/v2/user/me',
      body: { role: 3 },
      expect: { status: 400, body: { message: 'the last administrator cannot be removed' } }
    })
  })

  describe('passwords', () => {
    for (const path of ['user/password', 'user/me/password']) {
      scenario(`PUT ${path}`, {
        given: office,
        as: asMember,
        request: `PUT /api/v2/${path}`,
        body: ({ member }: Office) => ({
          current_password: member.password,
          new_password: 'a brand new secret'
        }),
        expect: { status: 200, body: { message: 'Password changed' } },
        and: async (_answer, { member }, world) => {
          const headers = basic(member.email, 'a brand new secret')
          assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 200)
        }
      })
      scenario(`PUT ${path}, wrong current password`, {
        given: office,
        as: asMember,
        request: `PUT /api/v2/${path}`,
        body: { current_password: 'wrong', new_password: 'a brand new secret' },
        expect: { status: 400, body: { message: 'current_password is wrong' } }
      })
      scenario(`PUT ${path}, weak new password`, {
        given: office,
        as: asMember,
        request: `PUT /api/v2/${path}`,
        body: ({ member }: Office) => ({
          current_password: member.password,
          new_password: 'short'
        }),
        expect: { status: 400 }
      })
      scenario(`PUT ${path} without a token`, {
        request: `PUT /api/v2/${path}`,
        body: {},
        expect: unauthorized
      })
    }
    scenario('PUT user/password without a field', {
      given: office,
      as: asMember,
      request: 'PUT /api/v2/user/password',
      body: { new_password: 'a brand new secret' },
      expect: { status: 400, body: { message: 'current_password is required' } }
    })
    scenario('PUT user/{id}/password ends the sessions of the other', {
      given: office,
      as: asBoss,
      request: ({ member }) => `PUT /api/v2/user/${member.id}/password`,
      body: { new_password: 'a brand new secret' },
      expect: { status: 200 },
      and: async (_answer, { member }, world) => {
        assert.equal((await world.request('GET /api/v2/user/me', { as: member })).status, 401)
      }
    })
    scenario('PUT user/{id}/password of someone with a greater priority', {
      given: async (world) => {
        const given = await office(world)
        return {
          ...given,
          chief: await world.user({ organizations: [given.organization], priority: 900 })
        }
      },
      as: asBoss,
      request: ({ chief }) => `PUT /api/v2/user/${chief.id}/password`,
      body: { new_password: 'a brand new secret' },
      expect: forbidden
    })
  })

  describe('metadata keys', () => {
    test('are in one of two maps, with 403, 404, 409 and create_missing', async () => {
      const { world } = platform()
      const { boss, member } = await office(world)
      const at = (key: string) => `/api/v2/user/${member.id}/meta/${key}`
      const call = async (line: string, body?: unknown, as: Account = boss) => {
        const { status, json } = await world.request(line, { as, body })
        return [status, json]
      }
      const plain = { value: 'v', protected: false }
      assert.deepEqual(await call(`GET ${at('k')}`), [404, { message: 'Not found' }])
      assert.deepEqual(await call(`PUT ${at('k')}`, plain), [404, { message: 'Not found' }])
      assert.deepEqual(await call(`POST ${at('k')}`, plain), [200, plain])
      assert.deepEqual(await call(`POST ${at('k')}`, plain), [409, { message: 'duplicate key' }])
      assert.deepEqual(await call(`PUT ${at('k')}`, { value: 'w' }), [
        200,
        { value: 'w', protected: false }
      ])
      assert.deepEqual(await call(`PUT ${at('n')}?create_missing=True`, plain), [200, plain])
      const secret = { value: 's', protected: true }
      assert.deepEqual(await call(`PUT ${at('k')}`, secret), [200, secret])
      assert.deepEqual(await call(`PUT ${at('k')}`, { value: 't' }), [
        200,
        { value: 't', protected: true }
      ])
      for (const [line, body] of [
        [`GET ${at('k')}`, undefined],
        [`POST ${at('k')}`, plain],
        [`PUT ${at('k')}`, plain],
        [`POST ${at('z')}`, secret],
        [`DELETE ${at('k')}`, undefined]
      ] as const) {
        assert.deepEqual(await call(line, body, member), [403, { message: 'Forbidden' }], line)
      }
      assert.deepEqual(await call(`PUT ${at('n')}`, { value: 'mine' }, member), [
        200,
        { value: 'mine', protected: false }
      ])
      assert.deepEqual(await call(`DELETE ${at('k')}`), [200, { message: 'Deleted' }])
      assert.deepEqual(await call(`DELETE ${at('k')}`), [404, { message: 'Not found' }])
      for (const [key, path] of [
        ['a/b', 'a/b'],
        ['a//b c%', 'a%2F%2Fb%20c%25'],
        ['__proto__', '__proto__'],
        ['å', encodeURIComponent('å')],
        ['k'.repeat(255), 'k'.repeat(255)]
      ]) {
        assert.deepEqual(await call(`POST ${at(path ?? '')}`, plain), [200, plain], key)
        const { json } = await world.request(`GET /api/v2/user/${member.id}`, { as: boss })
        const { meta } = json as { meta: Record<string, string> }
        assert(Object.hasOwn(meta, key ?? ''), key)
      }
      assert.equal((await call(`POST ${at('k'.repeat(256))}`, plain))[0], 400)
      assert.equal((await call(`POST ${at('q')}`, { value: 5 }))[0], 400)
      assert.equal((await call(`POST ${at('q')}`, {}))[0], 400)
    })
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      scenario(`${method} of a stranger`, {
        given: async (world) => ({
          user: await world.user({ grants: manager }),
          stranger: await world.user()
        }),
        as: ({ user }) => user,
        request: ({ stranger }) => `${method} /api/v2/user/${stranger.id}/meta/k`,
        body: method === 'GET' || method === 'DELETE' ? undefined : { value: 'v' },
        expect: forbidden
      })
      scenario(`${method} without a token`, {
        request: `${method} /api/v2/user/1/meta/k`,
        body: method === 'GET' || method === 'DELETE' ? undefined : { value: 'v' },
        expect: unauthorized
      })
    }
  })
})
