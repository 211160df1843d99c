import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DAY, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const grants = ['status/read/all', 'mqtt/#']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

/** An installation with three topics. */
async function house(world: World) {
  const { installation, user } = await world.site(grants)
  const client = await world.mqtt(user)
  const publish = (topic: string, reading: object) =>
    client.publish(`${installation.client_id}/${topic}`, JSON.stringify(reading), { qos: 1 })
  await publish('obj/hall/temp', { value: 20, timestamp: 1_700_000_000.25 })
  await publish('obj/hall/temp', { value: 21.5, timestamp: 1_700_000_100.5, msg: 'warm' })
  await publish('obj/hall/temp', { value: 19, timestamp: 1_700_000_050 })
  await publish('obj/hall/humidity', { value: 1e-7, timestamp: 1_700_000_000 })
  await publish('obj/attic/temp', { value: -3, timestamp: 1_700_000_000 })
  await publish('set/hall/lamp', { value: 1, timestamp: 1_700_000_000 })
  const { id: installation_id, client_id } = installation
  const entry = (topic: string, timestamp: number, value: number, msg = '') => ({
    client_id,
    installation_id,
    timestamp,
    value,
    msg,
    topic: `${client_id}/${topic}`
  })
  return {
    installation,
    user,
    attic: entry('obj/attic/temp', 1_700_000_000, -3),
    humidity: entry('obj/hall/humidity', 1_700_000_000, 1e-7),
    hall: entry('obj/hall/temp', 1_700_000_100.5, 21.5, 'warm')
  }
}
type House = Awaited<ReturnType<typeof house>>
const all = ({ attic, humidity, hall }: House) => [attic, humidity, hall]

