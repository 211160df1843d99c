import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix, onSqlite } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const notFound = { status: 404, body: { message: 'Not found' } }

type Body = { id: number; type: string; meta: Record<string, string>; [field: string]: unknown }

/** The same room serves two kinds; the second kind is tested on one engine only. */
const models = [
  { resource: 'functionx', byType: 'functionx', run: onRegistryMatrix },
  { resource: 'devicex', byType: 'device', run: onSqlite }
] as const

for (const { resource, byType, run } of models) {
  const base = `/api/v2/${resource}`
  const plain = [`${resource}/list/all`, `${resource}/create_delete/all`, `${resource}/update/all`]
  const protecting = [...plain, `${resource}/+/protected_meta/all`]

  const create = async (world: World, installationId: number, body: object): Promise<Body> => {
    const line = `POST ${base}/${installationId}?silent=true`
    const { status, json, text } = await world.request(line, { as: world.admin, body })
    assert.equal(status, 200, text)
    return json as Body
  }

  /** A site with one object, and its address. */
  const withObject =
    (grants: readonly string[] = plain, more: object = {}) =>
    async (world: World) => {
      const { installation, user } = await world.site(grants)
      const object = await create(world, installation.id, {
        type: 'switch',
        meta: { name: 'Lamp', 'a/b c%': 'odd' },
        protected_meta: { secret: 's3' },
        ...more
      })
      const told = [`${installation.client_id}/evt/${resource}/updated`]
      return {
        installation,
        user,
        object,
        told,
        at: `${base}/${installation.id}/${object.id}`,
        world
      }
    }
  type Given = Awaited<ReturnType<ReturnType<typeof withObject>>>
  const asUser = ({ user }: { user: Account }) => user
  const read = async ({ world, at }: Given) =>
    (await world.request(`GET ${at}`, { as: world.admin })).json as Body

  run(resource, (engine) => {
    const { platform, scenario } = withPlatform(engine)

    describe('creating', () => {
      scenario('answers the whole object and publishes this', {
        given: (world) => world.site(protecting),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}`,
        body: {
          type: 'temperature',
          meta: { name: 'Outdoor', topic_read: 'obj/t' },
          protected_meta: { key: 'x' }
        },
        expect: {
          status: 200,
          published: ({ installation }) => [`${installation.client_id}/evt/${resource}/updated`]
        },
        and: async ({ json }, { installation, user }, world) => {
          const { id, created, updated, ...object } = json as Body
          assert.deepEqual(object, {
            installation_id: installation.id,
            type: 'temperature',
            meta: { name: 'Outdoor', topic_read: 'obj/t' },
            protected_meta: { key: 'x' }
          })
          assert(Number.isInteger(id) && id > 0)
          assert(Number.isInteger(created) && created === updated)
          const again = await world.request(`GET ${base}/${installation.id}/${id}`, { as: user })
          assert.deepEqual(again.json, json)
        }
      })

      scenario('silent', {
        given: (world) => world.site(plain),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}?silent=True`,
        body: { type: 'switch' },
        expect: { status: 200 }
      })

      const bodies: [string, unknown][] = [
        ['nulls and zeroes', { id: 0, type: 't', meta: null, protected_meta: null, created: 0 }],
        ['null ids', { id: null, installation_id: null, type: 't', updated: null }],
        ['another installation in the body', { installation_id: 1, type: 't', meta: {} }],
        ['nothing but the type', { type: 't' }]
      ]
      for (const [what, body] of bodies) {
        scenario(`with ${what}`, {
          given: (world) => world.site(plain),
          as: asUser,
          request: ({ installation }) => `POST ${base}/${installation.id}?silent=true`,
          body,
          headers: { 'content-type': 'text/plain;charset=UTF-8' },
          expect: { status: 200 },
          and: ({ json }, { installation }) => {
            const { id, created, updated, ...object } = json as Body
            assert.deepEqual(object, { installation_id: installation.id, type: 't', meta: {} })
          }
        })
      }

      scenario('keeps __proto__, constructor and the longest keys as keys like any other', {
        given: (world) => world.site(plain),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}?silent=true`,
        body: `{"type":"t","meta":{"__proto__":"p","constructor":"c","${'k'.repeat(255)}":"\\ud83d\\ude00"}}`,
        expect: { status: 200 },
        and: async ({ json, text }, { installation, user }, world) => {
          const { id } = json as Body
          const wanted = `"meta":{"__proto__":"p","constructor":"c","${'k'.repeat(255)}":"😀"}`
          assert(text.includes(wanted))
          const list = await world.request(`GET ${base}/${installation.id}?__proto__=P`, {
            as: user
          })
          assert.deepEqual(
            (list.json as Body[]).map((object) => object.id),
            [id]
          )
        }
      })

      const words = 'type must be text of 1 to 100 characters without /, + and #'
      const refused: [string, unknown, string][] = [
        ['no type', { meta: {} }, 'type is required'],
        ['a type of null', { type: null }, 'type must be text'],
        ['an empty type', { type: '' }, words],
        ['a type with a slash', { type: 'a/b' }, words],
        ['a type of 101 letters', { type: 'x'.repeat(101) }, words],
        [
          'an installation id of text',
          { installation_id: '1', type: 't' },
          'installation_id must be a whole number'
        ],
        ['an id of text', { id: '1', type: 't' }, 'id must be a whole number'],
        ['a time of text', { created: 'now', type: 't' }, 'created must be a number'],
        [
          'three wrong fields',
          { type: 5, meta: [], updated: '' },
          'type must be text; meta must be an object; updated must be a number'
        ],
        ['a number as metadata', { type: 't', meta: { a: 1 } }, 'meta.a must be text'],
        ['a list as metadata', { type: 't', meta: [] }, 'meta must be an object'],
        ['a list', [], 'body must be an object'],
        ['text', '"x"', 'body must be an object'],
        ['half a JSON', '{"type":', 'body is not valid JSON'],
        ['NUL', '{"type":"a\\u0000"}', 'body must not contain NUL characters']
      ]
      for (const [what, body, message] of refused) {
        scenario(`with ${what} is refused and leaves nothing behind`, {
          given: (world) => world.site(plain),
          as: asUser,
          request: ({ installation }) => `POST ${base}/${installation.id}`,
          body,
          expect: { status: 400, body: { message } },
          and: async (_, { installation, user }, world) => {
            const list = await world.request(`GET ${base}/${installation.id}`, { as: user })
            assert.deepEqual(list.json, [])
          }
        })
      }

      scenario('with too much metadata', {
        given: (world) => world.site(plain),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}`,
        body: {
          type: 't',
          meta: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [i, 'x'.repeat(60_000)]))
        },
        expect: {
          status: 413,
          body: {
            message: 'the metadata must not have more than 262144 characters in all'
          }
        }
      })
      scenario('with protected metadata but without the grant', {
        given: (world) => world.site(plain),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}`,
        body: { type: 't', protected_meta: { a: 'b' } },
        expect: forbidden
      })
      scenario('without the grant', {
        given: (world) => world.site([`${resource}/list/all`, `${resource}/update/all`]),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}`,
        body: { type: 't' },
        expect: forbidden
      })
      scenario('in an installation of others', {
        given: async (world) => ({
          ...(await world.site(plain)),
          other: await world.installation()
        }),
        as: asUser,
        request: ({ other }) => `POST ${base}/${other.id}`,
        body: { type: 't' },
        expect: forbidden
      })
      scenario('without a token', {
        request: `POST ${base}/1`,
        body: { type: 't' },
        expect: unauthorized
      })
    })

    describe('one', () => {
      scenario('hides protected metadata without the grant', {
        given: withObject(),
        as: asUser,
        request: ({ at }) => `GET ${at}`,
        expect: { status: 200 },
        and: ({ json }, { object }) => {
          const { protected_meta, ...visible } = object
          assert.deepEqual(protected_meta, { secret: 's3' })
          assert.deepEqual(json, visible)
        }
      })
      scenario('that is not there', {
        given: withObject(),
        as: asUser,
        request: ({ installation }) => `GET ${base}/${installation.id}/999999`,
        expect: notFound
      })
      scenario('of another installation, named with one the caller sees', {
        given: async (world) => {
          const own = await world.site(plain)
          const { object } = await withObject()(world)
          return { ...own, object }
        },
        as: asUser,
        request: ({ installation, object }) => `GET ${base}/${installation.id}/${object.id}`,
        expect: notFound
      })
      scenario('of the other kind', {
        given: withObject(['functionx/#', 'devicex/#']),
        as: asUser,
        request: ({ at }) => `GET ${swapped(at)}`,
        expect: notFound
      })
      for (const id of ['x', '0', '-1', '1.5', '1e3', '99999999999999999999']) {
        scenario(`with the id ${id}`, {
          given: withObject(),
          as: asUser,
          request: ({ installation }) => `GET ${base}/${installation.id}/${id}`,
          expect: { status: 400 }
        })
      }
      scenario('of others', {
        given: async (world) => ({
          ...(await withObject()(world)),
          user: (await world.site(plain)).user
        }),
        as: asUser,
        request: ({ at }) => `GET ${at}`,
        expect: forbidden
      })
      scenario('without a token', { request: `GET ${base}/1/1`, expect: unauthorized })
    })

    describe('updating', () => {
      scenario('replaces type and metadata, ignores what the path says, and publishes this', {
        given: withObject(protecting),
        as: asUser,
        request: ({ at }) => `PUT ${at}?silent=false`,
        body: {
          id: 7,
          installation_id: 0,
          created: 1,
          updated: 1,
          type: 'dimmer',
          meta: { a: 'b' }
        },
        expect: { status: 200, published: ({ told }) => told },
        and: async ({ json }, given) => {
          const { updated: _, ...want } = given.object
          const { updated, ...got } = json as Body
          assert.deepEqual(got, { ...want, type: 'dimmer', meta: { a: 'b' } })
          assert(Number(updated) >= Number(given.object['created']))
          assert.deepEqual(await read(given), json)
        }
      })
      for (const body of [
        { type: 'switch' },
        { type: 'switch', meta: null, protected_meta: null }
      ]) {
        scenario(`keeps missing and null fields: ${JSON.stringify(body)}`, {
          given: withObject(),
          as: asUser,
          request: ({ at }) => `PUT ${at}?silent=true`,
          body,
          expect: { status: 200 },
          and: async (_, given) => {
            const { meta, protected_meta } = await read(given)
            assert.deepEqual(
              { meta, protected_meta },
              {
                meta: given.object.meta,
                protected_meta: { secret: 's3' }
              }
            )
          }
        })
      }
      scenario('without the grant leaves protected metadata as it is', {
        given: withObject(),
        as: asUser,
        request: ({ at }) => `PUT ${at}?silent=true`,
        body: { type: 'switch', meta: { n: '1' }, protected_meta: { secret: 'stolen', more: 'x' } },
        expect: { status: 200 },
        and: async ({ json }, given) => {
          assert(!('protected_meta' in (json as Body)))
          const { meta, protected_meta } = await read(given)
          assert.deepEqual(
            { meta, protected_meta },
            { meta: { n: '1' }, protected_meta: { secret: 's3' } }
          )
        }
      })
      scenario('of a key that is protected, without the grant', {
        given: withObject(),
        as: asUser,
        request: ({ at }) => `PUT ${at}`,
        body: { type: 'switch', meta: { secret: 'stolen' } },
        expect: forbidden,
        and: async (_, given) => assert.deepEqual(await read(given), given.object)
      })
      scenario('moves a key to the map it is written to, with the grant', {
        given: withObject(protecting),
        as: asUser,
        request: ({ at }) => `PUT ${at}?silent=true`,
        body: { type: 'switch', meta: { secret: 'told' } },
        expect: { status: 200 },
        and: ({ json }) => {
          const { meta, protected_meta } = json as Body
          assert.deepEqual(
            { meta, protected_meta },
            { meta: { secret: 'told' }, protected_meta: {} }
          )
        }
      })
      for (const body of [{}, { type: null, meta: null, installation_id: null }]) {
        scenario(`with ${JSON.stringify(body)} keeps what is there`, {
          given: withObject(),
          as: asUser,
          request: ({ at }) => `PUT ${at}?silent=true`,
          body,
          expect: { status: 200 },
          and: async (_, given) => {
            const { updated: _now, ...object } = await read(given)
            const { updated: _was, ...old } = given.object
            assert.deepEqual(object, old)
          }
        })
      }
      scenario('an object that does not exist', {
        given: withObject(),
        as: asUser,
        request: ({ installation }) => `PUT ${base}/${installation.id}/999999`,
        body: { type: 'switch' },
        expect: notFound
      })
      scenario('without the grant', {
        given: withObject([`${resource}/list/all`, `${resource}/create_delete/all`]),
        as: asUser,
        request: ({ at }) => `PUT ${at}`,
        body: { type: 'switch' },
        expect: forbidden
      })
      scenario('without a token', {
        request: `PUT ${base}/1/1`,
        body: { type: 't' },
        expect: unauthorized
      })
    })

    describe('deleting', () => {
      scenario('removes it and publishes this, also with a body', {
        given: withObject(),
        as: asUser,
        request: ({ at }) => `DELETE ${at}`,
        body: { id: 1, type: 'x' },
        expect: { status: 200, body: { message: 'Deleted' }, published: ({ told }) => told },
        and: async (_, { at, user }, world) => {
          assert.equal((await world.request(`GET ${at}`, { as: user })).status, 404)
          assert.equal((await world.request(`DELETE ${at}`, { as: user })).status, 404)
        }
      })
      scenario('silent', {
        given: withObject(),
        as: asUser,
        request: ({ at }) => `DELETE ${at}?silent=1`,
        expect: { status: 200 }
      })
      scenario('without the grant', {
        given: withObject([`${resource}/list/all`, `${resource}/update/all`]),
        as: asUser,
        request: ({ at }) => `DELETE ${at}`,
        expect: forbidden,
        and: async (_, given) => assert.deepEqual(await read(given), given.object)
      })
      scenario('without a token', { request: `DELETE ${base}/1/1`, expect: unauthorized })
    })

    describe('listing', () => {
      const withThree = async (world: World) => {
        const site = await world.site(plain)
        const { id } = site.installation
        const objects = [
          { type: 'temperature', meta: { room: 'Hall', 'app.id': '1', unit: '100%' } },
          {
            type: 'ext_temperature',
            meta: { Room: 'hallway', floor: '1' },
            protected_meta: { pin: '1' }
          },
          { type: 'switch', meta: { room: 'Kök', floor: '2', topic_read: 'obj/z2m/1' } }
        ]
        const ids: number[] = []
        for (const object of objects) ids.push((await create(world, id, object)).id)
        return { ...site, ids }
      }
      const queries: [query: string, found: number[]][] = [
        ['', [0, 1, 2]],
        ['?', [0, 1, 2]],
        ['?type=', [0, 1, 2]],
        ['?type=switch', [2]],
        ['?type=SWITCH', [2]],
        ['?type=*temp*', [0, 1]],
        ['?type=temp*', [0]],
        ['?type=switch&type=temperature', [0, 2]],
        ['?type=switch&room=hall', []],
        ['?room=hall', [0]],
        ['?ROOM=HALL*', [0, 1]],
        ['?room=hall&room=k%C3%96k', [0, 2]],
        ['?room=hall*&floor=1', [1]],
        ['?room=', [0, 1, 2]],
        ['?app.id=1', [0]],
        ['?unit=100%25', [0]],
        ['?unit=100_', []],
        ['?topic_read=obj/z2m/1', [2]],
        ['?pin=1', []],
        ['?pin=*', []],
        ['?Type=switch', []],
        ['?room=hall&Room=k%C3%96k', [0, 2]],
        ['?=x', []],
        ['?__proto__=x', []],
        ["?room=';drop table modelx;--", []]
      ]
      test('filters by type and metadata, sorted by id', async () => {
        const { world } = platform()
        const { installation, user, ids } = await withThree(world)
        for (const [query, found] of queries) {
          const { json } = await world.request(`GET ${base}/${installation.id}${query}`, {
            as: user
          })
          assert.deepEqual(
            (json as Body[]).map(({ id }) => id),
            found.map((i) => ids[i]),
            query
          )
        }
      })
      scenario('filters by protected metadata only with the grant, and then shows them', {
        given: async (world) => ({ ...(await withThree(world)), admin: world.admin }),
        as: ({ admin }) => admin,
        request: ({ installation }) => `GET ${base}/${installation.id}?pin=*`,
        expect: { status: 200 },
        and: ({ json }, { ids }) => {
          const found = (json as Body[]).map(({ id, protected_meta }) => ({ id, protected_meta }))
          assert.deepEqual(found, [{ id: ids[1], protected_meta: { pin: '1' } }])
        }
      })
      test('of thousands of objects is complete and in order', async () => {
        const { world, deps } = platform()
        const { installation, user } = await world.site(plain)
        const rows = Array.from({ length: 2500 }, (_, i) => ({
          kind: resource === 'devicex' ? ('device' as const) : ('function' as const),
          installation_id: installation.id,
          type: 't',
          type_folded: 't',
          meta: JSON.stringify({ n: String(i), half: i % 2 ? 'a' : 'b' }),
          protected_meta: '{}',
          created: 0,
          updated: 0
        }))
        for (let i = 0; i < rows.length; i += 500) {
          await deps.registry
            .insertInto('modelx')
            .values(rows.slice(i, i + 500))
            .execute()
        }
        // These ids were inserted directly, without being reserved.
        await deps.lineage.note()
        await deps.lineage.ahead()
        const all = await world.request(`GET ${base}/${installation.id}`, { as: user })
        assert.deepEqual(
          (all.json as Body[]).map(({ meta }) => meta['n']),
          rows.map((_, i) => String(i))
        )
        const half = await world.request(`GET ${base}/${installation.id}?half=a`, { as: user })
        assert.equal((half.json as Body[]).length, 1250)
        const none = await world.request(`GET ${base}/${installation.id}?half=c`, { as: user })
        assert.deepEqual(none.json, [])
      })
      scenario('with too many filters', {
        given: (world) => world.site(plain),
        as: asUser,
        request: ({ installation }) =>
          `GET ${base}/${installation.id}?${Array.from({ length: 21 }, (_, i) => `k${i}=v`).join('&')}`,
        expect: { status: 400, body: { message: 'at most 20 metadata filters' } }
      })
      scenario('without the grant', {
        given: (world) => world.site([`${resource}/update/all`, 'installation/list/all']),
        as: asUser,
        request: ({ installation }) => `GET ${base}/${installation.id}`,
        expect: forbidden
      })
      scenario('without a token', { request: `GET ${base}/1`, expect: unauthorized })
    })

    describe('metadata keys', () => {
      const keys: [key: string, path: string][] = [
        ['a/b c%', 'a%2Fb%20c%25'],
        ['a/b c%', 'a/b%20c%25'],
        ['name', 'name']
      ]
      for (const [key, path] of keys) {
        scenario(`reads ${key} at ${path}`, {
          given: withObject(),
          as: asUser,
          request: ({ at }) => `GET ${at}/meta/${path}`,
          expect: {
            status: 200,
            body: ({ object }: Given) => ({ value: object.meta[key], protected: false })
          }
        })
      }
      for (const path of ['k%2F%2Fx', '%25', '%2E%2E%2Fx', 'meta/meta', '__proto__', 'å']) {
        const key = decodeURIComponent(path)
        test(`keeps the key ${key} through all four operations`, async () => {
          const { world } = platform()
          const { at, user } = await withObject()(world)
          const f = async (method: string, want: unknown, body?: object) => {
            const line = `${method} ${at}/meta/${path}${method === 'GET' ? '' : '?silent=true'}`
            const { status, json } = await world.request(line, { as: user, body })
            assert.deepEqual({ status, json }, want, method)
          }
          const value = (text: string) => ({ status: 200, json: { value: text, protected: false } })
          await f('POST', value('1'), { value: '1' })
          await f('GET', value('1'))
          await f('PUT', value('2'), { value: '2' })
          const object = (await world.request(`GET ${at}`, { as: user })).json as Body
          assert.equal(object.meta[key], '2')
          await f('DELETE', { status: 200, json: { message: 'Deleted' } })
          await f('GET', { status: 404, json: { message: 'Not found' } })
        })
      }

      type Case = {
        what: string
        grants?: readonly string[]
        request: string
        body?: unknown
        expect: { status: number; body?: unknown }
        /** Whether a notification is published. */
        told?: true
        meta?: Record<string, string>
        secret?: Record<string, string>
      }
      const was = { name: 'Lamp', 'a/b c%': 'odd' }
      const hidden = { secret: 's3' }
      const ok = (value: string, isProtected = false) => ({
        status: 200,
        body: { value, protected: isProtected }
      })
      const cases: Case[] = [
        { what: 'a protected key without the grant', request: 'GET secret', expect: forbidden },
        {
          what: 'a protected key with the grant',
          grants: protecting,
          request: 'GET secret',
          expect: ok('s3', true)
        },
        { what: 'a missing key', request: 'GET nothing', expect: notFound },
        { what: 'another case of a key', request: 'GET NAME', expect: notFound },
        { what: 'of a missing object', request: 'GET ../../999999/meta/x', expect: notFound },
        {
          what: 'a new key',
          request: 'POST new',
          body: { value: 'v' },
          expect: ok('v'),
          told: true,
          meta: { ...was, new: 'v' }
        },
        {
          what: 'a new protected key',
          grants: protecting,
          request: 'POST new',
          body: { value: 'v', protected: true },
          expect: ok('v', true),
          told: true,
          secret: { ...hidden, new: 'v' }
        },
        {
          what: 'a value as one client spells it',
          request: 'POST new',
          body: { Value: 'v', Protected: true },
          expect: { status: 400, body: { message: 'value is required' } }
        },
        {
          what: 'a key that exists',
          request: 'POST name',
          body: { value: 'v' },
          expect: { status: 409, body: { message: 'duplicate key' } }
        },
        {
          what: 'a key that exists protected, unseen',
          request: 'POST secret',
          body: { value: 'v' },
          expect: forbidden
        },
        {
          what: 'a key that exists protected, seen',
          grants: protecting,
          request: 'POST secret',
          body: { value: 'v' },
          expect: { status: 409, body: { message: 'duplicate key' } }
        },
        {
          what: 'a new protected key without the grant',
          request: 'POST new',
          body: { value: 'v', protected: true },
          expect: forbidden
        },
        {
          what: 'a value that is no text',
          request: 'POST new',
          body: { value: 1 },
          expect: { status: 400, body: { message: 'value must be text' } }
        },
        {
          what: 'no value',
          request: 'POST new',
          body: {},
          expect: { status: 400, body: { message: 'value is required' } }
        },
        {
          what: 'a key of 256 letters',
          request: `POST ${'k'.repeat(256)}`,
          body: { value: 'v' },
          expect: { status: 400, body: { message: 'meta_key must have 1 to 255 characters' } }
        },
        {
          what: 'another value',
          request: 'PUT name?silent=false&create_missing=false',
          body: { value: 'Desk' },
          expect: ok('Desk'),
          told: true,
          meta: { ...was, name: 'Desk' }
        },
        {
          what: 'another value, silently',
          request: 'PUT name?silent=true',
          body: { value: 'Desk', protected: null },
          expect: ok('Desk'),
          meta: { ...was, name: 'Desk' }
        },
        { what: 'a missing key', request: 'PUT new', body: { value: 'v' }, expect: notFound },
        {
          what: 'a missing key, to be created',
          request: 'PUT new?create_missing=True',
          body: { value: 'v' },
          expect: ok('v'),
          told: true,
          meta: { ...was, new: 'v' }
        },
        {
          what: 'a missing key, to be created protected without the grant',
          request: 'PUT new?create_missing=true',
          body: { value: 'v', protected: true },
          expect: forbidden
        },
        {
          what: 'a protected key without the grant',
          request: 'PUT secret',
          body: { value: 'v' },
          expect: forbidden
        },
        {
          what: 'a protected key, which stays protected',
          grants: protecting,
          request: 'PUT secret?silent=true',
          body: { value: 'v' },
          expect: ok('v', true),
          secret: { secret: 'v' }
        },
        {
          what: 'a protected key, made plain',
          grants: protecting,
          request: 'PUT secret?silent=true',
          body: { value: 'v', protected: false },
          expect: ok('v'),
          meta: { ...was, secret: 'v' },
          secret: {}
        },
        {
          what: 'a plain key, made protected without the grant',
          request: 'PUT name',
          body: { value: 'v', protected: true },
          expect: forbidden
        },
        {
          what: 'a key',
          request: 'DELETE name',
          expect: { status: 200, body: { message: 'Deleted' } },
          told: true,
          meta: { 'a/b c%': 'odd' }
        },
        { what: 'a missing key', request: 'DELETE new', expect: notFound },
        { what: 'a protected key without the grant', request: 'DELETE secret', expect: forbidden },
        {
          what: 'a protected key',
          grants: protecting,
          request: 'DELETE secret?silent=true',
          expect: { status: 200, body: { message: 'Deleted' } },
          secret: {}
        },
        {
          what: 'without the grant',
          grants: [`${resource}/list/all`],
          request: 'PUT name',
          body: { value: 'v' },
          expect: forbidden
        }
      ]
      for (const { what, grants, request, body, expect, told, meta, secret } of cases) {
        const [method, key = ''] = request.split(' ')
        scenario(`${request.slice(0, 40)}: ${what}`, {
          given: withObject(grants),
          as: asUser,
          request: ({ at }) => `${method} ${at}/meta/${key}`,
          body,
          expect: { ...expect, published: (given) => (told ? given.told : []) },
          and: async (_, given) => {
            const { meta: plainNow, protected_meta } = await read(given)
            assert.deepEqual(plainNow, meta ?? was)
            assert.deepEqual(protected_meta, secret ?? hidden)
          }
        })
      }
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        scenario(`${method} without a token`, {
          request: `${method} ${base}/1/1/meta/k`,
          body: method === 'GET' ? undefined : { value: 'v' },
          expect: unauthorized
        })
      }

      test('writers of different keys at the same time lose nothing', async () => {
        const { world } = platform()
        const given = await withObject()(world)
        const names = Array.from({ length: 40 }, (_, i) => `key ${i}`)
        const answers = await Promise.all(
          names.map((name, i) => {
            const at = `${given.at}/meta/${encodeURIComponent(name)}?silent=true`
            return i % 2
              ? world.request(`POST ${at}`, { as: given.user, body: { value: name } })
              : world.request(`PUT ${at}&create_missing=true`, {
                  as: given.user,
                  body: { value: name }
                })
          })
        )
        assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
        const { meta } = await read(given)
        assert.deepEqual(meta, { ...was, ...Object.fromEntries(names.map((name) => [name, name])) })
      })

      test('writing a key of an object that is deleted meanwhile is 404', async () => {
        const { world } = platform()
        const { at, user } = await withObject()(world)
        const line = (method: string, path: string, body?: string) =>
          `${method} ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${user.token}\r\n` +
          `content-length: ${body?.length ?? 0}\r\n\r\n${body ?? ''}`
        const put = line('PUT', `${at}/meta/k?create_missing=true&silent=true`, '{"value":"v"}')
        const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
        let answers = ''
        socket.on('data', (chunk) => {
          answers += chunk
        })
        // In one packet, so that all run at the same time.
        socket.write(put + put + line('DELETE', `${at}?silent=true`) + put + put)
        await eventually(() => assert.equal(answers.match(/HTTP\/1.1 \d+/g)?.length, 5))
        socket.destroy()
        assert.doesNotMatch(answers, /HTTP\/1.1 5/)
        assert.equal((await world.request(`GET ${at}`, { as: user })).status, 404)
      })

      test('only one of several parallel creations of a key succeeds', async () => {
        const { world } = platform()
        const { at, user } = await withObject()(world)
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            world.request(`POST ${at}/meta/one?silent=true`, { as: user, body: { value: `${i}` } })
          )
        )
        const statuses = answers.map(({ status }) => status).sort()
        assert.deepEqual(statuses, [200, ...Array(7).fill(409)])
      })
    })

    describe('grants by type', () => {
      const typed = (...verbs: string[]) => [
        'installation/list/all',
        ...verbs.map((verb) => `${byType}/zwave/${verb}`)
      ]
      const withTwo = (grants: readonly string[]) => async (world: World) => {
        const given = await withObject(grants, { type: 'zwave' })(world)
        const other = await create(world, given.installation.id, { type: 'lora' })
        return { ...given, other: `${base}/${given.installation.id}/${other.id}` }
      }
      test('allow only that type', async () => {
        const { world } = platform()
        const given = await withTwo(typed('view', 'add', 'edit', 'delete'))(world)
        const { at, other, user, installation } = given
        const f = async (line: string, want: number, body?: object) => {
          const { status } = await world.request(line, { as: user, body })
          assert.equal(status, want, line)
        }
        const list = await world.request(`GET ${base}/${installation.id}`, { as: user })
        assert.deepEqual(
          (list.json as Body[]).map(({ id }) => id),
          [given.object.id]
        )
        await f(`GET ${at}`, 200)
        await f(`GET ${other}`, 404)
        await f(`PUT ${other}`, 404, { type: 'zwave' })
        await f(`DELETE ${other}`, 404)
        await f(`GET ${other}/meta/x`, 404)
        await f(`PUT ${other}/meta/x?create_missing=true`, 404, { value: 'v' })
        await f(`POST ${base}/${installation.id}`, 403, { type: 'lora' })
        await f(`POST ${base}/${installation.id}`, 200, { type: 'zwave' })
        await f(`PUT ${at}`, 403, { type: 'lora' })
        await f(`PUT ${at}`, 200, { type: 'zwave', meta: {} })
        await f(`POST ${at}/meta/x`, 200, { value: 'v' })
        await f(`DELETE ${at}`, 200)
      })
      test('allow only that verb', async () => {
        const { world } = platform()
        const { at, user, installation } = await withTwo(typed('view'))(world)
        const f = async (line: string, want: number, body?: object) => {
          const { status } = await world.request(line, { as: user, body })
          assert.equal(status, want, line)
        }
        await f(`GET ${at}`, 200)
        await f(`PUT ${at}`, 403, { type: 'zwave' })
        await f(`DELETE ${at}`, 403)
        await f(`POST ${at}/meta/x`, 403, { value: 'v' })
        await f(`POST ${base}/${installation.id}`, 403, { type: 'zwave' })
      })
      scenario('need an installation that the caller can see', {
        given: withTwo([`${byType}/zwave/view`]),
        as: asUser,
        request: ({ at }) => `GET ${at}`,
        expect: forbidden
      })
    })

    test('the objects of a deleted installation are invisible at once and removed soon', async () => {
      const { world, deps } = platform()
      const { installation, at } = await withObject()(world)
      const deleted = await world.request(`DELETE /api/v2/installation/${installation.id}`, {
        as: world.admin
      })
      assert.equal(deleted.status, 200)
      assert.equal((await world.request(`GET ${at}`, { as: world.admin })).status, 403)
      const left = () =>
        deps.registry
          .selectFrom('modelx')
          .select('id')
          .where('installation_id', '=', installation.id)
          .execute()
      for (let i = 0; i < 100 && (await left()).length > 0; i++)
        await new Promise((r) => setTimeout(r, 20))
      assert.deepEqual(await left(), [])
    })
  })

  const swapped = (at: string) =>
    at.replace(resource, resource === 'devicex' ? 'functionx' : 'devicex')
}
