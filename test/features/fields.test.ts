import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { keyFor } from '../support/outbox.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

type Fields = Record<string, unknown>

const address = { address: 'Street 1', city: 'Town', country: 'SE', zip: '12345' }
const contractKeys = [
  ...['address', 'email', 'first_name', 'id', 'last_name', 'meta', 'mobile', 'note'],
  ...['organisations', 'protected_meta', 'role', 'sms_login']
]
const keysOf = (object: unknown): string[] => Object.keys(object as object).sort()

/** The fields of the contract: exactly under /api, and as clients send them under /lynx. */
onRegistryMatrix('fields', (engine) => {
  const { platform } = withPlatform(engine)

  const ask = (line: string, body?: unknown, as?: { token: string }) =>
    platform().world.request(line, { as: as ?? platform().world.admin, body })
  const good = async (line: string, body?: unknown, as?: { token: string }): Promise<Fields> => {
    const { status, text, json } = await ask(line, body, as)
    assert.equal(status, 200, `${line}: ${text}`)
    return json as Fields
  }
  const refused = async (line: string, body: unknown, message: string) => {
    const { status, json, text } = await ask(line, body)
    assert.equal(status, 400, `${line}: ${text}`)
    assert.deepEqual(json, { message })
  }
  const unique = (word: string) => platform().world.unique(word)
  const site = async () => (await platform().world.installation({ organization_id: 1 })).id
  const person = (more: object = {}) => ({
    ...{ email: `${unique('u')}@example.org`, first_name: 'a', last_name: 'b', role: 3, address },
    ...more
  })

  describe('a wrong type that a client is known to send is accepted under /lynx and 400 under /api', () => {
    const object = async () => `/api/v2/functionx/${await site()}`
    const made = async (path: string, body: object) =>
      `${path}/${(await good(`POST ${path}`, body))['id']}`
    const cases: [string, () => Promise<string>, () => Fields, string][] = [
      [
        'the installation of a function as text',
        async () => `POST ${await object()}`,
        () => ({ type: 't', meta: {}, installation_id: '1' }),
        'installation_id must be a whole number'
      ],
      [
        'the installation of a device as text',
        async () => `PUT ${await made(`/api/v2/devicex/${await site()}`, { type: 't' })}`,
        () => ({ type: 't', meta: {}, installation_id: '1' }),
        'installation_id must be a whole number'
      ],
      [
        'the value of a schedule as text',
        async () => `POST /api/v2/schedule/${await site()}`,
        () => ({ topic: 't', value: '-1.5e2', installation_id: '7' }),
        'value must be a number; installation_id must be a whole number'
      ],
      [
        'the time of a schedule as a number',
        async () => `POST /api/v2/schedule/${await site()}`,
        () => ({ topic: 't', value: 1, updated_at: 0 }),
        'updated_at must be text'
      ],
      [
        'an object for the organizations of a user',
        async () => 'POST /api/v2/user',
        () => person({ organisations: {}, assigned_installations: {} }),
        'organisations must be a list; assigned_installations must be a list'
      ],
      [
        'an object for the installations of a user',
        async () => 'PUT /api/v2/user/me',
        () => ({ assigned_installations: {} }),
        'assigned_installations must be a list'
      ],
      [
        'an object for the users of an installation',
        async () => 'POST /api/v2/installation',
        () => ({ name: 'x', users: {} }),
        'users must be a list'
      ],
      [
        'an object for the tags of an app',
        async () => 'POST /api/v2/edge/app',
        () => ({ name: 'x', publisher: { id: 1 }, tags: {} }),
        'tags must be a list'
      ],
      [
        'an object for the tags of an app that exists',
        async () => `PUT ${await made('/api/v2/edge/app', { name: 'x', publisher: { id: 1 } })}`,
        () => ({ tags: {} }),
        'tags must be a list'
      ],
      [
        'a key of metadata with capitals',
        async () => `POST /api/v2/installation/${await site()}/meta/k`,
        () => ({ Value: 'v', Protected: true }),
        'value is required'
      ]
    ]
    for (const [what, line, body, message] of cases) {
      test(what, async () => {
        const written = await line()
        await refused(written, body(), message)
        await good(written.replace(' ', ' /lynx'), body())
      })
    }

    test('no other wrong type is accepted', async () => {
      const id = await site()
      for (const [line, body, message] of [
        [
          `POST /lynx/api/v2/functionx/${id}`,
          { type: 't', installation_id: 'x' },
          'installation_id must be a whole number'
        ],
        [
          `POST /lynx/api/v2/functionx/${id}`,
          { type: 't', id: '1', meta: [] },
          'meta must be an object; id must be a whole number'
        ],
        [`POST /lynx/api/v2/schedule/${id}`, { topic: 't', value: 'on' }, 'value must be a number'],
        [
          `POST /lynx/api/v2/schedule/${id}`,
          { topic: 't', value: '1e999', active: 'true' },
          'active must be true or false; value must be a number'
        ],
        [
          'POST /lynx/api/v2/edge/app',
          { name: 'x', publisher: { id: 1 }, tags: { a: 1 } },
          'tags must be a list'
        ],
        ['PUT /lynx/api/v2/user/me', { organisations: '1' }, 'organisations must be a list']
      ] as const) {
        await refused(line, body, message)
      }
    })

    test('dat_of_month means day_of_month under /lynx, and nothing under /api', async () => {
      for (const [prefix, want] of [
        ['', '*'],
        ['/lynx', '4']
      ]) {
        const id = await site()
        const body = { topic: 't', value: 1, dat_of_month: '4' }
        assert.equal((await ask(`POST ${prefix}/api/v2/schedule/${id}`, body)).status, 200)
        const { json } = await ask(`GET /api/v2/schedule/${id}`)
        assert.equal((json as Fields[])[0]?.['day_of_month'], want)
      }
    })
  })

  describe('a required field that is missing', () => {
    test('does not change an edge app', async () => {
      const body = {
        ...{ name: 'x', category: 'c', tags: ['a'], short_description: 's', description: 'd' },
        ...{ publisher: { id: 1 }, public: true }
      }
      const { updated: _, ...made } = await good('POST /api/v2/edge/app', body)
      for (const line of [`PUT /api/v2/edge/app/${made['id']}`, 'PUT /api/v2/edge/app']) {
        const { updated: _, ...put } = await good(line, { id: made['id'] })
        assert.deepEqual(put, made)
      }
    })

    test('does not change a user, nor the rest of the address', async () => {
      const made = await good(
        'POST /api/v2/user',
        person({ note: 'n', mobile: '1', meta: { a: '' } })
      )
      const at = `PUT /api/v2/user/${made['id']}`
      assert.deepEqual(await good(at, {}), made)
      assert.deepEqual(await good(at, { address: {} }), made)
      const { address: moved } = await good(at, { address: { city: 'Other', zip: null } })
      assert.deepEqual(moved, { ...address, city: 'Other' })
    })

    test('does not change an organization, nor the rest of the address', async () => {
      const made = await good('POST /api/v2/organization', { name: 'x', address: { zip: '1' } })
      const at = `PUT /api/v2/organization/${made['id']}`
      assert.deepEqual(made['address'], { address: '', city: '', country: '', zip: '1' })
      assert.deepEqual(await good(at, {}), made)
      const { address: moved } = await good(at, { address: { city: 'Other' } })
      assert.deepEqual(moved, { address: '', city: 'Other', country: '', zip: '1' })
    })

    test('gets a default in a new app', async () => {
      const app = await good('POST /api/v2/edge/app', { name: 'x', publisher: { id: 1 } })
      const { category, tags, short_description, description, public: isPublic } = app
      assert.deepEqual(
        [category, tags, short_description, description, isPublic],
        ['', [], '', '', false]
      )
    })

    test('and has no default is named in the 400', async () => {
      const id = await site()
      await refused(`POST /api/v2/functionx/${id}`, {}, 'type is required')
      await refused(`POST /api/v2/schedule/${id}`, {}, 'topic is required; value is required')
      await refused(
        'POST /api/v2/user',
        {},
        'email is required; first_name is required; last_name is required; role is required; address is required'
      )
      await refused('POST /api/v2/edge/app', {}, 'name is required; publisher is required')
      await refused('PUT /api/v2/edge/app', {}, 'id is required')
    })
  })

  test('a user has the twelve keys of the contract, and two more under /lynx', async () => {
    for (const [prefix, keys] of [
      ['', contractKeys],
      ['/lynx', [...contractKeys, 'assigned_installations', 'expire_at'].sort()]
    ] as const) {
      const at = `${prefix}/api/v2/user`
      const assigned_installations = [await site()]
      const more = { assigned_installations, password: 'a long enough secret' }
      const made = await good(`POST ${at}`, person(more))
      const one = `${at}/${made['id']}`
      const list = (await good(`GET ${at}`)) as unknown as Fields[]
      // Users of other tests may have an end, which is shown.
      const listed = list.filter(({ id }) => id === made['id'])
      assert.equal(listed.length, 1)
      for (const user of [
        made,
        await good(`GET ${one}`),
        await good(`GET ${at}/me`),
        await good(`PUT ${one}`, made),
        ...listed
      ]) {
        assert.deepEqual(keysOf(user), keys)
      }
      // Fields that are not shown still exist, and sending the answer back keeps them.
      const shown = await good(`GET /lynx/api/v2/user/${made['id']}`)
      assert.deepEqual(shown['assigned_installations'], assigned_installations)
      assert.equal(shown['expire_at'], 0)
    }
  })

  test('only the end of an account that has one is shown under /api', async () => {
    const made = await good('POST /api/v2/user', person({ expire_at: 4e9 }))
    const one = `/api/v2/user/${made['id']}`
    for (const user of [made, await good(`GET ${one}`), await good(`PUT ${one}`, made)]) {
      assert.equal(user['expire_at'], 4e9)
    }
    assert.equal((await good(`GET /lynx${one}`))['expire_at'], 4e9)
    assert(!('expire_at' in (await good(`PUT ${one}`, { expire_at: 0 }))))
    assert.equal((await good(`GET /lynx${one}`))['expire_at'], 0)
  })

  describe('nobody can make a user without organizations', () => {
    const organisationsOf = async (id: unknown) =>
      (await good(`GET /api/v2/user/${id}`))['organisations']

    test('by PUT with an empty list', async () => {
      const { world } = platform()
      const own = await world.organization()
      const user = await world.user({ organizations: [own] })
      for (const [line, none, as] of [
        [`PUT /api/v2/user/${user.id}`, [], world.admin],
        [`PUT /api/v2/user/${user.id}`, null, world.admin],
        ['PUT /api/v2/user/me', [], user],
        [`PUT /lynx/api/v2/user/${user.id}`, {}, world.admin],
        ['PUT /lynx/api/v2/user/me', {}, user]
      ] as const) {
        const put = await good(line, { organisations: none, note: 'x' }, as)
        assert.deepEqual(put['organisations'], [own], line)
      }
    })

    test('by PUT with an empty list from a caller who sees only some organizations', async () => {
      const { world } = platform()
      const [own, hidden] = [await world.organization(), await world.organization()]
      const boss = await world.user({ grants: ['user/#'], organizations: [own], priority: 500 })
      const user = await world.user({ organizations: [own, hidden] })
      const put = await good(`PUT /api/v2/user/${user.id}`, { organisations: [] }, boss)
      assert.deepEqual(put['organisations'], [own, hidden])
    })

    test('by POST with an empty list', async () => {
      for (const [prefix, none] of [
        ['', []],
        ['', null],
        ['/lynx', {}]
      ] as const) {
        const made = await good(`POST ${prefix}/api/v2/user`, person({ organisations: none }))
        assert.deepEqual(made['organisations'], [1])
      }
    })

    test('by POST of a caller without organizations', async () => {
      const { world } = platform()
      const loner = await world.user({ grants: ['#'], priority: 1000 })
      for (const organisations of [undefined, []]) {
        const { status, json } = await ask('POST /api/v2/user', person({ organisations }), loner)
        assert.deepEqual([status, json], [400, { message: 'organisations is required' }])
      }
    })

    test('by deleting an organization', async () => {
      const { world } = platform()
      const [gone, kept] = [await world.organization(), await world.organization()]
      const both = await world.user({ organizations: [gone, kept] })
      const only = await world.user({ organizations: [gone] })
      await refused(`DELETE /api/v2/organization/${gone}`, undefined, 'the organization has users')
      await good(`DELETE /api/v2/organization/${gone}?force=true`)
      assert.deepEqual(await organisationsOf(both.id), [kept])
      assert.equal((await ask(`GET /api/v2/user/${only.id}`)).status, 403)
      assert.equal((await ask('GET /api/v2/user/me', undefined, only)).status, 401)
    })

    test('by deleting an organization while its members move there', async () => {
      const { world, deps } = platform()
      for (let round = 0; round < 5; round++) {
        const [gone, kept] = [await world.organization(), await world.organization()]
        const users = await Promise.all(
          Array.from({ length: 4 }, () => world.user({ organizations: [gone, kept] }))
        )
        await Promise.all([
          ...users.map(({ id }) => ask(`PUT /api/v2/user/${id}`, { organisations: [gone] })),
          ask(`DELETE /api/v2/organization/${gone}?force=true`)
        ])
        await deps.directory.catchUp()
        for (const { id } of users) {
          const { status, json } = await ask(`GET /api/v2/user/${id}`)
          // The user was deleted with the organization, or stayed in its place.
          if (status === 200) assert.deepEqual((json as Fields)['organisations'], [kept])
          else assert.equal(status, 403)
          const { registry } = deps
          const left = await registry.selectFrom('users').where('id', '=', id).selectAll().execute()
          assert.equal(left.length, status === 200 ? 1 : 0)
        }
      }
    })

    test('by moving an organization', async () => {
      const { world, deps } = platform()
      const [here, there] = [await world.organization(), await world.organization()]
      const user = await world.user({ organizations: [here] })
      await good(`PUT /api/v2/organization/${here}`, { parent: there })
      await deps.directory.catchUp()
      assert.deepEqual(await organisationsOf(user.id), [here])
    })

    test('by registering for a deleted organization', async () => {
      const { world, deps } = platform()
      const organization_id = await world.organization()
      await deps.directory.catchUp()
      const domain = `${unique('d')}.example`
      const policy = { email_pattern: `*@${domain}`, role_id: 3, organization_id }
      await good('POST /api/v2/user/registration/policy', policy)
      const email = `a@${domain}`
      await good('POST /api/v2/user/register', { email, first_name: 'a', last_name: 'b' })
      const key = await keyFor(platform(), email)
      await good(`DELETE /api/v2/organization/${organization_id}?force=true`)
      const { status } = await world.request('PUT /api/v2/auth/reset_password', {
        headers: { 'x-api-key': key },
        body: { password: 'a long enough secret' }
      })
      assert.equal(status, 400)
    })
  })

  test('an address has lines of a limited length, in users and organizations', async () => {
    const words = 'address.city must be text of at most 1000 characters'
    const city = (length: number) => ({ address: { ...address, city: 'x'.repeat(length) } })
    const name = unique('organization')
    const made = await good('POST /api/v2/user', person(city(1000)))
    await refused('POST /api/v2/user', person(city(1001)), words)
    await refused(`PUT /api/v2/user/${made['id']}`, city(1001), words)
    await refused('POST /api/v2/organization', { name, ...city(1001) }, words)
  })

  describe('mobile', () => {
    test('accepts what people write, and keeps it unchanged', async () => {
      for (const mobile of [
        ...['+46 (0)70-123 45 67', '555.010.0100', '070-12 34 56 (work)', '08/12 34', ''],
        ...['\u202a+46\u00a070\u2011123\u202c', 'x'.repeat(255)]
      ]) {
        assert.equal((await good('PUT /api/v2/user/me', { mobile }))['mobile'], mobile)
      }
      await good('PUT /api/v2/user/me', { mobile: '' })
    })

    test('has no control characters and a limited length', async () => {
      const words = 'mobile must be text without control characters, of at most 255 characters'
      for (const mobile of ['070\n1', '070\r1', '\u0007', '\u0085', '1'.repeat(256)]) {
        await refused('PUT /api/v2/user/me', { mobile }, words)
      }
    })

    test('must contain a phone number if the second factor is on', async () => {
      const made = await good('POST /api/v2/user', person({ mobile: 'call me' }))
      const at = `PUT /api/v2/user/${made['id']}`
      await refused(at, { sms_login: true }, 'mobile must be a phone number for sms_login')
      await good(at, { sms_login: true, mobile: '070-123 45 67' })
      await refused(at, { mobile: 'call me' }, 'mobile must be a phone number for sms_login')
      await refused(at, { mobile: '' }, 'mobile is required for sms_login')
    })
  })

  describe('type', () => {
    test('is any text without /, + and #', async () => {
      const at = `/api/v2/functionx/${await site()}`
      for (const type of [
        ...['list', 'create_delete', 'update', 'edit', 'view', 'all', 'add', 'protected_meta'],
        ...['two words', 'åäö', '*', '$x', '^[a]{1}', 'a\nb', '😀'.repeat(100), 'x'.repeat(100)]
      ]) {
        const made = await good(`POST ${at}?silent=true`, { type })
        assert.equal(made['type'], type)
        const one = await good(`PUT ${at}/${made['id']}?silent=true`, { type })
        assert.equal(one['type'], type)
        const found = await good(`GET ${at}?type=${encodeURIComponent(type)}`)
        assert(
          (found as unknown as Fields[]).some(({ id }) => id === made['id']),
          type
        )
        await good(`DELETE ${at}/${made['id']}?silent=true`)
      }
      const words = 'type must be text of 1 to 100 characters without /, + and #'
      for (const type of ['', 'a/b', 'a+', '#', 'x'.repeat(101)]) {
        await refused(`POST ${at}`, { type }, words)
      }
    })

    test('that is also a word in permission names is not allowed by those names', async () => {
      const { world } = platform()
      const grants = [
        ...['functionx/list/#', 'functionx/update/#', 'functionx/edit/#', 'functionx/view/#'],
        'installation/list/all'
      ]
      const { installation, user } = await world.site(grants)
      const at = `/api/v2/functionx/${installation.id}`
      for (const type of ['list', 'update', 'edit', 'view']) {
        assert.equal((await ask(`POST ${at}`, { type }, user)).status, 403, type)
        const made = await good(`POST ${at}`, { type })
        const { status } = await ask(`DELETE ${at}/${made['id']}`, undefined, user)
        assert.equal(status, 403, type)
      }
    })
  })

  describe('errors', () => {
    test('name every wrong field of path, query and body at once', async () => {
      await refused(
        'PUT /api/v2/functionx/x/0?silent=maybe',
        { type: 5, meta: { a: 1 }, protected_meta: [] },
        'installation_id must be a whole number; functionx_id must be a whole number of at least 1; ' +
          'silent must be true or false; type must be text; meta.a must be text; protected_meta must be an object'
      )
      await refused(
        'POST /api/v2/user',
        person({ email: 'nobody', role: 'x', address: { city: 1 } }),
        'email must be an e-mail address, of at most 255 characters; role must be a whole number; ' +
          'address.address is required; address.city must be text; address.country is required; address.zip is required'
      )
    })

    test('have another key if the contract says so', async () => {
      const { status, json } = await ask('GET /api/v3beta/search?limit=x&offset=-1')
      assert.equal(status, 400)
      assert.deepEqual(json, {
        error:
          'q is required; limit must be a whole number; offset must be a whole number of at least 0'
      })
    })

    test('are short, however many fields are wrong', async () => {
      const organisations = Array(40_000).fill('x')
      const { status, json } = await ask('PUT /api/v2/user/me', { organisations })
      assert.equal(status, 400)
      const { message } = json as { message: string }
      assert.match(
        message,
        /^organisations must be a list of at most 10000 entries; organisations\.0 must/
      )
      assert.match(message, /; and at least 100 more$/)
      assert(message.length < 1000)
    })
  })
})