onRegistryMatrix('status', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: House) => user
  const path = ({ installation }: House) => `/api/v2/status/${installation.id}`

  test('the newest value of a topic has the greatest timestamp, or with equal timestamps the later arrival', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const topic = `${installation.client_id}/obj/x`
    for (const [value, timestamp] of [
      [1, 1000],
      [2, 2000],
      [3, 1500],
      [4, 2000]
    ]) {
      await world.publish(user, topic, { value, timestamp })
    }
    const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
    assert.deepEqual(
      (json as { value: number }[]).map(({ value }) => value),
      [4]
    )
  })

  test('few and many values, with a new one between and a long message, are all shown, sorted by topic', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const topics: string[] = []
    const see = async (added: readonly string[], msg = '') => {
      topics.push(...added)
      await store(
        platform(),
        installation,
        added.map((topic) => ({ topic, msg }))
      )
      // Asked twice: the first caller finds topics that are not sorted yet.
      for (const _ of ['first', 'second']) {
        const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
        const shown = json as { topic: string; msg: string }[]
        const names = topics.toSorted().map((topic) => `${installation.client_id}/${topic}`)
        assert.deepEqual(
          shown.map(({ topic }) => topic),
          names
        )
        const long = shown.filter((one) => one.msg !== '').map((one) => one.msg)
        assert.deepEqual(long, msg ? [msg] : [])
      }
    }
    await see(Array.from({ length: 250 }, (_, i) => `obj/${i}`))
    await see(['obj/7a'])
    await see(Array.from({ length: 10 }, (_, i) => `obj/more/${i}`))
    await see(['obj/8a'], 'x'.repeat(1000))
  })

  test('GET status tells how fresh the values of each visible installation are', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const stranger = await world.site(grants)
    const now = Date.now() / 1000
    await world.publish(user, `${installation.client_id}/obj/new`, { value: 1, timestamp: now })
    await world.publish(user, `${installation.client_id}/obj/old`, {
      value: 1,
      timestamp: now - 120
    })
    const asked = async (as: { token: string }, query = '') => {
      const { json } = await world.request(`GET /api/v2/status${query}`, { as })
      return json as { installation_id: number; last?: number; per_minute: number }[]
    }
    const fresh = await eventually(async () => {
      const [fresh, ...others] = await asked(user)
      assert.deepEqual(others, [])
      assert.deepEqual(fresh, {
        ...{ installation_id: installation.id, topics: 2, silent: 0 },
        ...{ last: Math.round(now * 1000) / 1000, per_minute: fresh?.per_minute }
      })
      return fresh
    })
    const [strict] = await asked(user, '?silent_after=60')
    assert.deepEqual(strict, { ...fresh, silent: 1, per_minute: strict?.per_minute })
    assert.deepEqual(await asked(stranger.user), [
      { installation_id: stranger.installation.id, topics: 0, silent: 0, per_minute: 0 }
    ])
    const all = (await asked(world.admin)).map(({ installation_id }) => installation_id)
    assert(all.includes(installation.id) && all.includes(stranger.installation.id))
  })
  scenario('GET status without a token', { request: 'GET /api/v2/status', expect: unauthorized })
  scenario('GET status, for a user without the grant, is empty', {
    given: (world) => world.user({ organizations: [1] }),
    as: (user) => user,
    request: 'GET /api/v2/status',
    expect: { status: 200, body: [] }
  })
  for (const seconds of ['0', '-1', '1.5', 'x', '99999999999']) {
    scenario(`GET status?silent_after=${seconds}`, {
      given: (world) => world.user(),
      as: (user) => user,
      request: `GET /api/v2/status?silent_after=${seconds}`,
      expect: { status: 400 },
      and: ({ text }) => assert.match(text, /silent_after/)
    })
  }

  test('a value is in status as soon as it is acknowledged', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const client = await world.mqtt(user)
    for (const qos of [1, 2] as const) {
      await client.publish(`${installation.client_id}/obj/q${qos}`, '{"value":1}', { qos })
      const { json } = await world.request(
        `GET /api/v2/status/${installation.id}?topics=obj/q${qos}`,
        {
          as: user
        }
      )
      const [entry] = json as { timestamp: number }[]
      assert(entry && Math.abs(entry.timestamp - Date.now() / 1000) < 60)
    }
  })

  scenario('GET status, all topics', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}`,
    expect: { status: 200, body: all },
    and: ({ text, headers }) => {
      assert.match(text, /"value":0\.0000001,/, 'plain decimals')
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    }
  })

  for (const query of ['?', '?topics=', '?topics=obj/%23', '?topics=%23']) {
    scenario(`GET status${query} is no filter`, {
      given: house,
      as,
      request: (given) => `GET ${path(given)}${query}`,
      expect: { status: 200, body: all }
    })
  }

  test('GET status, topics with a comma are found by their whole text and by the parts', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const { id, client_id } = installation
    for (const topic of ['obj/a', 'obj/a,b', 'obj/a,obj/b', 'obj/b', 'obj/c,d/e', 'obj/,']) {
      await world.publish(user, `${client_id}/${topic}`, { value: 1 })
    }
    const status = async (line: string, body?: unknown) => {
      const { json } = await world.request(line, { as: user, ...(body !== undefined && { body }) })
      return (json as { topic: string }[]).map(({ topic }) => topic.slice(`${client_id}/`.length))
    }
    const wildcards = Array.from({ length: 199 }, (_, i) => `obj/+/${i}`)
    for (const [topics, want] of [
      [['obj/a,b'], ['obj/a', 'obj/a,b']],
      [[`${client_id}/obj/a,b`], ['obj/a', 'obj/a,b']],
      [['obj/a,obj/b'], ['obj/a', 'obj/a,obj/b', 'obj/b']],
      [
        ['obj/a,b', 'obj/b'],
        ['obj/a', 'obj/a,b', 'obj/b']
      ],
      [['obj/c,d/+'], ['obj/c,d/e']],
      [['obj/c,d/#'], ['obj/c,d/e']],
      [['obj/+,x'], ['obj/,', 'obj/a', 'obj/a,b', 'obj/b']],
      [['obj/,'], ['obj/,']],
      [[','], []],
      [['', ',,'], []],
      [['obj/c,e'], []],
      // The number of wildcards is at the limit; the joined text does not count as one more.
      [[[...wildcards, 'obj/+/e'].join()], ['obj/c,d/e']]
    ] as const) {
      const query = topics.map((topic) => `topics=${encodeURIComponent(topic)}`).join('&')
      assert.deepEqual(await status(`GET /api/v2/status/${id}?${query}`), want, query)
    }
    assert.deepEqual(await status(`POST /api/v2/status/${id}`, ['obj/a,b']), ['obj/a,b'])
    assert.deepEqual(await status(`POST /api/v2/status/${id}`, ['obj/a,obj/b']), ['obj/a,obj/b'])
  })

  scenario('GET status, more than 200 wildcards, with commas', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}?topics=${Array(201).fill('%2B').join()}`,
    expect: { status: 400, body: { message: 'topics: at most 200 filters with wildcards' } }
  })

  scenario('GET status, one topic without client id', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}?topics=obj/hall/temp`,
    expect: { status: 200, body: ({ hall }: House) => [hall] }
  })

  scenario('GET status, one topic with client id', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}?topics=${given.installation.client_id}/obj/hall/temp`,
    expect: { status: 200, body: ({ hall }: House) => [hall] }
  })

  scenario('GET status, repeated topics and topics joined by commas', {
    given: house,
    as,
    request: (given) =>
      `GET ${path(given)}?topics=obj/hall/temp,obj/attic/temp&topics=obj/hall/humidity&topics=obj/none`,
    expect: { status: 200, body: all }
  })

  scenario('GET status with wildcards', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}?topics=obj/%2B/temp`,
    expect: { status: 200, body: ({ attic, hall }: House) => [attic, hall] }
  })

  scenario('GET status, topic of another installation', {
    given: house,
    as,
    request: (given) => `GET ${path(given)}?topics=9999/obj/hall/temp`,
    expect: { status: 200, body: [] }
  })

  scenario('POST status', {
    given: house,
    as,
    request: (given) => `POST ${path(given)}`,
    body: ['obj/attic/#', 'obj/hall/humidity'],
    expect: { status: 200, body: ({ attic, humidity }: House) => [attic, humidity] }
  })

  scenario('POST status with an empty list is no filter', {
    given: house,
    as,
    request: (given) => `POST ${path(given)}`,
    body: [],
    expect: { status: 200, body: all }
  })

  scenario('POST status, with client id, wildcards and duplicates', {
    given: house,
    as,
    request: (given) => `POST ${path(given)}`,
    body: ({ installation: { client_id } }: House) => [
      `${client_id}/obj/hall/#`,
      'obj/hall/temp',
      `${client_id}/obj/hall/temp`
    ],
    expect: { status: 200, body: ({ humidity, hall }: House) => [humidity, hall] }
  })

  scenario('GET status with client ids, comma-joined, and a wildcard for the client id', {
    given: house,
    as,
    request: (given) =>
      `GET ${path(given)}?topics=${given.installation.client_id}/obj/attic/temp,%2B/obj/hall/temp`,
    expect: { status: 200, body: ({ attic }: House) => [attic] }
  })

  for (const [what, body, message] of [
    [
      'very many wildcards',
      Array.from({ length: 201 }, (_, i) => `obj/${i}/+`),
      'topics: at most 200 filters with wildcards'
    ],
    ['no list', { topics: [] }, 'body must be a list'],
    ['numbers', [1], 'body.0 must be text']
  ] as const) {
    scenario(`POST status with ${what}`, {
      given: house,
      as,
      request: (given) => `POST ${path(given)}`,
      body,
      expect: { status: 400, body: { message } }
    })
  }

  scenario('GET status of an installation without values', {
    given: (world) => world.site(grants),
    as: ({ user }) => user,
    request: ({ installation }) => `GET /api/v2/status/${installation.id}`,
    expect: { status: 200, body: [] }
  })

  scenario('GET status without status/read', {
    given: (world) => world.site(['log/read/all']),
    as: ({ user }) => user,
    request: ({ installation }) => `GET /api/v2/status/${installation.id}`,
    expect: forbidden
  })

  scenario('GET status of a foreign installation', {
    given: async (world) => ({
      ...(await world.site(grants)),
      foreign: await world.installation()
    }),
    as: ({ user }) => user,
    request: ({ foreign }) => `GET /api/v2/status/${foreign.id}`,
    expect: forbidden
  })

  scenario('GET status without a token', { request: 'GET /api/v2/status/1', expect: unauthorized })
  scenario('POST status without a token', {
    request: 'POST /api/v2/status/1',
    body: [],
    expect: unauthorized
  })
})

