import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { issueResetKey } from '../../src/identity/tokens.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { bodyTolerances, differences } from '../../src/lynx.ts'
import { routeTable } from '../../tools/pages.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Answer, World } from '../support/world.ts'

type Fields = Record<string, unknown>
type Ask = { body?: unknown; headers?: Record<string, string>; token?: string }

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
const json = { 'content-type': 'application/json' }
const address = { address: '', city: '', country: '', zip: '' }
const keysOf = (object: unknown): string[] => Object.keys(object as object).sort()

/** The strictest client accepts exactly these keys and fails on any other. */
const keySets = {
  object: ['created', 'id', 'installation_id', 'meta', 'protected_meta', 'type', 'updated'],
  status: ['client_id', 'installation_id', 'msg', 'timestamp', 'topic', 'value'],
  logPage: ['count', 'data', 'last', 'total'],
  installationInfo: ['assigned', 'capabilities', 'client_id', 'id', 'name', 'organization_id'],
  installation: [
    'client_id',
    'created',
    'id',
    'meta',
    'name',
    'notes',
    'organization_id',
    'protected_meta',
    'users'
  ],
  user: [
    'address',
    'assigned_installations',
    'email',
    'expire_at',
    'first_name',
    'id',
    'last_name',
    'meta',
    'mobile',
    'note',
    'organisations',
    'protected_meta',
    'role',
    'sms_login'
  ],
  organization: [
    'address',
    'children',
    'email',
    'force_sms_login',
    'id',
    'meta',
    'name',
    'notes',
    'parent',
    'phone',
    'protected_meta'
  ],
  schedule: [
    'active',
    'created_at',
    'day_of_month',
    'day_of_week',
    'executor',
    'hour',
    'id',
    'installation_id',
    'minute',
    'month',
    'topic',
    'updated_at',
    'value'
  ],
  edgeApp: [
    'category',
    'created',
    'description',
    'id',
    'name',
    'official',
    'public',
    'publisher',
    'short_description',
    'source_url',
    'tags',
    'updated'
  ],
  version: ['hash', 'name', 'timestamp'],
  instance: ['app_id', 'config', 'created', 'id', 'installation_id', 'name', 'updated', 'version'],
  // One client fails on `installation_id`, two others need it.
  message: ['id', 'installation_id', 'name', 'text'],
  output: [
    'config',
    'id',
    'installation_id',
    'name',
    'notification_message_id',
    'notification_output_executor_id'
  ],
  executor: ['config', 'id', 'name', 'organization_id', 'type'],
  managedExecutor: ['config', 'id', 'name', 'organization_id', 'secret', 'type'],
  metaObject: ['protected', 'value'],
  ok: ['message']
}

test('every row of the tables names a route', async () => {
  const routes = (await routeTable()).map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(
    [...Object.keys(differences), ...Object.keys(bodyTolerances)].filter(
      (route) => !routes.includes(route)
    ),
    []
  )
})

