import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertAlarms, type NewAlarm } from '../../src/features/alarm/alarms.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { World } from '../support/world.ts'

type Alarm = { id: number; topic: string; raised_at: number } & Record<string, unknown>

const both = ['alarm/list/all', 'alarm/acknowledge/all']
const HOUR = 3_600_000

onRegistryMatrix('alarm', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const now = Date.now()

  const raise = (installation_id: number, alarms: readonly Partial<NewAlarm>[]) =>
    insertAlarms(
      platform().deps.registry,
      alarms.map((fields, i) => ({
        ...{ installation_id, rule_id: 7, topic: `t${i}`, severity: 'warning', value: 1.5 },
        ...{ raised_at: now - 1000 * (alarms.length - i), message: 'm', isTold: true },
        ...fields
      }))
    )
  const given = async (world: World) => {
    const { installation, user } = await world.site(both)
    const rows = await raise(installation.id, [{}])
    return { installation, user, id: rows[0]?.id ?? 0 }
  }
  const topics = (json: unknown) => (json as Alarm[]).map(({ topic }) => topic)

  test('GET the alarms of an installation, whole and newest first', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(both)
    const [first, second] = await raise(installation.id, [
      { raised_at: now - 2500, cleared_at: now - 500, message: 'Line\n"1"' },
      { raised_at: now - 1500, rule_id: 0, severity: 'critical', value: null }
    ])
    const list = await world.request(`GET /api/v2/alarm/${installation.id}`, { as: user })
    assert.equal(list.status, 200, list.text)
    const untouched = { acknowledged_at: null, acknowledged_by: null, note: '' }
    assert.deepEqual(list.json, [
      {
        ...{ id: second?.id, rule_id: null, installation_id: installation.id, topic: 't1' },
        ...{ severity: 'critical', state: 'raised', raised_at: (now - 1500) / 1000, ...untouched },
        ...{ cleared_at: null, value: null, message: 'm' }
      },
      {
        ...{ id: first?.id, rule_id: 7, installation_id: installation.id, topic: 't0' },
        ...{ severity: 'warning', state: 'cleared', raised_at: (now - 2500) / 1000, ...untouched },
        ...{ cleared_at: (now - 500) / 1000, value: 1.5, message: 'Line\n"1"' }
      }
    ])
    const keys = Object.keys((list.json as Alarm[])[0] ?? {}).join()
    assert.equal(
      keys,
      'id,rule_id,installation_id,topic,severity,state,raised_at,acknowledged_at,acknowledged_by,note,cleared_at,value,message'
    )
  })

  test('the filters of the lists', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(both)
    const rows = await raise(installation.id, [
      { topic: 'old', raised_at: now - 25 * HOUR, severity: 'info' },
      { topic: 'cleared', raised_at: now - 4000, cleared_at: now - 10 },
      { topic: 'noted', raised_at: now - 3000 },
      { topic: 'both', raised_at: now - 2000, cleared_at: now - 10, severity: 'critical' },
      { topic: 'raised', raised_at: now - 1000, severity: 'critical' }
    ])
    for (const row of rows.filter(({ topic }) => topic === 'noted' || topic === 'both')) {
      const line = `PUT /api/v2/alarm/${installation.id}/${row.id}/acknowledge`
      await world.request(line, { as: user, body: { note: '' } })
    }
    for (const at of [`/api/v2/alarm/${installation.id}`, '/api/v2/alarm']) {
      const f = async (query: string, wanted: string[]) => {
        const { status, json, text } = await world.request(`GET ${at}?${query}`, { as: user })
        assert.equal(status, 200, text)
        assert.deepEqual(topics(json), wanted, `${at} ${query}`)
      }
      const day = ['raised', 'both', 'noted', 'cleared']
      await f('', day)
      await f('from=0', [...day, 'old'])
      await f('from=-1', day)
      await f(`from=${(now - 2000) / 1000}`, ['raised', 'both'])
      await f(`from=0&to=${(now - 3000) / 1000}`, ['noted', 'cleared', 'old'])
      await f('from=0&state=raised', ['raised', 'old'])
      await f('from=0&state=acknowledged', ['noted'])
      await f('from=0&state=cleared', ['both', 'cleared'])
      await f('from=0&severity=info', ['old'])
      await f('severity=critical&state=cleared', ['both'])
      await f('limit=2', ['raised', 'both'])
      await f('limit=2&offset=1', ['both', 'noted'])
      await f('limit=0&offset=3', ['cleared'])
      await f('offset=9', [])
      await f(`offset=${Number.MAX_SAFE_INTEGER}&limit=100000`, [])
    }
  })

  const wrong: [query: string, message: RegExp][] = [
    ['state=open', /^state must be raised or acknowledged or cleared$/],
    ['severity=fatal', /^severity must be info or warning or critical$/],
    ['from=x', /^from must be a number/],
    ['to=100000000001', /^to must be a number from/],
    ['from=2&to=1', /^from must not be later than to$/],
    ['limit=-1', /^limit must be a whole number/],
    ['limit=100001', /^limit must be a whole number from 0 to 100000$/],
    ['offset=-1', /^offset must be a whole number/],
    ['rule_id=1', /rule_id/]
  ]
  for (const [query, message] of wrong) {
    scenario(`GET alarms with ${query}`, {
      given: (world) => world.site(both),
      as: ({ user }) => user,
      request: ({ installation }) => `GET /api/v2/alarm/${installation.id}?${query}`,
      expect: { status: 400 },
      and: async ({ json }, { user }, world) => {
        assert.match((json as { message: string }).message, message)
        const all = await world.request(`GET /api/v2/alarm?${query}`, { as: user })
        assert.deepEqual([all.status, all.json], [400, json])
      }
    })
  }

  test('GET over all has what the caller may list, and nothing else', async () => {
    const { world } = platform()
    const { installation } = await world.site([])
    const { organization_id } = installation
    const below = await world.organization(organization_id)
    const second = await world.installation({ organization_id: below })
    const stranger = await world.site(both)
    await raise(installation.id, [{ topic: 'own' }])
    await raise(second.id, [{ topic: 'below' }])
    await raise(stranger.installation.id, [{ topic: 'stranger' }])
    const seen = async (account: { token: string }) => {
      const { json } = await world.request('GET /api/v2/alarm?limit=100000', { as: account })
      return topics(json).filter((topic) => ['own', 'below', 'stranger'].includes(topic))
    }
    const of = (grants: string[], assigned: number[] = []) =>
      world.user({ grants, organizations: [organization_id], assigned } as never)
    assert.deepEqual((await seen(await of(['alarm/list/all']))).sort(), ['below', 'own'])
    assert.deepEqual(await seen(await of(['alarm/list/assigned'])), [])
    assert.deepEqual(await seen(await of([])), [])
    assert.deepEqual(await seen(await of([`${second.id}/alarm/#`])), ['below'])
    assert.deepEqual(await seen(stranger.user), ['stranger'])
    assert((await seen(world.admin)).length >= 3)
    assert.equal((await world.request('GET /api/v2/alarm')).status, 401)
    const foreign = `GET /api/v2/alarm/${installation.id}`
    assert.equal((await world.request(foreign, { as: stranger.user })).status, 403)
    assert.equal((await world.request(foreign)).status, 401)
  })

  test(
    'a list of many installations and of equal times is in order, page by page',
    slow,
    async () => {
      const { world } = platform()
      const organization_id = await world.organization()
      const user = await world.user({ grants: both, organizations: [organization_id] })
      const ids: number[] = []
      for (let i = 0; i < 103; i++) ids.push((await world.installation({ organization_id })).id)
      const raised: Partial<NewAlarm>[] = Array.from({ length: 60 }, (_, i) => ({
        ...{ topic: `t${i}`, raised_at: now - 1000 * Math.floor(i / 25) },
        severity: i % 7 === 0 ? 'critical' : 'info'
      }))
      for (const id of ids.slice(0, 101)) await raise(id, raised)
      const read = async (query: string, as = user) => {
        const { json, text } = await world.request(`GET /api/v2/alarm?${query}`, { as })
        return Array.isArray(json) ? (json as Alarm[]) : assert.fail(text)
      }
      const all = await read('')
      assert.equal(all.length, 101 * 60)
      const inOrder = all.toSorted((a, b) => b.raised_at - a.raised_at || b.id - a.id)
      assert.deepEqual(all, inOrder)
      assert.deepEqual(await read('offset=2990&limit=20'), all.slice(2990, 3010))
      const critical = all.filter(({ severity }) => severity === 'critical')
      assert.deepEqual(await read('severity=critical&offset=3'), critical.slice(3))
      // The same with few installations, which are looked up one by one.
      const few = await world.user({ grants: [`${ids[0]}/alarm/#`, `${ids[1]}/alarm/#`] })
      const theirs = all.filter((one) => ids.slice(0, 2).includes(Number(one['installation_id'])))
      assert.deepEqual(await read('', few), theirs)
      assert.deepEqual(await read('offset=50&limit=30', few), theirs.slice(50, 80))
    }
  )

  test('an installation with more alarms than one step reads is listed whole', slow, async () => {
    const { world } = platform()
    const { installation, user } = await world.site(both)
    const many = Array.from({ length: 4500 }, (_, i) => ({
      ...{ topic: `t${i}`, raised_at: now - Math.floor(i / 3000) },
      cleared_at: i % 2 === 0 ? now : null
    }))
    await raise(installation.id, many)
    const at = `/api/v2/alarm/${installation.id}`
    const read = async (query: string) => {
      const { json } = await world.request(`GET ${at}?${query}`, { as: user })
      return (json as Alarm[]).map(({ id }) => id)
    }
    const all = await read('')
    assert.equal(new Set(all).size, 4500)
    assert.equal(all.length, 4500)
    const [open, cleared] = [await read('state=raised'), await read('state=cleared')]
    assert.equal(open.length + cleared.length, 4500)
    assert.deepEqual(await read('offset=2100&limit=100'), all.slice(2100, 2200))
    assert.deepEqual(await read('state=cleared&offset=1100&limit=100'), cleared.slice(1100, 1200))
  })

  scenario('PUT acknowledge', {
    given,
    as: ({ user }) => user,
    request: ({ installation, id }) => `PUT /api/v2/alarm/${installation.id}/${id}/acknowledge`,
    body: { note: 'On my way' },
    expect: {
      status: 200,
      published: ({ installation }) => [`${installation.client_id}/evt/alarm/updated`]
    },
    and: async ({ json }, { installation, user, id }, world) => {
      const row = json as Alarm
      assert.deepEqual(
        [row.id, row['state'], row['acknowledged_by'], row['note'], row['cleared_at']],
        [id, 'acknowledged', user.id, 'On my way', null]
      )
      assert(Math.abs(Number(row['acknowledged_at']) - Date.now() / 1000) < 60)
      const list = await world.request(`GET /api/v2/alarm/${installation.id}`, { as: user })
      assert.deepEqual(list.json, [row])
    }
  })

  test('a later acknowledgement replaces an earlier one, also of a cleared alarm', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(both)
    const rows = await raise(installation.id, [{ cleared_at: now }])
    const line = `PUT /api/v2/alarm/${installation.id}/${rows[0]?.id}/acknowledge`
    await world.request(line, { as: user, body: { note: 'first' } })
    const { json } = await world.request(line, { as: world.admin, body: {} })
    const { state, note, acknowledged_by } = json as Alarm
    assert.deepEqual([state, note, acknowledged_by], ['cleared', '', world.admin.id])
  })

  test('acknowledgements of an installation are told once a second, the last one too', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(both)
    const rows = await raise(installation.id, [{}, {}, {}, {}])
    const listener = await world.mqtt(world.admin)
    const topic = `${installation.client_id}/evt/alarm/updated`
    await listener.subscribe(topic)
    for (const { id } of rows) {
      const line = `PUT /api/v2/alarm/${installation.id}/${id}/acknowledge`
      await world.request(line, { as: user, body: {} })
    }
    await eventually(() => assert.equal(listener.messages.length, 2))
    assert.deepEqual(
      listener.messages.map((one) => one.topic),
      [topic, topic]
    )
  })

  test('who may not acknowledge an alarm is refused, and the alarm stays as it is', async () => {
    const { world } = platform()
    const { installation, user, id } = await given(world)
    const stranger = await world.site(both)
    const reader = await world.user({
      ...{ grants: ['alarm/list/all'], organizations: [installation.organization_id] }
    })
    const body = { note: 'x' }
    const status = async (line: string, as?: { token: string }, sent: unknown = body) =>
      (
        await world.request(`PUT /api/v2/alarm/${line}/acknowledge`, {
          ...(as && { as }),
          body: sent
        })
      ).status
    const own = `${installation.id}/${id}`
    assert.equal(await status(own), 401)
    assert.equal(await status(own, reader), 403)
    assert.equal(await status(own, stranger.user), 403)
    assert.equal(await status(`${stranger.installation.id}/${id}`, stranger.user), 404)
    assert.equal(await status(`${installation.id}/999999999`, user), 404)
    assert.equal(await status(`${installation.id}/x`, user), 400)
    assert.equal(await status(own, user, { note: 1 }), 400)
    assert.equal(await status(own, user, { note: 'x'.repeat(4097) }), 400)
    assert.equal(await status(own, user, []), 400)
    const list = await world.request(`GET /api/v2/alarm/${installation.id}`, { as: user })
    assert.deepEqual((list.json as Alarm[])[0]?.['state'], 'raised')
  })

  test('the trace tells who acknowledged an alarm', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([...both, 'trace/list'])
    const [row] = await raise(installation.id, [{}])
    const line = `PUT /api/v2/alarm/${installation.id}/${row?.id}/acknowledge`
    await world.request(line, { as: user, body: { note: 'secret' } })
    await eventually(async () => {
      const query = `object_type=alarm&object_id=${row?.id}`
      const found = await world.request(`GET /api/v2/trace?${query}`, { as: user })
      const [entry] = (found.json as { data: Alarm[] }).data
      assert.match(String(entry?.['description']), /^acknowledged alarm/)
    })
  })
})
