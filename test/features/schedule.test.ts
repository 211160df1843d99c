import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const notFound = { status: 404, body: { message: 'Not found' } }
const grants = ['schedule/#']
const base = '/api/v2/schedule'

type Schedule = { id: number; executor: string; [field: string]: unknown }

const every = { minute: '*', hour: '*', day_of_month: '*', day_of_week: '*', month: '*' }
const asUser = ({ user }: { user: Account }) => user
const list = async (world: World, id: number, query = '') =>
  (await world.request(`GET ${base}/${id}${query}`, { as: world.admin })).json as Schedule[]

/** A site with one schedule, and its address. */
const withSchedule =
  (body: object = {}, names: readonly string[] = grants) =>
  async (world: World) => {
    const { installation, user } = await world.site(names)
    const line = `POST ${base}/${installation.id}?silent=true`
    const wanted = { topic: 'set/lamp', value: 1, minute: '30', hour: '6', ...body }
    const answer = await world.request(line, { as: world.admin, body: wanted })
    assert.equal(answer.status, 200, answer.text)
    const [schedule] = await list(world, installation.id)
    assert(schedule)
    const told = [`${installation.client_id}/evt/schedule/updated`]
    return { installation, user, schedule, told, at: `${base}/${installation.id}/${schedule.id}` }
  }