onRegistryMatrix('lynx', (engine) => {
  const { platform } = withPlatform(engine)

  /** `ask('GET /api/v2/...')` at a base URL, as the administrator unless a header says otherwise. */
  const at =
    (base: string) =>
    async (line: string, { body, headers = {}, token }: Ask = {}): Promise<Answer> => {
      const { world } = platform()
      const isSignedIn = Object.keys(headers).some((name) =>
        ['authorization', 'x-api-key'].includes(name)
      )
      const as = token === undefined ? world.admin : { token }
      return world.request(line.replace(' ', ` ${base}`), {
        ...(!isSignedIn && { as }),
        body,
        headers
      })
    }
  const lynx = at('/lynx')
  const api = at('')

  const good = async (line: string, more: Ask = {}): Promise<unknown> => {
    const answer = await lynx(line, more)
    assert.equal(answer.status, 200, `${line}: ${answer.text}`)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, line)
    return answer.json
  }
  const site = () => platform().world.installation({ organization_id: 1, meta: { a: 'b' } })
  const firstOf = (list: unknown): Fields => {
    assert(Array.isArray(list) && list.length > 0)
    return list[0]
  }

  async function withValue(): Promise<{ id: number; client_id: number }> {
    const { world } = platform()
    const { id, client_id } = await site()
    await world.publish(world.admin, `${client_id}/obj/a`, {
      value: 1e-7,
      msg: `"topic":"${client_id}/x`
    })
    return { id, client_id }
  }

  async function makeVersion(appId: number, script: string): Promise<Answer> {
    const form = new FormData()
    form.append('app_json', new Blob(['{}']), 'app.json')
    form.append('app_lua', new Blob([script]), 'app.lua')
    const request = new Request('http://x', { method: 'POST', body: form })
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    return lynx(`POST /api/v2/edge/app/${appId}/version`, { headers, body: await request.text() })
  }

  const makeApp = async () =>
    (await good('POST /api/v2/edge/app', {
      body: { name: 'x', publisher: { id: 1 } }
    })) as { id: number }

  describe('the address', () => {
    test('every route of the API exists there and needs the same sign-in', async () => {
      const { world } = platform()
      for (const { method, path, access } of await routeTable()) {
        if (!path.startsWith('/api/')) continue
        const filled = path.replace(/\{\w+\}/g, '1')
        const { status, text } = await world.request(`${method} /lynx${filled}`)
        const isOpen = access.kind === 'public' && !path.endsWith('/auth')
        if (isOpen) assert.notEqual(status, 404, path)
        else assert.equal(status, 401, `${method} ${path}: ${text}`)
      }
    })
    test('health, metrics and the API page do not exist there', async () => {
      for (const path of ['', '/', '/health/live', '/metrics', '/docs', '/api/v2/nothing']) {
        const { status, json } = await lynx(`GET ${path}`)
        assert.deepEqual({ status, json }, { status: 404, json: { message: 'Not found' } }, path)
      }
    })
    test('the description of the API has each route once', async () => {
      const { json } = await api('GET /docs/openapi.json')
      const { paths } = json as { paths: object }
      assert.deepEqual(
        Object.keys(paths).filter((path) => path.startsWith('/lynx')),
        []
      )
    })
    test('metrics count the two addresses of a route together', async () => {
      const pings = async () => {
        const { text } = await api('GET /metrics')
        const line = /^caracal_http_requests_total\{.*route="\/api\/v2\/ping".*\} (\d+)$/m
        return Number(line.exec(text)?.[1] ?? 0)
      }
      const before = await pings()
      await lynx('GET /api/v2/ping')
      await api('GET /api/v2/ping')
      assert.equal(await pings(), before + 2)
    })
  })

  describe('0.1 sign-in', () => {
    test('every form of sign-in that clients use works', async () => {
      const { world } = platform()
      const { id, client_id } = await site()
      const user = await world.user({ grants: ['#'], organizations: [1] })
      const credential = (await good(`POST /api/v2/gateway/credentials/${id}`)) as Fields
      const forms: Record<string, Record<string, string>> = {
        'X-API-Key': { 'x-api-key': user.token },
        Bearer: { authorization: `Bearer ${user.token}` },
        'Basic with a password': basic(user.email, user.password),
        'Basic of the gateway': basic(String(client_id), String(credential['mqtt_password']))
      }
      for (const name of ['token', 'monitoring', 'grafana', 'api-key']) {
        forms[`Basic ${name}`] = basic(name, user.token)
      }
      for (const [form, headers] of Object.entries(forms)) {
        const { status, text } = await lynx(`GET /api/v2/status/${id}`, { headers })
        assert.equal(status, 200, `${form}: ${text}`)
      }
    })
    test('a password with colons and letters beyond ASCII', async () => {
      const { world } = platform()
      const user = await world.user()
      const password = 'på:ss:wörd och mer'
      const change = { current_password: user.password, new_password: password }
      await good('PUT /api/v2/user/me/password', { token: user.token, body: change })
      const headers = basic(user.email, password)
      assert.deepEqual(keysOf(await good('POST /api/v2/auth', { headers })), ['token'])
    })
  })

  test('0.2 a body is JSON whatever Content-Type says', async () => {
    const { id } = await site()
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/json; charset=UTF-8',
      'application/json',
      'application/octet-stream'
    ]) {
      const headers = { 'content-type': type, accept: '*/*' }
      await good(`POST /api/v2/functionx/${id}`, { headers, body: { type: 'x' } })
    }
    // A buffer is sent without a content type.
    const { token } = platform().world.admin
    const response = await fetch(`${platform().url}/lynx/api/v2/functionx/${id}`, {
      method: 'POST',
      headers: { 'x-api-key': token },
      body: Buffer.from('{"type":"x"}')
    })
    assert.equal(response.status, 200)
  })

  describe('0.3 status codes and bodies', () => {
    /** The same request under both addresses: the answer of the contract, and the one that clients need. */
    const pairs: Record<string, (ask: typeof lynx, world: World) => Promise<Answer>> = {
      'DELETE auth': async (ask, world) => {
        const { token } = await world.user()
        return ask('DELETE /api/v2/auth', { token })
      },
      'POST auth/reset_password': async (ask) =>
        ask('POST /api/v2/auth/reset_password', { body: { email: 'nobody@example.org' } }),
      'PUT auth/reset_password': async (ask, world) => {
        const { id } = await world.user()
        const key = await issueResetKey(platform().deps.registry, id, unixMs(Date.now()))
        const body = { password: 'a new and long password' }
        return ask('PUT /api/v2/auth/reset_password', { headers: { 'x-api-key': key }, body })
      }
    }
    for (const [name, request] of Object.entries(pairs)) {
      test(`${name}: {message}, under /api no body`, async () => {
        const { world } = platform()
        const here = await request(lynx, world)
        assert.equal(here.status, 200, here.text)
        assert.match(here.headers.get('content-type') ?? '', /^application\/json/)
        assert.deepEqual(keysOf(here.json), keySets.ok)
        const there = await request(api, world)
        assert.deepEqual([there.status, there.text], [200, ''])
        assert.equal(there.headers.get('content-type'), null)
      })
    }

    test('PUT auth/reset_password with a wrong key: {message}, under /api no body', async () => {
      const wrong = { headers: { 'x-api-key': 'x' }, body: { password: 'a new and long password' } }
      const here = await lynx('PUT /api/v2/auth/reset_password', wrong)
      assert.equal(here.status, 400)
      assert.deepEqual(here.json, { message: 'the key is not valid' })
      const malformed = await lynx('PUT /api/v2/auth/reset_password', { body: '{' })
      assert.deepEqual(malformed.json, { message: 'body is not valid JSON' })
      const there = await api('PUT /api/v2/auth/reset_password', wrong)
      assert.deepEqual([there.status, there.text], [400, ''])
    })

    test('POST schedule: the schedule, under /api no body', async () => {
      const { id } = await site()
      const body = { topic: 'set/x', value: 1, active: false }
      const made = (await good(`POST /api/v2/schedule/${id}`, { body })) as Fields
      assert.deepEqual(made, await good(`GET /api/v2/schedule/${id}/${made['id']}`))
      const there = await api(`POST /api/v2/schedule/${id}`, { body })
      assert.deepEqual([there.status, there.text], [200, ''])
    })

    test('a sign-in with a second step says so under both names', async () => {
      const { world } = platform()
      const user = await world.user({ sms_login: true, mobile: '+46700000000' })
      const headers = basic(user.email, user.password)
      const here = (await good('POST /api/v2/auth', { headers })) as Fields
      assert.deepEqual(keysOf(here), ['next_step', 'nextstep', 'token'])
      assert.deepEqual([here['nextstep'], here['next_step']], ['smslogin', 'smslogin'])
      const there = await api('POST /api/v2/auth', { headers })
      assert.deepEqual(keysOf(there.json), ['nextstep', 'token'])
    })

    test('every error is JSON with a message', async () => {
      const { world } = platform()
      const { id } = await site()
      await good(`POST /api/v2/installation/${id}/meta/k`, { body: { value: 'v' } })
      const errors: [number, string, Ask?][] = [
        [400, `GET /api/v3beta/log/${id}?limit=x`],
        [400, 'GET /api/v3beta/search'],
        [400, `POST /api/v2/functionx/${id}`, { body: '{' }],
        [401, 'GET /api/v2/user/me', { token: 'x' }],
        [403, 'GET /api/v2/status/999999'],
        [404, `GET /api/v2/functionx/${id}/999999`],
        [404, 'GET /api/v2/nothing'],
        [409, `POST /api/v2/installation/${id}/meta/k`, { body: { value: 'v' } }],
        [414, `GET /api/v2/status/${id}?topics=${'x'.repeat(70_000)}`]
      ]
      for (const [status, line, more] of errors) {
        const answer = await lynx(line, more)
        assert.equal(answer.status, status, line.slice(0, 80))
        assert.equal(typeof (answer.json as Fields)['message'], 'string', line.slice(0, 80))
      }
      const there = await world.request('GET /api/v3beta/search', { as: world.admin })
      assert.deepEqual(keysOf(there.json), ['error'])
    })

    test('uploading the same version again is 204', async () => {
      const { id } = await makeApp()
      const { status, json: made } = await makeVersion(id, 'print(1)')
      assert.deepEqual([status, keysOf(made)], [200, ['hash']])
      assert.equal((await makeVersion(id, 'print(1)')).status, 204)
    })
  })

  describe('0.4 bodies that clients send', () => {
    test('null maps, ids and times, an id as text and a missing id are accepted', async () => {
      const { id } = await site()
      const noise = { id: 0, created: 0, updated: 0, meta: null, protected_meta: null }
      const bodies: Fields[] = [
        { type: 'x', installation_id: id, ...noise },
        { type: 'x', installation_id: id, ...noise, id: null, created: null, updated: null },
        { type: 'x', installation_id: String(id), meta: { name: 'n' } },
        { type: 'x', meta: {} }
      ]
      for (const room of ['functionx', 'devicex']) {
        for (const body of bodies) {
          const made = (await good(`POST /api/v2/${room}/${id}`, { body })) as Fields
          assert.equal(made['installation_id'], id)
          await good(`PUT /api/v2/${room}/${id}/${made['id']}`, { body: { ...made, ...body } })
        }
      }
    })

    test('Value and Protected with capitals', async () => {
      const { id } = await site()
      const line = `/api/v2/installation/${id}/meta/k`
      const body = { Value: 'v', Protected: true }
      assert.deepEqual(await good(`POST ${line}`, { body }), { value: 'v', protected: true })
      const put = { Value: 'w', Protected: false }
      assert.deepEqual(await good(`PUT ${line}`, { body: put }), { value: 'w', protected: false })
    })

    test('{} and null for an empty list', async () => {
      for (const none of [{}, null]) {
        const { world } = platform()
        const app = { name: 'x', tags: none, publisher: { id: 1, name: '', apps: none } }
        assert.deepEqual(
          ((await good('POST /api/v2/edge/app', { body: app })) as Fields)['tags'],
          []
        )
        const user = {
          ...{ id: 0, email: `${world.unique('u')}@example.org`, first_name: '', last_name: '' },
          ...{ role: 3, address, organisations: none, assigned_installations: none }
        }
        await good('POST /api/v2/user', { body: user })
        const name = world.unique('organization')
        await good('POST /api/v2/organization', {
          body: { id: 0, name, parent: 1, children: none, password_valid_days: 0 }
        })
        await good('POST /api/v2/installation', {
          body: { name, organization_id: 1, users: none, notes: '', meta: none }
        })
        await good('POST /api/v2/role', { body: { name, priority: 1, permissions: none } })
      }
    })

    test('a schedule with empty fields, a value as text, without active, with dat_of_month', async () => {
      const { id } = await site()
      const empty = { minute: '', hour: '', day_of_month: '', day_of_week: '', month: '' }
      const bodies: [Fields, Fields][] = [
        [
          { ...empty, executor: '', value: 1, active: false },
          { minute: '*', executor: 'gateway' }
        ],
        [
          { ...empty, value: '21.5' },
          { value: 21.5, active: true }
        ],
        [{ dat_of_month: '3', value: 1 }, { day_of_month: '3' }]
      ]
      for (const [body, want] of bodies) {
        const sent = { topic: 'x', id: 0, created_at: 0, updated_at: 0, ...body }
        const made = (await good(`POST /api/v2/schedule/${id}`, { body: sent })) as Fields
        assert.deepEqual({ ...made, ...want }, made)
        // It would run every minute, and other tests would hear it.
        await good(`DELETE /api/v2/schedule/${id}/${made['id']}`)
      }
    })

    test('DELETE with a body', async () => {
      const { id } = await site()
      const made = (await good(`POST /api/v2/functionx/${id}`, { body: { type: 'x' } })) as Fields
      const line = `DELETE /api/v2/functionx/${id}/${made['id']}`
      assert.deepEqual(keysOf(await good(line, { headers: json, body: made })), keySets.ok)
    })
  })

  describe('0.5 queries that clients send', () => {
    test('booleans in every spelling, and assigned_only', async () => {
      const { world } = platform()
      const { id } = await site()
      const user = await world.user({ grants: ['#'], organizations: [1], assigned: [id] })
      const infos = async (query: string): Promise<number> => {
        const list = await good(`GET /api/v2/installationinfo?${query}`, { token: user.token })
        return (list as unknown[]).length
      }
      for (const yes of ['true', 'True', '1']) {
        assert.equal(await infos(`assigned=${yes}`), 1)
        assert.equal(await infos(`assigned_only=${yes}`), 1)
      }
      for (const no of ['false', 'False', '0']) assert((await infos(`assigned=${no}`)) > 1)
    })

    test('an empty query, and empty values', async () => {
      const { id } = await withValue()
      for (const path of ['functionx', 'devicex', 'status', 'schedule']) {
        await good(`GET /api/v2/${path}/${id}?`)
      }
      await good('GET /api/v2/user?')
      await good(`POST /api/v2/functionx/${id}`, { body: { type: 'x' } })
      assert.equal(((await good(`GET /api/v2/functionx/${id}?type=`)) as unknown[]).length, 1)
    })

    test('a log without aggregation in the words of older clients', async () => {
      const { id, client_id } = await withValue()
      const query = 'from=1&to=1e11&limit=0&offset=0&order=&aggr_method=&aggr_interval=0s'
      await eventually(async () => {
        const page = (await good(
          `GET /api/v3beta/log/${id}?${query.replace('1e11', '99999999999')}&include_total=false`
        )) as Fields
        assert.equal(page['count'], 1)
        const { topic, msg } = firstOf(page['data'])
        assert.deepEqual([topic, msg], [`${client_id}/obj/a`, `"topic":"${client_id}/x`])
      })
    })

    test('intervals as Go writes them, moments with decimals', async () => {
      const { id } = await site()
      const now = Date.now() / 1000
      const window = `from=${(now - 3600).toFixed(6)}&to=${now.toFixed(3)}`
      for (const interval of ['1h0m0s', '10m0s', '24h0m0s', '1m0s', '10m']) {
        const aggregation = `aggr_method=percentile%2890%29&aggr_interval=${interval}`
        await good(`GET /api/v3beta/log/${id}?${window}&${aggregation}`)
      }
    })

    test('topics repeated, with commas, with and without the client id', async () => {
      const { world } = platform()
      const { id, client_id } = await withValue()
      await world.publish(world.admin, `${client_id}/obj/b`, { value: 2 })
      for (const topics of [
        'topics=obj/a&topics=obj/b',
        'topics=obj/a,obj/b',
        `topics=${client_id}/obj/a&topics=${client_id}%2Fobj%2Fb`
      ]) {
        const list = (await good(`GET /api/v2/status/${id}?${topics}`)) as Fields[]
        assert.deepEqual(
          list.map(({ topic }) => topic),
          ['obj/a', 'obj/b'],
          topics
        )
      }
    })

    test('metadata filters with dots and slashes; none found is an empty list', async () => {
      const { id } = await site()
      const meta = { 'app.id': '7', topic_read: 'obj/z2m/x' }
      await good(`POST /api/v2/functionx/${id}`, { body: { type: 'zigbee', meta } })
      const find = async (query: string) =>
        ((await good(`GET /api/v2/functionx/${id}?${query}`)) as unknown[]).length
      assert.equal(await find('app.id=7&topic_read=obj/z2m/x&type=*zig*'), 1)
      assert.equal(await find('app.id=8'), 0)
    })
  })

  describe('0.6 paths that clients write', () => {
    test('slashes too many', async () => {
      for (const path of ['//lynx/api/v2/ping', '/lynx//api/v2/ping', '/lynx/api/v2//ping/']) {
        const { status } = await platform().world.request(`GET ${path}`)
        assert.equal(status, 200, path)
      }
    })

    test('metadata keys, raw and encoded', async () => {
      const { id } = await site()
      const line = `/api/v2/installation/${id}/meta`
      for (const [encoded, raw] of [
        ['a%2Fb%20c', 'a/b%20c'],
        ['k%26force%3Dtrue', 'k&force=true']
      ]) {
        await good(`POST ${line}/${encoded}`, { body: { value: 'v' } })
        const found = await good(`GET ${line}/${raw}`)
        assert.deepEqual(found, { value: 'v', protected: false })
      }
    })

    test('DELETE organization/2&force=true', async () => {
      const { world } = platform()
      const id = await world.organization()
      await world.organization(id)
      await platform().deps.directory.catchUp()
      const there = await api(`DELETE /api/v2/organization/${id}&force=true`)
      assert.equal(there.status, 400)
      const answer = await good(`DELETE /api/v2/organization/${id}&force=true`)
      assert.deepEqual(keysOf(answer), keySets.ok)
    })

    test('devicexx, and the list of installations of an old data source', async () => {
      const { id } = await site()
      await good(`POST /api/v2/devicex/${id}`, { body: { type: 'x', meta: { a: 'b' } } })
      const devices = await good(`GET /api/v2/devicexx/${id}?a=b`)
      assert.deepEqual(keysOf(firstOf(devices)), keySets.object)
      const headers = basic('grafana', platform().world.admin.token)
      const infos = await good('GET /api/v2/installationinfo/grafana/ds', { headers })
      assert.deepEqual(keysOf(firstOf(infos)), keySets.installationInfo)
      assert.equal((await api(`GET /api/v2/devicexx/${id}`)).status, 404)
    })
  })

  describe('0.7 keys and numbers', () => {
    const isWhole = (object: Fields, names: string[]) => {
      for (const name of names) assert(Number.isInteger(object[name]), `${name}: ${object[name]}`)
    }

    test('functions, devices and their metadata', async () => {
      const { id } = await site()
      for (const room of ['functionx', 'devicex']) {
        const line = `/api/v2/${room}/${id}`
        const body = { type: 'x', meta: { k: 'v' } }
        const made = (await good(`POST ${line}`, { body })) as Fields
        const one = `${line}/${made['id']}`
        for (const object of [
          made,
          await good(`GET ${one}`),
          await good(`PUT ${one}`, { body }),
          firstOf(await good(`GET ${line}`))
        ]) {
          assert.deepEqual(keysOf(object), keySets.object)
          isWhole(object as Fields, ['id', 'installation_id', 'created', 'updated'])
        }
        assert.deepEqual(keysOf(await good(`GET ${one}/meta/k`)), keySets.metaObject)
        const put = await good(`PUT ${one}/meta/k?silent=false&create_missing=false`, {
          body: { value: 'w' }
        })
        assert.deepEqual(keysOf(put), keySets.metaObject)
        assert.deepEqual(keysOf(await good(`DELETE ${one}/meta/k`)), keySets.ok)
        assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
      }
    })

    test('protected_meta is missing without the grant', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['functionx/create_delete/all'])
      const made = await good(`POST /api/v2/functionx/${installation.id}`, {
        token: user.token,
        body: { type: 'x' }
      })
      assert.deepEqual(
        keysOf(made),
        keySets.object.filter((key) => key !== 'protected_meta')
      )
    })

    test('status: topics without the client id, under /api with it', async () => {
      const { id, client_id } = await withValue()
      for (const line of [`GET /api/v2/status/${id}`, `POST /api/v2/status/${id}`]) {
        const body = line.startsWith('POST') ? { body: [] } : {}
        const here = await lynx(line, body)
        const entry = firstOf(here.json)
        assert.deepEqual(keysOf(entry), keySets.status)
        assert.equal(entry['topic'], 'obj/a')
        assert.equal(entry['msg'], `"topic":"${client_id}/x`)
        isWhole(entry, ['client_id', 'installation_id'])
        // One client calculates with the digits of the text.
        assert.match(here.text, /"value":0\.0000001,/)
        assert.equal(firstOf((await api(line, body)).json)['topic'], `${client_id}/obj/a`)
      }
    })

    test('HEAD of status has the same length as GET', async () => {
      const { id } = await withValue()
      const path = `${platform().url}/lynx/api/v2/status/${id}`
      const headers = { 'x-api-key': platform().world.admin.token }
      const head = await fetch(path, { method: 'HEAD', headers })
      const { length } = await (await fetch(path, { headers })).text()
      assert.equal(head.headers.get('content-length'), String(length))
    })

    test('the log: topics with the client id', async () => {
      const { id, client_id } = await withValue()
      await eventually(async () => {
        const page = (await good(`POST /api/v3beta/log/${id}`, { body: [] })) as Fields
        assert.deepEqual(keysOf(page), keySets.logPage)
        isWhole(page, ['total', 'count'])
        const entry = firstOf(page['data'])
        assert.deepEqual(keysOf(entry), keySets.status)
        assert.equal(entry['topic'], `${client_id}/obj/a`)
      })
    })

    test('installation info', async () => {
      const { client_id } = await site()
      const list = await good('GET /api/v2/installationinfo')
      const one = await good(`GET /api/v2/installationinfo/${client_id}?assigned=false`)
      for (const info of [firstOf(list), one]) {
        assert.deepEqual(keysOf(info), keySets.installationInfo)
        isWhole(info as Fields, ['id', 'client_id', 'organization_id'])
      }
    })

    test('installations show no timezone, and keep the one they have', async () => {
      const body = { name: 'x', organization_id: 1, timezone: 'Europe/Stockholm' }
      const made = (await good('POST /api/v2/installation', { body })) as Fields
      const one = `/api/v2/installation/${made['id']}`
      for (const installation of [
        made,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: made }),
        firstOf(await good('GET /api/v2/installation'))
      ]) {
        assert.deepEqual(keysOf(installation), keySets.installation)
        isWhole(installation as Fields, ['id', 'client_id', 'organization_id', 'created'])
      }
      const there = (await api(`GET ${one}`)).json as Fields
      assert.equal(there['timezone'], 'Europe/Stockholm')
      assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
    })

    test('users', async () => {
      const { world } = platform()
      const email = `${world.unique('user')}@example.org`
      const body = { email, first_name: 'a', last_name: 'b', role: 3, address }
      const made = (await good('POST /api/v2/user', { body })) as Fields
      const one = `/api/v2/user/${made['id']}`
      for (const user of [
        made,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: made }),
        await good('GET /api/v2/user/me'),
        firstOf(await good('GET /api/v2/user'))
      ]) {
        assert.deepEqual(keysOf(user), keySets.user)
        isWhole(user as Fields, ['id', 'role', 'expire_at'])
      }
      assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
    })

    test('long lists, which are sent in parts', slow, async () => {
      const { world } = platform()
      const { installation, user: caller } = await world.site(['#'])
      const { id } = installation
      const topics = Array.from({ length: 1000 }, (_, i) => `obj/${'x'.repeat(100)}${i}`)
      const samples = topics.map((topic) => ({ topic }))
      await store(platform(), installation, samples)
      const status = await world.request(`GET /lynx/api/v2/status/${id}`, { as: caller })
      assert(status.text.length > 150_000, status.text.slice(0, 200))
      const shown = (status.json as { topic: string }[]).map(({ topic }) => topic)
      assert.deepEqual(shown.sort(), topics.sort())
      const organizations = [installation.organization_id]
      const note = 'x'.repeat(2000)
      for (let i = 0; i < 100; i++) await world.user({ organizations, note })
      const users = await world.request('GET /lynx/api/v2/user', { as: caller })
      assert.equal((users.json as Fields[]).length, 101)
      for (const user of users.json as Fields[]) assert.deepEqual(keysOf(user), keySets.user)
      for (let i = 0; i < 100; i++) {
        await world.installation({ organization_id: installation.organization_id, notes: note })
      }
      const list = await world.request('GET /lynx/api/v2/installation', { as: caller })
      assert.equal((list.json as Fields[]).length, 101)
      for (const one of list.json as Fields[]) assert.deepEqual(keysOf(one), keySets.installation)
    })

    test('organizations', async () => {
      const body = { name: 'x', parent: 1 }
      const made = (await good('POST /api/v2/organization', { body })) as Fields
      const one = `/api/v2/organization/${made['id']}`
      for (const organization of [
        made,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: made }),
        firstOf(await good('GET /api/v2/organization?minimal=false'))
      ]) {
        assert.deepEqual(keysOf(organization), keySets.organization)
        isWhole(organization as Fields, ['id', 'parent'])
      }
      const [child] = ((await good('GET /api/v2/organization/1')) as { children: Fields[] })
        .children
      assert.deepEqual(keysOf(child), ['id', 'name'])
      const minimal = firstOf(await good('GET /api/v2/organization?minimal=True'))
      assert.deepEqual(keysOf(minimal), ['id', 'name', 'parent'])
      assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
    })

    test('schedules: updated_at is a number, under /api text', async () => {
      const { id } = await site()
      const body = { topic: 'x', value: 1, active: false }
      const line = `/api/v2/schedule/${id}`
      const made = (await good(`POST ${line}`, { body })) as Fields
      const one = `${line}/${made['id']}`
      for (const schedule of [
        made,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: made }),
        firstOf(await good(`GET ${line}`))
      ]) {
        assert.deepEqual(keysOf(schedule), keySets.schedule)
        isWhole(schedule as Fields, ['id', 'installation_id', 'created_at', 'updated_at'])
      }
      for (const line of [one, `${one.slice(0, one.lastIndexOf('/'))}`]) {
        const [there] = [(await api(`GET ${line}`)).json].flat() as Fields[]
        assert.equal(typeof there?.['updated_at'], 'string')
      }
      assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
    })

    test('edge apps, their versions and instances', async () => {
      const { id: app_id } = await makeApp()
      const { id } = await site()
      const app = `/api/v2/edge/app/${app_id}`
      for (const found of [
        await good(`GET ${app}`),
        await good(`PUT ${app}`, { body: { name: 'y', tags: null } }),
        await good('PUT /api/v2/edge/app', { body: { id: app_id, name: 'y' } }),
        firstOf(await good('GET /api/v2/edge/app'))
      ]) {
        assert.deepEqual(keysOf(found), keySets.edgeApp)
        isWhole(found as Fields, ['id', 'created', 'updated'])
      }
      const { hash } = (await makeVersion(app_id, 'print(1)')).json as { hash: string }
      const unnamed = firstOf(await good(`GET ${app}/version?untagged=True`))
      assert.deepEqual(keysOf(unnamed), keySets.version)
      const published = await good(`POST ${app}/publish`, { body: { name: '1.0', hash } })
      assert.deepEqual(keysOf(published), keySets.version)
      isWhole(published as Fields, ['timestamp'])

      const line = `/api/v2/edge/app/configured/${id}`
      const body = { app_id, version: '1.0', name: 'x', config: {} }
      const made = (await good(`POST ${line}`, { body })) as Fields
      const one = `${line}/${made['id']}`
      for (const instance of [
        made,
        await good(`GET ${one}`),
        await good(`PUT ${one}`, { body: made }),
        firstOf(await good(`GET ${line}`))
      ]) {
        assert.deepEqual(keysOf(instance), keySets.instance)
        isWhole(instance as Fields, ['id', 'app_id', 'installation_id', 'created', 'updated'])
      }
      assert.deepEqual(keysOf(await good(`DELETE ${one}`)), keySets.ok)
    })

    test('messages, outputs and executors of notifications', async () => {
      const { id: installation_id } = await site()
      const line = `/api/v2/notification/${installation_id}`
      const executors = '/api/v2/admin/notification/executor'
      const config = { url: 'https://executor.example.org/' }
      // As node-lynx, go-lynx and py-lynx send them.
      const fields = { type: '', name: 'x', organization_id: 0, config }
      const executor = (await good(`POST ${executors}`, { body: fields })) as Fields
      const text = { id: null, name: 'x', text: 'x', installation_id: String(installation_id) }
      const message = (await good(`POST ${line}/message`, { body: text })) as Fields
      const output = (await good(`POST ${line}/output`, {
        body: {
          id: 0,
          installation_id: 0,
          notification_output_executor_id: executor['id'],
          notification_message_id: message['id'],
          config: null
        }
      })) as Fields
      const kinds: [keyof typeof keySets, string, Fields][] = [
        // An object is deleted after the objects that use it.
        ['output', `${line}/output`, output],
        ['message', `${line}/message`, message],
        ['managedExecutor', executors, executor]
      ]
      for (const [kind, list, made] of kinds) {
        for (const found of [
          made,
          await good(`GET ${list}/${made['id']}`),
          await good(`PUT ${list}/${made['id']}`, { body: made }),
          firstOf(await good(`GET ${list}`))
        ]) {
          assert.deepEqual(keysOf(found), keySets[kind])
          isWhole(found as Fields, ['id'])
        }
      }
      for (const path of ['executor', `executor/${executor['id']}`]) {
        const found = await good(`GET ${line}/${path}`)
        assert.deepEqual(keysOf([found].flat()[0]), keySets.executor)
      }
      for (const [, list, made] of kinds) {
        const gone = await good(`DELETE ${list}/${made['id']}`, { body: made })
        assert.deepEqual(keysOf(gone), keySets.ok)
      }
    })

    test('search results have both spellings, and under /api the one of the contract', async () => {
      const { id } = await site()
      const meta = { name: 'n', installationID: 'as written' }
      await good(`POST /api/v2/functionx/${id}`, { body: { type: 'x', meta } })
      const find = '/api/v3beta/search?q=*&types=function&metadata.installationID=as*&limit=0'
      const { results } = (await good(`GET ${find}`)) as { results: Fields[] }
      const there = ((await api(`GET ${find}`)).json as { results: Fields[] }).results
      const [theirs] = there
      assert.deepEqual(results[0], {
        ...theirs,
        installation_id: id,
        meta_matches: theirs?.['metaMatches'],
        metadata: meta
      })
      assert.equal(theirs && 'installation_id' in theirs, false)
    })

    test('permissions have concrete names that clients can look up', async () => {
      const permissions = (await good('GET /api/v2/permission')) as Fields
      assert.equal(permissions['functionx/create_delete/all'], true)
    })
  })

  describe('0.8 long URLs', () => {
    test('414, and then POST with the same query', async () => {
      const { id } = await withValue()
      const topics = Array.from({ length: 5000 }, (_, i) => `topics=obj/some/topic/${i}`).join('&')
      for (const path of [`/api/v2/status/${id}`, `/api/v3beta/log/${id}`]) {
        assert.equal((await lynx(`GET ${path}?${topics}`)).status, 414, path)
      }
      const list = await good(`POST /api/v2/status/${id}`, { body: ['obj/a'] })
      assert.deepEqual(keysOf(firstOf(list)), keySets.status)
      const query = 'limit=0&aggr_method=avg&aggr_interval=1h0m0s'
      await eventually(async () => {
        const line = `POST /api/v3beta/log/${id}?${query}`
        const page = (await good(line, { body: ['obj/a'] })) as Fields
        assert.equal(page['count'], 1)
        assert.deepEqual(keysOf(firstOf(page['data'])), keySets.status)
        assert.equal(Number(firstOf(page['data'])['timestamp']) % 3600, 0)
      })
    })
    test('a URL that is longer than any header is 414 too', async () => {
      const { status } = await lynx(`GET /api/v2/status/1?topics=${'x'.repeat(120_000)}`)
      assert.equal(status, 414)
    })
  })
})
