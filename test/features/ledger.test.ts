import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Entry = { id: number; reason: string; topic: string; payload: string; sender: string }

onRegistryMatrix('the ledger of an installation', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  /** A site whose user may publish and read what was refused. */
  const siteOf = (world: World) => world.site(['mqtt/publish/all', 'ledger/list/all'])
  const read = async (path: string, as: { token: string }): Promise<Entry[]> => {
    const { status, json, text } = await platform().world.request(`GET /api/v2/ledger/${path}`, {
      as
    })
    assert.equal(status, 200, text)
    return json as Entry[]
  }
  const refusals = (entries: readonly Entry[]) =>
    entries.map(({ topic, payload, reason }) => [topic, payload, reason])

  test('has what its own callers sent and why it was refused, newest first, in pages', async () => {
    const { world } = platform()
    const { installation, user } = await siteOf(world)
    const neighbour = await siteOf(world)
    const own = `${installation.client_id}/obj/x`
    const long = `${own}${'/x'.repeat(62)}`
    const client = await world.mqtt(user)
    const other = await world.mqtt(neighbour.user)
    const bad: [topic: string, payload: string, reason: string][] = [
      [own, 'Hello World', 'not json'],
      [own, '{"temperature":21}', 'no numeric value'],
      [long, '{"value":1}', 'topic too long']
    ]
    for (const [topic, payload] of bad) {
      await client.publish(topic, payload, { qos: 1 })
      await other.publish(`${neighbour.installation.client_id}/obj/x`, 'x', { qos: 1 })
    }
    const entries = await eventually(async () => {
      const list = await read(String(installation.id), user)
      assert.deepEqual(refusals(list), bad.toReversed())
      return list
    })
    assert(entries.every(({ sender }) => sender === `user:${user.id}`))

    const [newest, middle, oldest] = entries
    const { id } = installation
    assert.deepEqual(await read(`${id}?limit=2`, user), [newest, middle])
    assert.deepEqual(await read(`${id}?limit=2&before=${middle?.id}`, user), [oldest])
    assert.deepEqual(await read(`${id}?before=${oldest?.id}`, user), [])
    const { json } = await world.request('GET /api/v2/ledger?limit=100', { as: world.admin })
    const [same] = (json as Entry[]).filter((entry) => entry.id === newest?.id)
    assert.deepEqual(same, newest)
  })

  test('has nothing that a stranger sent to its topics', async () => {
    const { world } = platform()
    const { installation, user } = await siteOf(world)
    const stranger = await siteOf(world)
    const client = await world.mqtt(stranger.user)
    const topic = `${installation.client_id}/obj/x`
    for (const one of [topic, `${topic}${'/x'.repeat(62)}`]) {
      await client.publish(one, 'a secret of the other tenant', { qos: 1 })
    }
    // The next one is written after the others.
    await client.publish(`${stranger.installation.client_id}/obj/x`, 'own', { qos: 1 })
    await eventually(async () => {
      const own = await read(String(stranger.installation.id), stranger.user)
      assert.deepEqual(
        own.map(({ payload }) => payload),
        ['own']
      )
    })
    const { json } = await world.request('GET /api/v2/ledger?limit=100', { as: world.admin })
    const seen = (json as Entry[]).filter((entry) => entry.topic.startsWith(topic))
    assert.deepEqual(
      seen.map(({ reason }) => reason),
      ['topic too long', 'forbidden topic']
    )
    assert.deepEqual(await read(String(installation.id), user), [])
  })

  test('has what a user of the site may not publish', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['ledger/list/all'])
    const client = await world.mqtt(user)
    await client.publish(`${installation.client_id}/obj/x`, '{"value":1}', { qos: 1 })
    await eventually(async () => {
      const list = await read(String(installation.id), user)
      assert.deepEqual(
        list.map(({ reason }) => reason),
        ['forbidden topic']
      )
    })
  })

  const request = ({ installation }: { installation: { id: number } }) =>
    `GET /api/v2/ledger/${installation.id}`
  const forbidden = { status: 403, body: { message: 'Forbidden' } }

  scenario('for somebody to whom it is assigned', {
    given: async (world) => {
      const installation = await world.installation()
      const grants = ['ledger/list/assigned']
      return { installation, user: await world.user({ grants, assigned: [installation.id] }) }
    },
    as: ({ user }) => user,
    request,
    expect: { status: 200, body: [], published: [] }
  })
  scenario('without a token', {
    given: siteOf,
    request,
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })
  scenario('for a caller of the site without the permission', {
    given: (world) => world.site(['log/read/all', 'status/read/all']),
    as: ({ user }) => user,
    request,
    expect: forbidden
  })
  scenario('with the permission of the whole platform alone', {
    given: (world) => world.site(['ledger/read']),
    as: ({ user }) => user,
    request,
    expect: forbidden
  })
  scenario('of another tenant', {
    given: async (world) => ({
      ...(await siteOf(world)),
      installation: await world.installation()
    }),
    as: ({ user }) => user,
    request,
    expect: forbidden
  })
  scenario('that does not exist', {
    given: siteOf,
    as: ({ user }) => user,
    request: 'GET /api/v2/ledger/999999999',
    expect: forbidden
  })
  scenario('does not open the ledger of the platform', {
    given: siteOf,
    as: ({ user }) => user,
    request: 'GET /api/v2/ledger',
    expect: forbidden
  })
  for (const query of ['limit=1001', 'limit=-1', 'limit=x', 'before=0', 'before=x', 'offset=1']) {
    scenario(`with ${query}`, {
      given: siteOf,
      as: ({ user }) => user,
      request: (given) => `${request(given)}?${query}`,
      expect: { status: 400 },
      and: ({ text }) => assert.match(text, new RegExp(query.split('=')[0] ?? ''))
    })
  }
})
