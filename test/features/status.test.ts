import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DAY, unixMs } from '../../src/lib/unix-time.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
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

  test('the newest value of a topic is the one with the greatest timestamp, on a tie the later', async () => {
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
      // As many wildcards as ever, though their text together is one more.
      [[[...wildcards, 'obj/+/e'].join()], ['obj/c,d/e']]
    ] as const) {
      const query = topics.map((topic) => `topics=${encodeURIComponent(topic)}`).join('&')
      assert.deepEqual(await status(`GET /api/v2/status/${id}?${query}`), want, query)
    }
    assert.deepEqual(await status(`POST /api/v2/status/${id}`, ['obj/a,b']), ['obj/a,b'])
    assert.deepEqual(await status(`POST /api/v2/status/${id}`, ['obj/a,obj/b']), ['obj/a,obj/b'])
  })

  scenario('GET status, more wildcards than 200, with commas', {
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

  scenario('GET status, repeated and comma-joined', {
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

  scenario('POST status, with client id, wildcards and doubles', {
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
  test('is what it was', async () => {
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

  test('is of the right clock, after a clock that ran a day ahead was put right', async () => {
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
