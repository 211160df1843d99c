import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Answer } from '../support/world.ts'

type Fields = Record<string, unknown>
type Ask = { body?: unknown; headers?: Record<string, string>; as?: { token: string } }

const keysOf = (object: unknown): string[] => Object.keys(object as object).sort()
const ok = ['message']

/** Requests of clients beyond the common cases of lynx.test.ts, and how they read the answers. */
onRegistryMatrix('lynx: less common requests of clients', (engine) => {
  const { platform } = withPlatform(engine)

  const lynx = (
    line: string,
    { as = platform().world.admin, ...more }: Ask = {}
  ): Promise<Answer> => platform().world.request(line.replace(' ', ' /lynx'), { as, ...more })
  const good = async (line: string, more: Ask = {}): Promise<Fields> => {
    const answer = await lynx(line, more)
    assert.equal(answer.status, 200, `${line}: ${answer.text}`)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, line)
    return answer.json as Fields
  }
  const asAdmin = (line: string) => platform().world.request(line, { as: platform().world.admin })
  const list = async (line: string, more: Ask = {}): Promise<Fields[]> =>
    (await good(line, more)) as unknown as Fields[]
  const site = () => platform().world.installation({ organization_id: 1 })
  const unique = (word: string) => platform().world.unique(word)
  const address = { address: '', city: '', country: '', zip: '' }

  /** One object of each kind that has metadata, by its path. */
  const owners = async (): Promise<string[]> => {
    const { id } = await site()
    const made = async (path: string, body: object) =>
      `${path}/${(await good(`POST ${path}`, { body }))['id']}`
    return [
      `/api/v2/installation/${id}`,
      await made(`/api/v2/functionx/${id}`, { type: 'x' }),
      await made(`/api/v2/devicex/${id}`, { type: 'x' }),
      await made('/api/v2/organization', { name: 'x', parent: 1 }),
      await made('/api/v2/user', {
        ...{ email: `${unique('u')}@example.org`, first_name: '', last_name: '' },
        ...{ role: 3, address }
      })
    ]
  }

  describe('0.3 status codes and bodies', () => {
    test('errors outside a route are JSON with a message', async () => {
      const { world } = platform()
      const user = await world.user()
      const headers = {
        authorization: `Basic ${Buffer.from(`${user.email}:wrong`).toString('base64')}`
      }
      const signIn = () => world.request('POST /lynx/api/v2/auth', { headers })
      for (let i = 0; i < 10; i++) await signIn()
      const answers: [number, Answer][] = [
        [429, await signIn()],
        [413, await lynx('POST /api/v2/role', { body: 'x'.repeat(2 * 1024 * 1024) })],
        [404, await lynx('PATCH /api/v2/role')],
        [400, await lynx('GET /api/v2/status/%00')],
        [403, await lynx('GET /api/v2/edge/app/999999/download?version=1')],
        [400, await lynx('GET /api/v3beta/search?q=*&limit=99999')]
      ]
      for (const [status, { status: given, json, text }] of answers) {
        assert.equal(given, status, text)
        assert.equal(typeof (json as Fields)['message'], 'string', text)
      }
    })

    test('a download has the uploaded content, and its error is JSON', async () => {
      const app = await good('POST /api/v2/edge/app', {
        body: { name: 'x', publisher: { id: 1 } }
      })
      const at = `/api/v2/edge/app/${app['id']}`
      const part = (name: string, text: string) =>
        `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n` +
        `Content-Type: application/octet-stream\r\n\r\n${text}\r\n`
      const body = `${part('app_lua', 'print(1)')}${part('app_json', '{}')}--b--\r\n`
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const { hash } = await good(`POST ${at}/version`, { headers, body })
      const script = await lynx(`GET ${at}/download?version=${hash}`)
      assert.deepEqual([script.status, script.text], [200, 'print(1)'])
      const missing = await lynx(`GET ${at}/download?version=9.9`)
      assert.equal(missing.status, 404)
      assert.deepEqual(missing.json, { message: 'Not found' })
    })

    test('every deletion and reset answers {message} and nothing else', async () => {
      const { world } = platform()
      const { id } = await site()
      const user = await world.user({
        ...{ grants: ['#'], organizations: [1], assigned: [id], priority: 1000 }
      })
      const role = await good('POST /api/v2/role', { body: { name: unique('r'), priority: 1 } })
      const key = await good('POST /api/v2/user/me/security/token', { body: { name: 'k' } })
      const policy = await good('POST /api/v2/user/registration/policy', {
        body: { email_pattern: '*@x.example', role_id: 3 }
      })
      const entry = await good('POST /api/v2/blacklist/topic', {
        body: { topic: '9/y', mode: 'block', enabled: false, reason: '', count: 0 }
      })
      const organization = await world.organization()
      await platform().deps.directory.catchUp()
      for (const line of [
        `DELETE /api/v2/role/${role['id']}`,
        `DELETE /api/v2/user/me/security/token/${key['id']}`,
        `DELETE /api/v2/user/registration/policy/${policy['id']}`,
        `DELETE /api/v2/blacklist/topic/${entry['id']}`,
        `POST /api/v2/gateway/reset/${id}`,
        `POST /api/v2/organization/${organization}/force_password_reset`
      ]) {
        assert.deepEqual(
          keysOf(await good(line, { as: line.includes('me/') ? world.admin : user })),
          ok
        )
      }
      const body = { first_name: 'a', last_name: 'b', email: `${unique('u')}@x.example` }
      assert.deepEqual(keysOf(await good('POST /api/v2/user/register', { body })), ok)
      for (const owner of await owners()) {
        await good(`POST ${owner}/meta/k`, { body: { value: 'v' } })
        assert.deepEqual(keysOf(await good(`DELETE ${owner}/meta/k`)), ok, owner)
      }
    })
  })

  describe('0.4 bodies that clients send', () => {
    test('Value and Protected with capitals work on everything that has metadata', async () => {
      for (const owner of await owners()) {
        const at = `${owner}/meta/k`
        const made = await good(`POST ${at}`, { body: { Value: 'v', Protected: true } })
        assert.deepEqual(made, { value: 'v', protected: true }, owner)
        const put = await good(`PUT ${at}?silent=false&create_missing=false`, {
          body: { Value: 'w', Protected: false }
        })
        assert.deepEqual(put, { value: 'w', protected: false }, owner)
      }
    })

    test('{} and null mean an empty list in a body that is sent back', async () => {
      const app = await good('POST /api/v2/edge/app', {
        body: { name: 'x', tags: ['a'], publisher: { id: 1 } }
      })
      const role = await good('POST /api/v2/role', { body: { name: unique('r'), priority: 1 } })
      for (const none of [{}, null]) {
        const [installation, , , organization, user] = await owners()
        const puts: [string, Fields][] = [
          [`${installation}`, { users: none }],
          [`${organization}`, { children: none }],
          [`${user}`, { organisations: none, assigned_installations: none }],
          [`/api/v2/edge/app/${app['id']}`, { tags: none, publisher: { id: 1, apps: none } }],
          [`/api/v2/role/${role['id']}`, { permissions: none }]
        ]
        for (const [path, body] of puts) await good(`PUT ${path}`, { body })
      }
    })

    test('a body is read as JSON, whatever its content type is', async () => {
      const { world } = platform()
      for (const type of ['json', 'application/json, application/json', 'a b/c', ';', 'text/plain'])
        for (const line of ['PUT /lynx/api/v2/user/me', 'PUT /api/v2/user/me']) {
          const { status, text } = await world.request(line, {
            ...{ as: world.admin, body: { first_name: 'Ada' } },
            headers: { 'content-type': type }
          })
          assert.equal(status, 200, `${type}: ${text}`)
          assert.match(text, /"first_name":"Ada"/)
        }
    })

    test('the installation in a body is ignored, the path decides', async () => {
      const [here, other] = [await site(), await site()]
      for (const room of ['functionx', 'devicex']) {
        for (const installation_id of [other.id, String(other.id), 0, null]) {
          const body = { type: 'x', installation_id }
          const made = await good(`POST /api/v2/${room}/${here.id}`, { body })
          assert.equal(made['installation_id'], here.id)
          const at = `/api/v2/${room}/${here.id}/${made['id']}`
          const put = await good(`PUT ${at}`, { body: { ...made, installation_id, id: 1 } })
          assert.deepEqual([put['installation_id'], put['id']], [here.id, made['id']])
        }
        assert.deepEqual(await list(`GET /api/v2/${room}/${other.id}`), [])
      }
    })

    test('PUT of a schedule with a value as text, empty fields and dat_of_month', async () => {
      const { id } = await site()
      const made = await good(`POST /api/v2/schedule/${id}`, {
        body: { topic: 'x', value: 1, active: false, hour: '6' }
      })
      const { day_of_month: _, ...rest } = made
      const put = await good(`PUT /api/v2/schedule/${id}/${made['id']}`, {
        body: { ...rest, value: '2.5', hour: '', dat_of_month: '4' }
      })
      assert.deepEqual([put['value'], put['hour'], put['day_of_month']], [2.5, '*', '4'])
    })

    test('DELETE with a body works everywhere', async () => {
      for (const owner of (await owners()).toReversed()) {
        await good(`POST ${owner}/meta/k`, { body: { value: 'v' } })
        const record = await good(`GET ${owner}`)
        await good(`DELETE ${owner}/meta/k`, { body: { value: 'v', protected: false } })
        await good(`DELETE ${owner}`, { body: record })
      }
    })
  })

  describe('0.5 queries that clients send', () => {
    test('silent, create_missing and untagged as Python writes them', async () => {
      const { world } = platform()
      const { id, client_id } = await site()
      const published = (query: string) =>
        world.published(() =>
          good(`PUT /api/v2/installation/${id}/meta/k?${query}`, { body: { value: 'v' } })
        )
      assert.deepEqual(await published('silent=True&create_missing=True'), [])
      const told = [`${client_id}/evt/installation/updated`]
      assert.deepEqual(await published('silent=False&create_missing=False'), told)
      const missing = await lynx(`PUT /api/v2/installation/${id}/meta/new?create_missing=False`, {
        body: { value: 'v' }
      })
      assert.equal(missing.status, 404)
      const app = await good('POST /api/v2/edge/app', {
        body: { name: 'x', publisher: { id: 1 } }
      })
      for (const untagged of ['True', 'False', 'true', 'false', '1', '0']) {
        await list(`GET /api/v2/edge/app/${app['id']}/version?untagged=${untagged}`)
      }
    })

    test('topics of the log repeated, with commas, with and without the client id', async () => {
      const { world } = platform()
      const { id, client_id } = await site()
      for (const topic of ['a', 'b', 'c']) {
        await world.publish(world.admin, `${client_id}/obj/${topic}`, { value: 1 })
      }
      for (const topics of [
        'topics=obj/a&topics=obj/b',
        'topics=obj/a,obj/b',
        `topics=${client_id}/obj/a,${client_id}/obj/b`,
        `topics=${client_id}%2Fobj%2Fa&topics=obj%2Fb`
      ]) {
        await eventually(async () => {
          const { data } = await good(`GET /api/v3beta/log/${id}?order=asc&${topics}`)
          assert.deepEqual(
            (data as Fields[]).map(({ topic }) => topic),
            [`${client_id}/obj/a`, `${client_id}/obj/b`],
            topics
          )
        })
      }
    })

    test('wildcards that a client does not encode are read as other text and do no harm', async () => {
      const { world } = platform()
      const { id, client_id } = await site()
      await world.publish(world.admin, `${client_id}/obj/a`, { value: 1 })
      for (const topics of ['obj/+', 'obj/', 'obj/*', '*', '+']) {
        assert.deepEqual(await list(`GET /api/v2/status/${id}?topics=${topics}`), [], topics)
        const { count } = await good(`GET /api/v3beta/log/${id}?topics=${topics}`)
        assert.equal(count, 0, topics)
      }
      assert.equal((await list(`GET /api/v2/status/${id}?topics=obj/%2B`)).length, 1)
      assert.equal((await list(`GET /api/v2/status/${id}?topics=obj/%23`)).length, 1)
    })

    test('metadata filters with dots, on every list that has them', async () => {
      for (const owner of await owners()) {
        const value = unique('v')
        await good(`PUT ${owner}/meta/example.type?create_missing=true`, { body: { value } })
        const room = owner.slice(0, owner.lastIndexOf('/'))
        const found = await list(`GET ${room}?example.type=${value}&type=`)
        assert.equal(found.length, 1, owner)
        assert.deepEqual(await list(`GET ${room}?example.type=${value}x`), [], owner)
      }
    })

    test('time windows of a log work as each client writes them', async () => {
      const { world } = platform()
      const { id, client_id } = await site()
      await world.publish(world.admin, `${client_id}/obj/a`, { value: 1 })
      const now = Date.now() / 1000
      for (const [from, to] of [
        [(now - 60).toFixed(3), (now + 60).toFixed(3)],
        [(now - 60).toFixed(6), (now + 60).toFixed(6)],
        [Math.floor(now - 60), Math.ceil(now + 60)],
        // The zero value of Go's time.Time.
        [-62135596800, Math.ceil(now + 60)],
        [Math.floor(now - 60), -62135596800]
      ]) {
        await eventually(async () => {
          const query = `from=${from}&to=${to}&limit=500&offset=0&order=desc`
          assert.equal((await good(`GET /api/v3beta/log/${id}?${query}`))['count'], 1)
        })
      }
    })
  })

  describe('0.6 paths that clients write', () => {
    test('metadata keys work raw and encoded, with every method and on everything', async () => {
      for (const owner of await owners()) {
        for (const [one, other] of [
          ['k/x', 'k%2Fx'],
          ['a%20b', 'a%20b'],
          ['app.id', 'app%2Eid']
        ]) {
          await good(`POST ${owner}/meta/${one}`, { body: { value: 'v' } })
          await good(`PUT ${owner}/meta/${other}`, { body: { value: 'w' } })
          assert.equal((await good(`GET ${owner}/meta/${one}`))['value'], 'w', owner)
          await good(`DELETE ${owner}/meta/${other}`)
        }
      }
    })

    test('slashes in a metadata key belong to the key, extra slashes elsewhere are ignored', async () => {
      const { id } = await site()
      const at = `/api/v2/installation/${id}`
      const keys = ['a/b', 'a//b', 'a/b/', '/a', 'http://x/meta/y']
      for (const key of keys) await good(`POST ${at}/meta/${key}`, { body: { value: key } })
      for (const prefix of ['/lynx', '']) {
        for (const key of keys) {
          const { json } = await asAdmin(`GET ${prefix}/${at}//meta/${key}`)
          assert.deepEqual(json, { value: key, protected: false }, prefix + key)
        }
      }
      await good(`DELETE ${at}/meta/a//b`)
      assert.equal((await good(`GET ${at}/meta/a/b`))['value'], 'a/b')
      assert.equal((await lynx(`GET ${at}/meta/a//b`)).status, 404)
      assert.equal((await good(`GET /${at}//`))['id'], id)
    })

    test('a malformed address is 400 with a message', async () => {
      for (const path of ['/lynx/api/v2/%E4', '/api/v2/user/me/meta/100%', '/%']) {
        const { status, json, headers } = await asAdmin(`GET ${path}`)
        assert.deepEqual([status, json], [400, { message: 'the URL is malformed' }], path)
        assert.match(String(headers.get('x-request-id')), /^[\w-]{36}$/)
      }
    })

    test('literals win over ids', async () => {
      assert.equal((await good('GET /api/v2/user/me'))['id'], platform().world.admin.id)
      await list('GET /api/v2/user/registration/policy')
      await list('GET /api/v2/user/me/security/token')
      const body = { current_password: 'x', new_password: 'y' }
      assert.equal((await lynx('PUT /api/v2/user/password', { body })).status, 400)
    })
  })

  describe('0.7 keys and numbers of newer resources', () => {
    test('registration policies and the topic blacklist', async () => {
      const at = '/api/v2/user/registration/policy'
      const body = { email_pattern: '*@x.example', role_id: 3, organization_id: 1 }
      const policy = await good(`POST ${at}`, { body })
      const one = `${at}/${policy['id']}`
      for (const found of [
        policy,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: policy }),
        (await list(`GET ${at}`)).at(-1)
      ]) {
        assert.deepEqual(found, { id: policy['id'], ...body })
      }
      const entries = '/api/v2/blacklist/topic'
      const given = { topic: '+/x/#', mode: 'block', enabled: false, reason: 'r', count: 0 }
      const entry = await good(`POST ${entries}`, { body: given })
      const other = `${entries}/${entry['id']}`
      for (const found of [
        entry,
        await good(`GET ${other}`),
        await good(`PUT ${other}`, { body: entry }),
        (await list(`GET ${entries}`)).at(-1)
      ]) {
        assert.deepEqual(found, { id: entry['id'], ...given })
      }
    })

    test('roles and tokens', async () => {
      const role = await good('POST /api/v2/role', {
        body: { name: unique('r'), priority: 1, permissions: { 'external/node-red/x': true } }
      })
      assert.deepEqual(keysOf(role), ['id', 'name', 'permissions', 'priority'])
      const body = { name: 'k', expire: 0, session_timeout: 0 }
      const made = await good('POST /api/v2/user/me/security/token', { body })
      const numbers = ['id', 'created', 'expire', 'session_timeout', 'last_used']
      const keys = [...numbers, 'accessed', 'agent', 'current', 'name', 'type'].sort()
      assert.deepEqual(keysOf(made), [...keys, 'token'].sort())
      for (const name of numbers) assert(Number.isInteger(made[name]), name)
      const [first = {}] = await list('GET /api/v2/user/me/security/token')
      assert.deepEqual(keysOf(first), keys)
    })

    test('custom permission names of a role come back unchanged', async () => {
      const { world } = platform()
      const user = await world.user({ grants: ['external/node-red/editor'] })
      const permissions = await good('GET /api/v2/permission', { as: user })
      assert.equal(permissions['external/node-red/editor'], true)
    })

    test('only values have times with decimals', async () => {
      const { id } = await site()
      await good(`POST /api/v2/functionx/${id}`, { body: { type: 'x' } })
      const found = [
        ...(await list(`GET /api/v2/functionx/${id}`)),
        ...(await list('GET /api/v2/installation')),
        ...(await list('GET /api/v2/edge/app'))
      ]
      for (const { created = 0, updated = 0 } of found) {
        assert(Number.isInteger(created) && Number.isInteger(updated))
      }
    })
  })
})
