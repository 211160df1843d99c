import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { boundWindow } from '../../src/features/log/bounds.ts'
import type { Interval } from '../../src/lib/aggregation.ts'
import { DAY, HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const grants = ['log/read/all', 'mqtt/#']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

type Row = { value: number; topic: string; values?: Record<string, number> }
type Page = { count: number; last: number; total: number; data: Row[] }
const values = (json: unknown) => (json as Page).data.map(({ value }) => value)

test('boundWindow computes calendar borders and many borders only from the begin of history', async () => {
  const [now, oldest] = [unixMs(20_000 * DAY), unixMs(19_000 * DAY)]
  const f = async (interval: Interval, want: number) => {
    const bounds = { interval, topics: 1, methods: 1, now }
    const { from } = await boundWindow({ from: unixMs(0), to: now }, bounds, async () => oldest)
    assert.equal(from, want, JSON.stringify(interval))
  }
  await f({ unit: 'd', count: 1 }, oldest)
  await f({ ms: DAY }, 0)
  await f({ ms: HOUR }, oldest)
})

/** An installation with a minute of values on two topics, in history. */
async function house(world: World) {
  const { installation, user } = await world.site(grants)
  const client = await world.mqtt(user)
  const publish = (topic: string, reading: object) =>
    client.publish(`${installation.client_id}/${topic}`, JSON.stringify(reading), { qos: 1 })
  for (let i = 0; i < 6; i++) {
    await publish('obj/a', { value: i, timestamp: 1_700_000_000 + i * 10, msg: `m${i}` })
  }
  await publish('obj/b', { value: 100, timestamp: 1_700_000_020 })
  await publish('obj/b', { value: 101, timestamp: 1_700_000_020.5 })
  await eventually(async () => {
    const path = `GET /api/v3beta/log/${installation.id}?from=0`
    assert.equal(((await world.request(path, { as: user })).json as Page).total, 8)
  })
  return { installation, user, path: `/api/v3beta/log/${installation.id}` }
}

onRegistryMatrix('log', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user
  const window = 'from=1700000000&to=1700000050'

  test('topics with a comma are found by their whole text and by the parts', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([...grants, 'functionx/#'])
    const { id, client_id } = installation
    const written = ['obj/a', 'obj/a,b', 'obj/b']
    for (const [i, topic] of written.entries()) {
      const body = { type: 't', meta: { topic_read: topic } }
      await world.request(`POST /api/v2/functionx/${id}?silent=true`, { as: user, body })
      const reading = { value: i, timestamp: 1_700_000_000 + i }
      await world.publish(user, `${client_id}/${topic}`, reading)
    }
    const ask = async (line: string, body?: unknown) => {
      const { json } = await world.request(line, { as: user, ...(body !== undefined && { body }) })
      const rows = Array.isArray(json) ? json : (json as Page).data
      return (rows as { value: number }[]).map(({ value }) => written[value]).sort()
    }
    await eventually(async () =>
      assert.deepEqual(await ask(`GET /api/v3beta/log/${id}?from=0`), written)
    )
    for (const path of ['v2/log', 'v3beta/log']) {
      const line = `/api/${path}/${id}?from=0`
      for (const [topics, want] of [
        ['topics=obj/a,b', ['obj/a', 'obj/a,b']],
        [`topics=${client_id}/obj/a,b`, ['obj/a', 'obj/a,b']],
        ['topics=obj/a,obj/b', ['obj/a', 'obj/b']],
        ['topics=obj/a,b&topics=obj/b', written],
        ['topics=obj/%2B,b', written],
        ['topics=,', []]
      ] as const) {
        assert.deepEqual(await ask(`GET ${line}&${topics}`), want, `${path} ${topics}`)
      }
      assert.deepEqual(await ask(`POST ${line}`, ['obj/a,b']), ['obj/a,b'])
      assert.deepEqual(await ask(`POST ${line}`, ['obj/a,obj/b']), [])
    }
    const counted = `GET /api/v3beta/log/${id}?from=0&aggr_interval=1d&aggr_method=last&topics=obj/a,b`
    assert.deepEqual(await ask(counted), ['obj/a', 'obj/a,b'])
  })

  test('pages of one installation', async () => {
    const { world } = platform()
    const { path, user, installation } = await house(world)
    const read = async (query: string): Promise<Page> => {
      const { status, json, text } = await world.request(`GET ${path}?${query}`, { as: user })
      assert.equal(status, 200, text)
      return json as Page
    }

    const newest = await read(`${window}&limit=3`)
    const { client_id, id: installation_id } = installation
    assert.deepEqual(newest, {
      count: 3,
      last: 1_700_000_030,
      total: 8,
      data: [5, 4, 3].map((i) => ({
        client_id,
        installation_id,
        timestamp: 1_700_000_000 + i * 10,
        value: i,
        msg: `m${i}`,
        topic: `${client_id}/obj/a`
      }))
    })

    const whole = values(await read(window))
    assert.deepEqual(whole, [5, 4, 3, 101, 100, 2, 1, 0])
    assert.deepEqual(values(await read(`${window}&order=asc`)), whole.toReversed())
    assert.deepEqual(values(await read(`${window}&order=`)), whole)
    assert.deepEqual(values(await read(`${window}&limit=0`)), whole)
    assert.deepEqual(values(await read(`${window}&limit=`)), whole)
    assert.deepEqual(values(await read(`${window}&aggr_method=&aggr_interval=0s`)), whole)
    assert.deepEqual(values(await read(`${window}&include_total=false`)), whole)
    for (let offset = 0; offset < 8; offset += 3) {
      const page = await read(`${window}&limit=3&offset=${offset}`)
      assert.deepEqual(values(page), whole.slice(offset, offset + 3))
      assert.equal(page.total, 8)
      assert.equal(page.count, Math.min(3, 8 - offset))
    }
    assert.deepEqual(await read(`${window}&offset=8`), { count: 0, last: 0, total: 8, data: [] })

    assert.deepEqual(values(await read('from=1700000010&to=1700000020')), [100, 2, 1], 'inclusive')
    assert.deepEqual(values(await read('from=1700000020.4&to=1700000020.6')), [101], 'decimals')
    assert.deepEqual(values(await read(`${window}&topics=obj/b`)), [101, 100])
    assert.deepEqual(values(await read(`${window}&topics=${client_id}/obj/b`)), [101, 100])
    assert.deepEqual(values(await read(`${window}&topics=obj/b,obj/a`)), whole)
    assert.deepEqual(values(await read(`${window}&topics=obj/b&topics=obj/a`)), whole)
    assert.deepEqual(values(await read(`${window}&topics=obj/%2B`)), whole)
    assert.deepEqual(await read(`${window}&topics=obj/c`), {
      count: 0,
      last: 0,
      total: 0,
      data: []
    })
    assert.deepEqual(await read(''), { count: 0, last: 0, total: 0, data: [] }, 'the last 24 hours')

    for (const [body, want] of [
      [['obj/b'], [101, 100]],
      [['#'], whole],
      [[], whole]
    ] as const) {
      const { json } = await world.request(`POST ${path}?${window}`, { as: user, body })
      assert.deepEqual(values(json), want)
    }
  })

  for (const [query, message] of [
    ['from=x', 'from must be a number'],
    ['to=-100000000001', 'to must be a number from -100000000000 to 100000000000'],
    ['from=200&to=100', 'from must not be later than to'],
    ['limit=-1', 'limit must be a whole number from 0 to 100000'],
    ['limit=100001', 'limit must be a whole number from 0 to 100000'],
    ['limit=ten', 'limit must be a whole number'],
    ['offset=-1', 'offset must be a whole number of at least 0'],
    ['offset=1.5', 'offset must be a whole number'],
    ['order=up', 'order must be desc or asc']
  ]) {
    scenario(`GET log?${query}`, {
      given: (world) => world.site(grants),
      as,
      request: ({ installation }) => `GET /api/v3beta/log/${installation.id}?${query}`,
      expect: { status: 400, body: { message } }
    })
  }

  test('aggregated pages of one installation', async () => {
    const { world } = platform()
    const { path, user, installation } = await house(world)
    const { client_id, id: installation_id } = installation
    const read = async (query: string, line = `GET ${path}`, body?: unknown): Promise<Page> => {
      const { status, json, text } = await world.request(`${line}?${window}&${query}`, {
        as: user,
        body
      })
      assert.equal(status, 200, text)
      return json as Page
    }

    // 1 700 000 000 is 20 s into a minute: obj/a has 0 to 3 before the next one, then 4 and 5.
    assert.deepEqual(await read('aggr_method=avg&topics=obj/a'), {
      count: 2,
      last: 1_699_999_980,
      total: 2,
      data: [
        [1_700_000_040, 4.5],
        [1_699_999_980, 1.5]
      ].map(([timestamp, value]) => ({
        client_id,
        installation_id,
        timestamp,
        value,
        msg: '',
        topic: `${client_id}/obj/a`
      }))
    })
    for (const [method, newest, oldest] of [
      ['count', 2, 4],
      ['first', 4, 0],
      ['last', 5, 3],
      ['mean', 4.5, 1.5],
      ['spread', 1, 3],
      ['max', 5, 3],
      ['min', 4, 0],
      ['sum', 9, 6],
      ['stddev', Math.sqrt(0.5), Math.sqrt(5 / 3)],
      ['median', 4.5, 1.5],
      ['percentile%2890%29', 5, 3],
      ['percentile', 4, 1],
      ['integral', 45, 80],
      ['integral(10)', 4.5, 8]
    ] as const) {
      const found = values(await read(`topics=obj/a&aggr_method=${method}`))
      assert.equal(found.length, 2)
      assert(Math.abs((found[0] ?? 0) - newest) < 1e-9, `${method} ${found}`)
      assert(Math.abs((found[1] ?? 0) - oldest) < 1e-9, `${method} ${found}`)
    }

    const all = values(await read('aggr_method=max'))
    assert.deepEqual(all, [5, 101, 3], 'newest first, then the later topic')
    assert.deepEqual(values(await read('aggr_method=max&order=asc')), all.toReversed())
    assert.deepEqual(values(await read('aggr_method=max&limit=1&offset=1')), [101])
    assert.equal((await read('aggr_method=max&limit=1&offset=1')).total, 3)
    assert.deepEqual(values(await read('aggr_interval=1m0s')), [4.5, 100.5, 1.5], 'the median')
    assert.deepEqual(values(await read('aggr_method=sum&aggr_interval=0s')), [9, 201, 6])
    assert.deepEqual(values(await read('aggr_method=sum&aggr_interval=1h')), [201, 15])
    assert.deepEqual(values(await read('aggr_method=sum', `POST ${path}`, ['obj/b'])), [201])
    const several = await read('aggr_method=mean,min,percentile(50)&topics=obj/a')
    const given = several.data.map(({ value, values }) => [value, values])
    assert.deepEqual(given, [
      [4.5, { mean: 4.5, min: 4, 'percentile(50)': 4 }],
      [1.5, { mean: 1.5, min: 0, 'percentile(50)': 1 }]
    ])
    const local = await read('aggr_method=count&aggr_interval=1mo&tz=Asia/Kolkata&topics=obj/a')
    assert.equal(local.last, Date.parse('2023-11-01T00:00+05:30') / 1000)
  })

  for (const [query, message] of [
    ['aggr_method=average', /^aggr_method must be count, first,/],
    ['aggr_method=percentile(101)', /^aggr_method must be/],
    ['aggr_method=integral(0)', /^aggr_method must be/],
    ['aggr_method=mean,', /^aggr_method must be/],
    ['aggr_method=mean,mean', /^aggr_method must be/],
    ['aggr_method=mean,min,max,sum,count', /or up to 4 different ones with commas between$/],
    ['aggr_interval=1y', /^aggr_interval must be a number and s, m, h, d, w or mo/],
    ['aggr_interval=-1m', /^aggr_interval must be/],
    [`aggr_interval=${'9'.repeat(51)}s`, /^aggr_interval must/],
    ['tz=Mars/Base', /^tz must be an IANA time zone/],
    ['aggr_method=max&tz=%2B01:00', /^tz must be/]
  ] as const) {
    scenario(`GET log?${query}`, {
      given: (world) => world.site(grants),
      as,
      request: ({ installation }) => `GET /api/v3beta/log/${installation.id}?${query}`,
      expect: { status: 400 },
      and: ({ json }) => assert.match((json as { message: string }).message, message)
    })
  }

  test('the refusal of an aggregation with too many buckets names an interval that works', async () => {
    const { world } = platform()
    const { path, user } = await house(world)
    const read = (query: string) => world.request(`GET ${path}?${query}`, { as: user })
    const { status, json } = await read('from=0&aggr_method=max&aggr_interval=1s')
    assert.equal(status, 400)
    const { message } = json as { message: string }
    const [, smallest, longest] =
      /^aggr_interval must be at least (\w+) for 2 topics and this time span, or the time span at most (\d+) s$/.exec(
        message
      ) ?? assert.fail(message)
    assert.equal(longest, '500000')
    const two = await read('from=0&aggr_method=max,min&aggr_interval=1s')
    assert.match(two.text, /for 2 topics, 2 methods and this .* at most 250000 s/)
    const coarse = await read(`from=0&aggr_method=max&aggr_interval=${smallest}`)
    assert.equal(coarse.status, 200, coarse.text)
    const short = await read('from=1700000000&to=1700500000&aggr_method=max&aggr_interval=1s')
    assert.equal(short.status, 200, short.text)
    // The years before the first sample and the future do not count.
    const ever = await read('from=0&to=99999999999&aggr_method=max')
    assert.deepEqual(values(ever.json), [101, 5])
  })

  test('an answer says how long history took', async () => {
    const { world } = platform()
    const { path, user } = await house(world)
    for (const query of ['', '?from=0&aggr_method=avg&aggr_interval=1d']) {
      const { headers } = await world.request(`GET ${path}${query}`, { as: user })
      assert.match(headers.get('server-timing') ?? '', /^history;dur=\d+\.\d$/)
    }
  })

  scenario('GET log with very many wildcards', {
    given: (world) => world.site(grants),
    as,
    request: ({ installation }) => `POST /api/v3beta/log/${installation.id}`,
    body: Array.from({ length: 201 }, (_, i) => `obj/${i}/#`),
    expect: { status: 400, body: { message: 'topics: at most 200 filters with wildcards' } }
  })

  scenario('POST log with a body that is no list', {
    given: (world) => world.site(grants),
    as,
    request: ({ installation }) => `POST /api/v3beta/log/${installation.id}`,
    body: '"obj/a"',
    expect: { status: 400, body: { message: 'body must be a list' } }
  })

  test('a value that is sent twice with the same timestamp is one entry', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const topic = `${installation.client_id}/obj/x`
    for (let i = 0; i < 3; i++) await world.publish(user, topic, { value: 1, timestamp: 1000 })
    await world.publish(user, topic, { value: 2, timestamp: 1000 })
    await world.publish(user, topic, { value: 1, timestamp: 1000, msg: 'other' })
    await eventually(async () => {
      const { json } = await world.request(
        `GET /api/v3beta/log/${installation.id}?from=0&to=2000`,
        {
          as: user
        }
      )
      assert.equal((json as Page).total, 3)
    })
  })

  test('nobody can read the log of others, whatever the filter', async () => {
    const { world } = platform()
    const { installation: theirs } = await house(world)
    const { installation, user } = await world.site(grants)
    const { json } = await world.request(
      `GET /api/v3beta/log/${installation.id}?from=0&topics=${theirs.client_id}/obj/a,%2B/obj/a,%23`,
      { as: user }
    )
    assert.equal((json as Page).total, 0)
  })

  scenario('GET log without log/read', {
    given: (world) => world.site(['status/read/all']),
    as,
    request: ({ installation }) => `GET /api/v3beta/log/${installation.id}`,
    expect: forbidden
  })

  scenario('POST log of a foreign installation', {
    given: async (world) => ({
      ...(await world.site(grants)),
      foreign: await world.installation()
    }),
    as: ({ user }) => user,
    request: ({ foreign }) => `POST /api/v3beta/log/${foreign.id}`,
    body: [],
    expect: forbidden
  })

  scenario('GET log without a token', { request: 'GET /api/v3beta/log/1', expect: unauthorized })
  scenario('POST log without a token', {
    request: 'POST /api/v3beta/log/1',
    body: [],
    expect: unauthorized
  })
})

describe('slow log queries', () => {
  const { platform } = withPlatform(undefined, { settings: { CARACAL_SLOW_QUERY_MS: '0' } })

  test('are logged without topics and values', async () => {
    const { world, logged } = platform()
    const { path, user, installation } = await house(world)
    const query = 'from=1700000000&to=1700000060&topics=obj/a&aggr_method=percentile(9)'
    await world.request(`GET ${path}?${query}&aggr_interval=1h0m0s`, { as: user })
    const line = logged.findLast(({ msg }) => msg === 'slow log query')
    const { ms, time, level, pid, hostname, ...shape } = line ?? {}
    assert.equal(typeof ms, 'number')
    assert.deepEqual(shape, {
      installation_id: installation.id,
      span_seconds: 60,
      topics: 1,
      method: 'percentile',
      interval: '3600s',
      msg: 'slow log query'
    })
  })
})
