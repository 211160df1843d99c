import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { MAX_SAMPLES } from '../../src/features/sample/samples.ts'
import { MAX_MSG_BYTES } from '../../src/lib/sample.ts'
import { eventually } from '../support/eventually.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Site = Awaited<ReturnType<World['site']>>
type Row = { topic: string; value: number; timestamp: number; msg: string }

const grants = ['sample/write/all', 'status/read/all', 'mqtt/subscribe/all']

async function statusOf(world: World, { installation, user }: Site): Promise<Row[]> {
  const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
  return (json as Row[]).map(({ topic, value, timestamp, msg }) => ({
    ...{ topic, value, timestamp, msg }
  }))
}

/** Bytes, which `World.request` does not send. */
async function post(world: World, site: Site, body: Uint8Array, headers = {}) {
  const response = await fetch(`${world.url}/api/v3beta/sample/${site.installation.id}`, {
    method: 'POST',
    headers: { 'x-api-key': site.user.token, ...headers },
    body: new Uint8Array(body)
  })
  return { status: response.status, text: await response.text() }
}

describe('POST sample', () => {
  const { platform, scenario } = withPlatform()

  test('the values are the latest ones when 204 comes, and subscribers get them with their time', async () => {
    const { world, deps } = platform()
    const site = await world.site(grants)
    const { installation, user } = site
    const { client_id } = installation
    const listener = await world.mqtt(user)
    await listener.subscribe(`${client_id}/obj/#`, 1)
    const before = deps.clock() / 1000
    const body = [
      { topic: 'obj/a', value: 21.5, timestamp: 1_700_000_000.123, msg: 'on "it"' },
      { topic: `${client_id}/obj/b`, value: -1e-7 },
      { topic: 'obj/a', value: 22, timestamp: 1_700_000_001, msg: null, unit: 'C' }
    ]
    const answer = await world.request(`POST /api/v3beta/sample/${installation.id}`, {
      ...{ as: user, body }
    })
    assert.deepEqual([answer.status, answer.text], [204, ''])
    const [a, b] = await statusOf(world, site)
    assert.deepEqual(a, {
      ...{ topic: `${client_id}/obj/a`, value: 22, timestamp: 1_700_000_001, msg: '' }
    })
    assert(b && b.value === -1e-7 && b.timestamp >= before && b.timestamp < before + 60)
    await eventually(() => assert.equal(listener.messages.length, 3))
    assert.deepEqual(
      listener.messages.map(({ topic, payload, qos }) => ({
        ...{ topic, qos },
        ...JSON.parse(payload)
      })),
      [
        { topic: a.topic, qos: 1, value: 21.5, timestamp: 1_700_000_000.123, msg: 'on "it"' },
        { topic: b.topic, qos: 1, value: -1e-7, timestamp: b.timestamp, msg: '' },
        { topic: a.topic, qos: 1, value: 22, timestamp: 1_700_000_001, msg: '' }
      ]
    )
    await eventually(async () => {
      const log = `GET /api/v3beta/log/${installation.id}?from=0`
      assert.equal(
        ((await world.request(log, { as: world.admin })).json as Row & { total: number }).total,
        3
      )
    })
  })

  scenario('POST sample without values', {
    given: (world) => world.site(grants),
    as: ({ user }) => user,
    request: ({ installation }) => `POST /api/v3beta/sample/${installation.id}`,
    body: [],
    expect: { status: 204 }
  })

  const good = { topic: 'obj/x', value: 1 }
  const faults: [what: string, body: unknown, message: string][] = [
    ['text', 'hello', 'body is not valid JSON'],
    ['nothing', '', 'body is not valid JSON'],
    ['an object', good, 'body must be a list of samples'],
    [
      'too many',
      Array(MAX_SAMPLES + 1).fill(1),
      `body must be a list of at most ${MAX_SAMPLES} samples`
    ],
    ['a number', [good, 1], '[1] must be an object'],
    ['a list', [good, []], '[1] must be an object'],
    ['null', [null], '[0] must be an object'],
    ['no topic', [good, { value: 1 }], '[1].topic is required'],
    ['a number as topic', [{ topic: 1, value: 1 }], '[0].topic must be text'],
    [
      'a topic of commands',
      [good, good, { ...good, topic: 'set/x' }],
      '[2].topic must be obj/... or ID/obj/...'
    ],
    [
      'a topic of nobody',
      [{ ...good, topic: '0/obj/x' }],
      '[0].topic must be obj/... or ID/obj/...'
    ],
    ['obj itself', [{ ...good, topic: 'obj/' }], '[0].topic must be obj/... or ID/obj/...'],
    [
      'a wildcard',
      [{ ...good, topic: 'obj/+/x' }],
      '[0].topic must not contain +, # or control characters'
    ],
    [
      'NUL',
      [{ ...good, topic: 'obj/\0' }],
      '[0].topic must not contain +, # or control characters'
    ],
    [
      'half a character',
      ['{"topic":"obj/\\ud800","value":1}'],
      '[0].topic must not contain +, # or control characters'
    ],
    [
      'a long topic',
      [{ ...good, topic: `obj/${'x'.repeat(1024)}` }],
      '[0].topic must have at most 64 levels and 1024 bytes'
    ],
    ['no value', [good, { topic: 'obj/x' }], '[1].value must be a number'],
    ['text as value', [good, { ...good, value: '1' }], '[1].value must be a number'],
    ['an endless value', ['{"topic":"obj/x","value":1e999}'], '[0].value must be a number'],
    [
      'a time before 1970',
      [{ ...good, timestamp: -1 }],
      '[0].timestamp must be seconds since 1970, at most a day ahead'
    ],
    [
      'milliseconds',
      [{ ...good, timestamp: 1_700_000_000_000 }],
      '[0].timestamp must be seconds since 1970, at most a day ahead'
    ],
    ['a number as msg', [{ ...good, msg: 1 }], '[0].msg must be text'],
    [
      'a long msg',
      [{ ...good, msg: 'x'.repeat(MAX_MSG_BYTES + 1) }],
      `[0].msg must have at most ${MAX_MSG_BYTES} bytes`
    ]
  ]
  for (const [what, body, message] of faults) {
    scenario(`POST sample with ${what}`, {
      given: (world) => world.site(grants),
      as: ({ user }) => user,
      request: ({ installation }) => `POST /api/v3beta/sample/${installation.id}`,
      // Texts in a list are JSON already, which JavaScript could not write.
      body: Array.isArray(body) && typeof body[0] === 'string' ? `[${body.join()}]` : body,
      expect: {
        status: 400,
        body: ({ installation }: Site) => ({
          message: message.replace('ID', String(installation.client_id))
        })
      },
      and: async (_answer, site, world) => assert.deepEqual(await statusOf(world, site), [])
    })
  }

  test('bodies that are large or packed', slow, async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const gzip = { 'content-encoding': 'gzip' }
    const list = Buffer.from(JSON.stringify([good]))
    assert.equal((await post(world, site, gzipSync(list), gzip)).status, 204)
    assert.equal((await post(world, site, list, { 'content-encoding': 'identity' })).status, 204)
    assert.equal((await post(world, site, list, { 'content-encoding': 'br' })).status, 415)
    const broken = await post(world, site, list, gzip)
    assert.deepEqual(
      [broken.status, broken.text],
      [400, '{"message":"gzip: incorrect header check"}']
    )
    const cut = await post(world, site, gzipSync(list).subarray(0, 20), gzip)
    assert.equal(cut.status, 400)
    const large = Buffer.alloc(1024 * 1024 + 1, ' ')
    assert.equal((await post(world, site, large)).status, 413)
    assert.equal((await post(world, site, gzipSync(large), gzip)).status, 413)
    const most = Array.from({ length: MAX_SAMPLES }, (_, i) => ({ topic: `obj/${i}`, value: i }))
    assert.equal((await post(world, site, Buffer.from(JSON.stringify(most)))).status, 204)
    assert.equal((await statusOf(world, site)).length, MAX_SAMPLES + 1)
  })

  test('who may send values', async () => {
    const { world } = platform()
    const { installation } = await world.site([])
    const { id, organization_id, client_id } = installation
    const other = await world.installation()
    const organizations = [organization_id]
    const send = async (token: string, to = id, headers: Record<string, string> = {}) =>
      (
        await world.request(`POST /api/v3beta/sample/${to}`, {
          body: [good],
          headers: { 'x-api-key': token, ...headers }
        })
      ).status
    const f = async (user: Parameters<World['user']>[0], own: number, foreign = 403) => {
      const { token } = await world.user(user)
      assert.deepEqual(
        [await send(token), await send(token, other.id)],
        [own, foreign],
        `${user?.grants}`
      )
    }
    await f({ grants: ['sample/write/all'], organizations }, 204)
    await f({ grants: ['mqtt/publish/all'], organizations }, 204)
    await f({ grants: ['sample/write/assigned'], organizations }, 403)
    await f({ grants: ['sample/write/assigned'], assigned: [id] }, 204)
    await f({ grants: ['mqtt/publish/assigned'], assigned: [id] }, 204)
    await f({ grants: [`${id}/sample/write/all`] }, 204)
    await f({ grants: [`${other.id}/sample/#`] }, 403, 204)
    await f(
      { grants: ['status/read/all', 'log/read/all', 'mqtt/subscribe/all'], organizations },
      403
    )
    assert.equal(await send('wrong'), 401)

    // A restricted key has what its owner has and its list allows.
    const owner = await world.user({ grants: ['sample/write/all', 'user/#'], organizations })
    const keyOf = async (permissions: string[]) => {
      const body = { name: world.unique('key'), permissions }
      const { json } = await world.request('POST /api/v2/user/me/security/token', {
        as: owner,
        body
      })
      return (json as { token: string }).token
    }
    const key = await keyOf([`${id}/sample/write/all`])
    assert.deepEqual([await send(key), await send(key, other.id)], [204, 403])
    assert.equal(await send(await keyOf(['user/list'])), 403)

    const made = await world.request(`POST /api/v2/gateway/credentials/${id}`, { as: world.admin })
    const { mqtt_username: name, mqtt_password: password } = made.json as Record<string, string>
    assert.equal(name, String(client_id))
    const gateway = { authorization: `Basic ${btoa(`${name}:${password}`)}` }
    assert.deepEqual([await send('', id, gateway), await send('', other.id, gateway)], [204, 403])
  })

  test('a topic on the blacklist is refused with its place, and nothing is stored', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    const { client_id } = site.installation
    for (const mode of ['block', 'ignore']) {
      const entry = { topic: `${client_id}/obj/${mode}/#`, mode }
      const made = await world.request('POST /api/v2/blacklist/topic', {
        as: world.admin,
        body: entry
      })
      assert.equal(made.status, 200)
      const body = [good, { topic: `obj/${mode}/x`, value: 1 }]
      const heard = await world.published(async () => {
        const answer = await world.request(`POST /api/v3beta/sample/${site.installation.id}`, {
          ...{ as: site.user, body }
        })
        assert.deepEqual(
          [answer.status, answer.json],
          [...[400, { message: '[1].topic is on the blacklist' }]]
        )
      })
      assert.deepEqual(heard, [])
    }
    assert.deepEqual(await statusOf(world, site), [])
  })

  test('a subscriber that is away gets the values when it is back', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const session = { clientId: world.unique('away'), clean: false }
    const before = await world.mqtt(user, session)
    await before.subscribe(`${installation.client_id}/obj/#`, 1)
    await before.mqtt.endAsync()
    const body = [1, 2, 3].map((value) => ({ topic: 'obj/x', value }))
    await world.request(`POST /api/v3beta/sample/${installation.id}`, { as: user, body })
    const after = await world.mqtt(user, session)
    await eventually(() =>
      assert.deepEqual(
        after.payloads().map((text) => JSON.parse(text).value),
        [1, 2, 3]
      )
    )
  })
})