onRegistryMatrix('schedule', (engine) => {
  // The clock stays between two minutes, so no schedule of these tests runs.
  const now = unixMs(Math.floor(Date.now() / MINUTE) * MINUTE + MINUTE / 2)
  const { platform, scenario } = withPlatform(engine, { clock: () => now })

  describe('creating', () => {
    scenario('answers without a body and publishes this', {
      given: (world) => world.site(grants),
      as: asUser,
      request: ({ installation }) => `POST ${base}/${installation.id}`,
      body: { installation_id: 0, active: false, topic: 'set/lamp', value: 1.5, minute: '*/15' },
      expect: {
        status: 200,
        published: ({ installation }) => [`${installation.client_id}/evt/schedule/updated`]
      },
      and: async ({ text }, { installation }, world) => {
        assert.equal(text, '')
        const [schedule] = await list(world, installation.id)
        const { id, created_at, updated_at, ...fields } = schedule ?? { id: 0, executor: '' }
        assert.deepEqual(fields, {
          ...every,
          installation_id: installation.id,
          active: false,
          topic: 'set/lamp',
          value: 1.5,
          minute: '*/15',
          executor: 'gateway'
        })
        assert(Number.isInteger(id) && Number.isInteger(created_at))
        assert.equal(updated_at, String(created_at))
      }
    })
    const bodies: [string, object, object][] = [
      ['just topic and value', {}, { ...every, active: true, executor: 'gateway' }],
      [
        'empty texts and nulls',
        { minute: '', hour: null, day_of_month: '', month: '', executor: '', active: null },
        { ...every, active: true, executor: 'gateway' }
      ],
      ['another executor', { executor: 'edge_client' }, { executor: 'edge_client' }]
    ]
    for (const [what, body, want] of bodies) {
      scenario(`with ${what}`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}?silent=True`,
        body: { topic: 'set/lamp', value: 1, ...body },
        headers: { 'content-type': 'text/plain' },
        expect: { status: 200 },
        and: async (_, { installation }, world) => {
          const [schedule] = await list(world, installation.id)
          assert.deepEqual({ ...schedule, ...want }, schedule)
        }
      })
    }
    const within = (field: string, range: string) =>
      `${field} must be *, numbers, ranges or steps within ${range}`
    const refused: [string, object, string][] = [
      ['no topic', { topic: undefined }, 'topic is required'],
      ['an empty topic', { topic: '' }, 'topic must be text of 1 to 1000 characters'],
      ['a wildcard', { topic: 'set/#' }, 'topic must be a topic to publish to, without + and #'],
      ['a line break in the topic', { topic: 'set/a\nb' }, 'topic must have no control characters'],
      ['65 levels', { topic: 'a/'.repeat(64) }, 'topic must have no control characters'],
      ['no value', { value: undefined }, 'value is required'],
      ['text as value', { value: 'on' }, 'value must be a number'],
      ['a value as text', { value: '12.5' }, 'value must be a number'],
      ['a value beyond numbers', { value: '1e999' }, 'value must be a number'],
      ['a minute of 60', { minute: '60' }, within('minute', '0 to 59')],
      ['an hour of text', { hour: 'noon' }, within('hour', '0 to 23')],
      ['a 32nd day', { day_of_month: '31' }, within('day_of_month', '0 to 30')],
      ['an eighth weekday', { day_of_week: '8' }, within('day_of_week', '0 to 7')],
      ['a 13th month', { month: '12' }, within('month', '0 to 11')],
      [
        'everything wrong',
        { topic: '#', minute: '60', month: 'May' },
        `topic must be a topic to publish to, without + and #; ${within('minute', '0 to 59')}; ${within('month', '0 to 11')}`
      ],
      ['an installation as text', { installation_id: '1' }, 'installation_id must be a whole'],
      ['a number as minute', { minute: 5 }, 'minute must be'],
      ['active as text', { active: 'yes' }, 'active must be']
    ]
    for (const [what, body, message] of refused) {
      scenario(`with ${what} is refused and leaves nothing behind`, {
        given: (world) => world.site(grants),
        as: asUser,
        request: ({ installation }) => `POST ${base}/${installation.id}`,
        body: { topic: 'set/lamp', value: 1, ...body },
        expect: { status: 400 },
        and: async ({ json }, { installation }, world) => {
          const text = (json as { message: string }).message
          assert(text.startsWith(message), text)
          assert.deepEqual(await list(world, installation.id), [])
        }
      })
    }
    scenario('without the grant', {
      given: (world) => world.site(['schedule/list/all', 'schedule/update/all']),
      as: asUser,
      request: ({ installation }) => `POST ${base}/${installation.id}`,
      body: { topic: 'x', value: 1 },
      expect: forbidden
    })
    scenario('without a token', {
      request: `POST ${base}/1`,
      body: { topic: 'x', value: 1 },
      expect: unauthorized
    })
  })

  describe('reading', () => {
    test('a list by executor; without it, or with all, the list has every schedule', async () => {
      const { world } = platform()
      const { installation } = await withSchedule()(world)
      const line = `POST ${base}/${installation.id}?silent=true`
      const body = { topic: 'x', value: 0, executor: 'server' }
      await world.request(line, { as: world.admin, body })
      const f = async (query: string, want: string[]) => {
        const found = await list(world, installation.id, query)
        assert.deepEqual(
          found.map(({ executor }) => executor),
          want,
          query
        )
      }
      for (const query of ['', '?', '?executor=', '?executor=all'])
        await f(query, ['gateway', 'server'])
      await f('?executor=server', ['server'])
      await f('?executor=nobody', [])
    })
    scenario('one', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `GET ${at}`,
      expect: { status: 200, body: ({ schedule }: { schedule: Schedule }) => schedule }
    })
    scenario('one that is not there', {
      given: withSchedule(),
      as: asUser,
      request: ({ installation }) => `GET ${base}/${installation.id}/999999`,
      expect: notFound
    })
    scenario('one of another installation through an own one', {
      given: async (world) => {
        const { schedule } = await withSchedule()(world)
        return { ...(await world.site(grants)), schedule }
      },
      as: asUser,
      request: ({ installation, schedule }) => `GET ${base}/${installation.id}/${schedule.id}`,
      expect: notFound
    })
    for (const path of ['', '/1', '/1/next', '/1/runs']) {
      scenario(`${path} without a token`, { request: `GET ${base}/1${path}`, expect: unauthorized })
      scenario(`${path} without the grant`, {
        given: withSchedule({}, ['schedule/update/all']),
        as: asUser,
        request: ({ installation }) => `GET ${base}/${installation.id}${path}`,
        expect: forbidden
      })
    }
    test('the next runs, in the time zone of the installation', async () => {
      const { world } = platform()
      const { installation, at } = await withSchedule({ active: false })(world)
      const next = async (query = '') =>
        (await world.request(`GET ${at}/next${query}`, { as: world.admin })).json as {
          zone: string
          runs: number[]
        }
      const inUtc = await next()
      assert.equal(inUtc.zone, 'UTC')
      assert.equal(inUtc.runs.length, 5)
      for (const run of inUtc.runs) assert.equal(run % 86_400, 6.5 * 3600)
      const body = { timezone: 'Asia/Kathmandu' }
      await world.request(`PUT /api/v2/installation/${installation.id}`, { as: world.admin, body })
      const inKathmandu = await next('?count=2')
      assert.equal(inKathmandu.zone, 'Asia/Kathmandu')
      assert.deepEqual(
        inKathmandu.runs.map((run) => run % 86_400),
        [0.75 * 3600, 0.75 * 3600]
      )
      const many = await world.request(`GET ${at}/next?count=21`, { as: world.admin })
      assert.equal(many.status, 400)
      assert.equal((await next('?count=20')).runs.length, 20)
    })
    scenario('the runs of one that has not run', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `GET ${at}/runs`,
      expect: { status: 200, body: [] }
    })
  })

  describe('updating', () => {
    scenario('replaces the schedule and publishes this', {
      given: withSchedule({ executor: 'server', active: false }),
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { id: 7, installation_id: 9, topic: 'set/fan', value: 2, day_of_week: '1-5' },
      expect: { status: 200, published: ({ told }) => told },
      and: async ({ json }, { installation, schedule }, world) => {
        const { updated_at, ...got } = json as Schedule
        const { updated_at: _, ...old } = schedule
        assert.deepEqual(got, {
          ...old,
          ...every,
          topic: 'set/fan',
          value: 2,
          day_of_week: '1-5',
          executor: 'gateway'
        })
        assert.equal(typeof updated_at, 'string')
        assert.deepEqual(await list(world, installation.id), [json])
      }
    })
    for (const active of [true, false]) {
      for (const body of [{}, { active: null, topic: null, value: null }]) {
        scenario(`of one that is ${active ? '' : 'not '}active with ${JSON.stringify(body)}`, {
          given: withSchedule({ active, minute: '*', hour: '*' }),
          as: asUser,
          request: ({ at }) => `PUT ${at}?silent=true`,
          body,
          expect: { status: 200 },
          and: ({ json }, { schedule }) => {
            const { updated_at: _now, ...got } = json as Schedule
            const { updated_at: _was, ...old } = schedule
            assert.deepEqual(got, old)
          }
        })
      }
      scenario(`switches it ${active ? 'on' : 'off'}`, {
        given: withSchedule({ active: !active }),
        as: asUser,
        request: ({ at }) => `PUT ${at}?silent=true`,
        body: { active },
        expect: { status: 200 },
        and: ({ json }) => assert.equal((json as Schedule)['active'], active)
      })
    }
    test('without active never undoes a parallel change', async () => {
      const { world } = platform()
      for (let round = 0; round < 5; round++) {
        const { at } = await withSchedule({ active: true })(world)
        const put = (body: object) =>
          world.request(`PUT ${at}?silent=true`, { as: world.admin, body })
        await Promise.all([
          ...Array.from({ length: 5 }, (_, i) => put({ topic: `set/${i}` })),
          put({ active: false }),
          ...Array.from({ length: 5 }, (_, i) => put({ value: i }))
        ])
        const { json } = await world.request(`GET ${at}`, { as: world.admin })
        assert.equal((json as Schedule)['active'], false)
      }
    })
    scenario('silent', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `PUT ${at}?silent=true`,
      body: { topic: 'x', value: 1 },
      expect: { status: 200 }
    })
    scenario('with a bad field changes nothing', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { topic: 'x', value: 1, hour: '25' },
      expect: { status: 400 },
      and: async (_, { installation, schedule }, world) =>
        assert.deepEqual(await list(world, installation.id), [schedule])
    })
    scenario('a schedule that does not exist', {
      given: withSchedule(),
      as: asUser,
      request: ({ installation }) => `PUT ${base}/${installation.id}/999999`,
      body: { topic: 'x', value: 1 },
      expect: notFound
    })
    scenario('without the grant', {
      given: withSchedule({}, ['schedule/list/all', 'schedule/create_delete/all']),
      as: asUser,
      request: ({ at }) => `PUT ${at}`,
      body: { topic: 'x', value: 1 },
      expect: forbidden
    })
    scenario('without a token', {
      request: `PUT ${base}/1/1`,
      body: { topic: 'x', value: 1 },
      expect: unauthorized
    })
  })

  describe('deleting', () => {
    scenario('removes it and publishes this', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `DELETE ${at}`,
      expect: { status: 200, body: { message: 'Deleted' }, published: ({ told }) => told },
      and: async (_, { installation, at, user }, world) => {
        assert.deepEqual(await list(world, installation.id), [])
        assert.equal((await world.request(`DELETE ${at}`, { as: user })).status, 404)
      }
    })
    scenario('silent', {
      given: withSchedule(),
      as: asUser,
      request: ({ at }) => `DELETE ${at}?silent=1`,
      expect: { status: 200 }
    })
    scenario('without the grant', {
      given: withSchedule({}, ['schedule/list/all', 'schedule/update/all']),
      as: asUser,
      request: ({ at }) => `DELETE ${at}`,
      expect: forbidden
    })
    scenario('without a token', { request: `DELETE ${base}/1/1`, expect: unauthorized })
  })
})
