import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../src/lib/sample.ts'
import { MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { store } from '../support/samples.ts'
import { withPlatform } from '../support/scenario.ts'

type Tried = { topic: string; raised_at: number; cleared_at: number | null; value: number | null }

const rights = ['rule/list/all', 'log/read/all', 'functionx/#']
const begin = Date.parse('2026-03-02T10:00:00Z')
const at = (minute: number) => (begin + minute * MINUTE) / 1000
/** One value a minute. */
const values = (topic: string, list: readonly number[]): (Partial<Sample> & { topic: string })[] =>
  list.map((value, i) => ({ topic, value, timestamp: unixMs(begin + i * MINUTE) }))

onRegistryMatrix('try a rule', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  const site = async (grants = rights) => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const ask = (rule: object, window: object = { from: at(0), to: at(1000) }, as = user) =>
      world.request(`POST /api/v2/rule/${installation.id}/try`, {
        as,
        body: { rule, ...window }
      })
    const tried = async (rule: object, window?: object) => {
      const { status, json, text } = await ask(rule, window)
      assert.equal(status, 200, text)
      return (json as { alarms: Tried[] }).alarms.map(
        ({ topic, raised_at, cleared_at, value }) =>
          [
            topic,
            minuteOf(raised_at),
            cleared_at === null ? null : minuteOf(cleared_at),
            value
          ] as const
      )
    }
    const minuteOf = (seconds: number) => (seconds * 1000 - begin) / MINUTE
    const full = (topic: string) => `${installation.client_id}/${topic}`
    return { world, installation, user, ask, tried, full }
  }

  test('a rule on topics, with its time, its hysteresis and its hours', async () => {
    const { installation, tried, full, world } = await site()
    await store(platform(), installation, values('obj/t', [20, 26, 27, 24, 26, 26, 22, 30]))
    const on = { topics: ['obj/t'] }
    const t = full('obj/t')
    assert.deepEqual(await tried({ on, when: { above: 25 } }), [
      [t, 7, null, 30],
      [t, 4, 6, 26],
      [t, 1, 3, 26]
    ])
    assert.deepEqual(await tried({ on, when: { above: 25 }, for: '90s' }), [
      [t, 8.5, null, 30],
      [t, 5.5, 6, 26],
      [t, 2.5, 3, 27]
    ])
    assert.deepEqual(await tried({ on, when: { above: 25 }, hysteresis: 2 }), [
      [t, 7, null, 30],
      [t, 1, 6, 26]
    ])
    assert.deepEqual(await tried({ on, when: { silent_for: '5m' } }), [[t, 12, null, 30]])
    // 10:00 in UTC is 11:00 in Stockholm, a Monday.
    const hours = { days: [1], from: '11:05', to: '12:00' }
    const local = { on, when: { above: 25 }, schedule: hours }
    await world.request(`PUT /api/v2/installation/${installation.id}`, {
      as: world.admin,
      body: { timezone: 'Europe/Stockholm' }
    })
    assert.deepEqual(await tried(local), [
      [t, 7, null, 30],
      [t, 5, 6, 26]
    ])
  })

  test('the window: what is open at its begin is there, what comes later is not', async () => {
    const { installation, tried, full } = await site()
    await store(platform(), installation, values('obj/t', [30, 30, 20, 30, 20, 30]))
    const rule = { on: { topics: ['+/t'] }, when: { above: 25 } }
    const t = full('obj/t')
    assert.deepEqual(await tried(rule, { from: at(1), to: at(3) }), [
      [t, 3, null, 30],
      [t, 0, 2, 30]
    ])
    assert.deepEqual(await tried(rule, { from: at(2.5), to: at(2.9) }), [])
    assert.deepEqual(await tried(rule, {}), [], 'the last 24 hours')
  })

  test('a rule on functions takes their topics and numbers from their metadata', async () => {
    const { world, installation, tried, full } = await site()
    const functions = [
      { topic_read: 'obj/a', room: 'freezer', warning: '-15' },
      { topic_read: full('obj/b'), room: 'freezer', warning: '-10' },
      { topic_read: 'obj/c', room: 'cellar', warning: '-20' },
      { topic_read: 'obj/d', room: 'freezer', warning: 'high' },
      { room: 'freezer', warning: '0' }
    ]
    for (const meta of functions) {
      const body = { type: 'temperature', meta: { name: 'x', ...meta } }
      const made = await world.request(`POST /api/v2/functionx/${installation.id}`, {
        as: world.admin,
        body
      })
      assert.equal(made.status, 200, made.text)
    }
    const list = ['a', 'b', 'c', 'd'].flatMap((name) => values(`obj/${name}`, [-18, -12, -18]))
    await store(platform(), installation, list)
    const when = { above: { meta: 'warning' } }
    assert.deepEqual(
      await tried({ on: { type: 'temperature', meta: { room: 'freezer' } }, when }),
      [[full('obj/a'), 1, 2, -12]]
    )
    assert.deepEqual(await tried({ on: { type: 'humidity', meta: {} }, when }), [])
    assert.deepEqual(await tried({ on: { topics: ['obj/#'] }, when }), [
      [full('obj/a'), 1, 2, -12],
      [full('obj/c'), 0, null, -18]
    ])
    assert.deepEqual(
      await tried({ on: { type: '', meta: { room: 'freezer' } }, when: { above: -14 } }),
      ['a', 'b', 'd'].map((name) => [full(`obj/${name}`), 1, 2, -12])
    )
    const blind = await world.user({
      grants: ['rule/list/all', 'log/read/all'],
      organizations: [installation.organization_id]
    })
    const answer = await world.request(`POST /api/v2/rule/${installation.id}/try`, {
      as: blind,
      body: { rule: { on: { type: '', meta: {} }, when: { above: -14 } }, from: at(0) }
    })
    assert.deepEqual(answer.json, { alarms: [] }, 'functions that the caller may not see')
  })

  test('topics and messages with commas, quotes and line breaks', async () => {
    const { installation, tried, full } = await site()
    const topics = ['obj/a,b', 'obj/"x"', 'obj/é']
    const samples = topics.flatMap((topic) =>
      values(topic, [1, 30, 2]).map((one) => ({ ...one, msg: `"a",\n${topic},9\n"` }))
    )
    await store(platform(), installation, samples)
    const found = await tried({ on: { topics }, when: { above: 25 } })
    assert.deepEqual(found.toSorted(), topics.map((topic) => [full(topic), 1, 2, 30]).toSorted())
  })

  test('the caller needs the right to list rules, and to read the log', async () => {
    const { ask, world, installation } = await site()
    const rule = { on: { topics: ['obj/t'] }, when: { above: 25 } }
    for (const grants of [['rule/list/all'], ['log/read/all'], ['rule/update/all', 'log/#']]) {
      const as = await world.user({ grants, organizations: [installation.organization_id] })
      assert.equal((await ask(rule, {}, as)).status, 403, grants.join())
    }
    const nobody = await world.request(`POST /api/v2/rule/${installation.id}/try`, {
      body: { rule }
    })
    assert.equal(nobody.status, 401)
  })

  const rule = { on: { topics: ['obj/t'] }, when: { above: 25 } }
  const wrong: [name: string, body: unknown, message: RegExp][] = [
    ['nothing', {}, /^rule is required$/],
    ['no rule', { rule: null }, /^rule must be an object$/],
    ['a wrong rule', { rule: { ...rule, when: {} } }, /^rule\/when must have one of/],
    [
      'a wrong bound',
      { rule: { ...rule, when: { above: 'x' } } },
      /^rule.when.above must be a num/
    ],
    ['a wrong template', { rule: { ...rule, message: '{{' } }, /^rule\/message: /],
    ['times as text', { rule, from: 'now' }, /^from must be a number/],
    ['crossed times', { rule, from: 2, to: 1 }, /^from must not be later than to$/],
    [
      'too many wildcards',
      { rule: { ...rule, on: { topics: Array.from({ length: 201 }, (_, i) => `${i}/#`) } } },
      /^rule\/on\/topics must have at most 200 wildcards to try$/
    ]
  ]
  for (const [name, body, message] of wrong) {
    scenario(`POST try with ${name}`, {
      given: (world) => world.site(rights),
      as: ({ user }) => user,
      request: ({ installation }) => `POST /api/v2/rule/${installation.id}/try`,
      body,
      expect: { status: 400 },
      and: ({ json }) => assert.match((json as { message: string }).message, message)
    })
  }

  test(
    'more than 1000 topics, and more than 5000 alarms, are refused with words',
    slow,
    async () => {
      const { installation, ask } = await site()
      const many = Array.from({ length: 1001 }, (_, i) => ({
        ...{ topic: `many/${i}`, value: 30, timestamp: unixMs(begin) }
      }))
      const flapping = values(
        'obj/flapping',
        Array.from({ length: 10_010 }, (_, i) => (i % 2) * 30)
      )
      await store(platform(), installation, [...many, ...flapping])
      const all = await ask({ on: { topics: ['many/+'] }, when: { above: 25 } })
      assert.deepEqual(
        [all.status, all.json],
        [400, { message: 'rule/on must match at most 1000 topics' }]
      )
      const alarms = await ask(
        { on: { topics: ['obj/flapping'] }, when: { above: 25 } },
        { from: at(0), to: at(30_000) }
      )
      assert.equal(alarms.status, 400)
      assert.deepEqual(
        [alarms.status, alarms.json],
        [
          400,
          {
            message:
              'from and to must be nearer to each other: there are more than 5000 alarms between them'
          }
        ]
      )
    }
  )

  test('a trial stops when the caller hangs up', async () => {
    const { world, installation, user } = await site()
    await store(
      platform(),
      installation,
      values(
        'obj/t',
        Array.from({ length: 50 }, () => 1)
      )
    )
    const { history } = platform().deps
    const series = history.series.bind(history)
    const state = { parts: 0, hasEnded: false }
    history.series = async function* (query, signal) {
      try {
        for (;;) {
          signal?.throwIfAborted()
          state.parts++
          for await (const part of series(query, signal)) yield part
        }
      } finally {
        state.hasEnded = true
      }
    } as typeof series
    try {
      const controller = new AbortController()
      const asked = fetch(`${world.url}/api/v2/rule/${installation.id}/try`, {
        method: 'POST',
        headers: { 'x-api-key': user.token },
        body: JSON.stringify({ rule, from: at(0), to: at(1000) }),
        signal: controller.signal
      })
      await eventually(() => assert(state.parts > 2))
      controller.abort()
      await assert.rejects(asked)
      await eventually(() => assert(state.hasEnded))
    } finally {
      history.series = series
    }
  })
})
