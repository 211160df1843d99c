import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DAY, HOUR, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { keyFor, lettersTo } from '../support/outbox.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const url = '/api/v2/user/registration/policy'
const PASSWORD = 'a brand new secret'
const answered = { message: 'A key is sent if this address may register' }

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
type Policy = { id: number; [field: string]: unknown }
type User = { id: number; role: number; organisations: number[]; [field: string]: unknown }

onRegistryMatrix('registration', (engine) => {
  let ahead = 0
  const clock = () => unixMs(Date.now() + ahead)
  const { platform, scenario } = withPlatform(engine, { clock })

  const admin = () => platform().world.admin
  const register = (email: string, more: object = {}) =>
    platform().world.request('POST /api/v2/user/register', {
      body: { first_name: 'Anna', last_name: 'Ek', email, ...more }
    })
  const confirm = (key: string, password = PASSWORD) =>
    platform().world.request('PUT /api/v2/auth/reset_password', {
      as: { token: key },
      body: { password }
    })
  const signIn = (email: string, password = PASSWORD) =>
    platform().world.request('POST /api/v2/auth', { headers: basic(email, password) })
  const me = async (email: string) => {
    const { world } = platform()
    const headers = basic(email, PASSWORD)
    return (await world.request('GET /api/v2/user/me', { headers })).json as User
  }
  const newOrganization = async (parent?: number) => {
    const id = await platform().world.organization(parent)
    await platform().deps.directory.catchUp()
    return id
  }
  /** A policy for a new domain, made by the administrator. */
  const open = async (body: object = {}) => {
    const { world } = platform()
    const domain = `${world.unique('d')}.example`
    const made = await world.request(`POST ${url}`, {
      as: world.admin,
      body: { email_pattern: `*@${domain}`, ...body }
    })
    assert.equal(made.status, 200, made.text)
    return { domain, policy: made.json as Policy, at: `${url}/${(made.json as Policy).id}` }
  }
  /** Registers an address and waits; earlier registrations were handled before it. */
  const settled = async () => {
    const { domain } = await open()
    await register(`last@${domain}`)
    await keyFor(platform(), `last@${domain}`)
  }

  describe('POST user/register', () => {
    test('sends a key that makes the account, which nobody could use before', async () => {
      const { world } = platform()
      const organization_id = await newOrganization()
      const { domain } = await open({ organization_id })
      const email = `Anna@${domain}`
      const published = await world.published(async () => {
        const { status, json } = await register(email, { address: { city: 'Lund' } })
        assert.deepEqual([status, json], [200, answered])
      })
      assert.deepEqual(published, [])
      const key = await keyFor(platform(), email)
      const users = await world.request('GET /api/v2/user', { as: world.admin })
      assert(!(users.json as User[]).some((user) => user['email'] === email), 'no account yet')
      assert.equal((await signIn(email)).status, 401)
      assert.equal((await world.request('GET /api/v2/user/me', { as: { token: key } })).status, 401)

      const weak = await confirm(key, 'password')
      assert.deepEqual([weak.status, weak.text], [400, ''], 'a weak one leaves the key good')
      const done = await confirm(key)
      assert.deepEqual([done.status, done.text], [200, ''])
      assert.equal((await confirm(key, 'another new secret')).status, 400, 'once')
      assert.equal((await signIn(email.toLowerCase())).status, 200)
      const { id: _, ...user } = await me(email)
      assert.deepEqual(user, {
        email,
        first_name: 'Anna',
        last_name: 'Ek',
        role: 3,
        sms_login: false,
        mobile: '',
        note: '',
        organisations: [organization_id],
        address: { address: '', city: 'Lund', country: '', zip: '' },
        meta: {}
      })
    })

    test('below parent_organization makes a new organization that is named after the person', async () => {
      const { world } = platform()
      const parent = await newOrganization()
      const role = await world.request('POST /api/v2/role', {
        as: world.admin,
        body: {
          name: world.unique('role'),
          priority: 5,
          permissions: { 'organization/list': true }
        }
      })
      const role_id = (role.json as User).id
      const { domain } = await open({ parent_organization: parent, role_id })
      const below = async () => {
        const { json } = await world.request(`GET /api/v2/organization/${parent}`, {
          as: world.admin
        })
        return (json as { children: { id: number; name: string }[] }).children
      }
      const [named, nameless] = [`a@${domain}`, `b@${domain}`]
      await register(named)
      const key = await keyFor(platform(), named)
      assert.deepEqual(await below(), [], 'nothing is made before the key is used')
      await confirm(key)
      await register(nameless, { first_name: ' ', last_name: '' })
      await confirm(await keyFor(platform(), nameless))
      const made = await below()
      assert.deepEqual(
        made.map(({ name }) => name),
        ['Anna Ek', nameless]
      )
      const user = await me(named)
      assert.deepEqual([user.organisations, user.role], [[made[0]?.id], role_id])
    })

    test('an address that no policy matches gets the same answer and nothing else', async () => {
      const { domain } = await open()
      const other = `anna@not${domain}`
      const { status, json } = await register(other)
      assert.deepEqual([status, json], [200, answered])
      await settled()
      assert.deepEqual(lettersTo(platform(), other), [])
    })

    test('a known address gets the same answer, and a key for the account it has', async () => {
      const { world } = platform()
      const user = await world.user()
      const { status, json } = await register(user.email.toUpperCase(), { first_name: 'Mallory' })
      assert.deepEqual([status, json], [200, answered])
      await confirm(await keyFor(platform(), user.email))
      const { id, first_name } = (await me(user.email)) as User & { first_name: string }
      assert.deepEqual([id, first_name], [user.id, 'Test'])
    })

    test('nothing of what a stranger wrote is in the mail', async () => {
      const { domain } = await open()
      const email = `anna@${domain}`
      await register(email, { first_name: 'Buy now', last_name: 'http://evil.example' })
      await keyFor(platform(), email)
      const [letter] = lettersTo(platform(), email)
      assert.doesNotMatch(JSON.stringify(letter), /Buy|evil/)
      assert.equal(letter?.subject, 'Your registration')
    })

    test('the narrowest matching policy is used, and of equal ones the one whose pattern is oldest', async () => {
      const { world } = platform()
      const [old, wide, whole, narrow] = await Promise.all(
        Array.from({ length: 4 }, () => newOrganization())
      )
      const { at } = await open({ organization_id: old })
      const { domain } = await open({ organization_id: whole })
      const also = async (email_pattern: string, organization_id: number | undefined) => {
        const body = { email_pattern, organization_id }
        assert.equal((await world.request(`POST ${url}`, { as: world.admin, body })).status, 200)
      }
      await also(`*@*${domain}`, wide)
      await also(`anna@${domain}`, narrow)
      ahead += 1
      const body = { email_pattern: `*@${domain}` }
      assert.equal((await world.request(`PUT ${at}`, { as: world.admin, body })).status, 200)
      for (const [email, organization] of [
        [`anna@${domain}`, narrow],
        [`bo@${domain}`, whole],
        [`bo@mail${domain}`, wide]
      ] as const) {
        await register(email)
        await confirm(await keyFor(platform(), email))
        assert.deepEqual((await me(email)).organisations, [organization], email)
      }
    })

    test('the key ends after 30 minutes, with its policy, and when the policy no longer matches', async () => {
      const { world } = platform()
      const { domain, at } = await open()
      const keyOf = async (name: string) => {
        await register(`${name}@${domain}`)
        return keyFor(platform(), `${name}@${domain}`)
      }
      const late = await keyOf('late')
      ahead += 30 * MINUTE
      const late2 = await confirm(late)
      assert.deepEqual([late2.status, late2.text], [400, ''])

      const changed = await keyOf('changed')
      const pattern = (email_pattern: string) =>
        world.request(`PUT ${at}`, { as: world.admin, body: { email_pattern } })
      await pattern(`else@${domain}`)
      assert.equal((await confirm(changed)).status, 400)
      await pattern(`*@${domain}`)
      assert.equal((await confirm(changed)).status, 200, 'and is good again as long as it lasts')

      const gone = await keyOf('gone')
      await world.request(`DELETE ${at}`, { as: world.admin })
      assert.equal((await confirm(gone)).status, 400)
    })

    test('two keys for one address make one account', async () => {
      const { domain } = await open()
      const email = `twice@${domain}`
      await register(email)
      const first = await keyFor(platform(), email)
      await register(email)
      const second = await keyFor(platform(), email, 2)
      const answers = await Promise.all([confirm(first), confirm(second, 'yet another secret')])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    })

    test('an address that got an account meanwhile', async () => {
      const { world } = platform()
      const { domain } = await open()
      const email = `taken@${domain}`
      await register(email)
      const key = await keyFor(platform(), email)
      const address = { address: '', city: '', country: '', zip: '' }
      const body = { email, first_name: '', last_name: '', role: 3, address }
      assert.equal(
        (await world.request('POST /api/v2/user', { as: world.admin, body })).status,
        200,
        'whoever only registered does not hold the address'
      )
      assert.equal((await confirm(key)).status, 400)
    })

    test('never makes an administrator, whatever the role has become', async () => {
      const { world } = platform()
      const made = await world.request('POST /api/v2/role', {
        as: world.admin,
        body: { name: world.unique('role'), priority: 5 }
      })
      const role = made.json as { id: number }
      const { domain, at } = await open({ role_id: role.id })
      await register(`anna@${domain}`)
      const key = await keyFor(platform(), `anna@${domain}`)
      for (const pattern of ['+/#', 'role/#', 'trace/+/system', '#']) {
        const body = { permissions: { [pattern]: true } }
        await world.request(`PUT /api/v2/role/${role.id}`, { as: world.admin, body })
        assert.equal((await confirm(key)).status, 400)
        const refused = await world.request(`PUT ${at}`, { as: world.admin, body: {} })
        assert.deepEqual(
          [refused.status, refused.json],
          [400, { message: 'role_id must not be a role with rights of administrators' }],
          pattern
        )
      }
      assert.equal((await world.request(`DELETE ${at}`, { as: world.admin })).status, 200)
    })

    test('five keys per hour for one address, then 429', async () => {
      const { domain } = await open()
      const email = `often@${domain}`
      for (let i = 0; i < 5; i++) assert.equal((await register(email)).status, 200)
      const refused = await register(email.toUpperCase())
      assert.deepEqual([refused.status, refused.json], [429, { message: 'Too many registrations' }])
      assert(Number(refused.headers.get('retry-after')) > 3000)
      assert.equal((await register(`other@${domain}`)).status, 200)
      await keyFor(platform(), email, 5)
      // From another place it is accepted, but still no more mails are sent.
      await platform().deps.registering.succeeded(email, '127.0.0.1')
      assert.equal((await register(email)).status, 200)
      await settled()
      await keyFor(platform(), email, 5)
      ahead += HOUR
      await register(email)
      await keyFor(platform(), email, 6)
    })

    test('at most a thousand registrations of one policy wait, and other policies work', async () => {
      const { registry } = platform().deps
      const { domain, policy } = await open()
      const row = (i: number, expires: number) => ({
        ...{ key_hash: `${domain} ${i}`, policy_id: policy.id, email: `${i}@${domain}` },
        ...{ email_folded: `${i}@${domain}`, first_name: '', last_name: '', address: '{}' },
        ...{ created: clock(), expires }
      })
      const rows = Array.from({ length: 1000 }, (_, i) => row(i, clock() + 30 * MINUTE))
      for (let i = 0; i < 1000; i += 100) {
        await registry
          .insertInto('registrations')
          .values(rows.slice(i, i + 100))
          .execute()
      }
      const { status, json } = await register(`anna@${domain}`)
      assert.deepEqual([status, json], [200, answered])
      await settled()
      assert.deepEqual(lettersTo(platform(), `anna@${domain}`), [])
      ahead += 30 * MINUTE
      await register(`anna@${domain}`)
      await keyFor(platform(), `anna@${domain}`)
    })

    const whole = { first_name: 'a', last_name: 'b', email: 'a@example.org' }
    const wrong: [what: string, body: unknown, message: RegExp][] = [
      ['without a body', undefined, /body/],
      ['without an e-mail', { ...whole, email: undefined }, /email/],
      ['with no e-mail', { ...whole, email: 'anna' }, /email/],
      ['with two e-mails', { ...whole, email: 'a@x.org,b@y.org' }, /email/],
      ['with a name in the e-mail', { ...whole, email: 'x<a@example.org>' }, /email/],
      ['with a line break in the e-mail', { ...whole, email: 'a@x.org\r\nbcc:b' }, /email/],
      ['with a long e-mail', { ...whole, email: `${'a'.repeat(255)}@x.org` }, /email/],
      ['without a first name', { ...whole, first_name: undefined }, /first_name/],
      ['with a number for a name', { ...whole, last_name: 5 }, /last_name/],
      ['with a long name', { ...whole, last_name: 'x'.repeat(256) }, /last_name/],
      ['with a text for an address', { ...whole, address: 'Lund' }, /address/],
      ['with a long address', { ...whole, address: { city: 'x'.repeat(1001) } }, /address/]
    ]
    for (const [what, body, message] of wrong) {
      scenario(what, {
        request: 'POST /api/v2/user/register',
        body,
        expect: { status: 400 },
        and: ({ json }) => assert.match((json as { message: string }).message, message)
      })
    }
    scenario('null for the address is accepted as missing', {
      request: 'POST /api/v2/user/register',
      body: { ...whole, address: null },
      expect: { status: 200, body: answered }
    })
    scenario('GET does not look for a user with that name', {
      as: admin,
      request: 'GET /api/v2/user/register',
      expect: { status: 400 }
    })
  })

  describe('policies', () => {
    /** A user who only manages the registration of an organization. */
    const manager = async (world: World) => {
      const organization = await newOrganization()
      const grants = ['registration/#', 'status/read/all']
      const user = await world.user({ grants, organizations: [organization], priority: 200 })
      const made = await world.request('POST /api/v2/role', {
        as: world.admin,
        body: {
          name: world.unique('role'),
          priority: 200,
          permissions: { 'status/read/assigned': true }
        }
      })
      return { organization, user, role_id: (made.json as { id: number }).id }
    }
    type Given = Awaited<ReturnType<typeof manager>>
    const asManager = ({ user }: { user: { token: string } }) => user
    const policyOf = async (world: World) => {
      const given = await manager(world)
      const { user, role_id } = given
      const body = { email_pattern: `*@${world.unique('p')}.example`, role_id }
      const made = await world.request(`POST ${url}`, { as: user, body })
      const policy = made.json as Policy
      return { ...given, policy, at: `${url}/${policy.id}` }
    }

    type GivenPolicy = Awaited<ReturnType<typeof policyOf>>

    scenario('POST without a place uses the caller’s first organization', {
      given: manager,
      as: asManager,
      request: `POST ${url}`,
      body: ({ role_id }: Given) => ({ email_pattern: '*@x.example', role_id, organization_id: 0 }),
      expect: { status: 200 },
      and: ({ json }, { organization, role_id }) => {
        const { id, ...policy } = json as Policy
        assert(id > 0)
        assert.deepEqual(policy, {
          email_pattern: '*@x.example',
          role_id,
          organization_id: organization
        })
      }
    })
    scenario('GET lists those of the caller’s organizations and below', {
      given: async (world) => {
        const given = await policyOf(world)
        const below = await newOrganization(given.organization)
        const other = await open()
        const lower = await open({ parent_organization: below })
        return { ...given, other, lower }
      },
      as: asManager,
      request: `GET ${url}`,
      expect: {
        status: 200,
        body: ({ policy, lower }: GivenPolicy & { lower: { policy: Policy } }) => [
          policy,
          lower.policy
        ]
      }
    })
    scenario('GET one', {
      given: policyOf,
      as: asManager,
      request: ({ at }) => `GET ${at}`,
      expect: { status: 200, body: ({ policy }: GivenPolicy) => policy }
    })
    scenario('PUT keeps missing fields', {
      given: policyOf,
      as: asManager,
      request: ({ at }) => `PUT ${at}`,
      body: { email_pattern: '*@q.example', role_id: null, organization_id: 0 },
      expect: {
        status: 200,
        body: ({ policy }: GivenPolicy) => ({ ...policy, email_pattern: '*@q.example' })
      }
    })
    scenario('PUT accepts the whole policy as it was read, and can change the kind of place', {
      given: policyOf,
      as: asManager,
      request: ({ at }) => `PUT ${at}`,
      body: ({ policy, organization }: GivenPolicy) => ({
        ...policy,
        organization_id: undefined,
        parent_organization: organization
      }),
      expect: { status: 200 },
      and: async ({ json }, { policy, organization, at }, world) => {
        const { organization_id: _, ...rest } = policy
        assert.deepEqual(json, { ...rest, parent_organization: organization })
        assert.deepEqual((await world.request(`GET ${at}`, { as: world.admin })).json, json)
      }
    })
    for (const email_pattern of ['*@b.example', 'anna@B.example'] as const) {
      const taken = {
        status: 409,
        body: { message: 'email_pattern overlaps with a policy of another organization' }
      }
      const given = async (world: World) => {
        await world.request(`POST ${url}`, {
          as: world.admin,
          body: { email_pattern: '*@b.example', organization_id: await newOrganization() }
        })
        return policyOf(world)
      }
      scenario(`POST with ${email_pattern}, which is somebody else’s`, {
        given,
        as: asManager,
        request: `POST ${url}`,
        body: ({ role_id }: Given) => ({ email_pattern, role_id }),
        expect: taken
      })
      scenario(`PUT with ${email_pattern}, which is somebody else’s`, {
        given,
        as: asManager,
        request: ({ at }) => `PUT ${at}`,
        body: { email_pattern },
        expect: taken,
        and: async (_, { at, policy, user }, world) =>
          assert.deepEqual((await world.request(`GET ${at}`, { as: user })).json, policy)
      })
    }
    for (const email_pattern of ['*@*', '*@*.com', '*@b*'] as const) {
      const tooWide = { status: 400, body: { message: 'email_pattern must name a domain' } }
      scenario(`POST with ${email_pattern} by somebody of one organization`, {
        given: policyOf,
        as: asManager,
        request: `POST ${url}`,
        body: ({ role_id }: Given) => ({ email_pattern, role_id }),
        expect: tooWide
      })
      scenario(`PUT with ${email_pattern} by somebody of one organization`, {
        given: policyOf,
        as: asManager,
        request: ({ at }) => `PUT ${at}`,
        body: { email_pattern },
        expect: tooWide
      })
    }
    test('an organization has at most 100', async () => {
      const { world, deps } = platform()
      const [organization, other] = [await newOrganization(), await newOrganization()]
      const domain = `${world.unique('d')}.example`
      const rows = Array.from({ length: 100 }, (_, i) => ({
        ...{ email_pattern: `${i}@${domain}`, pattern_set: 0, role_id: 3 },
        ...{ organization_id: organization, parent_organization: null }
      }))
      await deps.registry.insertInto('registration_policies').values(rows).execute()
      const full = [409, { message: 'the organization has 100 policies already' }]
      const email_pattern = `*@${domain}`
      for (const place of [
        { organization_id: organization },
        { parent_organization: organization }
      ]) {
        const body = { email_pattern, ...place }
        const { status, json } = await world.request(`POST ${url}`, { as: world.admin, body })
        assert.deepEqual([status, json], full)
      }
      const { at } = await open({ organization_id: other })
      const move = { organization_id: organization }
      const moved = await world.request(`PUT ${at}`, { as: world.admin, body: move })
      assert.deepEqual([moved.status, moved.json], full)
      const list = await world.request(`GET ${url}`, { as: world.admin })
      const own = (list.json as Policy[]).find((one) => one['organization_id'] === organization)
      const kept = await world.request(`PUT ${url}/${own?.id}`, { as: world.admin, body: move })
      assert.equal(kept.status, 200, 'its own place is free')
    })
    scenario('POST of a pattern within the caller’s own', {
      given: policyOf,
      as: asManager,
      request: `POST ${url}`,
      body: ({ role_id, policy }: GivenPolicy) => ({
        email_pattern: String(policy['email_pattern']).replace('*', 'anna'),
        role_id
      }),
      expect: { status: 200 }
    })
    scenario('DELETE', {
      given: policyOf,
      as: asManager,
      request: ({ at }) => `DELETE ${at}`,
      expect: { status: 200, body: { message: 'Deleted' } },
      and: async (_, { at, user }, world) =>
        assert.equal((await world.request(`GET ${at}`, { as: user })).status, 403)
    })
    test('are deleted with their organization, and prevent the deletion of their role', async () => {
      const { world } = platform()
      const organization_id = await newOrganization()
      const made = await world.request('POST /api/v2/role', {
        as: world.admin,
        body: { name: world.unique('role'), priority: 5 }
      })
      const role_id = (made.json as { id: number }).id
      const { at } = await open({ organization_id, role_id })
      const remove = (line: string) => world.request(`DELETE ${line}`, { as: world.admin })
      const kept = await remove(`/api/v2/role/${role_id}`)
      assert.deepEqual(
        [kept.status, kept.json],
        [400, { message: 'users or registration policies have this role' }]
      )
      assert.equal((await remove(`/api/v2/organization/${organization_id}?force=true`)).status, 200)
      assert.equal((await world.request(`GET ${at}`, { as: world.admin })).status, 403)
      assert.equal((await remove(`/api/v2/role/${role_id}`)).status, 200)
    })

    const beyond: [what: string, body: (given: Given) => object][] = [
      ['a role of a greater priority', () => ({ role_id: 2 })],
      ['the role User, which may more than the caller', () => ({})],
      ['an organization that is not the caller’s', (g) => ({ ...g, organization_id: 1 })],
      ['an organization that does not exist', (g) => ({ ...g, organization_id: 999_999 })],
      ['a parent that is not the caller’s', (g) => ({ ...g, parent_organization: 1 })]
    ]
    for (const [what, body] of beyond) {
      scenario(`POST with ${what}`, {
        given: manager,
        as: asManager,
        request: `POST ${url}`,
        body: (given: Given) => {
          const { role_id, organization_id, parent_organization } = body(given) as Policy
          return { email_pattern: '*@x.example', role_id, organization_id, parent_organization }
        },
        expect: forbidden
      })
      scenario(`PUT with ${what}`, {
        given: policyOf,
        as: asManager,
        request: ({ at }) => `PUT ${at}`,
        body: (given: Given) => {
          const { role_id = 3, organization_id, parent_organization } = body(given) as Policy
          return { role_id, organization_id, parent_organization }
        },
        expect: forbidden,
        and: async (_, { at, policy, user }, world) =>
          assert.deepEqual((await world.request(`GET ${at}`, { as: user })).json, policy)
      })
    }
    for (const method of ['PUT', 'DELETE']) {
      scenario(`${method} of one whose role has more rights than the caller`, {
        given: async (world) => {
          const given = await manager(world)
          return { ...given, ...(await open({ organization_id: given.organization, role_id: 2 })) }
        },
        as: asManager,
        request: ({ at }) => `${method} ${at}`,
        body: ({ role_id }: Given) => ({ email_pattern: 'me@evil.example', role_id }),
        expect: forbidden
      })
    }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      for (const [what, id] of [
        ['of a stranger', undefined],
        ['that does not exist', 999_999]
      ] as const) {
        scenario(`${method} one ${what}`, {
          given: async (world) => ({ ...(await manager(world)), ...(await open()) }),
          as: asManager,
          request: ({ policy }) => `${method} ${url}/${id ?? policy.id}`,
          body: method === 'PUT' ? { email_pattern: '*@evil.example' } : undefined,
          expect: forbidden
        })
      }
      scenario(`${method} one without a token`, {
        request: `${method} ${url}/1`,
        expect: unauthorized
      })
      scenario(`${method} one with an id that is none`, {
        as: admin,
        request: `${method} ${url}/x`,
        body: method === 'PUT' ? {} : undefined,
        expect: { status: 400 }
      })
    }
    for (const [line, grant] of [
      [`GET ${url}`, 'list'],
      [`GET ${url}/1`, 'list'],
      [`POST ${url}`, 'create_delete'],
      [`PUT ${url}/1`, 'update'],
      [`DELETE ${url}/1`, 'create_delete']
    ] as const) {
      scenario(`${line} without registration/policy/${grant}`, {
        given: (world) => {
          const all = ['list', 'create_delete', 'update'].filter((one) => one !== grant)
          const grants = all.map((one) => `registration/policy/${one}`)
          return world.user({ grants, organizations: [1], priority: 900 })
        },
        as: (user) => user,
        request: line,
        body: /^P/.test(line) ? { email_pattern: '*@x.example' } : undefined,
        expect: forbidden
      })
    }
    scenario('GET without a token', { request: `GET ${url}`, expect: unauthorized })
    scenario('POST without a token', { request: `POST ${url}`, body: {}, expect: unauthorized })
    scenario('POST by a key that may do less than the role', {
      given: async (world) => {
        const { json } = await world.request('POST /api/v2/user/me/security/token', {
          as: world.admin,
          body: { name: 'narrow', permissions: ['registration/policy/create_delete'] }
        })
        return json as { token: string }
      },
      as: (key) => key,
      request: `POST ${url}`,
      body: { email_pattern: '*@x.example' },
      expect: forbidden
    })

    const wrong: [what: string, body: unknown, message: RegExp][] = [
      ['without a pattern', {}, /email_pattern/],
      ['with a pattern without @', { email_pattern: '*example.com' }, /email_pattern/],
      ['with two @', { email_pattern: '*@a@b' }, /email_pattern/],
      ['with a role that does not exist', { email_pattern: '*@x', role_id: 999_999 }, /role_id/],
      ['with a text for a role', { email_pattern: '*@x', role_id: 'User' }, /role_id/],
      ['with a role of everything', { email_pattern: '*@x', role_id: 1 }, /role_id/],
      ['with a negative place', { email_pattern: '*@x', organization_id: -1 }, /organization_id/],
      [
        'with both places',
        { email_pattern: '*@x', organization_id: 1, parent_organization: 1 },
        /organization_id and parent_organization/
      ]
    ]
    for (const [what, body, message] of wrong) {
      scenario(`POST ${what}`, {
        as: admin,
        request: `POST ${url}`,
        body,
        expect: { status: 400 },
        and: ({ json }) => assert.match((json as { message: string }).message, message)
      })
    }
    scenario('POST by a user without organizations', {
      given: (world) => world.user({ grants: ['#'], priority: 1000 }),
      as: (user) => user,
      request: `POST ${url}`,
      body: { email_pattern: '*@x.example' },
      expect: { status: 400, body: { message: 'organization_id is required' } }
    })
  })

  test('a failure in the background is logged and does not change the answer', async () => {
    const { world, deps, logged } = platform()
    const { domain } = await open()
    const { mail } = deps
    deps.mail = { send: () => Promise.reject(new Error('no route')) }
    const answer = await register(`anna@${domain}`)
    await eventually(() => assert(logged.some(({ msg }) => msg === 'a registration failed')))
    deps.mail = mail
    assert.equal(answer.status, 200)
    assert.equal((await world.request('GET /health/live')).status, 200)
  })
})

test('a registration that was not confirmed is removed after a day', slow, async (t) => {
  const CARACAL_DATA_DIR = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(CARACAL_DATA_DIR, { recursive: true, force: true }))
  const startAfter = (ms: number) =>
    startTestPlatform({
      settings: { CARACAL_DATA_DIR },
      clock: () => unixMs(Date.now() + ms)
    })
  const countIn = async ({ deps }: Awaited<ReturnType<typeof startAfter>>) =>
    (await deps.registry.selectFrom('registrations').select('email').execute()).length

  const first = await startAfter(0)
  const { world } = first
  await world.request(`POST ${url}`, { as: world.admin, body: { email_pattern: '*@x.example' } })
  const body = { first_name: '', last_name: '', email: 'idle@x.example' }
  await world.request('POST /api/v2/user/register', { body })
  await eventually(async () => assert.equal(await countIn(first), 1))
  await first.stop()
  const second = await startAfter(DAY + MINUTE)
  await eventually(async () => assert.equal(await countIn(second), 0))
  await second.stop()
})
