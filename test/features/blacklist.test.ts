import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Blacklist } from '../../src/features/blacklist/blacklist.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { Directory } from '../../src/permission/directory.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { statusText } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const url = '/api/v2/blacklist/topic'
const grants = ['mqtt/#', 'status/#']

type Entry = { id: number; topic: string; mode: string; enabled: boolean; count: number }

onRegistryMatrix('blacklist', (engine) => {
  let ahead = 0
  const clock = () => unixMs(Date.now() + ahead)
  const { platform, scenario } = withPlatform(engine, { clock })

  const make = async (body: object): Promise<Entry> => {
    const { world } = platform()
    const made = await world.request(`POST ${url}`, { as: world.admin, body })
    assert.equal(made.status, 200, made.text)
    return made.json as Entry
  }
  const countOf = async ({ id }: Entry) => {
    const { world } = platform()
    const { json } = await world.request(`GET ${url}/${id}`, { as: world.admin })
    return (json as Entry).count
  }
  const put = ({ id }: Entry, body: object) =>
    platform().world.request(`PUT ${url}/${id}`, { as: platform().world.admin, body })
  const ledger = async (topic: string) => {
    const { world } = platform()
    const { json } = await world.request('GET /api/v2/ledger', { as: world.admin })
    const lines = json as { topic: string; reason: string }[]
    return lines.filter((line) => line.topic === topic).map(({ reason }) => reason)
  }
  const values = async (installationId: number): Promise<number[]> => {
    const json = await statusText(platform().deps, installationId)
    return json === '' ? [] : JSON.parse(`[${json}]`).map(({ value }: { value: number }) => value)
  }

  /** A user who manages the list of an organization with an installation, and the messages the user gets. */
  async function site(world: World) {
    const { installation, user } = await world.site(grants)
    return { installation, user, cid: installation.client_id }
  }
  type Site = Awaited<ReturnType<typeof site>>
  const asUser = ({ user }: Site) => user

  describe('what an entry does', () => {
    test('block: a message is acknowledged and counted, but not delivered and not stored', async () => {
      const { world } = platform()
      const { installation, user, cid } = await site(world)
      const entry = await make({ topic: `${cid}/obj/loud/#`, reason: 'too loud' })
      const listener = await world.mqtt(user)
      await listener.subscribe(`${cid}/#`)
      const sender = await world.mqtt(user)
      for (const qos of [0, 1, 2] as const) {
        await sender.publish(`${cid}/obj/loud/x`, '{"value":1}', { qos, retain: true })
      }
      const will = {
        topic: `${cid}/obj/loud`,
        payload: Buffer.from('{"value":2}'),
        qos: 1 as const,
        retain: true
      }
      const dying = await world.mqtt(user, { will })
      dying.mqtt.stream.destroy()
      await eventually(async () => assert.equal(await countOf(entry), 4))
      await sender.publish(`${cid}/obj/quiet`, '{"value":3}', { qos: 1 })
      await eventually(() => assert(listener.messages.length > 0))
      assert.deepEqual(
        listener.messages.map(({ topic }) => topic),
        [`${cid}/obj/quiet`]
      )
      assert.deepEqual(await values(installation.id), [3])
      assert.equal(sender.mqtt.connected, true)
      const later = await world.mqtt(user)
      await later.subscribe(`${cid}/#`)
      await later.publish(`${cid}/cmd/mark`, '', { qos: 1 })
      await eventually(() => assert.equal(later.messages.length, 1))
      assert.equal(later.messages[0]?.topic, `${cid}/cmd/mark`, 'nothing was retained')
    })

    test('block applies to every kind of topic, but not to messages of the platform', async () => {
      const { world } = platform()
      const { installation, user, cid } = await site(world)
      const entry = await make({ topic: `${cid}/#` })
      const listener = await world.mqtt(user)
      await listener.subscribe(`${cid}/#`)
      for (const topic of ['set/x', 'cmd/x', 'evt/x', 'box/event/status']) {
        await world.publish(user, `${cid}/${topic}`, '1')
      }
      const body = { name: 'renamed' }
      await world.request(`PUT /api/v2/installation/${installation.id}`, { as: world.admin, body })
      await eventually(() => assert.equal(listener.messages.length, 1))
      assert.equal(listener.messages[0]?.topic, `${cid}/evt/installation/updated`)
      assert.equal(await countOf(entry), 4)
    })

    test('ignore: a message is delivered and counted, but not stored', async () => {
      const { world } = platform()
      const { installation, user, cid } = await site(world)
      const entry = await make({ topic: `${cid}/obj/+/raw`, mode: 'ignore' })
      const listener = await world.mqtt(user)
      await listener.subscribe(`${cid}/#`)
      await world.publish(user, `${cid}/obj/a/raw`, { value: 1 })
      await world.publish(user, `${cid}/obj/a/fine`, { value: 2 })
      await eventually(() => assert.equal(listener.messages.length, 2))
      assert.deepEqual(await values(installation.id), [2])
      assert.equal(await countOf(entry), 1)
    })

    test('a disabled entry does nothing; enabling, changing and deleting take effect at once', async () => {
      const { world } = platform()
      const { installation, user, cid } = await site(world)
      const entry = await make({ topic: `${cid}/obj/x`, enabled: false })
      const send = async (value: number) => {
        await world.publish(user, `${cid}/obj/x`, { value })
        return await values(installation.id)
      }
      assert.deepEqual(await send(1), [1])
      await put(entry, { enabled: true })
      assert.deepEqual(await send(2), [1])
      await put(entry, { topic: `${cid}/obj/y` })
      assert.deepEqual(await send(3), [3])
      await put(entry, { topic: `${cid}/obj/x`, mode: 'ignore' })
      assert.deepEqual(await send(4), [3])
      await world.request(`DELETE ${url}/${entry.id}`, { as: world.admin })
      assert.deepEqual(await send(5), [5])
    })

    test('ledger and metrics say blacklisted, and the ledger has one entry for a flood', async () => {
      const { world } = platform()
      const { user, cid } = await site(world)
      const topic = `${cid}/obj/flood`
      const entry = await make({ topic })
      const sender = await world.mqtt(user)
      const flood = async () => {
        for (let i = 0; i < 50; i++) await sender.publish(topic, '{"value":1}', { qos: 1 })
      }
      await flood()
      await eventually(async () => assert.deepEqual(await ledger(topic), ['blacklisted']))
      assert.equal(await countOf(entry), 50)
      ahead += 10_000
      await flood()
      await eventually(async () =>
        assert.deepEqual(await ledger(topic), ['blacklisted', 'blacklisted'])
      )
      const metrics = await world.request('GET /metrics', { as: world.admin })
      assert.match(metrics.text, /caracal_refused_total\{reason="blacklisted"\} \d\d+/)
    })

    test('a sender who may not publish there is refused for that reason and not counted', async () => {
      const { world } = platform()
      const { cid } = await site(world)
      const stranger = await site(world)
      const entry = await make({ topic: `${cid}/obj/x` })
      await world.publish(stranger.user, `${cid}/obj/x`, { value: 1 })
      await eventually(async () =>
        assert.deepEqual(await ledger(`${cid}/obj/x`), ['forbidden topic'])
      )
      assert.equal(await countOf(entry), 0)
    })

    test('the value of a schedule on a blacklisted topic is not stored', async () => {
      const { world, deps } = platform()
      const { installation, cid } = await site(world)
      await make({ topic: `${cid}/obj/timer` })
      const { Ingest } = await import('../../src/samples/ingest.ts')
      const disk = { isEnough: true } as ConstructorParameters<typeof Ingest>[0]['disk']
      const ingest = new Ingest({ ...deps, disk })
      const payload = Buffer.from('{"value":1}')
      await ingest.accept({ topic: `${cid}/obj/timer`, payload, qos: 0, retain: false }, 'schedule')
      assert.deepEqual(await values(installation.id), [])
    })

    test('all nodes use a new entry, and their counts add up', async () => {
      const { world, deps } = platform()
      const { user, cid } = await site(world)
      const other = await Blacklist.open(deps.registry, clock)
      const directory = await Directory.open(deps.registry)
      directory.onBlacklistChange(() => other.reload())
      const timer = setInterval(() => void directory.catchUp(), 500)
      try {
        const topic = `${cid}/obj/x`
        assert.equal(other.blocks(topic), false)
        const entry = await make({ topic })
        await eventually(() => assert.equal(other.blocks(topic), true))
        for (let i = 0; i < 3; i++) other.count(topic)
        await world.publish(user, topic, { value: 1 })
        assert.equal(await countOf(entry), 1, 'this node shows its own at once')
        await Promise.all([other.flush(), other.flush(), deps.blacklist.flush()])
        assert.equal(await countOf(entry), 4)
        assert.equal(other.counted(entry.id), 0)
        await other.flush()
        assert.equal(await countOf(entry), 4, 'each message once')
      } finally {
        clearInterval(timer)
        await directory.catchUp()
      }
    })

    test('counts stay in memory until they are flushed', async () => {
      const { deps } = platform()
      const entry = await make({ topic: '999999/obj/x' })
      for (let i = 0; i < 1000; i++) deps.blacklist.count('999999/obj/x')
      const row = () =>
        deps.registry
          .selectFrom('topic_blacklist')
          .select('count')
          .where('id', '=', entry.id)
          .executeTakeFirstOrThrow()
      assert.equal((await row()).count, 0)
      await deps.blacklist.flush()
      assert.equal((await row()).count, 1000)
    })
  })

  describe('managing', () => {
    scenario('POST with the topic alone blocks it', {
      given: site,
      as: asUser,
      request: `POST ${url}`,
      body: ({ cid }: Site) => ({ topic: `${cid}/obj/#` }),
      expect: { status: 200 },
      and: ({ json }, { cid }) => {
        const { id, ...entry } = json as Entry
        assert(id > 0)
        const topic = `${cid}/obj/#`
        assert.deepEqual(entry, { topic, mode: 'block', enabled: true, reason: '', count: 0 })
      }
    })
    scenario('POST as a client sends it', {
      given: site,
      as: asUser,
      request: `POST ${url}`,
      body: ({ cid }: Site) => ({
        ...{ id: 0, topic: `${cid}/set/+`, mode: '', enabled: false, reason: 'why', count: 7 }
      }),
      expect: { status: 200 },
      and: ({ json }, { cid }) => {
        const { id: _, ...entry } = json as Entry
        const topic = `${cid}/set/+`
        assert.deepEqual(entry, { topic, mode: 'block', enabled: false, reason: 'why', count: 0 })
      }
    })
    const withEntry = async (world: World) => {
      const given = await site(world)
      const entry = await make({ topic: `${given.cid}/obj/x`, reason: 'because' })
      const foreign = await make({ topic: `+/obj/${world.unique('x')}`, enabled: false })
      return { ...given, entry, foreign, at: `${url}/${entry.id}` }
    }
    type Given = Awaited<ReturnType<typeof withEntry>>
    const taken = { status: 409, body: { message: 'topic already has an entry with this mode' } }
    scenario('POST of a topic that has an entry', {
      given: withEntry,
      as: asUser,
      request: `POST ${url}`,
      body: ({ entry }: Given) => ({ topic: entry.topic, enabled: false }),
      expect: taken
    })
    scenario('POST of the same topic in the other mode', {
      given: withEntry,
      as: asUser,
      request: `POST ${url}`,
      body: ({ entry }: Given) => ({ topic: entry.topic, mode: 'ignore' }),
      expect: { status: 200 }
    })
    scenario('PUT to a topic that has an entry', {
      given: async (world) => {
        const given = await withEntry(world)
        return { ...given, second: await make({ topic: `${given.cid}/obj/y` }) }
      },
      as: asUser,
      request: ({ second }) => `PUT ${url}/${second.id}`,
      body: ({ entry }: Given) => ({ topic: entry.topic }),
      expect: taken
    })
    test(
      'a tenant has at most 100 entries, whatever others have, and the platform 1000',
      slow,
      async () => {
        const { world, deps } = platform()
        const { registry } = deps
        const { cid, user, installation } = await site(world)
        const fill = (count: number, topic: (i: number) => string) =>
          registry
            .insertInto('topic_blacklist')
            .values(
              Array.from({ length: count }, (_, i) => ({
                ...{ topic: topic(i), mode: 'block' as const, enabled: 0, reason: '', count: 0 }
              }))
            )
            .execute()
        const post = async (topic: string) => {
          const { status, json } = await world.request(`POST ${url}`, { as: user, body: { topic } })
          return [status, (json as { message?: string }).message]
        }
        await fill(100, (i) => `${cid}/full/${i}`)
        const full = [409, 'the organization with all below it has 100 entries already']
        assert.deepEqual(await post(`${cid}/obj/more`), full)
        const other = await make({ topic: '999998/obj/x' })
        const moved = await put(other, { topic: `${cid}/obj/more` })
        assert.deepEqual([moved.status, (moved.json as { message: string }).message], full)
        const own = await world.request(`GET ${url}`, { as: user })
        const [first] = own.json as Entry[]
        assert(first)
        assert.equal((await put(first, { enabled: false })).status, 200, 'its own place is free')

        const organization_id = await world.organization(installation.organization_id)
        const below = await world.installation({ organization_id })
        const more = await post(`${below.client_id}/obj/more`)
        assert.deepEqual(more, full, 'an organization below takes from the same places')

        for (let i = 0; i < 5; i++) await fill(200, (n) => `full/${i}/${n}`)
        const beside = await site(world)
        const free = await world.request(`POST ${url}`, {
          as: beside.user,
          body: { topic: `${beside.cid}/full/x` }
        })
        assert.equal(free.status, 200)
        const { status, json } = await world.request(`POST ${url}`, {
          as: world.admin,
          body: { topic: '+/full/x' }
        })
        assert.deepEqual(
          [status, json],
          [409, { message: 'the platform has 1000 entries already' }]
        )
        await registry.deleteFrom('topic_blacklist').where('topic', 'like', '%full/%').execute()
      }
    )
    scenario('GET lists the entries that the caller reaches', {
      given: withEntry,
      as: asUser,
      request: `GET ${url}`,
      expect: { status: 200, body: ({ entry }: Given) => [entry] }
    })
    scenario('GET lists all entries for a caller who reaches everything', {
      given: withEntry,
      as: () => platform().world.admin,
      request: `GET ${url}`,
      expect: { status: 200 },
      and: ({ json }, { entry, foreign }) => {
        const ids = (json as Entry[]).map(({ id }) => id)
        assert(ids.includes(entry.id) && ids.includes(foreign.id))
      }
    })
    scenario('GET one', {
      given: withEntry,
      as: asUser,
      request: ({ at }) => `GET ${at}`,
      expect: { status: 200, body: ({ entry }: Given) => entry }
    })
    scenario('PUT keeps missing and null fields, and the count', {
      given: withEntry,
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { enabled: false, topic: null, mode: '', count: 99 },
      expect: { status: 200, body: ({ entry }: Given) => ({ ...entry, enabled: false }) },
      and: async (_, { entry, at }, world) => {
        const { json } = await world.request(`GET ${at}`, { as: world.admin })
        assert.deepEqual(json, { ...entry, enabled: false })
      }
    })
    scenario('DELETE', {
      given: withEntry,
      as: asUser,
      request: ({ at }) => `DELETE ${at}`,
      expect: { status: 200, body: { message: 'Deleted' } },
      and: async (_, { at }, world) =>
        assert.equal((await world.request(`GET ${at}`, { as: world.admin })).status, 403)
    })
    const beyond: [what: string, topic: (given: { other: number }) => string][] = [
      ['#', () => '#'],
      ['+/obj/x', () => '+/obj/x'],
      ['a stranger’s installation', ({ other }) => `${other}/obj/#`],
      ['no installation', () => '999999/obj/x']
    ]
    for (const [what, topic] of beyond) {
      scenario(`POST for ${what}`, {
        given: async (world) => {
          const { client_id: other } = await world.installation()
          return { ...(await site(world)), other }
        },
        as: asUser,
        request: `POST ${url}`,
        body: (given: { other: number }) => ({ topic: topic(given) }),
        expect: forbidden
      })
      scenario(`PUT to ${what}`, {
        given: async (world) => {
          const { client_id: other } = await world.installation()
          return { ...(await withEntry(world)), other }
        },
        as: asUser,
        request: ({ at }) => `PUT ${at}`,
        body: (given: { other: number }) => ({ topic: topic(given) }),
        expect: forbidden
      })
    }
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const body = method === 'PUT' ? { enabled: false } : undefined
      scenario(`${method} one of a stranger`, {
        given: withEntry,
        as: asUser,
        request: ({ foreign }) => `${method} ${url}/${foreign.id}`,
        body,
        expect: forbidden
      })
      scenario(`${method} one that does not exist`, {
        as: () => platform().world.admin,
        request: `${method} ${url}/999999`,
        body,
        expect: forbidden
      })
      scenario(`${method} one with an id that is none`, {
        as: () => platform().world.admin,
        request: `${method} ${url}/x`,
        body,
        expect: { status: 400 }
      })
    }
    for (const line of [
      `GET ${url}`,
      `POST ${url}`,
      `GET ${url}/1`,
      `PUT ${url}/1`,
      `DELETE ${url}/1`
    ]) {
      scenario(`${line} without a token`, { request: line, expect: unauthorized })
      scenario(`${line} without the grant`, {
        given: (world) => world.user({ grants: ['mqtt/publish/all'], organizations: [1] }),
        as: (user) => user,
        request: line,
        body: /^P/.test(line) ? { topic: '#' } : undefined,
        expect: forbidden
      })
    }
    const wrong: [what: string, body: unknown, message: RegExp][] = [
      ['no body', undefined, /body/],
      ['no topic', {}, /topic/],
      ['an empty topic', { topic: '' }, /topic/],
      ['no filter', { topic: 'a/#/b' }, /topic is not an MQTT topic filter/],
      ['a wildcard beside letters', { topic: 'a+/b' }, /topic/],
      [
        'no client id',
        { topic: 'obj/noise/#' },
        /topic must begin with <client_id>\/ or a wildcard/
      ],
      ['an empty first level', { topic: '/obj/x' }, /topic must begin/],
      ['a client id that nobody gets', { topic: '0/obj/x' }, /topic must begin/],
      ['a topic of brokers', { topic: '$SYS/#' }, /topic must begin/],
      ['a long topic', { topic: 'x'.repeat(1001) }, /topic/],
      ['another mode', { topic: 'x', mode: 'allow' }, /mode/],
      ['a text for enabled', { topic: 'x', enabled: 'yes' }, /enabled/],
      ['a long reason', { topic: 'x', reason: 'x'.repeat(1001) }, /reason/]
    ]
    for (const [what, body, message] of wrong) {
      scenario(`POST with ${what}`, {
        as: () => platform().world.admin,
        request: `POST ${url}`,
        body,
        expect: { status: 400 },
        and: ({ json }) => assert.match((json as { message: string }).message, message)
      })
    }
    scenario('PUT with a topic that nothing can match', {
      given: withEntry,
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { topic: 'obj/x' },
      expect: {
        status: 400,
        body: { message: 'topic must begin with <client_id>/ or a wildcard' }
      },
      and: async (_, { entry, at }, world) => {
        const { json } = await world.request(`GET ${at}`, { as: world.admin })
        assert.deepEqual(json, entry)
      }
    })
  })
})
