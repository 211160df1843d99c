import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const notFound = { status: 404, body: { message: 'Not found' } }
const base = '/api/v2/edge/app'
const grants = ['edge/#']
const asUser = ({ user }: { user: Account }) => user

type App = {
  id: number
  name: string
  public: boolean
  official: boolean
  [field: string]: unknown
}
type Version = { name: string; hash: string; timestamp: number }

const lua = 'function onStart()\n  print("hå")\nend\n'
const json = JSON.stringify({
  author: 'A',
  input: { level: { type: 'number', required: true, min: 0 } }
})
const files = { app_json: json, app_lua: lua }

/** `fetch` makes the multipart body. */
function form(parts: Record<string, string | Uint8Array<ArrayBuffer>>): FormData {
  const data = new FormData()
  for (const [name, content] of Object.entries(parts)) {
    const blob = new Blob([content], { type: 'application/octet-stream' })
    data.append(name, blob, name.replace('_', '.'))
  }
  return data
}

/** A publisher, and a stranger with the same grants in another organization. */
async function withApp(world: World, more: object = {}) {
  const { installation, user } = await world.site(grants)
  const { user: stranger, installation: elsewhere } = await world.site(grants)
  const body = {
    name: world.unique('app'),
    category: 'energy',
    tags: ['a', 'b'],
    short_description: 'short',
    description: '# long',
    publisher: { id: installation.organization_id },
    public: true,
    source_url: 'https://example.org',
    ...more
  }
  const made = await world.request(`POST ${base}`, { as: user, body })
  assert.equal(made.status, 200, made.text)
  const app = made.json as App
  const at = `${base}/${app.id}`
  const upload = async (parts: Parameters<typeof form>[0], as: { token: string } = user) => {
    const response = await fetch(`${world.url}${at}/version`, {
      method: 'POST',
      headers: { 'x-api-key': as.token },
      body: form(parts)
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
  }
  const publish = (name: string, hash: string, as: { token: string } = user) =>
    world.request(`POST ${at}/publish`, { as, body: { name, hash } })
  return { app, at, body, installation, user, stranger, elsewhere, upload, publish, world }
}

type Given = Awaited<ReturnType<typeof withApp>>

/** With a published version 1.0. */
async function withPublished(world: World, more: object = {}) {
  const given = await withApp(world, more)
  const { json } = await given.upload(files)
  assert.equal((await given.publish('1.0', json.hash)).status, 200)
  return { ...given, hash: json.hash as string }
}

onRegistryMatrix('edge apps', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  describe('apps', () => {
    scenario('are created with a publisher that the caller belongs to', {
      given: (world) => withApp(world),
      as: asUser,
      request: ({ at }) => `GET ${at}`,
      expect: { status: 200, body: ({ app }: { app: App }) => app },
      and: async ({ json }, { body, installation }, world) => {
        const { id, created, updated, ...app } = json as App
        const organizations = await world.request('GET /api/v2/organization', { as: world.admin })
        const { name } = (organizations.json as { id: number; name: string }[]).find(
          (one) => one.id === installation.organization_id
        ) ?? { name: '' }
        assert.deepEqual(app, {
          ...body,
          publisher: { id: installation.organization_id, name },
          official: false
        })
        assert(Number.isInteger(id) && Number.isInteger(created) && created === updated)
      }
    })
    const bodies: [string, object, object][] = [
      [
        'nulls',
        { tags: null, category: null, public: null },
        { tags: [], category: '', public: false }
      ]
    ]
    for (const [what, more, want] of bodies) {
      scenario(`are created with ${what}`, {
        given: (world) => withApp(world, more),
        as: asUser,
        request: ({ at }) => `GET ${at}`,
        expect: { status: 200 },
        and: ({ json }) => assert.deepEqual({ ...(json as App), ...want }, json)
      })
    }
    const refused: [string, object, string][] = [
      ['no name', { publisher: { id: 1 } }, 'name is required'],
      [
        'an empty name',
        { name: '', publisher: { id: 1 } },
        'name must be text of 1 to 255 characters'
      ],
      ['no publisher', { name: 'x' }, 'publisher is required'],
      ['a list as an object', { name: 'x', publisher: { id: 1 }, tags: {} }, 'tags must be a list'],
      ['a publisher without id', { name: 'x', publisher: {} }, 'publisher.id is required']
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what} are refused`, {
        as: () => platform().world.admin,
        request: `POST ${base}`,
        body,
        expect: { status: 400, body: { message } }
      })
    }
    test('without a publisher belong to the caller’s first organization, only under /lynx', async () => {
      const { world } = platform()
      const { organization_id: first } = await world.installation()
      const second = await world.organization()
      const organizations = [second, first].sort((a, b) => a - b)
      const user = await world.user({ grants: ['edge/app/#'], organizations })
      const nobodys = [
        {},
        { publisher: null },
        { publisher: {} },
        { publisher: { id: 0 } },
        { publisher: { id: null } },
        { publisher: { id: 0, name: '', apps: {} } }
      ]
      for (const fields of nobodys) {
        const body = { name: world.unique('app'), ...fields }
        const text = JSON.stringify(fields)
        const strict = await world.request('POST /api/v2/edge/app', { as: user, body })
        assert.equal(strict.status, 400, text)
        assert.match((strict.json as { message: string }).message, /^publisher/, text)
        const made = await world.request('POST /lynx/api/v2/edge/app', { as: user, body })
        assert.equal(made.status, 200, text)
        assert.equal((made.json as { publisher: { id: number } }).publisher.id, organizations[0])
      }
      const given = { name: world.unique('app'), publisher: { id: organizations[1] } }
      const made = await world.request('POST /lynx/api/v2/edge/app', { as: user, body: given })
      assert.equal((made.json as { publisher: { id: number } }).publisher.id, organizations[1])
      for (const publisher of ['x', 7, [], { id: -1 }, { id: 'x' }]) {
        const body = { name: 'x', publisher }
        const { status } = await world.request('POST /lynx/api/v2/edge/app', { as: user, body })
        assert.equal(status, 400, JSON.stringify(publisher))
      }
      for (const body of [null, [], 'x', 7]) {
        const { status } = await world.request('POST /lynx/api/v2/edge/app', { as: user, body })
        assert.equal(status, 400, JSON.stringify(body))
      }
    })

    scenario('of a publisher that is not the caller’s are refused', {
      given: (world) => withApp(world),
      as: ({ stranger }) => stranger,
      request: `POST ${base}`,
      body: ({ body }: Given) => body,
      expect: forbidden
    })
    scenario('are made official only by an administrator of the platform', {
      given: (world) => withApp(world),
      as: asUser,
      request: `POST ${base}`,
      body: ({ body }: Given) => ({ ...body, official: true }),
      expect: forbidden
    })
    scenario('are updated by the id in the body; missing fields stay', {
      given: (world) => withApp(world),
      as: asUser,
      request: `PUT ${base}`,
      body: ({ app }: Given) => ({
        id: app.id,
        name: 'New',
        publisher: { id: 1 },
        tags: null,
        official: false
      }),
      expect: { status: 200 },
      and: ({ json }, { app }) => {
        const { updated: _, ...want } = app
        const { updated: __, ...got } = json as App
        assert.deepEqual(got, { ...want, name: 'New' })
      }
    })
    scenario('are updated by the id in the path', {
      given: (world) => withApp(world),
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { id: 999_999, public: false },
      expect: { status: 200 },
      and: ({ json }) => assert.equal((json as App).public, false)
    })
    scenario('are made official by an administrator', {
      given: (world) => withApp(world),
      as: () => platform().world.admin,
      request: ({ at }) => `PUT ${at}`,
      body: { official: true },
      expect: { status: 200 },
      and: async ({ json }, { at, user }, world) => {
        assert.equal((json as App).official, true)
        const same = { official: true, name: 'Mine' }
        assert.equal((await world.request(`PUT ${at}`, { as: user, body: same })).status, 200)
        const ordinary = { official: false }
        assert.equal((await world.request(`PUT ${at}`, { as: user, body: ordinary })).status, 403)
      }
    })
    scenario('are not updated by strangers', {
      given: (world) => withPublished(world),
      as: ({ stranger }) => stranger,
      request: ({ at }) => `PUT ${at}`,
      body: { name: 'Mine' },
      expect: forbidden
    })
    test('are seen by their publisher, and by all when public and published', async () => {
      const { world } = platform()
      const hidden = await withPublished(world, { public: false })
      const draft = await withApp(world)
      const open = await withPublished(world)
      const { stranger } = draft
      const list = async (as: Account) =>
        ((await world.request(`GET ${base}`, { as })).json as App[]).map(({ id }) => id)
      const seen = await list(stranger)
      assert(seen.includes(open.app.id))
      assert(!seen.includes(hidden.app.id) && !seen.includes(draft.app.id))
      assert((await list(hidden.user)).includes(hidden.app.id))
      assert((await list(draft.user)).includes(draft.app.id))
      for (const { at } of [hidden, draft]) {
        for (const path of ['', '/version', '/download?version=1.0', '/configure?version=1.0']) {
          const { status } = await world.request(`GET ${at}${path}`, { as: stranger })
          assert.equal(status, 403, path)
        }
      }
      assert.equal((await world.request(`GET ${base}/999999`, { as: stranger })).status, 403)
    })
    test('are listed by organization and publisher', async () => {
      const { world } = platform()
      const mine = await withApp(world, { public: false })
      const open = await withPublished(world)
      const organization = mine.installation.organization_id
      const ids = async (query: string) => {
        const { json } = await world.request(`GET ${base}/organization/${organization}${query}`, {
          as: mine.user
        })
        return (json as App[]).map(({ id }) => id)
      }
      assert.deepEqual(await ids(''), [mine.app.id])
      const available = await ids('?available=true')
      assert(available.includes(mine.app.id) && available.includes(open.app.id))
      const foreign = `GET ${base}/organization/${open.installation.organization_id}`
      assert.equal((await world.request(foreign, { as: mine.user })).status, 403)
      const publisher = async (id: number) =>
        world.request(`GET /api/v2/edge/publisher/${id}`, { as: mine.user })
      const { json } = await publisher(open.installation.organization_id)
      const { apps, ...about } = json as { apps: App[]; id: number; name: string }
      assert.deepEqual(about, open.app['publisher'])
      assert.deepEqual(
        apps.map(({ id }) => id),
        [open.app.id]
      )
      assert.equal((await publisher(open.elsewhere.organization_id)).status, 403)
      assert.equal((await publisher(999_999)).status, 403)
    })
    scenario('are deleted by their publisher, with their versions', {
      given: (world) => withPublished(world),
      as: asUser,
      request: ({ at }) => `DELETE ${at}`,
      expect: { status: 200, body: { message: 'Deleted' } },
      and: async (_, { at, app, user, hash }, world) => {
        const get = async (path: string) =>
          (await world.request(`GET ${path}`, { as: user })).status
        assert.deepEqual([await get(at), await get(`${at}/download?version=${hash}`)], [403, 403])
        const trace = await world.request(
          `GET /api/v2/trace?object_type=edge_app&object_id=${app.id}&action=delete`,
          { as: world.admin }
        )
        assert.equal((trace.json as { total: number }).total, 1)
      }
    })
    scenario('are not deleted by strangers, who can see them', {
      given: (world) => withPublished(world),
      as: ({ stranger }) => stranger,
      request: ({ at }) => `DELETE ${at}`,
      expect: forbidden
    })
    test('are not deleted by their publisher while they are official', async () => {
      const { world } = platform()
      const { at, user } = await withPublished(world)
      const official = { as: world.admin, body: { official: true } }
      assert.equal((await world.request(`PUT ${at}`, official)).status, 200)
      assert.equal((await world.request(`DELETE ${at}`, { as: user })).status, 403)
      assert.equal((await world.request(`DELETE ${at}`, { as: world.admin })).status, 200)
    })
    test('stay when their publisher is deleted', async () => {
      const { world } = platform()
      const parent = await world.organization()
      const child = await world.organization(parent)
      await platform().deps.directory.catchUp()
      const body = { name: 'x', publisher: { id: child } }
      const { json } = await world.request(`POST ${base}`, { as: world.admin, body })
      const deleted = await world.request(`DELETE /api/v2/organization/${child}`, {
        as: world.admin
      })
      assert.equal(deleted.status, 200, deleted.text)
      const { id } = json as App
      const app = (await world.request(`GET ${base}/${id}`, { as: world.admin })).json as App
      assert.equal((app['publisher'] as { id: number }).id, parent)
    })
  })

  describe('versions', () => {
    test('have names that differ in the database too', async () => {
      const { upload, publish } = await withApp(platform().world)
      const first = await upload(files)
      const second = await upload({ ...files, app_lua: 'print(2)' })
      // Half a character is U+FFFD there.
      assert.equal((await publish('\udc00', first.json.hash)).status, 200)
      assert.equal((await publish('\udc01', second.json.hash)).status, 409)
    })

    test('can be uploaded, named and downloaded', async () => {
      const { world } = platform()
      const given = await withApp(world)
      const { at, user, stranger, upload, publish } = given
      const get = (path: string, as: Account = user) => world.request(`GET ${at}${path}`, { as })
      const first = await upload(files)
      assert.equal(first.status, 200)
      assert.match(first.json.hash, /^[0-9a-f]{64}$/)
      assert.deepEqual(await upload(files), { status: 204, json: undefined })
      const reversed = { app_lua: lua, app_json: json }
      assert.equal((await upload(reversed)).status, 204)
      assert.deepEqual((await get('/version')).json, [])
      const [unnamed] = (await get('/version?untagged=True')).json as Version[]
      assert.deepEqual(
        { ...unnamed, timestamp: 0 },
        { name: '', hash: first.json.hash, timestamp: 0 }
      )
      assert(Number.isInteger(unnamed?.timestamp))
      const named = await publish('1.0', first.json.hash)
      assert.deepEqual([named.status, named.json], [200, { ...unnamed, name: '1.0' }])
      assert.equal((await publish('1.0', first.json.hash)).status, 200)
      assert.equal((await publish('1.1', first.json.hash)).status, 409)
      // One part only; the other comes from the latest version.
      const second = await upload({ app_lua: 'print(2)' })
      assert.equal(second.status, 200)
      assert.equal((await publish('1.0', second.json.hash)).status, 409)
      assert.equal((await publish('2.0', 'nothing')).status, 404)
      // A name that looks like a hash could be taken for another version.
      assert.equal((await publish(first.json.hash, second.json.hash)).status, 400)
      for (const version of ['1.0', first.json.hash]) {
        const { text, headers } = await get(`/download?version=${version}`, stranger)
        assert.equal(text, lua)
        assert.match(headers.get('content-type') ?? '', /^text\/plain/)
      }
      assert.equal((await get(`/download?version=${second.json.hash}`)).text, 'print(2)')
      // Others do not see a version without a name.
      assert.equal((await get(`/download?version=${second.json.hash}`, stranger)).status, 404)
      const seen = (await get('/version?untagged=true', stranger)).json as Version[]
      assert.deepEqual(
        seen.map(({ name }) => name),
        ['1.0']
      )
      assert.equal((await get(`/configure?version=${second.json.hash}`)).text, json)
      assert.equal((await get('/configure', stranger)).text, json)
      // An old version is uploaded again and becomes the latest.
      assert.equal((await upload(files)).status, 200)
      assert.equal((await upload(files)).status, 204)
      const all = (await get('/version?untagged=true')).json as Version[]
      assert.deepEqual(
        all.map(({ hash }) => hash),
        [first.json.hash, second.json.hash]
      )
    })
    const refused: [string, Parameters<typeof form>[0], number, string | RegExp][] = [
      ['no part', {}, 400, 'app_json or app_lua is required'],
      ['another part', { other: 'x' }, 400, 'app_json or app_lua is required'],
      [
        'the script alone at first',
        { app_lua: lua },
        400,
        'app_json is required in the first version'
      ],
      [
        'the description alone at first',
        { app_json: json },
        400,
        'app_lua is required in the first version'
      ],
      ['half a JSON', { ...files, app_json: '{"input"' }, 400, /^app_json is not valid JSON: /],
      [
        'a JSON of a thousand levels',
        { ...files, app_json: `${'{"a":'.repeat(999)}1${'}'.repeat(999)}` },
        400,
        'app_json is nested more than 32 levels deep'
      ],
      [
        'a thousand parts',
        Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, ''])),
        400,
        'at most 20 parts'
      ],
      ['a list as JSON', { ...files, app_json: '[]' }, 400, 'app_json must be a JSON object'],
      [
        'a list as input',
        { ...files, app_json: '{"input":[{"name":"level"}]}' },
        400,
        'app_json.input must be an object'
      ],
      [
        'bytes that are no text',
        { ...files, app_lua: new Uint8Array([255, 254]) },
        400,
        'app_lua must be UTF-8 text'
      ],
      ['NUL', { ...files, app_lua: 'a\0b' }, 400, 'app_lua must be UTF-8 text'],
      [
        'a script of more than a mebibyte',
        { ...files, app_lua: 'x'.repeat(1024 * 1024 + 1) },
        413,
        'Body too large'
      ],
      [
        'much more than that',
        { ...files, app_lua: 'x'.repeat(4 * 1024 * 1024) },
        413,
        'Body too large'
      ]
    ]
    for (const [what, parts, status, message] of refused) {
      test(`with ${what} are refused`, async () => {
        const { upload, at, user, world } = await withApp(platform().world)
        const answer = await upload(parts)
        assert.equal(answer.status, status)
        if (typeof message === 'string') assert.equal(answer.json.message, message)
        else assert.match(answer.json.message, message)
        const { json } = await world.request(`GET ${at}/version?untagged=true`, { as: user })
        assert.deepEqual(json, [])
      })
    }
    for (const body of ['{}', '--x\r\nbroken', '']) {
      scenario(`with a body that is no multipart: ${JSON.stringify(body)}`, {
        given: (world) => withApp(world),
        as: asUser,
        request: ({ at }) => `POST ${at}/version`,
        headers: {
          'content-type': body.startsWith('-') ? 'multipart/form-data; boundary=x' : 'text/plain'
        },
        body,
        expect: { status: 400 }
      })
    }
    for (const [method, path, body] of [
      ['POST', '/version', undefined],
      ['POST', '/publish', { name: 'x', hash: 'y' }]
    ] as const) {
      scenario(`${method} ${path} by strangers`, {
        given: (world) => withPublished(world),
        as: ({ stranger }) => stranger,
        request: ({ at }) => `${method} ${at}${path}`,
        body,
        expect: forbidden
      })
    }
    scenario('are not downloaded without a version', {
      given: (world) => withPublished(world),
      as: asUser,
      request: ({ at }) => `GET ${at}/download`,
      expect: { status: 400, body: { message: 'version is required' } }
    })
    for (const version of ['2.0', '..%2F..%2Fetc%2Fpasswd', "'%20or%201=1"]) {
      scenario(`are not found by ${version}`, {
        given: (world) => withPublished(world),
        as: asUser,
        request: ({ at }) => `GET ${at}/download?version=${version}`,
        expect: notFound
      })
    }
  })

  describe('configured', () => {
    const at = ({ installation }: { installation: { id: number } }) =>
      `${base}/configured/${installation.id}`
    const body = ({ app }: { app: App }) => ({
      app_id: app.id,
      version: '1.0',
      name: 'Mine',
      config: { level: 5 }
    })
    const withInstance = async (world: World) => {
      const given = await withPublished(world)
      const line = `POST ${at(given)}?silent=true`
      const { json } = await world.request(line, { as: given.user, body: body(given) })
      const told = [`${given.installation.client_id}/evt/edge_app/updated`]
      return { ...given, instance: json as { id: number }, told }
    }
    scenario('keep their app from being deleted', {
      given: withInstance,
      as: asUser,
      request: (given) => `DELETE ${given.at}`,
      expect: { status: 409, body: { message: 'an installation has the app' } },
      and: async (_, given, world) => {
        await world.request(`DELETE ${at(given)}/${given.instance.id}?silent=true`, {
          as: given.user
        })
        assert.equal((await world.request(`DELETE ${given.at}`, { as: given.user })).status, 200)
      }
    })
    scenario('are created, and this is published', {
      given: (world) => withPublished(world),
      as: asUser,
      request: (given) => `POST ${at(given)}`,
      body,
      expect: {
        status: 200,
        published: ({ installation }) => [`${installation.client_id}/evt/edge_app/updated`]
      },
      and: async ({ json }, given, world) => {
        const { id, created, updated, ...instance } = json as Record<string, unknown>
        assert.deepEqual(instance, { ...body(given), installation_id: given.installation.id })
        assert(Number.isInteger(id) && created === updated)
        const list = await world.request(`GET ${at(given)}`, { as: given.user })
        assert.deepEqual(list.json, [json])
        const one = await world.request(`GET ${at(given)}/${id}`, { as: given.user })
        assert.deepEqual(one.json, json)
      }
    })
    const refused: [string, object, string][] = [
      ['a missing input', { config: {} }, 'config.level is required'],
      ['no configuration', { config: null }, 'config.level is required'],
      ['a wrong input', { config: { level: 'x' } }, 'config.level must be a number'],
      ['an input out of range', { config: { level: -1 } }, 'config.level must be at least 0'],
      [
        'an unknown version',
        { version: '9' },
        'version must be the name or the hash of a version of the app'
      ],
      [
        'a configuration of a hundred levels',
        { config: { level: 1, deep: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) } },
        'config is nested more than 32 levels deep'
      ],
      ['a list as configuration', { config: [] }, 'config must be an object'],
      ['no name', { name: undefined }, 'name is required']
    ]
    for (const [what, more, message] of refused) {
      scenario(`with ${what} are refused`, {
        given: (world) => withPublished(world),
        as: asUser,
        request: (given) => `POST ${at(given)}`,
        body: (given: Given) => ({ ...body(given), ...more }),
        expect: { status: 400, body: { message } },
        and: async (_, given, world) => {
          const list = await world.request(`GET ${at(given)}`, { as: given.user })
          assert.deepEqual(list.json, [])
        }
      })
    }
    scenario('with an app of others that is not public are refused', {
      given: async (world) => {
        const { app } = await withPublished(world, { public: false })
        return { ...(await withPublished(world)), app }
      },
      as: asUser,
      request: (given) => `POST ${at(given)}`,
      body,
      expect: forbidden
    })
    scenario('are changed, and this is published', {
      given: withInstance,
      as: asUser,
      request: (given) => `PUT ${at(given)}/${given.instance.id}`,
      body: (given: Given) => ({ ...body(given), name: 'New', config: { level: 6, more: [1] } }),
      expect: { status: 200, published: ({ told }) => told },
      and: ({ json }, { instance }) => {
        const { updated: _, ...got } = json as Record<string, unknown>
        const { updated: __, ...was } = instance as unknown as Record<string, unknown>
        assert.deepEqual(got, { ...was, name: 'New', config: { level: 6, more: [1] } })
      }
    })
    scenario('cannot be changed to another app', {
      given: withInstance,
      as: asUser,
      request: (given) => `PUT ${at(given)}/${given.instance.id}`,
      body: (given: Given) => ({ ...body(given), app_id: given.app.id + 1 }),
      expect: { status: 400, body: { message: 'app_id cannot be changed' } }
    })
    scenario('are removed, and this is published', {
      given: withInstance,
      as: asUser,
      request: (given) => `DELETE ${at(given)}/${given.instance.id}`,
      expect: { status: 200, body: { message: 'Deleted' }, published: ({ told }) => told },
      and: async (_, given, world) => {
        const gone = `${at(given)}/${given.instance.id}`
        for (const method of ['GET', 'DELETE']) {
          const { status } = await world.request(`${method} ${gone}`, { as: given.user })
          assert.equal(status, 404)
        }
      }
    })
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const path = method === 'POST' ? '' : '/1'
      const sent = method === 'POST' || method === 'PUT'
      scenario(`${method} in an installation of others`, {
        given: (world) => withPublished(world),
        as: ({ stranger }) => stranger,
        request: (given) => `${method} ${at(given)}${path}`,
        body: (given: Given) => (sent ? body(given) : undefined),
        expect: forbidden
      })
      scenario(`${method} without a token`, {
        request: `${method} ${base}/configured/1${path}`,
        body: sent ? { app_id: 1, version: '1', name: '' } : undefined,
        expect: unauthorized
      })
    }

    test('a gateway reads and downloads the apps that it runs, even if they are not public', async () => {
      const { world } = platform()
      const given = await withApp(world, { public: false })
      const { json } = await given.upload(files)
      const other = await given.upload({ app_lua: 'print(2)' })
      const line = `POST ${at(given)}?silent=true`
      const wanted = { ...body(given), version: json.hash }
      assert.equal((await world.request(line, { as: given.user, body: wanted })).status, 200)
      const credentials = `POST /api/v2/gateway/credentials/${given.installation.id}`
      const gateway = (await world.request(credentials, { as: world.admin })).json as Record<
        string,
        string
      >
      const headers = {
        authorization: `Basic ${btoa(`${gateway['mqtt_username']}:${gateway['mqtt_password']}`)}`
      }
      const get = async (path: string) => world.request(`GET ${path}`, { headers })
      assert.equal(((await get(at(given))).json as object[]).length, 1)
      assert.equal((await get(`${given.at}/download?version=${json.hash}`)).text, lua)
      assert.equal((await get(`${given.at}/download?version=${other.json.hash}`)).status, 404)
      const deleted = await world.request(`DELETE ${at(given)}/1`, { headers })
      assert.equal(deleted.status, 403)
    })
  })

  for (const line of [
    `GET ${base}`,
    `POST ${base}`,
    `PUT ${base}`,
    `GET ${base}/1`,
    `PUT ${base}/1`,
    `DELETE ${base}/1`,
    `GET ${base}/1/download?version=x`,
    `GET ${base}/1/configure`,
    `GET ${base}/1/version`,
    `POST ${base}/1/version`,
    `POST ${base}/1/publish`,
    `GET ${base}/organization/1`,
    'GET /api/v2/edge/publisher/1'
  ]) {
    scenario(`${line} without a token`, { request: line, expect: unauthorized })
    scenario(`${line} without the grant`, {
      given: (world) => world.site(['installation/#']),
      as: asUser,
      request: line,
      body: line.startsWith('GET')
        ? undefined
        : { id: 1, name: 'x', hash: 'y', publisher: { id: 1 } },
      expect: forbidden
    })
  }
})
