import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const manager = ['installation/create', 'installation/+/all', 'user/list']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

type Site = Awaited<ReturnType<World['site']>>
const site = (...grants: string[]) => ({
  given: (world: World) => world.site(grants),
  as: ({ user }: Site) => user
})
const news = ({ installation }: Site) => [`${installation.client_id}/evt/installation/updated`]

onRegistryMatrix('installation', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  describe('POST installation', () => {
    test('answers the whole installation and publishes this', async () => {
      const { world } = platform()
      const organization = await world.organization()
      const user = await world.user({ grants: manager, organizations: [organization] })
      let created: Record<string, unknown> = {}
      const published = await world.published(async () => {
        const { status, json } = await world.request('POST /api/v2/installation', {
          as: user,
          body: {
            id: 5,
            client_id: 7,
            created: 1,
            name: 'Cabin',
            organization_id: organization,
            notes: 'by the lake',
            timezone: 'Europe/Stockholm',
            users: [user.id],
            meta: { floor: '1', __proto__x: 'y' },
            protected_meta: null
          }
        })
        assert.equal(status, 200)
        created = json as Record<string, unknown>
      })
      const { id, client_id, created: at, ...rest } = created
      assert(Number(id) > 0 && Number(client_id) > 1000 && client_id !== id)
      assert(Number.isInteger(at) && Math.abs(Number(at) - Date.now() / 1000) < 60)
      assert.deepEqual(rest, {
        name: 'Cabin',
        organization_id: organization,
        notes: 'by the lake',
        timezone: 'Europe/Stockholm',
        users: [user.id],
        meta: { floor: '1', __proto__x: 'y' }
      })
      assert.deepEqual(published, [`${client_id}/evt/installation/updated`])
    })

    scenario('with only a name is placed in the caller’s first organization', {
      ...site(...manager),
      request: 'POST /api/v2/installation?silent=true',
      body: { name: 'Bare', organization_id: 0, notes: null, users: null, meta: null },
      expect: { status: 200 },
      and: ({ json }, { installation }) =>
        assert.equal(
          (json as { organization_id: number }).organization_id,
          installation.organization_id
        )
    })

    scenario('keeps __proto__ as a key like any other', {
      ...site(...manager),
      request: 'POST /api/v2/installation?silent=1',
      body: '{"name":"x","meta":{"__proto__":"polluted"}}',
      headers: { 'content-type': 'text/plain' },
      expect: { status: 200 },
      and: ({ text }) => {
        assert.match(text, /"__proto__":"polluted"/)
        assert.equal(({} as Record<string, unknown>)['polluted'], undefined)
      }
    })

    scenario('without a name', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: {},
      expect: { status: 400, body: { message: 'name is required' } }
    })

    for (const [what, body, message] of [
      ['a name that is a number', { name: 5 }, 'name must be text'],
      ['an object as users', { name: 'x', users: {} }, 'users must be a list'],
      ['an empty name', { name: '' }, 'name must be text of 1 to 255 characters'],
      ['metadata with a number', { name: 'x', meta: { a: 1 } }, 'meta.a must be text'],
      [
        'an unknown time zone',
        { name: 'x', timezone: 'Mars/Base' },
        'timezone must be an IANA time zone'
      ],
      [
        'an organization of text',
        { name: 'x', organization_id: 'a' },
        'organization_id must be a whole number'
      ],
      ['users that are no ids', { name: 'x', users: ['a'] }, 'users.0 must be a whole number']
    ] as const) {
      scenario(`with ${what}`, {
        ...site(...manager),
        request: 'POST /api/v2/installation',
        body,
        expect: { status: 400, body: { message } }
      })
    }

    scenario('with a metadata key of 256 characters', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: { name: 'x', meta: { ['k'.repeat(256)]: 'v' } },
      expect: { status: 400 }
    })

    scenario('with a body that is not JSON', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: '{"name":',
      expect: { status: 400, body: { message: 'body is not valid JSON' } }
    })

    scenario('without a body', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      expect: { status: 400, body: { message: 'body must be an object' } }
    })

    scenario('in an organization that is not the caller’s', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: { name: 'x', organization_id: 1 },
      expect: forbidden
    })

    scenario('in an organization that does not exist', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: { name: 'x', organization_id: 999_999 },
      expect: forbidden
    })

    scenario('assigned to a user the caller cannot see', {
      given: async (world) => ({ ...(await world.site(manager)), stranger: await world.user() }),
      as: ({ user }) => user,
      request: 'POST /api/v2/installation',
      body: ({ stranger }: { stranger: Account }) => ({ name: 'x', users: [stranger.id] }),
      expect: forbidden
    })

    scenario('with protected metadata but without the grant', {
      ...site(...manager),
      request: 'POST /api/v2/installation',
      body: { name: 'x', protected_meta: { secret: '1' } },
      expect: forbidden
    })

    scenario('without installation/create', {
      ...site('installation/list/all'),
      request: 'POST /api/v2/installation',
      body: { name: 'x' },
      expect: forbidden
    })

    scenario('without a token', {
      request: 'POST /api/v2/installation',
      body: { name: 'x' },
      expect: unauthorized
    })
  })

  describe('GET installation/{id}', () => {
    scenario('of the caller’s organization', {
      ...site('installation/list/all'),
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: { status: 200 },
      and: ({ json }, { installation }) => {
        const { protected_meta, capabilities, ...visible } = installation
        assert.equal((json as { name: string }).name, visible.name)
        assert(!('protected_meta' in (json as object)))
        assert(!('capabilities' in (json as object)))
      }
    })

    scenario('of an organization below', {
      given: async (world) => {
        const above = await world.organization()
        const installation = await world.installation({
          organization_id: await world.organization(above)
        })
        const user = await world.user({ grants: ['installation/list/all'], organizations: [above] })
        return { installation, user }
      },
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: { status: 200 }
    })

    scenario('of an organization above', {
      given: async (world) => {
        const above = await world.organization()
        const installation = await world.installation({ organization_id: above })
        const user = await world.user({
          grants: ['installation/list/all'],
          organizations: [await world.organization(above)]
        })
        return { installation, user }
      },
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: forbidden
    })

    scenario('assigned to the caller', {
      given: async (world) => {
        const installation = await world.installation()
        const user = await world.user({
          grants: ['installation/list/assigned'],
          assigned: [installation.id]
        })
        return { installation, user }
      },
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: { status: 200 }
    })

    scenario('named by a grant with its id, wherever it is', {
      given: async (world) => {
        const installation = await world.installation()
        const user = await world.user({ grants: [`${installation.id}/installation/list/#`] })
        return { installation, user }
      },
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: { status: 200 }
    })

    scenario('with only the grant for assigned ones', {
      ...site('installation/list/assigned'),
      request: ({ installation }) => `GET /api/v2/installation/${installation.id}`,
      expect: forbidden
    })

    scenario('that does not exist', {
      ...site('installation/list/all'),
      request: 'GET /api/v2/installation/999999',
      expect: forbidden
    })

    scenario('with an id that is none', {
      ...site('installation/list/all'),
      request: 'GET /api/v2/installation/abc',
      expect: { status: 400, body: { message: 'installation_id must be a whole number' } }
    })

    scenario('without a token', { request: 'GET /api/v2/installation/1', expect: unauthorized })
  })

  describe('GET installation', () => {
    test('lists the visible installations by id, filtered by metadata', async () => {
      const { world } = platform()
      const organization_id = await world.organization()
      const make = (meta: Record<string, string>, protected_meta: Record<string, string> = {}) =>
        world.installation({ organization_id, meta, protected_meta })
      const first = await make({ Room: 'Hall', floor: '1' })
      const second = await make({ room: 'hallway', floor: '2' })
      const third = await make({ room: '100%', floor: '3' }, { code: 'Secret' })
      const elsewhere = await world.installation({ meta: { room: 'hall' } })
      const user = await world.user({
        grants: ['installation/list/#'],
        organizations: [organization_id]
      })
      const insider = await world.user({
        grants: ['installation/list/all', 'installation/view/protected_meta/all'],
        organizations: [organization_id]
      })
      const list = async (query: string, as: Account = user) => {
        const { status, json } = await world.request(`GET /api/v2/installation${query}`, { as })
        assert.equal(status, 200)
        return (json as { id: number }[]).map(({ id }) => id)
      }
      assert.deepEqual(await list(''), [first.id, second.id, third.id])
      assert.deepEqual(await list('?'), [first.id, second.id, third.id])
      assert.deepEqual(await list('?room=hall'), [first.id])
      assert.deepEqual(await list('?ROOM=HALL*'), [first.id, second.id])
      assert.deepEqual(await list('?room=hall*&floor=2'), [second.id])
      assert.deepEqual(await list('?floor=1&floor=3'), [first.id, third.id])
      assert.deepEqual(await list('?room=100%25'), [third.id])
      assert.deepEqual(await list('?room=_all'), [])
      assert.deepEqual(await list('?room='), [first.id, second.id, third.id])
      assert.deepEqual(await list('?nothing=here'), [])
      assert.deepEqual(await list("?room=x'%20or%201=1--"), [])
      assert.deepEqual(await list('?code=secret'), [], 'a protected key reveals nothing')
      assert.deepEqual(await list('?code=secret', insider), [third.id])
      assert(!(await list('')).includes(elsewhere.id))
      assert.deepEqual(await list('', await world.user()), [])
    })

    scenario('without a token', { request: 'GET /api/v2/installation', expect: unauthorized })
  })

  describe('PUT installation/{id}', () => {
    scenario('keeps missing and null fields and ignores what the path says', {
      given: async (world) => {
        const installation = await world.installation({
          name: 'Before',
          notes: 'kept',
          meta: { a: '1' }
        })
        const user = await world.user({
          grants: manager,
          organizations: [installation.organization_id]
        })
        return { installation, user }
      },
      as: ({ user }) => user,
      request: ({ installation }) => `PUT /api/v2/installation/${installation.id}`,
      body: { id: 1, client_id: 1, created: 1, name: 'After', notes: null, users: null },
      expect: { status: 200, published: news },
      and: ({ json }, { installation }) => {
        const { id, client_id, name, notes, meta } = json as Record<string, unknown>
        assert.deepEqual(
          { id, client_id, name, notes, meta },
          {
            id: installation.id,
            client_id: installation.client_id,
            name: 'After',
            notes: 'kept',
            meta: { a: '1' }
          }
        )
      }
    })

    scenario('silent', {
      ...site(...manager),
      request: ({ installation }) => `PUT /api/v2/installation/${installation.id}?silent=True`,
      body: { meta: { b: '2' } },
      expect: { status: 200, published: [] },
      and: ({ json }) => assert.deepEqual((json as { meta: unknown }).meta, { b: '2' })
    })

    test('protected metadata is seen and set only with the grant', async () => {
      const { world } = platform()
      const organization_id = await world.organization()
      const installation = await world.installation({
        organization_id,
        meta: { open: '1' },
        protected_meta: { code: '1234' }
      })
      const organizations = [organization_id]
      const plain = await world.user({ grants: manager, organizations })
      const insider = await world.user({
        grants: ['installation/#', 'user/list'],
        organizations
      })
      const line = `/api/v2/installation/${installation.id}`
      const put = (as: Account, body: unknown) => world.request(`PUT ${line}`, { as, body })

      const ignored = await put(plain, { protected_meta: { code: 'stolen' }, meta: { open: '2' } })
      assert.equal(ignored.status, 200)
      assert(!('protected_meta' in (ignored.json as object)))
      const seen = await world.request(`GET ${line}`, { as: insider })
      assert.deepEqual((seen.json as { protected_meta: unknown }).protected_meta, { code: '1234' })

      const taken = await put(plain, { meta: { code: 'mine now' } })
      assert.equal(taken.status, 403, 'a protected key is not moved without the grant')

      const moved = await put(insider, { meta: { code: 'open now' } })
      const { meta, protected_meta } = moved.json as Record<string, unknown>
      assert.deepEqual({ meta, protected_meta }, { meta: { code: 'open now' }, protected_meta: {} })
    })

    scenario('moved to an organization that is not the caller’s', {
      ...site(...manager),
      request: ({ installation }) => `PUT /api/v2/installation/${installation.id}`,
      body: { organization_id: 1 },
      expect: forbidden
    })

    scenario('without the grant', {
      ...site('installation/list/all'),
      request: ({ installation }) => `PUT /api/v2/installation/${installation.id}`,
      body: { name: 'x' },
      expect: forbidden
    })

    scenario('with an empty name', {
      ...site(...manager),
      request: ({ installation }) => `PUT /api/v2/installation/${installation.id}`,
      body: { name: '' },
      expect: { status: 400 }
    })

    scenario('without a token', {
      request: 'PUT /api/v2/installation/1',
      body: {},
      expect: unauthorized
    })
  })

  describe('DELETE installation/{id}', () => {
    test('removes it, its links and its history, and publishes this', async () => {
      const { world, deps } = platform()
      const { installation, user } = await world.site(['installation/#', 'mqtt/#', 'log/#'])
      const topic = `${installation.client_id}/obj/temp`
      await world.publish(user, topic, { value: 1 })
      const line = `/api/v2/installation/${installation.id}`
      const published = await world.published(async () => {
        const { status, json } = await world.request(`DELETE ${line}`, { as: user })
        assert.deepEqual([status, json], [200, { message: 'Deleted' }])
      })
      assert.deepEqual(published, news({ installation, user }))
      assert.equal((await world.request(`GET ${line}`, { as: user })).status, 403)
      await eventually(async () => {
        const page = await deps.history.readPage({
          installation_id: installation.id,
          topics: undefined,
          from: 0 as never,
          to: 1e15 as never,
          order: 'asc',
          limit: 10,
          offset: 0
        })
        assert.equal(page.total, 0)
        assert.deepEqual(await deps.registry.selectFrom('erasures').selectAll().execute(), [])
      })
      await world.publish(user, topic, { value: 2 })
      assert.deepEqual(await statusText(deps, installation.id), '')
    })

    test('twice at the same time deletes it once', async () => {
      const { world } = platform()
      for (let i = 0; i < 10; i++) {
        const { installation } = await world.site([])
        const line = `DELETE /api/v2/installation/${installation.id}`
        const both = [1, 2].map(() => world.request(line, { as: world.admin }))
        const statuses = (await Promise.all(both)).map(({ status }) => status)
        assert.deepEqual(statuses.sort(), [200, 403])
      }
    })

    scenario('without the grant', {
      ...site('installation/list/all', 'installation/update/all'),
      request: ({ installation }) => `DELETE /api/v2/installation/${installation.id}`,
      expect: forbidden
    })

    scenario('without a token', { request: 'DELETE /api/v2/installation/1', expect: unauthorized })
  })

  describe('GET installationinfo', () => {
    test('has assigned, organization and default of the caller', async () => {
      const { world } = platform()
      const above = await world.organization()
      const below = await world.organization(above)
      const one = await world.installation({ organization_id: above })
      const two = await world.installation({ organization_id: below })
      const far = await world.installation()
      const administrator = await world.user({
        grants: ['installation/list/#'],
        organizations: [above],
        assigned: [two.id, far.id]
      })
      const resident = await world.user({
        grants: ['installation/list/assigned'],
        organizations: [above],
        assigned: [two.id]
      })
      const list = async (as: Account, query = '') => {
        const { status, json } = await world.request(`GET /api/v2/installationinfo${query}`, { as })
        assert.equal(status, 200)
        return (json as { id: number }[]).map(({ id }) => id)
      }
      const all = [one.id, two.id, far.id]
      assert.deepEqual(await list(administrator), all)
      for (const no of ['0', 'false', 'False']) {
        assert.deepEqual(await list(administrator, `?assigned=${no}`), all)
      }
      for (const yes of ['1', 'true', 'True']) {
        assert.deepEqual(await list(administrator, `?assigned=${yes}`), [two.id, far.id])
      }
      assert.deepEqual(await list(administrator, '?assigned_only=True'), [two.id, far.id])
      assert.deepEqual(await list(administrator, '?assigned='), all)
      assert.deepEqual(await list(administrator, `?organization_id=${below}`), [two.id])
      assert.deepEqual(
        await list(administrator, `?organization_id=${above}&organization_id=${below}`),
        [one.id, two.id]
      )
      assert.deepEqual(await list(administrator, '?organization_id=1'), [])
      assert.deepEqual(await list(resident), [two.id])
      assert.deepEqual(await list(resident, '?assigned=0'), [two.id])

      const { json } = await world.request(
        `GET /api/v2/installationinfo?organization_id=${below}`,
        {
          as: administrator
        }
      )
      assert.deepEqual(json, [
        {
          id: two.id,
          name: two.name,
          client_id: two.client_id,
          organization_id: below,
          capabilities: [],
          assigned: true
        }
      ])
    })

    scenario('with a text as organization', {
      ...site('installation/list/all'),
      request: 'GET /api/v2/installationinfo?organization_id=x',
      expect: { status: 400, body: { message: 'organization_id.0 must be a whole number' } }
    })

    scenario('with a wrong value of assigned', {
      ...site('installation/list/all'),
      request: 'GET /api/v2/installationinfo?assigned=maybe',
      expect: { status: 400, body: { message: 'assigned must be true or false' } }
    })

    scenario('without a token', { request: 'GET /api/v2/installationinfo', expect: unauthorized })

    scenario('by client id, with extra slashes', {
      ...site('installation/list/all'),
      request: ({ installation }) => `GET //api/v2/installationinfo///${installation.client_id}`,
      expect: {
        status: 200,
        body: ({ installation }: Site) => ({
          id: installation.id,
          name: installation.name,
          client_id: installation.client_id,
          organization_id: installation.organization_id,
          capabilities: [],
          assigned: false
        })
      }
    })

    scenario('by the id instead of the client id', {
      ...site('installation/list/all'),
      request: ({ installation }) => `GET /api/v2/installationinfo/${installation.id}`,
      expect: forbidden
    })

    scenario('by a client id the caller cannot see', {
      given: async (world) => ({
        user: await world.user({ grants: ['#'] }),
        installation: await world.installation()
      }),
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/installationinfo/${installation.client_id}`,
      expect: forbidden
    })

    test('by client id with assigned=true, only if it is assigned to the caller', async () => {
      const { world } = platform()
      const [mine, other] = [await world.installation(), await world.installation()]
      const user = await world.user({
        grants: ['installation/list/#'],
        organizations: [mine.organization_id, other.organization_id],
        assigned: [mine.id]
      })
      const ask = async (query: string, { client_id } = other) => {
        const line = `GET /api/v2/installationinfo/${client_id}${query}`
        const { status, json } = await world.request(line, { as: user })
        return status === 200 ? (json as { assigned: boolean }).assigned : [status, json]
      }
      const refused = [403, { message: 'Forbidden' }]
      for (const yes of [
        '?assigned=true',
        '?assigned=1',
        '?assigned=True',
        '?assigned_only=true'
      ]) {
        assert.equal(await ask(yes, mine), true, yes)
        assert.deepEqual(await ask(yes), refused, yes)
      }
      for (const no of [
        '',
        '?assigned=false',
        '?assigned=0',
        '?assigned=',
        '?assigned_only=False'
      ]) {
        assert.equal(await ask(no, mine), true, no)
        assert.equal(await ask(no), false, no)
      }
      const [status, body] = (await ask('?assigned=maybe')) as [number, { message: string }]
      assert.equal(status, 400)
      assert.match(body.message, /^assigned /)
    })

    scenario('by client id without a token', {
      request: 'GET /api/v2/installationinfo/1001',
      expect: unauthorized
    })
  })

  describe('metadata keys', () => {
    const grants = ['installation/list/all', 'installation/update/all']
    const withMeta =
      (more: readonly string[] = []) =>
      async (world: World) => {
        const installation = await world.installation({
          meta: { 'a/b c%': 'odd' },
          protected_meta: { pin: '1' }
        })
        const user = await world.user({
          grants: [...grants, ...more],
          organizations: [installation.organization_id]
        })
        const told = [`${installation.client_id}/evt/installation/updated`]
        return { user, told, at: `/api/v2/installation/${installation.id}/meta` }
      }
    const asUser = ({ user }: { user: Account }) => user

    scenario('are read', {
      given: withMeta(),
      as: asUser,
      request: ({ at }) => `GET ${at}/a%2Fb%20c%25`,
      expect: { status: 200, body: { value: 'odd', protected: false } }
    })
    scenario('are created, and this is published', {
      given: withMeta(),
      as: asUser,
      request: ({ at }) => `POST ${at}/new`,
      body: { value: 'v' },
      expect: {
        status: 200,
        body: { value: 'v', protected: false },
        published: ({ told }) => told
      },
      and: async (_, { at, user }, world) => {
        const list = await world.request('GET /api/v2/installation?NEW=V', { as: user })
        assert.equal((list.json as unknown[]).length, 1)
        const again = await world.request(`POST ${at}/new`, { as: user, body: { value: 'w' } })
        assert.equal(again.status, 409)
      }
    })
    scenario('are changed silently', {
      given: withMeta(),
      as: asUser,
      request: ({ at }) => `PUT ${at}/new?silent=true&create_missing=true`,
      body: { value: 'v' },
      expect: { status: 200, body: { value: 'v', protected: false } }
    })
    scenario('are not created by a plain PUT', {
      given: withMeta(),
      as: asUser,
      request: ({ at }) => `PUT ${at}/new`,
      body: { value: 'v' },
      expect: { status: 404, body: { message: 'Not found' } }
    })
    scenario('are deleted, and this is published', {
      given: withMeta(['installation/+/protected_meta/all']),
      as: asUser,
      request: ({ at }) => `DELETE ${at}/pin`,
      expect: { status: 200, body: { message: 'Deleted' }, published: ({ told }) => told }
    })
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const body = method === 'POST' || method === 'PUT' ? { value: 'v' } : undefined
      scenario(`${method} of a protected one without the grant`, {
        given: withMeta(),
        as: asUser,
        request: ({ at }) => `${method} ${at}/pin`,
        body,
        expect: forbidden
      })
      scenario(`${method} in an installation of others`, {
        given: async (world) => ({
          ...(await withMeta()(world)),
          user: await world.user({ grants })
        }),
        as: asUser,
        request: ({ at }) => `${method} ${at}/x`,
        body,
        expect: forbidden
      })
      scenario(`${method} without a token`, {
        request: `${method} /api/v2/installation/1/meta/x`,
        body,
        expect: unauthorized
      })
    }
  })
})
