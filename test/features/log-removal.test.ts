import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import type { ScanQuery } from '../../src/history/history.ts'
import { sampleBytes } from '../../src/lib/quota.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { firstRoles } from '../../src/permission/catalogue.ts'
import { Grants } from '../../src/permission/grants.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const grants = ['log/delete/all', 'log/read/all', 'status/read/all', 'mqtt/publish/all']
const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
/** 5 January 2024 */
const START = 1_704_412_800

type Site = Awaited<ReturnType<World['site']>>
type Row = { topic: string; timestamp: number; value: number }
type Entry = { description: string; action: string; user_id: number; path: string }

onRegistryMatrix('log removal', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user
  const site = () => platform().world.site(grants)
  const ask = (line: string, as: { token: string }, body?: unknown) =>
    platform().world.request(line, { as, body })

  const remove = async ({ installation, user }: Site, query: string) => {
    const { status, json, text } = await ask(
      `DELETE /api/v3beta/log/${installation.id}?${query}`,
      user
    )
    assert.equal(status, 200, text)
    return json
  }
  const shortRows = (rows: readonly Row[]) =>
    rows.map(({ topic, value }) => `${topic.slice(topic.indexOf('/obj/') + 5)} ${value}`)
  const logOf = async ({ installation, user }: Site) => {
    const { json } = await ask(`GET /api/v3beta/log/${installation.id}?from=0&order=asc`, user)
    return shortRows((json as { data: Row[] }).data)
  }
  const statusOf = async ({ installation, user }: Site) =>
    shortRows((await ask(`GET /api/v2/status/${installation.id}`, user)).json as Row[])
  const traceOf = async ({ installation }: Site) => {
    const { world } = platform()
    const path = `GET /api/v2/trace?object_type=installation&object_id=${installation.id}`
    return ((await ask(path, world.admin)).json as { data: Entry[] }).data
  }

  /** Values 0 to 9 of two topics, one each hour. */
  const fill = async (house: Site) => {
    const hours = Array.from({ length: 10 }, (_, hour) => hour)
    const at = (hour: number) => unixMs((START + hour * 3600) * 1000)
    const rows = hours.flatMap((value) =>
      ['obj/a', 'obj/b'].map((topic) => ({ topic, value, timestamp: at(value) }))
    )
    await store(platform(), house.installation, rows)
    return house
  }
  const filled = async () => fill(await site())
  const stretch = (begin: number, end: number) =>
    `from=${START + begin * 3600}&to=${START + end * 3600}`
  const all = 'topics=%23'

  scenario('DELETE log removes the values of a stretch and says how many', {
    given: filled,
    as,
    request: ({ installation }) =>
      `DELETE /api/v3beta/log/${installation.id}?${stretch(2, 8)}&${all}`,
    expect: { status: 200, body: { count: 14 } },
    and: async (_answer, house) => {
      assert.deepEqual(await logOf(house), ['a 0', 'b 0', 'a 1', 'b 1', 'a 9', 'b 9'])
      assert.deepEqual(await statusOf(house), ['a 9', 'b 9'])
    }
  })

  test('topics are filters as in GET log: repeated, with commas, with wildcards, with client id', async () => {
    const house = await filled()
    const { client_id } = house.installation
    assert.deepEqual(await remove(house, `${stretch(0, 1)}&topics=obj/a&topics=obj/none`), {
      count: 2
    })
    assert.deepEqual(await remove(house, `${stretch(2, 3)}&topics=obj/a,${client_id}/obj/b`), {
      count: 4
    })
    assert.deepEqual(await remove(house, `${stretch(4, 9)}&topics=%2B/b`), { count: 6 })
    assert.deepEqual(await remove(house, `${stretch(4, 9)}&topics=obj/%2B`), { count: 6 })
    assert.deepEqual(await remove(house, `${stretch(0, 9)}&topics=,`), { count: 0 })
    assert.deepEqual(await logOf(house), ['b 0', 'b 1'])
    assert.deepEqual(await statusOf(house), ['b 1'])
  })

  test('status follows to the newest value that is left; a topic without values is gone', async () => {
    const house = await filled()
    assert.deepEqual(await remove(house, `${stretch(7, 20)}&${all}`), { count: 6 })
    assert.deepEqual(await statusOf(house), ['a 6', 'b 6'])
    assert.deepEqual(await remove(house, `from=0&to=10000000000&topics=obj/a`), { count: 7 })
    assert.deepEqual(await statusOf(house), ['b 6'])
    assert.equal((await platform().deps.latest.open(house.installation.id)).size, 1)

    const { client_id } = house.installation
    const payload = { value: 42, timestamp: START }
    await platform().world.publish(house.user, `${client_id}/obj/a`, payload)
    assert.deepEqual(await statusOf(house), ['a 42', 'b 6'], 'and comes back with its next value')
    await eventually(async () => assert.equal((await logOf(house))[0], 'a 42'))
    assert.deepEqual(await remove(house, `from=0&to=10000000000&${all}`), { count: 8 })
    assert.deepEqual([await statusOf(house), await logOf(house)], [[], []])
  })

  test('a value that was acknowledged before does not come back, even if it is still in the spool', async () => {
    const house = await site()
    const { client_id } = house.installation
    const client = await platform().world.mqtt(house.user)
    for (let i = 0; i < 20; i++) {
      const at = START + i
      await client.publish(`${client_id}/obj/a`, `{"value":${i},"timestamp":${at}}`, { qos: 1 })
      if (i % 5 !== 4) continue
      assert.deepEqual(await remove(house, `from=${START}&to=${at}&${all}`), { count: 5 })
      assert.deepEqual(await statusOf(house), [])
    }
    await client.publish(`${client_id}/obj/a`, `{"value":1,"timestamp":${START}}`, { qos: 1 })
    await eventually(async () => assert.deepEqual(await logOf(house), ['a 1']))
    assert.deepEqual(await statusOf(house), ['a 1'])
  })

  test('values that arrive meanwhile are stored, and status shows them', async () => {
    const house = await filled()
    const { client_id } = house.installation
    const client = await platform().world.mqtt(house.user)
    const publish = (value: number) =>
      client.publish(`${client_id}/obj/a`, `{"value":${value}}`, { qos: 1 })
    const values = Array.from({ length: 100 }, (_, i) => 100 + i)
    const [counts] = await Promise.all([
      Promise.all([
        remove(house, `${stretch(0, 5)}&${all}`),
        remove(house, `${stretch(0, 9)}&${all}`)
      ]),
      Promise.all(values.map(publish))
    ])
    assert.deepEqual(counts, [{ count: 12 }, { count: 8 }])
    assert.deepEqual(await statusOf(house), ['a 199'])
    await eventually(async () => {
      const log = await logOf(house)
      assert.deepEqual(log.toSorted(), values.map((value) => `a ${value}`).sort())
    })
  })

  test('a file brings back what was deleted', async () => {
    const house = await site()
    const file = `{"timestamp":${START},"topic":"obj/a","value":1}\n`
    const send = () => ask(`POST /api/v3beta/log/${house.installation.id}/import`, house.user, file)
    await send()
    assert.deepEqual(await remove(house, `${stretch(0, 1)}&${all}`), { count: 1 })
    assert.equal((await send()).status, 200)
    assert.deepEqual([await logOf(house), await statusOf(house)], [['a 1'], ['a 1']])
  })

  test('the bytes of deleted values are given back to the quotas', slow, async () => {
    const house = await site()
    const { id, client_id } = house.installation
    const topic = `${client_id}/obj/a`
    const lines = Array.from({ length: 50 }, (_, i) => START + i * 86_400)
      .map((at) => `{"timestamp":${at},"topic":"obj/a","value":1,"msg":"text"}\n`)
      .join('')
    await ask(`POST /api/v3beta/log/${id}/import`, house.user, lines)
    // The counts are written to the registry and read back every five seconds.
    const uses = (bytes: number) =>
      eventually(async () => {
        const months = await platform()
          .deps.registry.selectFrom('usage_months')
          .select('bytes')
          .where('installation_id', '=', id)
          .execute()
        assert.equal(
          months.reduce((sum, month) => sum + month.bytes, 0),
          bytes
        )
        assert.equal(platform().deps.accounts.find({ kind: 'installation', id })?.bytes, bytes)
      }, 20_000)
    await uses(50 * sampleBytes(topic, 'text'))
    // 27 days of January go as a whole month, and one day of February without its text.
    assert.deepEqual(await remove(house, `from=0&to=${START + 27 * 86_400}&${all}`), { count: 28 })
    await uses(22 * sampleBytes(topic, 'text') + 4)
    assert.deepEqual(await remove(house, `from=0&to=10000000000&${all}`), { count: 22 })
    await uses(0)
  })

  test('the trace says who deleted how many values of which topics and times', async () => {
    const house = await filled()
    const { id, client_id } = house.installation
    await remove(house, `${stretch(0, 1)}&${all}`)
    const many = Array.from({ length: 7 }, (_, i) => `topics=obj/${i}${'x'.repeat(150)}`).join('&')
    await remove(house, `${stretch(2, 3)}&${many}`)
    const [second, first] = await traceOf(house)
    assert.deepEqual(
      [first?.action, first?.user_id, first?.path],
      ['execute', house.user.id, `/api/v3beta/log/${id}`]
    )
    const times = '2024-01-05T00:00:00.000Z to 2024-01-05T01:00:00.000Z'
    assert.equal(
      first?.description,
      `deleted 4 values (${client_id}/#; ${times}) of installation ${id}`
    )
    assert.match(second?.description ?? '', RegExp(`deleted 0 values \\(${client_id}/obj/0x+, `))
    assert.match(second?.description ?? '', /, 2 more; 2024-01-05T02/)
    assert((second?.description.length ?? 0) < 700)
  })

  test('a caller who hangs up is in the trace too', async () => {
    const house = await filled()
    const { history } = platform().deps
    const slow = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const original = history.remove
    history.remove = async (query: ScanQuery) => {
      if (query.installation_id === house.installation.id) begun.resolve()
      await slow.promise
      return original.call(history, query)
    }
    try {
      const path = `/api/v3beta/log/${house.installation.id}?${stretch(0, 9)}&${all}`
      const headers = { 'x-api-key': house.user.token }
      const call = request(platform().url + path, { method: 'DELETE', headers })
      call.on('error', () => {}).end()
      await begun.promise
      call.destroy()
    } finally {
      slow.resolve()
      history.remove = original
    }
    await eventually(async () => {
      const [entry] = await traceOf(house)
      assert.match(entry?.description ?? '', /^deleted 20 values/)
    })
    assert.deepEqual(await logOf(house), [])
  })

  test('a tenant has one removal at once, and four may wait', async () => {
    const [house, other] = [await filled(), await filled()]
    const { history } = platform().deps
    const slow = Promise.withResolvers<void>()
    const original = history.remove
    history.remove = async (query: ScanQuery) => {
      if (query.installation_id === house.installation.id) await slow.promise
      return original.call(history, query)
    }
    const path = `DELETE /api/v3beta/log/${house.installation.id}?${stretch(0, 9)}&${all}`
    try {
      let refused = 0
      const eight = Array.from({ length: 8 }, async () => {
        const answer = await ask(path, house.user)
        if (answer.status === 429) refused++
        return answer
      })
      await eventually(() => assert.equal(refused, 3))
      assert.deepEqual(await remove(other, `${stretch(0, 9)}&${all}`), { count: 20 })
      slow.resolve()
      const answers = (await Promise.all(eight)).map(({ text }) => text)
      const most = 'an organization has at most 1 running and 4 waiting'
      assert.deepEqual(
        answers.sort(),
        [
          ...Array(4).fill('{"count":0}'),
          '{"count":20}',
          ...Array(3).fill(`{"message":"Too many removals at once: ${most}"}`)
        ].sort()
      )
    } finally {
      slow.resolve()
      history.remove = original
    }
  })

  test('other installations keep their values', async () => {
    const [house, other] = [await filled(), await filled()]
    await remove(house, `from=0&to=10000000000&${all}`)
    assert.equal((await logOf(other)).length, 20)
    assert.deepEqual(await statusOf(other), ['a 9', 'b 9'])
  })

  scenario('DELETE log without a token', {
    given: filled,
    request: ({ installation }) =>
      `DELETE /api/v3beta/log/${installation.id}?${stretch(0, 9)}&${all}`,
    expect: unauthorized,
    and: async (_answer, house) => assert.equal((await logOf(house)).length, 20)
  })

  scenario('DELETE log by a user who may only read and publish', {
    given: async (world) => {
      const house = await filled()
      const { organization_id } = house.installation
      const rights = ['log/read/all', 'mqtt/publish/all', 'installation/delete/all']
      return { house, user: await world.user({ grants: rights, organizations: [organization_id] }) }
    },
    as,
    request: ({ house }) =>
      `DELETE /api/v3beta/log/${house.installation.id}?${stretch(0, 9)}&${all}`,
    expect: forbidden,
    and: async (_answer, { house }) => assert.equal((await logOf(house)).length, 20)
  })

  scenario('DELETE log of another tenant', {
    given: async (world) => ({ house: await filled(), user: (await world.site(grants)).user }),
    as,
    request: ({ house }) =>
      `DELETE /api/v3beta/log/${house.installation.id}?${stretch(0, 9)}&${all}`,
    expect: forbidden,
    and: async (_answer, { house }) => assert.equal((await logOf(house)).length, 20)
  })

  scenario('DELETE log of an assigned installation needs log/delete/assigned', {
    given: async (world) => {
      const house = await filled()
      const assigned = [house.installation.id]
      return { house, user: await world.user({ grants: ['log/delete/assigned'], assigned }) }
    },
    as,
    request: ({ house }) =>
      `DELETE /api/v3beta/log/${house.installation.id}?${stretch(0, 0)}&${all}`,
    expect: { status: 200, body: { count: 2 } }
  })

  test('of the first roles only Administrator may delete values', () => {
    const may = firstRoles.filter(({ permissions }) =>
      ['all', 'assigned'].some((scope) => new Grants(permissions).covers(`log/delete/${scope}`))
    )
    assert.deepEqual(
      may.map(({ name }) => name),
      ['Administrator']
    )
  })

  const wildcards = Array.from({ length: 201 }, (_, i) => `topics=obj/${i}/%2B`).join('&')
  const refusals: [query: string, message: RegExp][] = [
    ['', /from/],
    ['from=0&topics=obj/a', /to/],
    ['to=1&topics=obj/a', /from/],
    ['from=0&to=1', /topics/],
    ['from=0&to=1&topics=', /topics/],
    ['from=0&to=1&topics=#', /topics/],
    ['from=&to=1&topics=obj/a', /from/],
    ['from=5&to=4&topics=obj/a', /^from must not be later than to$/],
    ['from=-1&to=4&topics=obj/a', /from/],
    ['from=0&to=-1&topics=obj/a', /to/],
    ['from=NaN&to=4&topics=obj/a', /from/],
    ['from=0&to=Infinity&topics=obj/a', /to/],
    ['from=0&to=1000000000000&topics=obj/a', /to/],
    ['from=now&to=4&topics=obj/a', /from/],
    ['from=0&to=1&topics=obj/a&topic=obj/a', /topic/],
    [`from=0&to=1&${wildcards}`, /^topics: at most 200 filters with wildcards$/],
    [`from=0&to=1&topics=${'a/'.repeat(70)}`, /^topics: a filter has at most 64 levels/]
  ]
  for (const [query, message] of refusals) {
    test(`DELETE log is refused with ?${query.slice(0, 60)}`, async () => {
      const house = await filled()
      const path = `DELETE /api/v3beta/log/${house.installation.id}?${query}`
      const { status, json, text } = await ask(path, house.user)
      assert.equal(status, 400, text)
      assert.match((json as { message: string }).message, message)
      assert.equal((await logOf(house)).length, 20)
    })
  }
})
