import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp } from '../../src/app.ts'
import { insertAlarms } from '../../src/features/alarm/alarms.ts'
import { insertRuleWithin, type RuleFields } from '../../src/features/rule/rows.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

type Rule = { id: number } & Record<string, unknown>

const every = ['rule/list/all', 'rule/create_delete/all', 'rule/update/all']
const warm = { on: { topics: ['obj/t'] }, when: { above: 25 } }
const whole = {
  ...{ name: '', active: true, severity: 'warning', for: '', hysteresis: 0 },
  ...{ schedule: null, message: '' }
}
const stored: RuleFields = {
  ...{ name: 'x', active: true, severity: 'info', on: { topics: ['obj/t'] } },
  ...{ when: { above: 25 }, for: '', hysteresis: 0, schedule: null, message: '' }
}
const topicsOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => `obj/${String(i).padStart(length - 4, 'x')}`)
const nested = (levels: number): object =>
  levels === 0 ? { above: 1 } : { all: [nested(levels - 1), { below: 0 }] }

onRegistryMatrix('rule', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  for (const kind of ['installation', 'organization'] as const) {
    test(`the rules of an ${kind}: create, list, read, update, delete`, async () => {
      const { world } = platform()
      const { installation, user } = await world.site(every)
      const owner = kind === 'installation' ? installation.id : installation.organization_id
      const at = `/api/v2/rule/${kind === 'organization' ? 'organization/' : ''}${owner}`
      const ask = async (line: string, body?: object) => {
        const { status, json, text } = await world.request(line, { as: user, body })
        assert.equal(status, 200, text)
        return json
      }
      assert.deepEqual(await ask(`GET ${at}`), [])
      const made = (await ask(`POST ${at}`, warm)) as Rule
      const first = { id: made.id, [`${kind}_id`]: owner, ...whole, ...warm }
      assert.deepEqual(made, first)
      const given = {
        ...{ name: 'Freezer', active: false, severity: 'critical', for: '10m', hysteresis: 0.5 },
        on: { type: 'temperature', meta: { room: 'freezer', __proto__x: '' } },
        when: { any: [{ outside: [{ meta: 'low' }, -10] }, { silent_for: '1h' }, nested(2)] },
        schedule: { days: [5, 1, 5], from: '22:00', to: '06:00' },
        message: 'Now {{.payload.value}}'
      }
      const second = (await ask(`POST ${at}`, { ...given, id: 4, organization_id: 4 })) as Rule
      const schedule = { days: [5, 1], from: '22:00', to: '06:00' }
      const wanted = { id: second.id, [`${kind}_id`]: owner, ...given, schedule }
      assert.deepEqual(second, wanted)
      assert.deepEqual(await ask(`GET ${at}`), [first, wanted])
      assert.deepEqual(await ask(`GET ${at}/${second.id}`), wanted)
      assert.deepEqual(await ask(`PUT ${at}/${second.id}`, {}), wanted, 'nothing is given')
      const nothing = Object.fromEntries(Object.keys({ ...whole, ...warm }).map((k) => [k, null]))
      assert.deepEqual(
        await ask(`PUT ${at}/${second.id}`, { ...nothing, when: { equals: 0 } }),
        { ...wanted, when: { equals: 0 }, schedule: null },
        'null keeps a value, but is one of schedule'
      )
      assert.deepEqual(await ask(`DELETE ${at}/${second.id}`), { message: 'Deleted' })
      assert.deepEqual(await ask(`GET ${at}`), [first])
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { body: {} } : {}
        const gone = await world.request(`${method} ${at}/${second.id}`, { as: user, ...body })
        assert.equal(gone.status, 404)
      }
      assert.equal((await world.request(`GET ${at}`)).status, 401)
      assert.equal((await world.request(`POST ${at}`, { body: warm })).status, 401)
    })
  }

  test('an installation and an organization do not see the rules of others', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([...every, 'log/read/all'])
    const other = await world.site([...every, 'log/read/all'])
    const own = `/api/v2/rule/${installation.id}`
    const made = await world.request(`POST ${own}`, { as: user, body: warm })
    const { id } = made.json as Rule
    const status = async (line: string, as: { token: string }, body?: object) =>
      (await world.request(line, { as, body })).status
    const foreign = `/api/v2/rule/${other.installation.id}/${id}`
    assert.equal(await status(`GET ${foreign}`, other.user), 404)
    assert.equal(await status(`PUT ${foreign}`, other.user, { name: 'x' }), 404)
    assert.equal(await status(`DELETE ${foreign}`, other.user), 404)
    assert.equal(await status(`GET ${own}`, other.user), 403)
    assert.equal(await status(`PUT ${own}/${id}`, other.user, { name: 'x' }), 403)
    assert.equal(await status(`DELETE ${own}/${id}`, other.user), 403)
    assert.equal(await status(`POST ${own}/try`, other.user, { rule: warm }), 403)
    const organization = `/api/v2/rule/organization/${installation.organization_id}`
    assert.equal(await status(`GET ${organization}`, other.user), 403)
    assert.equal(await status(`POST ${organization}`, other.user, warm), 403)
    assert.equal(await status(`GET ${organization}/${id}`, user), 404)
    assert.equal(await status(`GET ${own}/${id}`, user), 200)
  })

  const wrong: [name: string, body: unknown, message: RegExp][] = [
    ['nothing', {}, /^on is required; when is required$/],
    ['a list', [], /^body must be an object/],
    ['a long name', { ...warm, name: 'x'.repeat(256) }, /^name must be text of at most 255/],
    ['active as text', { ...warm, active: 'yes' }, /^active must be true or false/],
    ['an unknown severity', { ...warm, severity: 'fatal' }, /^severity must be info or warning/],
    ['on without anything', { ...warm, on: {} }, /^on must have topics, or type and meta$/],
    ['topics and a type', { ...warm, on: { topics: ['a'], type: 'x' } }, /^on must have only topi/],
    ['no topics', { ...warm, on: { topics: [] } }, /^on\/topics must have at least one topic$/],
    ['topics as text', { ...warm, on: { topics: 'obj/t' } }, /^on.topics must be a list/],
    ['a number as topic', { ...warm, on: { topics: [1] } }, /^on.topics.0 must be text/],
    ['a wrong filter', { ...warm, on: { topics: ['a', 'a#'] } }, /^on\/topics\/1 must be a topic/],
    ['a topic of the broker', { ...warm, on: { topics: ['$SYS/x'] } }, /^on\/topics\/0 must be/],
    ['an empty topic', { ...warm, on: { topics: [''] } }, /^on\/topics\/0 must be/],
    ['a line break', { ...warm, on: { topics: ['a\nb'] } }, /^on\/topics\/0 must be/],
    ['1001 topics', { ...warm, on: { topics: topicsOf(1001, 10) } }, /^on\/topics .* 1000 topics$/],
    ['long topics', { ...warm, on: { topics: topicsOf(1000, 300) } }, /^on\/topics .* characters/],
    ['a number as type', { ...warm, on: { type: 1, meta: {} } }, /^on.type must be text/],
    ['meta as list', { ...warm, on: { type: '', meta: [] } }, /^on.meta must be/],
    ['a number in meta', { ...warm, on: { type: '', meta: { a: 1 } } }, /^on.meta.a must be text/],
    [
      'an empty key of meta',
      { ...warm, on: { type: '', meta: { '': '' } } },
      /^on\/meta must have/
    ],
    [
      '21 keys of meta',
      { ...warm, on: { type: '', meta: Object.fromEntries(topicsOf(21, 9).map((k) => [k, ''])) } },
      /^on\/meta must have at most 20 keys/
    ],
    ['no condition', { ...warm, when: {} }, /^when must have one of above, below/],
    ['null as condition', { ...warm, when: null }, /^when must be an object/],
    ['two conditions', { ...warm, when: { above: 1, below: 0 } }, /^when must have one of/],
    ['an unknown condition', { ...warm, when: { over: 1 } }, /^when must have one of/],
    ['text as bound', { ...warm, when: { above: '25' } }, /^when.above must be a number or an ob/],
    ['a bound without meta', { ...warm, when: { below: {} } }, /^when.below.meta is required/],
    ['more beside meta', { ...warm, when: { below: { meta: 'a', b: 1 } } }, /^when\/below must ha/],
    [
      'an empty key as bound',
      { ...warm, when: { equals: { meta: '' } } },
      /^when\/equals\/meta mu/
    ],
    ['one border', { ...warm, when: { outside: [1] } }, /^when\/outside must be a list of two/],
    ['crossed borders', { ...warm, when: { outside: [8, 2] } }, /^when\/outside must have the low/],
    ['no change', { ...warm, when: { changed_by: 0 } }, /^when\/changed_by must be above 0/],
    ['a negative rate', { ...warm, when: { rate_per_hour: -1 } }, /^when\/rate_per_hour must not/],
    ['a short silence', { ...warm, when: { silent_for: '4s' } }, /^when\/silent_for must be a dur/],
    ['a long silence', { ...warm, when: { silent_for: '367d' } }, /^when\/silent_for must be a du/],
    ['a silence as number', { ...warm, when: { silent_for: 600 } }, /^when.silent_for must be te/],
    ['all of one', { ...warm, when: { all: [{ above: 1 }] } }, /^when\/all must have two or more/],
    ['all as object', { ...warm, when: { all: {} } }, /^when.all must be a list/],
    ['a wrong part', { ...warm, when: { any: [{ above: 1 }, {}] } }, /^when\/any\/1 must have one/],
    ['five levels', { ...warm, when: nested(4) }, /^when must be at most 4 levels deep/],
    [
      '21 parts',
      { ...warm, when: { any: Array(21).fill({ above: 1 }) } },
      /^when must have at most/
    ],
    ['a wrong duration', { ...warm, for: '10 min' }, /^for must be empty, or a duration/],
    ['a long duration', { ...warm, for: '367d' }, /^for must be empty, or a duration/],
    ['a number as duration', { ...warm, for: 10 }, /^for must be text/],
    ['a negative hysteresis', { ...warm, hysteresis: -1 }, /^hysteresis must not be negative/],
    ['hysteresis as text', { ...warm, hysteresis: '1' }, /^hysteresis must be a number/],
    [
      'a schedule without days',
      { ...warm, schedule: { from: '08:00', to: '09:00' } },
      /^schedule.d/
    ],
    [
      'a day of its own',
      { ...warm, schedule: { days: [7], from: '08:00', to: '09:00' } },
      /^schedule\/days\/0 must be a day from 0/
    ],
    [
      'hours that no clock shows',
      { ...warm, schedule: { days: [1], from: '24:00', to: '09:00' } },
      /^schedule\/from must be a time as 08:00/
    ],
    ['a long message', { ...warm, message: 'x'.repeat(4097) }, /^message must have at most 4096/],
    ['a wrong template', { ...warm, message: '{{.payload' }, /^message: /],
    [
      'more bytes than a rule has',
      { ...warm, on: { topics: topicsOf(1000, 10).map((topic) => `${topic}/${'€'.repeat(90)}`) } },
      /^body must have at most 262144 bytes as JSON$/
    ]
  ]
  for (const [name, body, message] of wrong) {
    scenario(`POST a rule with ${name}`, {
      given: (world) => world.site(every),
      as: ({ user }) => user,
      request: ({ installation }) => `POST /api/v2/rule/${installation.id}`,
      body,
      expect: { status: 400 },
      and: ({ json }) => assert.match((json as { message: string }).message, message)
    })
  }

  test('PUT refuses what POST refuses, and changes nothing then', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const at = `/api/v2/rule/${installation.id}`
    const { id } = (await world.request(`POST ${at}`, { as: user, body: warm })).json as Rule
    for (const [name, body, message] of wrong.slice(2)) {
      if (name === 'null as condition') continue
      const { status, text } = await world.request(`PUT ${at}/${id}`, { as: user, body })
      assert.equal(status, 400, `${name}: ${text}`)
      assert.match((JSON.parse(text) as { message: string }).message, message)
    }
    const { json } = await world.request(`GET ${at}/${id}`, { as: user })
    assert.deepEqual(json, { id, installation_id: installation.id, ...whole, ...warm })
  })

  test('keys and texts that other languages stumble over come back as they are', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const at = `/api/v2/rule/${installation.id}`
    const text = `{"name": "a\\ud800\\"'; drop table rules", "on": {"type": "__proto__",
      "meta": {"__proto__": "x", "constructor": "y", "a\\nb": "%_'"}},
      "when": {"above": {"meta": "__proto__"}}, "message": "{{\\"'\\"}}"}`
    const made = await world.request(`POST ${at}`, { as: user, body: text })
    assert.equal(made.status, 200, made.text)
    const read = await world.request(`GET ${at}/${(made.json as Rule).id}`, { as: user })
    assert.equal(read.text, made.text)
    assert.match(read.text, /"meta":\{"__proto__":"x","constructor":"y","a\\nb":"%_'"\}/)
  })

  test('the right to list, to update and to make are three rights', async () => {
    const { world } = platform()
    const { installation } = await world.site([])
    const { id, organization_id } = installation
    const rule = await world.request(`POST /api/v2/rule/${id}`, { as: world.admin, body: warm })
    const one = `/api/v2/rule/${id}/${(rule.json as Rule).id}`
    const statuses = async (grants: string[]) => {
      const as = await world.user({ grants, organizations: [organization_id] })
      const found: number[] = []
      for (const [line, body] of [
        [`GET /api/v2/rule/${id}`],
        [`GET ${one}`],
        [`PUT ${one}`, { name: 'y' }],
        [`POST /api/v2/rule/${id}`, warm],
        [`POST /api/v2/rule/organization/${organization_id}`, warm],
        ['DELETE /api/v2/rule/1/999999999']
      ] as [string, object?][]) {
        const url = line.replace('/1/999999999', `/${id}/999999999`)
        found.push((await world.request(url, { as, body })).status)
      }
      return found
    }
    assert.deepEqual(await statuses(['rule/list/all']), [200, 200, 403, 403, 403, 403])
    assert.deepEqual(await statuses(['rule/update/all']), [403, 403, 200, 403, 403, 403])
    assert.deepEqual(await statuses(['rule/create_delete/all']), [403, 403, 403, 200, 200, 404])
    assert.deepEqual(await statuses(['rule/#']), [200, 200, 200, 200, 200, 404])
    assert.deepEqual(await statuses(['rule/list/assigned']), [403, 403, 403, 403, 403, 403])
  })

  test('an owner has at most 10 000 rules', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(every)
    await inTransaction(deps.registry, async (registry) => {
      const one = await insertRuleWithin(
        registry,
        { kind: 'installation', id: installation.id },
        stored,
        0
      )
      const { installation_id, organization_id, name, severity, definition } = await registry
        .selectFrom('rules')
        .selectAll()
        .where('id', '=', one.id)
        .executeTakeFirstOrThrow()
      const row = { installation_id, organization_id, name, severity, definition }
      const rest = { active: 1 as const, created: 0, updated: 0 }
      for (let at = 1; at < 9999; at += 1000) {
        const count = Math.min(1000, 9999 - at)
        const rows = Array.from({ length: count }, () => ({ ...row, ...rest }))
        await registry.insertInto('rules').values(rows).execute()
      }
    })
    const at = `/api/v2/rule/${installation.id}`
    const post = () => world.request(`POST ${at}`, { as: user, body: warm })
    const last = await post()
    assert.equal(last.status, 200, last.text)
    const { status, json } = await post()
    assert.deepEqual([status, json], [400, { message: 'an installation has at most 10000 rules' }])
    const list = await world.request(`GET ${at}`, { as: user })
    const ids = (list.json as Rule[]).map(({ id }) => id)
    assert.equal(ids.length, 10_000)
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b)
    )
    const { id } = last.json as Rule
    const put = await world.request(`PUT ${at}/${id}`, { as: user, body: { name: 'still' } })
    assert.equal(put.status, 200, put.text)
    const organization = `/api/v2/rule/organization/${installation.organization_id}`
    const above = await world.request(`POST ${organization}`, { as: user, body: warm })
    assert.equal(above.status, 200, 'its organization has rules of its own')
  })

  test('the rules of an owner have at most 8 MiB together', slow, async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const at = `/api/v2/rule/organization/${installation.organization_id}`
    const body = { ...warm, on: { topics: topicsOf(1000, 252) } }
    const post = () => world.request(`POST ${at}`, { as: user, body })
    for (let i = 0; i < 32; i++) assert.equal((await post()).status, 200)
    const full = await post()
    assert.equal(full.status, 400)
    const message = 'all rules of an organization have at most 8388608 bytes as JSON'
    assert.deepEqual(full.json, { message })
    const small = await world.request(`POST ${at}`, { as: user, body: warm })
    const { id } = small.json as Rule
    assert.equal((await world.request(`PUT ${at}/${id}`, { as: user, body })).status, 400)
    const put = await world.request(`PUT ${at}/${id}`, { as: user, body: { name: 'x' } })
    assert.equal(put.status, 200, put.text)
    const list = await world.request(`GET ${at}`, { as: user })
    assert.equal((list.json as Rule[]).length, 33)
  })

  const withAlarms = async (world: ReturnType<typeof platform>['world']) => {
    const { installation, user } = await world.site([...every, 'alarm/list/all'])
    const at = `/api/v2/rule/organization/${installation.organization_id}`
    const { id } = (await world.request(`POST ${at}`, { as: user, body: warm })).json as Rule
    const { organization_id } = installation
    const second = await world.installation({ organization_id })
    const alarm = {
      ...{ rule_id: id, severity: 'info' as const, raised_at: Date.now() - 5000, value: 1 },
      ...{ message: '', isTold: true }
    }
    const { deps } = platform()
    await insertAlarms(deps.registry, [
      { ...alarm, installation_id: installation.id, topic: 'a' },
      { ...alarm, installation_id: installation.id, topic: 'b', cleared_at: Date.now() - 1000 },
      { ...alarm, installation_id: installation.id, topic: 'c', rule_id: 0 },
      { ...alarm, installation_id: second.id, topic: 'a' }
    ])
    return { installation, user, second, line: `${at}/${id}` }
  }
  type Given = Awaited<ReturnType<typeof withAlarms>>
  const stateOf = async (world: ReturnType<typeof platform>['world'], given: Given) => {
    const { json } = await world.request('GET /api/v2/alarm', { as: given.user })
    const rows = json as { topic: string; installation_id: number; state: string }[]
    const of = ({ installation_id }: { installation_id: number }) =>
      installation_id === given.second.id ? '2' : '1'
    return rows.map((row) => `${of(row)}${row.topic} ${row.state}`).sort()
  }
  const ended = ['1a cleared', '1b cleared', '1c raised', '2a cleared']
  const events = ({ installation, second }: Given) =>
    [installation, second].map(({ client_id }) => `${client_id}/evt/alarm/updated`)

  for (const [name, method, body] of [
    ['switching off', 'PUT', { active: false }],
    ['deleting', 'DELETE', undefined]
  ] as const) {
    scenario(`${name} a rule clears its open alarms everywhere`, {
      given: withAlarms,
      as: ({ user }) => user,
      request: ({ line }) => `${method} ${line}`,
      body,
      expect: { status: 200, published: events },
      and: async (_answer, given, world) => assert.deepEqual(await stateOf(world, given), ended)
    })
  }

  scenario('any other change of a rule leaves its alarms open', {
    given: withAlarms,
    as: ({ user }) => user,
    request: ({ line }) => `PUT ${line}`,
    body: { when: { below: 3 }, name: 'x' },
    expect: { status: 200 },
    and: async (_answer, given, world) =>
      assert.deepEqual(await stateOf(world, given), [
        ...['1a raised', '1b cleared', '1c raised', '2a raised']
      ])
  })

  test('the list of changes names the owner of a rule', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(every)
    const heard: unknown[] = []
    deps.directory.onRuleChange(async (installations) => void heard.push(installations))
    const at = `/api/v2/rule/${installation.id}`
    const rule = await world.request(`POST ${at}`, { as: user, body: warm })
    await deps.directory.catchUp()
    assert.deepEqual(heard.splice(0), [[installation.id]])
    const one = `${at}/${(rule.json as Rule).id}`
    await world.request(`PUT ${one}`, { as: user, body: { active: false } })
    await deps.directory.catchUp()
    assert.deepEqual(heard.splice(0), [[installation.id]])
    await world.request(`DELETE ${one}`, { as: user })
    await deps.directory.catchUp()
    assert.deepEqual(heard.splice(0), [[installation.id]])
    const zone = { as: world.admin, body: { timezone: 'Asia/Tokyo' } }
    await world.request(`PUT /api/v2/installation/${installation.id}`, zone)
    await deps.directory.catchUp()
    assert.deepEqual(heard.splice(0), [[installation.id]], 'hours are in the zone')
    const above = `/api/v2/rule/organization/${installation.organization_id}`
    await world.request(`POST ${above}`, { as: user, body: warm })
    await deps.directory.catchUp()
    assert.deepEqual(heard.splice(0), ['all'])
  })

  test('without a spool no rule is made or switched on', async () => {
    const { world, deps } = platform()
    const { installation, user } = await world.site(every)
    const at = `/api/v2/rule/${installation.id}`
    const off = await world.request(`POST ${at}`, { as: user, body: { ...warm, active: false } })
    const one = `${at}/${(off.json as Rule).id}`
    const app = await createApp({ ...deps, hasRules: false })
    const ask = async (method: 'POST' | 'PUT' | 'DELETE', url: string, payload = {}) => {
      const headers = { 'x-api-key': user.token }
      const answer = await app.inject({ method, url, headers, payload })
      return [answer.statusCode, answer.json().message]
    }
    const message = 'rules need CARACAL_ACK=spool: with history no rule sees a value'
    assert.deepEqual(await ask('POST', at, warm), [409, message])
    assert.deepEqual(await ask('PUT', one, { active: true }), [409, message])
    assert.deepEqual(await ask('PUT', one, { name: 'x' }), [200, ''], 'message of the rule')
    assert.deepEqual(await ask('DELETE', one), [200, 'Deleted'])
    await app.close()
  })

  test('the trace tells who changed a rule', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([...every, 'trace/list'])
    const at = `/api/v2/rule/${installation.id}`
    const { id } = (await world.request(`POST ${at}`, { as: user, body: warm })).json as Rule
    await world.request(`PUT ${at}/${id}`, { as: user, body: { name: 'x' } })
    await world.request(`DELETE ${at}/${id}`, { as: user })
    await eventually(async () => {
      const query = `object_type=rule&object_id=${id}`
      const found = await world.request(`GET /api/v2/trace?${query}`, { as: user })
      const texts = (found.json as { data: { description: string }[] }).data.map(
        (one) => one.description
      )
      assert.deepEqual(
        texts.map((text) => text.split(' ')[0]),
        ['deleted', 'updated', 'created']
      )
    })
  })

  test('rules and alarms go with their owner', async () => {
    const { world, deps } = platform()
    const { installation } = await world.site([])
    const { id, organization_id } = installation
    const as = world.admin
    for (const at of [`${id}`, `organization/${organization_id}`]) {
      await world.request(`POST /api/v2/rule/${at}`, { as, body: warm })
    }
    const alarm = { installation_id: id, rule_id: 1, severity: 'info', raised_at: 1 } as const
    const rest = { value: null, message: '', isTold: true, topic: 'a' }
    await insertAlarms(deps.registry, [{ ...alarm, ...rest }])
    const state = { installation_id: id, part: 0, state: '{}' }
    await deps.registry.insertInto('alarm_states').values(state).execute()
    await world.request(`DELETE /api/v2/installation/${id}`, { as })
    const force = `DELETE /api/v2/organization/${organization_id}?force=true`
    const gone = await world.request(force, { as })
    assert.equal(gone.status, 200, gone.text)
    await eventually(async () => {
      for (const table of ['rules', 'alarms', 'alarm_states'] as const) {
        const left = await deps.registry
          .selectFrom(table)
          .select('installation_id')
          .where('installation_id', '=', id)
          .execute()
        assert.deepEqual(left, [], table)
      }
    })
    const left = await deps.registry
      .selectFrom('rules')
      .select('id')
      .where('organization_id', '=', organization_id)
      .execute()
    assert.deepEqual(left, [])
  })
})
