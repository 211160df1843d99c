import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { VERSION } from '../../src/lib/version.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

onRegistryMatrix('system', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  for (const path of ['/api/v2/ping', '//api/v2/ping', '/api//v2///ping/']) {
    scenario(`GET ${path}`, {
      request: `GET ${path}`,
      expect: { status: 200, body: { message: 'pong' } }
    })
  }

  scenario('GET health/live', {
    request: 'GET /health/live',
    expect: { status: 200, body: { message: 'alive' } }
  })

  scenario('GET health/ready says how each engine is', {
    request: 'GET /health/ready',
    expect: { status: 200 },
    and: ({ json }) => {
      const { status, version, engines } = json as {
        status: string
        version: string
        engines: { registry: object }
      }
      assert.deepEqual([status, version], ['ready', VERSION])
      // Other tests of this platform may have made rules. Then the judge of alarms is shown too.
      const names = Object.keys(engines).filter((name) => name !== 'alarms')
      assert.deepEqual(names, ['registry', 'history', 'bus', 'disk'])
      const detail = engine.name.toLowerCase()
      assert.deepEqual(engines.registry, { ok: true, detail })
    }
  })

  scenario('GET metrics', {
    given: async (world) => {
      const { json } = await world.request('POST /api/v2/user/me/security/token', {
        as: world.admin,
        body: { name: 'prometheus', permissions: ['metrics/read'] }
      })
      return json as { token: string }
    },
    as: (key) => key,
    request: 'GET /metrics',
    expect: { status: 200 },
    and: ({ text, headers }) => {
      assert.match(headers.get('content-type') ?? '', /^text\/plain/)
      const build = `caracal_build_info{version="${VERSION}",node="${process.versions.node}"} 1`
      assert(text.split('\n').includes(build), text)
      for (const name of ['samples_total', 'refused_total', 'spool_samples', 'disk_free_bytes']) {
        assert.match(text, new RegExp(`^# HELP caracal_${name} `, 'm'))
      }
    }
  })
  for (const path of ['/metrics', '/api/v2/ledger']) {
    scenario(`GET ${path} by an administrator of one organization`, {
      given: async (world) =>
        world.user({ grants: ['#'], organizations: [await world.organization()], priority: 1000 }),
      as: (user) => user,
      request: `GET ${path}`,
      expect: forbidden
    })
  }
  scenario('GET metrics without the grant', {
    given: (world) => world.user({ grants: ['installation/#'] }),
    as: (user) => user,
    request: 'GET /metrics',
    expect: forbidden
  })
  scenario('GET metrics without a token', { request: 'GET /metrics', expect: unauthorized })

  for (const path of ['/', '//', '/?']) {
    test(`GET ${path} is the console, with scripts from nowhere else`, async () => {
      const { status, headers } = await fetch(platform().world.url + path, { redirect: 'manual' })
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'self';/)
      assert.equal(headers.get('cache-control'), 'no-store')
    })
  }
  for (const [path, status] of [
    ['/assets/../package.json', 403],
    ['/assets/%2e%2e/%2e%2e/package.json', 403],
    ['/assets/no.js', 404]
  ] as const) {
    test(`GET ${path} is nothing of the console`, async () => {
      const { hostname, port } = new URL(platform().world.url)
      const asked = request({ hostname, port, path }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      assert.equal(answer.statusCode, status)
      assert.deepEqual(Object.keys(JSON.parse(await text(answer))), ['message'])
    })
  }
  test('GET a file of the console may be kept, and is sent compressed', async () => {
    const { url } = platform().world
    const page = await (await fetch(url)).text()
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    const { status, headers } = await fetch(url + script, { headers: { 'accept-encoding': 'br' } })
    assert.equal(status, 200)
    assert.equal(headers.get('content-encoding'), 'br')
    assert.match(headers.get('content-type') ?? '', /javascript/)
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  })
  for (const line of ['GET /lynx', 'GET /lynx/', 'POST /']) {
    scenario(line, { request: line, expect: { status: 404, body: { message: 'Not found' } } })
  }

  scenario('GET docs is a page', {
    request: 'GET /docs',
    expect: { status: 200 },
    and: ({ text, headers }) => {
      assert.match(headers.get('content-type') ?? '', /^text\/html/)
      assert.match(text, /<html/)
    }
  })
  scenario('GET docs/api-page.js', { request: 'GET /docs/api-page.js', expect: { status: 200 } })
  scenario('GET docs/openapi.json describes the routes', {
    request: 'GET /docs/openapi.json',
    expect: { status: 200 },
    and: ({ json }) => {
      type Operation = {
        parameters: { name: string }[]
        requestBody?: { content: object }
        responses: object
      }
      const { info, paths } = json as {
        info: { version: string }
        paths: Record<string, Record<string, Operation>>
      }
      assert.equal(info.version, VERSION)
      assert.deepEqual(Object.keys(paths['/api/v3beta/log/{installation_id}'] ?? {}), [
        'get',
        'post',
        'delete'
      ])
      assert.deepEqual(
        Object.keys(paths).filter((path) => path !== '/' && path.endsWith('/')),
        []
      )
      const bodyOf = (path: string, method = 'post') =>
        Object.keys(paths[`/api/${path}`]?.[method]?.requestBody?.content ?? {}).join()
      assert.equal(bodyOf('v2/edge/app/{app_id}/version'), 'multipart/form-data')
      assert.equal(
        bodyOf('v2/file/installation/{installation_id}/{file_id}', 'put'),
        'multipart/form-data'
      )
      assert.equal(bodyOf('v3beta/log/{installation_id}/import'), 'text/csv,application/x-ndjson')
      assert.equal(
        bodyOf('v2/notification/{installation_id}/output/{output_id}/send'),
        'application/json'
      )
      assert.equal(bodyOf('v2/gateway/verify/{installation_id}'), 'application/json')
      const key = paths['/api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}']
      assert.deepEqual(
        key?.['get']?.parameters.map(({ name }) => name),
        ['installation_id', 'functionx_id', 'meta_key']
      )
      assert.deepEqual(Object.keys(key?.['get']?.responses ?? {}), [
        ...['200', '400', '401', '403', '404', '429', '500', '503', 'default']
      ])
      const verify = paths['/api/v2/gateway/verify/{installation_id}']?.['post']
      assert.equal(Object.keys(verify?.responses ?? {})[0], '204')
    }
  })

  test('GET ledger lists refused messages, newest first, with reason and sender', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/publish/all'])
    const foreign = await world.installation()
    const reader = await world.user({ grants: ['ledger/read'], organizations: [1] })
    const own = `${installation.client_id}/obj/x`
    const bad: [string, string, string][] = [
      [own, 'Hello World', 'not json'],
      [own, '{"temperature":21}', 'no numeric value'],
      [own, '{"value":1,"timestamp":-5}', 'bad timestamp'],
      [own, '{"value":1,"msg":{}}', 'bad msg'],
      [`${foreign.client_id}/obj/x`, '{"value":1}', 'forbidden topic'],
      ['999179/obj/x', '{"value":1}', 'unknown client id'],
      [`${own}${'/x'.repeat(62)}`, '{"value":1}', 'topic too long']
    ]
    const client = await world.mqtt(user)
    for (const [topic, payload] of bad) await client.publish(topic, payload, { qos: 1 })
    assert.equal(client.mqtt.connected, true, 'a bad message cuts nobody off')

    const topics = bad.map(([topic]) => topic)
    const entries = await eventually(async () => {
      const { json } = await world.request('GET /api/v2/ledger', { as: reader })
      const list = json as { id: number; reason: string; topic: string; payload: string }[]
      // Other tests have refused messages too.
      const ours = list.filter(({ topic }) => topics.includes(topic))
      assert.deepEqual(
        ours.map(({ topic, payload, reason }) => [topic, payload, reason]),
        bad.toReversed()
      )
      return list
    })
    const { json: page } = await world.request(
      `GET /api/v2/ledger?limit=1&before=${entries[0]?.id}`,
      { as: reader }
    )
    assert.deepEqual(page, [entries[1]])
    const { text } = await world.request('GET /metrics', { as: world.admin })
    for (const [, , reason] of bad) assert.match(text, new RegExp(`reason="${reason}"} [1-9]`))
  })
  scenario('GET ledger without the grant', {
    given: (world) => world.user({ grants: ['metrics/read'], organizations: [1] }),
    as: (user) => user,
    request: 'GET /api/v2/ledger',
    expect: forbidden
  })
  scenario('GET ledger without a token', { request: 'GET /api/v2/ledger', expect: unauthorized })

  for (const line of ['GET /nowhere', 'PATCH /api/v2/auth', 'GET /api/v2', 'DELETE /api/v2/ping']) {
    scenario(`${line} is JSON too`, {
      request: line,
      expect: { status: 404, body: { message: 'Not found' } }
    })
  }

  test('URLs up to 64 KiB are served, longer ones get 414', async () => {
    const { world } = platform()
    const { id } = await world.installation()
    const path = `GET /api/v2/status/${id}?topics=`
    const length = 64 * 1024 - path.length + 4
    const topics = `${'x'.repeat(500)},`.repeat(length / 501 + 1).slice(0, length)
    const served = await world.request(path + topics, { as: world.admin })
    assert.equal(served.status, 200)
    for (const length of [64 * 1024 + 1, 90 * 1024, 120 * 1024]) {
      const { status, json } = await world.request(path + 'x'.repeat(length))
      assert.deepEqual([status, json], [414, { message: 'URI too long' }])
    }
  })

  test('requests that are not HTTP get a JSON answer', async () => {
    const { httpPort } = platform()
    const answerTo = async (bytes: string) => {
      const socket = connect(httpPort, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(bytes)
      let text = ''
      for await (const chunk of socket) text += chunk
      return text
    }
    assert.match(
      await answerTo('NONSENSE\r\n\r\n'),
      /^HTTP\/1\.1 400 .*\{"message":"malformed HTTP/s
    )
    assert.match(
      await answerTo(`GET /${'x'.repeat(300 * 1024)}`),
      /^HTTP\/1\.1 414 .*\{"message":"URI too long"\}$/s
    )
    assert.match(
      await answerTo(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y\r\nz: '.repeat(100_000)}`),
      /^HTTP\/1\.1 431 .*\{"message":"Header fields too large"\}$/s
    )
  })

  test('a NUL anywhere is 400 or 401, never 500', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['installation/#', 'user/#'])
    const nul = String.fromCharCode(0)
    for (const [line, body, status] of [
      ['POST /api/v2/installation', { name: `a${nul}b` }, 400],
      ['POST /api/v2/installation', { name: 'a', meta: { [nul]: 'x' } }, 400],
      [`PUT /api/v2/installation/${installation.id}`, { notes: nul }, 400],
      ['GET /api/v2/installation?room=%00', undefined, 400],
      ['GET /api/v2/user/me/meta/a%00b', undefined, 400],
      ['POST /api/v2/auth/reset_password', { email: `a${nul}@b` }, 400],
      ['POST /api/v2/installation?silent=1', { name: 'a \\u0000 b' }, 200]
    ] as const) {
      const { status: got, text } = await world.request(line, { as: user, body })
      assert.equal(got, status, `${line} ${text}`)
    }
    const headers = { authorization: `Basic ${btoa(`a${nul}b:password`)}` }
    assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 401)
    await assert.rejects(world.mqtt({ token: 'x' }, { username: `a${nul}b` }))
  })

  test('a body over the limit gets 413', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/#'])
    const { status, json } = await world.request(`POST /api/v2/status/${installation.id}`, {
      as: user,
      body: ['x'.repeat(2 * 1024 * 1024)]
    })
    assert.deepEqual([status, json], [413, { message: 'Body too large' }])
  })

  test('an unexpected fault is 500 without its cause, and is logged with the request id', async () => {
    const { world, deps, logged } = platform()
    const { installation, user } = await world.site(['log/#'])
    const { readPage } = deps.history
    deps.history.readPage = () => Promise.reject(new Error('the secret reason'))
    const { status, json, headers } = await world.request(
      `GET /api/v3beta/log/${installation.id}`,
      {
        as: user
      }
    )
    deps.history.readPage = readPage
    assert.deepEqual([status, json], [500, { message: 'Internal Server Error' }])
    const line = logged.find((entry) => entry['reqId'] === headers.get('x-request-id'))
    assert.match(JSON.stringify(line), /the secret reason/)
  })
})
