import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { recordChange } from '../../src/registry/changes.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { rounds, slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

/** Three organizations in a chain, and a user of the uppermost. */
async function tree(world: World) {
  const top = await world.organization()
  const left = await world.organization(top)
  const leaf = await world.organization(left)
  const user = await world.user({ grants: ['organization/#'], organizations: [top] })
  return { top, left, leaf, user }
}
type Tree = Awaited<ReturnType<typeof tree>>
const as = ({ user }: Tree) => user
type Shown = { id: number; name: string; parent: number; children: { id: number }[] }

onRegistryMatrix('organization', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  describe('POST organization', () => {
    scenario('places it in the tree', {
      given: tree,
      as,
      request: 'POST /api/v2/organization',
      body: ({ left }: Tree) => ({
        id: 1,
        name: 'Branch',
        parent: left,
        address: { address: 'Street', city: 'Town', country: 'SE', zip: '1' },
        email: 'a@b',
        phone: '1',
        notes: 'n',
        force_sms_login: true,
        children: null,
        meta: { a: '1' },
        protected_meta: { b: '2' }
      }),
      expect: { status: 200 },
      and: async ({ json }, { left, user }, world) => {
        const { id, ...rest } = json as Shown
        assert.deepEqual(rest, {
          name: 'Branch',
          parent: left,
          children: [],
          address: { address: 'Street', city: 'Town', country: 'SE', zip: '1' },
          email: 'a@b',
          phone: '1',
          notes: 'n',
          force_sms_login: true,
          meta: { a: '1' },
          protected_meta: { b: '2' }
        })
        const above = await world.request(`GET /api/v2/organization/${left}`, { as: user })
        assert((above.json as Shown).children.some((child) => child.id === id))
      }
    })
    for (const parent of [0, null, undefined]) {
      scenario(`with parent ${parent} goes below the caller’s own`, {
        given: tree,
        as,
        request: 'POST /api/v2/organization',
        body: { name: 'x', parent },
        expect: { status: 200 },
        and: ({ json }, { top }) => assert.equal((json as Shown).parent, top)
      })
    }
    for (const [what, body, message] of [
      ['without a name', {}, 'name is required'],
      ['with an empty name', { name: '' }, /^name must be text of 1 to 255/],
      ['with a parent of text', { name: 'x', parent: 'a' }, 'parent must be a whole number'],
      ['with an e-mail of numbers', { name: 'x', email: 5 }, 'email must be text'],
      ['with metadata of numbers', { name: 'x', meta: { a: 1 } }, 'meta.a must be text']
    ] as const) {
      scenario(what, {
        given: tree,
        as,
        request: 'POST /api/v2/organization',
        body,
        expect: { status: 400 },
        and: ({ json }) => {
          const text = (json as { message: string }).message
          if (typeof message === 'string') assert.equal(text, message)
          else assert.match(text, message)
        }
      })
    }
    scenario('below a foreign one', {
      given: async (world) => ({ ...(await tree(world)), foreign: await world.organization() }),
      as,
      request: 'POST /api/v2/organization',
      body: ({ foreign }: { foreign: number }) => ({ name: 'x', parent: foreign }),
      expect: forbidden
    })
    scenario('without the grant', {
      given: async (world) => ({
        user: await world.user({
          grants: ['organization/list'],
          organizations: [await world.organization()]
        })
      }),
      as: ({ user }) => user,
      request: 'POST /api/v2/organization',
      body: { name: 'x' },
      expect: forbidden
    })
    scenario('without a token', {
      request: 'POST /api/v2/organization',
      body: {},
      expect: unauthorized
    })
  })

  describe('GET organization', () => {
    test('shows the caller’s own and below, parent 0 at the top, children as a list', async () => {
      const { world } = platform()
      const { top, left, leaf, user } = await tree(world)
      const other = await world.organization()
      const get = async (path: string, caller: Account = user) =>
        world.request(`GET /api/v2/organization${path}`, { as: caller })
      const list = (await get('')).json as Shown[]
      assert.deepEqual(
        list.map(({ id, parent, children }) => [id, parent, children.map((child) => child.id)]),
        [
          [top, 0, [left]],
          [left, top, [leaf]],
          [leaf, left, []]
        ]
      )
      const minimal = (await get('?minimal=True')).json as Shown[]
      assert.deepEqual(Object.keys(minimal[0] ?? {}), ['id', 'name', 'parent'])
      assert.deepEqual(
        minimal.map(({ id, parent }) => [id, parent]),
        [
          [top, 0],
          [left, top],
          [leaf, left]
        ]
      )
      const lower = await world.user({ grants: ['organization/list'], organizations: [left] })
      assert.equal(((await get(`/${left}`, lower)).json as Shown).parent, 0)
      assert.equal((await get(`/${top}`, lower)).status, 403)
      assert.equal((await get(`/${other}`)).status, 403)
      assert.equal((await get('/999999')).status, 403)
      assert.equal((await get('/x')).status, 400)
      await world.request(`PUT /api/v2/organization/${leaf}`, {
        as: user,
        body: { meta: { Kind: 'Leaf' } }
      })
      const filtered = (await get('?kind=le*')).json as Shown[]
      assert.deepEqual(
        filtered.map(({ id }) => id),
        [leaf]
      )
      assert.deepEqual(
        (await get('', await world.user({ grants: ['organization/list'] }))).json,
        []
      )
    })
    scenario('list without the grant', {
      given: (world) => world.user(),
      as: (user) => user,
      request: 'GET /api/v2/organization',
      expect: forbidden
    })
    scenario('list without a token', { request: 'GET /api/v2/organization', expect: unauthorized })
    scenario('one without a token', { request: 'GET /api/v2/organization/1', expect: unauthorized })
  })

  describe('PUT organization/{id}', () => {
    scenario('keeps missing and null fields, and the parent for 0', {
      given: tree,
      as,
      request: ({ leaf }) => `PUT /api/v2/organization/${leaf}`,
      body: { name: 'Renamed', parent: 0, notes: null, children: [{ id: 1, name: 'x' }] },
      expect: { status: 200 },
      and: ({ json }, { left }) => {
        const { name, parent, children } = json as Shown
        assert.deepEqual([name, parent, children], ['Renamed', left, []])
      }
    })
    scenario('moves it', {
      given: tree,
      as,
      request: ({ leaf }) => `PUT /api/v2/organization/${leaf}`,
      body: ({ top }: Tree) => ({ parent: top }),
      expect: { status: 200 },
      and: ({ json }, { top }) => assert.equal((json as Shown).parent, top)
    })
    for (const [what, target] of [
      ['itself', 'left'],
      ['one below', 'leaf']
    ] as const) {
      scenario(`does not move it under ${what}`, {
        given: tree,
        as,
        request: ({ left }) => `PUT /api/v2/organization/${left}`,
        body: (given: Tree) => ({ parent: given[target] }),
        expect: {
          status: 400,
          body: { message: 'parent must not be the organization itself or below it' }
        }
      })
    }
    scenario('under a foreign one', {
      given: async (world) => ({ ...(await tree(world)), foreign: await world.organization() }),
      as,
      request: ({ leaf }) => `PUT /api/v2/organization/${leaf}`,
      body: ({ foreign }: { foreign: number }) => ({ parent: foreign }),
      expect: forbidden
    })
    scenario('with an empty name', {
      given: tree,
      as,
      request: ({ leaf }) => `PUT /api/v2/organization/${leaf}`,
      body: { name: '' },
      expect: { status: 400 }
    })
    scenario('without the grant', {
      given: async (world) => {
        const top = await world.organization()
        return {
          top,
          user: await world.user({ grants: ['organization/list'], organizations: [top] })
        }
      },
      as: ({ user }) => user,
      request: ({ top }) => `PUT /api/v2/organization/${top}`,
      body: { name: 'x' },
      expect: forbidden
    })
    scenario('without a token', {
      request: 'PUT /api/v2/organization/1',
      body: {},
      expect: unauthorized
    })
  })

  test('parallel moves never make a circle in the tree', async () => {
    const { world, deps } = platform()
    const top = await world.organization()
    const user = await world.user({ grants: ['organization/#'], organizations: [top] })
    const ids = [top]
    for (let i = 0; i < 6; i++) ids.push(await world.organization(ids[Math.floor(i / 2)]))
    const move = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(6))
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 4 }), async (moves) => {
        await Promise.all(
          moves.map(([what, where]) =>
            world.request(`PUT /api/v2/organization/${ids[what]}`, {
              as: user,
              body: { parent: ids[where] }
            })
          )
        )
        const rows = await deps.registry
          .selectFrom('organizations')
          .select(['id', 'parent_id'])
          .execute()
        const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
        for (const id of ids) {
          let at: number | null | undefined = id
          for (let steps = 0; at; steps++) {
            assert(steps <= rows.length, `${id} is in a ring`)
            at = parents.get(at)
          }
        }
      }),
      { numRuns: rounds(15) }
    )
  })

  describe('DELETE organization/{id}', () => {
    scenario('that is empty', {
      given: tree,
      as,
      request: ({ leaf }) => `DELETE /api/v2/organization/${leaf}`,
      expect: { status: 200, body: { message: 'Deleted' } },
      and: async (_answer, { leaf, user }, world) => {
        assert.equal(
          (await world.request(`GET /api/v2/organization/${leaf}`, { as: user })).status,
          403
        )
      }
    })
    scenario('with children', {
      given: tree,
      as,
      request: ({ left }) => `DELETE /api/v2/organization/${left}`,
      expect: { status: 400, body: { message: 'the organization has children' } }
    })
    scenario('with installations', {
      given: async (world) => {
        const given = await tree(world)
        await world.installation({ organization_id: given.leaf })
        return given
      },
      as,
      request: ({ leaf }) => `DELETE /api/v2/organization/${leaf}`,
      expect: { status: 400, body: { message: 'the organization has installations' } }
    })
    scenario('with users', {
      given: async (world) => {
        const given = await tree(world)
        await world.user({ organizations: [given.leaf] })
        return given
      },
      as,
      request: ({ leaf }) => `DELETE /api/v2/organization/${leaf}?force=false`,
      expect: { status: 400, body: { message: 'the organization has users' } }
    })
    const fillings: [
      what: string,
      right: string,
      fill: (world: World, leaf: number) => Promise<void>
    ][] = [
      [
        'files',
        'file/update/organization',
        async (world, leaf) => {
          const { status, text } = await world.request(`POST /api/v2/file/organization/${leaf}`, {
            as: world.admin,
            headers: { 'content-type': 'multipart/form-data; boundary=x' },
            body: '--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\nx\r\n--x--\r\n'
          })
          assert.equal(status, 200, text)
        }
      ],
      [
        'registration policies',
        'registration/policy/create_delete',
        async (world, leaf) => {
          const body = {
            email_pattern: `*@${world.unique('d')}.example`,
            parent_organization: leaf
          }
          const line = 'POST /api/v2/user/registration/policy'
          const { status, text } = await world.request(line, { as: world.admin, body })
          assert.equal(status, 200, text)
        }
      ]
    ]
    for (const [what, right, fill] of fillings) {
      test(`with ${what}: not without force, nor without ${right}`, async () => {
        const { world } = platform()
        const { top, leaf, user } = await tree(world)
        await fill(world, leaf)
        const line = `DELETE /api/v2/organization/${leaf}`
        const kept = await world.request(line, { as: user })
        assert.deepEqual(
          [kept.status, kept.json],
          [400, { message: `the organization has ${what}` }]
        )
        assert.equal((await world.request(`${line}?force=true`, { as: user })).status, 403)
        const grants = ['organization/#', right]
        const entitled = await world.user({ grants, organizations: [top] })
        assert.equal((await world.request(`${line}?force=true`, { as: entitled })).status, 200)
      })
    }
    test('with force deletes everything below, installations with their history, and members who belong nowhere else', async () => {
      const { world, deps } = platform()
      const { left, leaf, top, user: half } = await tree(world)
      const rights = ['organization/#', 'installation/delete/all', 'user/create/delete']
      const user = await world.user({ grants: rights, organizations: [top] })
      const installation = await world.installation({ organization_id: leaf })
      const member = await world.user({ organizations: [leaf] })
      const both = await world.user({ organizations: [leaf, top] })
      await world.publish(world.admin, `${installation.client_id}/obj/x`, { value: 1 })
      const path = `DELETE /api/v2/organization/${left}?force=true`
      const refused = await world.request(path, { as: half })
      assert.equal(refused.status, 403, 'force needs the right for everything it deletes')
      const published = await world.published(async () => {
        const { status, text } = await world.request(
          `DELETE /api/v2/organization/${left}?force=true`,
          { as: user }
        )
        assert.equal(status, 200, text)
      })
      assert.deepEqual(published, [`${installation.client_id}/evt/installation/updated`])
      assert.equal((await world.request('GET /api/v2/user/me', { as: member })).status, 401)
      const me = await world.request('GET /api/v2/user/me', { as: both })
      assert.deepEqual((me.json as { organisations: number[] }).organisations, [top])
      assert.equal(deps.directory.installation(installation.id), undefined)
      await eventually(async () => {
        assert.deepEqual(await deps.registry.selectFrom('erasures').selectAll().execute(), [])
      })
    })
    test('listeners hear of each deleted installation, even while the directory reads changes', async () => {
      const { world, deps } = platform()
      const { left, leaf, top } = await tree(world)
      const rights = ['organization/#', 'installation/delete/all', 'user/create/delete']
      const user = await world.user({ grants: rights, organizations: [top] })
      const installations = []
      for (let i = 0; i < 20; i++) {
        installations.push(await world.installation({ organization_id: i % 2 ? leaf : left }))
      }
      const reading = setInterval(() => deps.directory.catchUp().catch(() => {}), 1)
      const published = await world.published(async () => {
        await world.request(`DELETE /api/v2/organization/${left}?force=true`, { as: user })
      })
      clearInterval(reading)
      const topics = installations.map(({ client_id }) => `${client_id}/evt/installation/updated`)
      assert.deepEqual(published.sort(), topics.sort())
    })
    scenario('with force, but a member is above the caller', {
      given: async (world) => {
        const given = await tree(world)
        await world.user({ organizations: [given.leaf], priority: 900 })
        return given
      },
      as,
      request: ({ leaf }) => `DELETE /api/v2/organization/${leaf}?force=1`,
      expect: forbidden
    })
    scenario('that is the caller’s own', {
      given: tree,
      as,
      request: ({ top }) => `DELETE /api/v2/organization/${top}?force=true`,
      expect: { status: 400, body: { message: 'the organization is your own or above your own' } }
    })
    scenario('without the grant', {
      given: async (world) => {
        const top = await world.organization()
        const user = await world.user({ grants: ['organization/update'], organizations: [top] })
        return { top, user }
      },
      as: ({ user }) => user,
      request: ({ top }) => `DELETE /api/v2/organization/${top}`,
      expect: forbidden
    })
    scenario('without a token', { request: 'DELETE /api/v2/organization/1', expect: unauthorized })
  })

  describe('metadata keys', () => {
    test('follow the grants on protected metadata', async () => {
      const { world } = platform()
      const { left, user } = await tree(world)
      const plain = await world.user({
        grants: ['organization/list', 'organization/update'],
        organizations: [left]
      })
      const at = `/api/v2/organization/${left}/meta/code`
      const call = async (line: string, caller: Account, body?: unknown) => {
        const { status, json } = await world.request(line, { as: caller, body })
        return [status, json]
      }
      const secret = { value: 's', protected: true }
      assert.deepEqual(await call(`POST ${at}`, plain, secret), [403, { message: 'Forbidden' }])
      assert.deepEqual(await call(`POST ${at}`, user, secret), [200, secret])
      assert.deepEqual(await call(`GET ${at}`, plain), [403, { message: 'Forbidden' }])
      assert.deepEqual(await call(`GET ${at}`, user), [200, secret])
      assert.deepEqual(await call(`DELETE ${at}`, plain), [403, { message: 'Forbidden' }])
      assert.deepEqual(await call(`DELETE ${at}`, user), [200, { message: 'Deleted' }])
      assert.deepEqual(await call(`PUT ${at}?create_missing=true`, plain, { value: 'v' }), [
        200,
        { value: 'v', protected: false }
      ])
    })
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      scenario(`${method} of a foreign one`, {
        given: tree,
        as,
        request: `${method} /api/v2/organization/1/meta/k`,
        body: method === 'GET' || method === 'DELETE' ? undefined : { value: 'v' },
        expect: forbidden
      })
      scenario(`${method} without a token`, {
        request: `${method} /api/v2/organization/1/meta/k`,
        body: method === 'GET' || method === 'DELETE' ? undefined : { value: 'v' },
        expect: unauthorized
      })
    }
  })

  test('organizations have at most 32 levels, when they are made or moved', slow, async () => {
    const { world, deps } = platform()
    const as = world.admin
    let deepest = 1
    for (let level = 2; level <= 32; level++) deepest = await world.organization(deepest)
    const subtree = await world.organization()
    await world.organization(subtree)
    const lonely = await world.organization()
    await deps.directory.catchUp()
    const message = 'organizations have at most 32 levels'
    const name = world.unique('organization')
    const made = await world.request('POST /api/v2/organization', {
      as,
      body: { name, parent: deepest }
    })
    assert.deepEqual([made.status, made.json], [409, { message }])
    const { json } = await world.request(`GET /api/v2/organization/${deepest}`, { as })
    const { parent } = json as { parent: number }
    const path = `PUT /api/v2/organization/${subtree}`
    const moved = await world.request(path, { as, body: { parent } })
    assert.deepEqual([moved.status, moved.json], [409, { message }])
    const leaf = `PUT /api/v2/organization/${lonely}`
    assert.equal((await world.request(leaf, { as, body: { parent } })).status, 200)
  })

  test('a tenant has at most 5 000 organizations, whatever other tenants have', slow, async () => {
    const { world, deps } = platform()
    const as = world.admin
    const [tenant, other] = [await world.organization(), await world.organization()]
    const child = await world.organization(tenant)
    const texts = { address: '{}', email: '', phone: '', notes: '', force_sms_login: 0 } as const
    for (let count = 2; count < 5000; count += 2) {
      const row = () => ({
        ...texts,
        name: world.unique('o'),
        parent_id: tenant,
        created: 1,
        updated: 1
      })
      await deps.registry.insertInto('organizations').values([row(), row()]).execute()
    }
    await recordChange(deps.registry, 'organization', tenant, Date.now())
    await deps.directory.catchUp()
    const create = (parent: number) =>
      world.request('POST /api/v2/organization', {
        as,
        body: { name: world.unique('organization'), parent }
      })
    const full = await create(child)
    const message = 'a tenant has at most 5000 organizations, counting every level'
    assert.deepEqual([full.status, full.json], [409, { message }])
    const movedIn = await world.request(`PUT /api/v2/organization/${other}`, {
      as,
      body: { parent: tenant }
    })
    assert.deepEqual([movedIn.status, movedIn.json], [409, { message }])
    // A move inside the tenant does not add to the number.
    const [last] = await deps.registry
      .selectFrom('organizations')
      .select('id')
      .where('parent_id', '=', tenant)
      .where('id', '!=', child)
      .limit(1)
      .execute()
    const inside = `PUT /api/v2/organization/${last?.id}`
    assert.equal((await world.request(inside, { as, body: { parent: child } })).status, 200)
    await deps.registry.deleteFrom('organizations').where('name', 'like', 'o-%').execute()
  })
})