describe('status after a restart', () => {
  test('is the same as before', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'caracal-status-'))
    const settings = { CARACAL_DATA_DIR: dataDir }
    try {
      const first = await startTestPlatform({ settings })
      const given = await house(first.world)
      const read = async (platform: TestPlatform, line: string, body?: unknown) =>
        (await platform.world.request(line, { as: given.user, body })).text
      const path = `/api/v2/status/${given.installation.id}`
      const before = await read(first, `GET ${path}`)
      assert.deepEqual(JSON.parse(before), all(given))
      await first.stop()

      const second = await startTestPlatform({ settings })
      assert.equal(await read(second, `GET ${path}`), before)
      assert.equal(await read(second, `POST ${path}`, []), before)
      assert.deepEqual(JSON.parse(await read(second, `POST ${path}`, ['obj/+/temp'])), [
        given.attic,
        given.hall
      ])
      await second.stop()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  test('shows new values after a clock that was a day ahead was corrected', slow, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'caracal-status-'))
    const settings = { CARACAL_DATA_DIR: dataDir }
    let ahead = DAY
    const clock = () => unixMs(Date.now() + ahead)
    try {
      const first = await startTestPlatform({ settings, clock })
      const { installation, user } = await first.world.site(['status/read/all', 'mqtt/publish/all'])
      const topic = `${installation.client_id}/obj/x`
      const read = async ({ world }: TestPlatform) => {
        const { json } = await world.request(`GET /api/v2/status/${installation.id}`, { as: user })
        return (json as { value: number }[]).map(({ value }) => value)
      }
      await first.world.publish(user, topic, { value: 1 })
      assert.deepEqual(await read(first), [1])
      ahead = 0
      await first.world.publish(user, topic, { value: 2 })
      assert.deepEqual(await read(first), [2])
      const late = Date.now() / 1000 - 7200
      await first.world.publish(user, topic, { value: 3, timestamp: late })
      assert.deepEqual(await read(first), [2])
      await first.stop()

      const second = await startTestPlatform({ settings, clock })
      assert.deepEqual(await read(second), [2])
      await second.stop()
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})