describe('POST sample and quotas', () => {
  const { platform } = withPlatform(undefined, {
    settings: {
      CARACAL_QUOTA_INSTALLATION: 'topics=3,messages_per_second=10,history_bytes_per_day=20000'
    }
  })
  const send = async (site: Site, topics: string[]) => {
    const { world } = platform()
    const { status, json, headers } = await world.request(
      `POST /api/v3beta/sample/${site.installation.id}`,
      { as: site.user, body: topics.map((topic) => ({ topic: `obj/${topic}`, value: 1 })) }
    )
    return { status, json, retryAfter: Number(headers.get('retry-after')) }
  }
  const many = (count: number) => Array<string>(count).fill('a')

  test('each value counts as a message', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    assert.equal((await send(site, many(400))).status, 204)
    const refused = await send(site, many(300))
    assert.equal(refused.status, 429)
    assert.deepEqual(refused.json, {
      message: 'this goes beyond the quota messages_per_second of the installation, which is 10'
    })
    assert(refused.retryAfter > 5 && refused.retryAfter <= 10, `${refused.retryAfter}`)
    assert.equal((await send(site, many(50))).status, 204)
    const metrics = await world.request('GET /metrics', { as: world.admin })
    assert.match(metrics.text, /caracal_refused_total\{reason="too many messages"\} [1-9]/)
  })

  test('topics and bytes that are too many refuse all values', async () => {
    const { world } = platform()
    const site = await world.site(grants)
    assert.equal((await send(site, ['a', 'b'])).status, 204)
    const refused = await send(site, ['a', 'c', 'd'])
    assert.deepEqual(
      [refused.status, refused.json],
      [409, { message: 'this goes beyond the quota topics of the installation, which is 3' }]
    )
    assert.equal((await statusOf(world, site)).length, 2)
    assert.equal((await send(site, ['a', 'c'])).status, 204)
    const long = [{ topic: 'obj/a', value: 1, msg: 'x'.repeat(20_000) }]
    const answer = await world.request(`POST /api/v3beta/sample/${site.installation.id}`, {
      ...{ as: site.user, body: long }
    })
    assert.equal(answer.status, 409)
    assert.match(answer.text, /quota history_bytes_per_day of the installation, which is 20000/)
  })
})
