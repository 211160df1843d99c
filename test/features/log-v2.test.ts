import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { functionsByTopic, rowTexts } from '../../src/features/log/v2-entries.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const grants = ['log/read/all', 'functionx/list/all', 'mqtt/#']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

type Entry = { id: number; function_id: string; value: number; message: string }
const values = (json: unknown) => (json as Entry[]).map(({ value }) => value)

test('functionsByTopic', async () => {
  const f = async (metas: Record<string, string>[], topic: string, want: string | undefined) => {
    const batches = Readable.from(
      metas.map((meta, i) => [{ id: i + 1, type: meta['type'] ?? 't', meta: JSON.stringify(meta) }])
    )
    const found = (await functionsByTopic(7, batches, new Set(['t']))).get(topic)
    assert.equal(found?.function_id, want, JSON.stringify(metas))
  }
  await f([{ topic_read: 'obj/a' }], '7/obj/a', '1')
  await f([{ topic_read: '7/obj/a' }], '7/obj/a', '1')
  await f([{ topic_read_power: 'obj/a' }], '7/obj/a', '1')
  await f([{ topic_read: 'obj/b' }, { topic_read: 'obj/a' }], '7/obj/a', '2')
  await f([{ topic_read: 'obj/a' }, { topic_read: 'obj/a' }], '7/obj/a', '1')
  await f([{ topic_write: 'obj/a' }], '7/obj/a', undefined)
  await f([{ Topic_read: 'obj/a' }], '7/obj/a', undefined)
  await f([{ topic_read: '8/obj/a' }], '7/obj/a', undefined)
  await f([{ topic_read: 'obj/#' }], '7/obj/a', undefined)
  // Of a type the caller may not view.
  await f([{ topic_read: 'obj/a', type: 'secret' }], '7/obj/a', undefined)
  await f([{ topic_read: 'obj/a', type: 'secret' }, { topic_read: 'obj/a' }], '7/obj/a', '2')
})

test('rowTexts', () => {
  const f = (...messages: string[]) => {
    const rows = messages.map((msg, id) => JSON.stringify({ id, msg, topic: 't' }))
    const parts = rows.length > 0 ? [Buffer.from(rows.join())] : []
    assert.deepEqual([...rowTexts(parts)].flat(), rows)
  }
  f()
  f('one')
  f('},{"id":', '},{', '{"id":1},{"id":2}', '\\', '\\"},{"id":')
})

/** Two functions, and three topics in history, one of them without a function. */
async function house(world: World, permissions = grants) {
  const { installation, user } = await world.site(permissions)
  const create = async (type: string, meta: object) => {
    const line = `POST /api/v2/functionx/${installation.id}?silent=true`
    const { json } = await world.request(line, { as: world.admin, body: { type, meta } })
    return String((json as { id: number }).id)
  }
  const lamp = await create('switch', { name: 'Lamp', icon: 'bulb', topic_read: 'obj/lamp' })
  const meter = await create('meter', { topic_read_power: `${installation.client_id}/obj/meter` })
  const client = await world.mqtt(user)
  const publish = (topic: string, reading: object) =>
    client.publish(`${installation.client_id}/${topic}`, JSON.stringify(reading), { qos: 1 })
  await publish('obj/lamp', { value: 1, timestamp: 1_700_000_000.25, msg: 'on' })
  await publish('obj/meter', { value: 1e-7, timestamp: 1_700_000_010 })
  await publish('obj/nobody', { value: 9, timestamp: 1_700_000_020 })
  await publish('obj/lamp', { value: 0, timestamp: 1_700_000_030 })
  await eventually(async () => {
    const path = `GET /api/v3beta/log/${installation.id}?from=0`
    assert.equal(((await world.request(path, { as: user })).json as { total: number }).total, 4)
  })
  return { installation, user, lamp, meter, path: `/api/v2/log/${installation.id}` }
}

