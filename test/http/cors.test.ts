import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import type { Answer } from '../support/world.ts'

const APP = 'https://app.example.org'
const DEVELOPER = 'http://localhost:5173'
const STRANGER = 'https://app.example.org.evil.example'

/** What an answer tells a browser about other origins. */
const rules = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

const allowed = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Retry-After, Content-Disposition, X-Request-Id, ETag'
})
const preflightOf = (origin: string, method = 'GET', wanted = 'x-api-key') => ({
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': wanted
  }
})

function withOrigins(origins: string) {
  const started: { platform?: TestPlatform } = {}
  before(async () => {
    started.platform = await startTestPlatform({ settings: { CARACAL_CORS_ORIGINS: origins } })
  })
  after(() => started.platform?.stop())
  return (): TestPlatform => {
    assert(started.platform)
    return started.platform
  }
}

describe('without CARACAL_CORS_ORIGINS', () => {
  const platform = withOrigins('')

  test('no answer has a header for other origins, and a preflight is 404', async () => {
    const { world } = platform()
    const answer = await world.request('GET /api/v2/user/me', {
      as: world.admin,
      headers: { origin: APP }
    })
    assert.equal(answer.status, 200)
    assert.deepEqual([rules(answer), answer.headers.get('vary')], [{}, null])
    const preflight = await world.request('OPTIONS /api/v2/user/me', preflightOf(APP))
    assert.equal(preflight.status, 404)
    assert.deepEqual(rules(preflight), {})
  })
})

describe('with a list of origins', () => {
  const platform = withOrigins(`${APP}, ${DEVELOPER}`)

  for (const path of ['/api/v2/user/me', '/lynx/api/v2/user/me', '/api/v3beta/search']) {
    test(`a preflight of ${path} is answered without a sign-in`, async () => {
      const answer = await platform().world.request(
        `OPTIONS ${path}`,
        preflightOf(APP, 'PUT', 'authorization,content-type,x-api-key')
      )
      assert.equal(answer.status, 204)
      assert.equal(answer.text, '')
      assert.deepEqual(rules(answer), {
        ...allowed(APP),
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        'access-control-allow-headers': 'X-API-Key, Authorization, Content-Type, If-Match',
        'access-control-max-age': '600'
      })
      assert.equal(answer.headers.get('vary'), 'Origin')
    })
  }

  test('each origin of the list is named alone, and never with credentials', async () => {
    const { world } = platform()
    for (const origin of [APP, DEVELOPER]) {
      const answer = await world.request('GET /api/v2/user/me', {
        as: world.admin,
        headers: { origin, cookie: 'session=1' }
      })
      assert.equal(answer.status, 200)
      assert.deepEqual(rules(answer), allowed(origin))
      assert.equal(answer.headers.get('vary'), 'Origin')
    }
  })

  test('other origins get no header, and caches are told that the answer depends on the origin', async () => {
    const { world } = platform()
    for (const origin of [STRANGER, 'null', 'http://app.example.org', `${APP}:444`, '*']) {
      const answer = await world.request('GET /api/v2/user/me', {
        as: world.admin,
        headers: { origin }
      })
      assert.deepEqual([origin, rules(answer)], [origin, {}])
      assert.equal(answer.headers.get('vary'), 'Origin')
      const preflight = await world.request('OPTIONS /api/v2/user/me', preflightOf(origin))
      assert.deepEqual([preflight.status, rules(preflight)], [404, {}])
    }
    const same = await world.request('GET /api/v2/user/me', { as: world.admin })
    assert.deepEqual(rules(same), {})
  })

  test('a page can read errors', async () => {
    const { world } = platform()
    const nobody = await world.user()
    const { id } = await world.installation()
    const headers = { origin: APP }
    const ask = async (line: string, more: object, status: number) => {
      const answer = await world.request(line, { headers, ...more })
      assert.deepEqual([line, answer.status, rules(answer)], [line, status, allowed(APP)])
    }
    await ask('GET /api/v2/user/me', {}, 401)
    await ask(`GET /api/v2/status/${id}`, { as: nobody }, 403)
    await ask('GET /api/v2/nothing', {}, 404)
    await ask('GET /lynx/nothing', {}, 404)
    await ask('GET /api/v2/user/me?x=1', { as: world.admin }, 400)
    await ask('GET /api/v2/user/me?x=%00', { as: world.admin }, 400)
    const large = 'x'.repeat(2 * 1024 * 1024)
    await ask('POST /api/v2/installation', { as: world.admin, body: large }, 413)
    await ask(`GET /api/v2/user/me?x=${large.slice(0, 70_000)}`, { as: world.admin }, 414)
    const wrong = { origin: APP, authorization: `Basic ${btoa(`${nobody.email}:wrong`)}` }
    for (let i = 0; i < 10; i++) await ask('POST /api/v2/auth', { headers: wrong }, 401)
    const late = await world.request('POST /api/v2/auth', { headers: wrong })
    assert.deepEqual([late.status, rules(late)], [429, allowed(APP)])
    assert.match(late.headers.get('retry-after') ?? '', /^\d+$/)
  })

  test('only the API is open', async () => {
    const { world } = platform()
    const paths = ['/', '/docs', '/docs/openapi.json', '/health/live', '/health/ready', '/metrics']
    for (const path of [...paths, '/broker/auth', '/apiary', '/mqtt', '/docs/api/']) {
      const answer = await world.request(`GET ${path}`, {
        as: world.admin,
        headers: { origin: APP }
      })
      assert.deepEqual([path, rules(answer)], [path, {}])
      const preflight = await world.request(`OPTIONS ${path}`, preflightOf(APP, 'POST'))
      assert.deepEqual([path, preflight.status, rules(preflight)], [path, 404, {}])
    }
  })

  test('OPTIONS is not in the API description', async () => {
    const { json } = await platform().world.request('GET /docs/openapi.json')
    const { paths } = json as { paths: Record<string, object> }
    assert.deepEqual(
      Object.entries(paths).filter(([path, verbs]) => path.includes('*') || 'options' in verbs),
      []
    )
  })

  test('MQTT over WebSocket takes any origin, because a client signs in inside MQTT', async (t) => {
    const { world, httpPort } = platform()
    const connect = (origin: string, password: string) =>
      mqttClient(t, `ws://127.0.0.1:${httpPort}/mqtt`, {
        username: 'token',
        password,
        wsOptions: { headers: { origin } }
      })
    await connect(STRANGER, world.admin.token)
    await assert.rejects(connect(APP, 'wrong'))
  })
})

describe('with *', () => {
  const platform = withOrigins('*')

  test('every origin may call the API, without credentials', async () => {
    const { world } = platform()
    const answer = await world.request('GET /api/v2/user/me', {
      as: world.admin,
      headers: { origin: STRANGER }
    })
    assert.deepEqual(rules(answer), allowed('*'))
    const preflight = await world.request('OPTIONS /api/v2/user/me', preflightOf(STRANGER))
    assert.equal(preflight.status, 204)
    assert.equal(rules(preflight)['access-control-allow-origin'], '*')
    const page = await world.request('GET /docs', { headers: { origin: STRANGER } })
    assert.deepEqual(rules(page), {})
  })
})