onRegistryMatrix('v2 log', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user

  test('an entry has the name and id of its function', async () => {
    const { world } = platform()
    const { path, user, installation, lamp, meter } = await house(world)
    const read = async (query: string) => {
      const answer = await world.request(`GET ${path}?from=1700000000&${query}`, { as: user })
      assert.equal(answer.status, 200, answer.text)
      return answer
    }
    const { json, headers, text } = await read('')
    assert.equal(headers.get('deprecation'), '@1767225600')
    assert.equal(
      headers.get('link'),
      `</api/v3beta/log/${installation.id}>; rel="successor-version"`
    )
    assert.match(headers.get('server-timing') ?? '', /^history;dur=/)
    assert.match(text, /"value":0\.0000001,/)
    const none = { unit: '', alarm_type: '', value_id: '', log_item_type: 'functionx' }
    const switched = { function_id: lamp, function_type: 'switch', name: 'Lamp', icon: 'bulb' }
    const metered = { function_id: meter, function_type: 'meter', name: '', icon: '' }
    const ids = (json as Entry[]).map(({ id }) => id)
    assert.deepEqual(json, [
      { id: ids[0], ...none, ...switched, value: 0, timestamp: 1_700_000_030, message: '' },
      { id: ids[1], ...none, ...metered, value: 1e-7, timestamp: 1_700_000_010, message: '' },
      { id: ids[2], ...none, ...switched, value: 1, timestamp: 1_700_000_000.25, message: 'on' }
    ])
    assert(ids.every(Number.isSafeInteger) && new Set(ids).size === 3)

    assert.deepEqual(values((await read('limit=2')).json), [0], 'the limit comes before matching')
    assert.deepEqual(values((await read('limit=0')).json), [0, 1e-7, 1])
    assert.deepEqual(values((await read('limit=')).json), [0, 1e-7, 1])
    assert.deepEqual(values((await read('to=1700000020')).json), [1e-7, 1])
    assert.deepEqual(values((await read('topics=obj/lamp')).json), [0, 1])
    assert.deepEqual(values((await read('topics=obj/lamp&limit=1')).json), [0])
    assert.deepEqual(values((await read('topics=obj/lamp,obj/meter')).json), [0, 1e-7, 1])
    assert.deepEqual(
      values((await read(`topics=${installation.client_id}/obj/meter&topics=obj/nobody`)).json),
      [1e-7]
    )
    for (const [body, want] of [
      [['obj/meter'], [1e-7]],
      [
        ['obj/%2B', 'obj/+'],
        [0, 1e-7, 1]
      ],
      [[], [0, 1e-7, 1]]
    ] as const) {
      const { json } = await world.request(`POST ${path}?from=0`, { as: user, body })
      assert.deepEqual(values(json), want)
    }
    const recent = await world.request(`GET ${path}`, { as: user })
    assert.deepEqual(recent.json, [], 'the last 24 hours')
  })

  test('functions that the caller may not view are ignored', async () => {
    const { world } = platform()
    const f = async (permissions: string[], want: number[]) => {
      const { path, user } = await house(world, ['log/read/all', 'mqtt/#', ...permissions])
      const { json } = await world.request(`GET ${path}?from=0`, { as: user })
      assert.deepEqual(values(json), want, permissions.join())
    }
    await f([], [])
    await f(['installation/list/all', 'functionx/switch/view'], [0, 1])
    await f(['functionx/list/all'], [0, 1e-7, 1])
  })

  test('more functions than one batch and more entries than one chunk work', slow, async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const ids = await Promise.all(
      Array.from({ length: 450 }, async (_, i) => {
        const line = `POST /api/v2/functionx/${installation.id}?silent=true`
        const body = { type: 't', meta: { topic_read: `obj/${i % 225}` } }
        const { json } = await world.request(line, { as: world.admin, body })
        return [i % 225, (json as { id: number }).id] as const
      })
    )
    const client = await world.mqtt(user)
    await Promise.all(
      Array.from({ length: 900 }, (_, i) =>
        client.publish(
          `${installation.client_id}/obj/${i % 300}`,
          JSON.stringify({ value: i, timestamp: 1_700_000_000 + i }),
          { qos: 1 }
        )
      )
    )
    await eventually(async () => {
      const path = `GET /api/v3beta/log/${installation.id}?from=0&limit=1`
      assert.equal(((await world.request(path, { as: user })).json as { total: number }).total, 900)
    })
    const { json } = await world.request(`GET /api/v2/log/${installation.id}?from=0`, { as: user })
    const read = Array.from({ length: 900 }, (_, i) => 899 - i).filter((i) => i % 300 < 225)
    assert.deepEqual(values(json), read)
    for (const { value, function_id } of json as Entry[]) {
      const readers = ids.filter(([topic]) => topic === value % 300).map(([, id]) => id)
      assert.equal(function_id, String(Math.min(...readers)))
    }
  })

  test('functions of other installations are ignored', async () => {
    const { world } = platform()
    await house(world)
    const { installation, user } = await world.site(grants)
    const topic = `${installation.client_id}/obj/lamp`
    await world.publish(user, topic, { value: 1, timestamp: 1_700_000_000 })
    await eventually(async () => {
      const path = `GET /api/v3beta/log/${installation.id}?from=0`
      assert.equal(((await world.request(path, { as: user })).json as { total: number }).total, 1)
    })
    const { json } = await world.request(`GET /api/v2/log/${installation.id}?from=0`, { as: user })
    assert.deepEqual(json, [])
  })

  for (const [query, message] of [
    ['limit=10001', 'limit must be a whole number from 0 to 10000'],
    ['limit=-1', 'limit must be a whole number from 0 to 10000'],
    ['from=x', 'from must be a number'],
    ['from=200&to=100', 'from must not be later than to']
  ]) {
    scenario(`GET v2 log?${query}`, {
      given: (world) => world.site(grants),
      as,
      request: ({ installation }) => `GET /api/v2/log/${installation.id}?${query}`,
      expect: { status: 400, body: { message } }
    })
  }

  scenario('POST v2 log with a body that is no list', {
    given: (world) => world.site(grants),
    as,
    request: ({ installation }) => `POST /api/v2/log/${installation.id}`,
    body: '{}',
    expect: { status: 400, body: { message: 'body must be a list' } }
  })

  scenario('GET v2 log without log/read', {
    given: (world) => world.site(['status/read/all']),
    as,
    request: ({ installation }) => `GET /api/v2/log/${installation.id}`,
    expect: forbidden
  })

  scenario('GET v2 log without a token', { request: 'GET /api/v2/log/1', expect: unauthorized })
  scenario('POST v2 log without a token', {
    request: 'POST /api/v2/log/1',
    body: [],
    expect: unauthorized
  })
})
