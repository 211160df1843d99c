import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'

type Mapping = { id: number; values: object[] } & Record<string, unknown>
type Trial = {
  values: { topic: string; value: number; timestamp: number; mapping_id: number }[]
  refused: { mapping_id: number; path: string; reason: string }[]
}

const every = ['mapping/list/all', 'mapping/create_delete/all', 'mapping/update/all']
const power = { path: 'ENERGY.Power', topic: 'obj/{3}/power', unit: 'W' }
const declared = { name: 'Plugs', filter: 'dev/tele/+/SENSOR', values: [power] }
const whole = {
  ...{ path: '', topic: '', table: {}, factor: 1, offset: 0, unit: '', timestamp: null }
}

const long = { ...power, unit: 'x'.repeat(64), path: 'p'.repeat(500) }
const words = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`w${i}`, i]))

onRegistryMatrix('mapping', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  for (const kind of ['installation', 'organization'] as const) {
    test(`the mappings of an ${kind}: create, list, read, update, delete`, async () => {
      const { world } = platform()
      const { installation, user } = await world.site(every)
      const owner = kind === 'installation' ? installation.id : installation.organization_id
      const at = `/api/v2/mapping/${kind === 'organization' ? 'organization/' : ''}${owner}`
      const ask = async (line: string, body?: object) => {
        const { status, json, text } = await world.request(line, { as: user, body })
        assert.equal(status, 200, text)
        return json
      }
      assert.deepEqual(await ask(`GET ${at}`), [])
      const made = (await ask(`POST ${at}`, { make: 'tasmota' })) as Mapping
      const tasmota = {
        ...{ id: made.id, [`${kind}_id`]: owner, name: 'tasmota', active: true, make: 'tasmota' },
        ...{ filter: '', create_missing: false, values: [] }
      }
      assert.deepEqual(made, tasmota)
      const second = (await ask(`POST ${at}`, declared)) as Mapping
      assert.deepEqual(second.values, [{ ...whole, ...power }])
      assert.deepEqual(await ask(`GET ${at}`), [tasmota, second])
      assert.deepEqual(await ask(`GET ${at}/${second.id}`), second)
      const table = { ON: 1, OFF: 0, __proto__x: 2 }
      const timestamp = { path: 'Time', format: 'iso' }
      const values = [{ path: 'POWER', topic: 'obj/x', table, factor: 2, offset: 1, timestamp }]
      const changed = await ask(`PUT ${at}/${second.id}`, { active: false, values })
      assert.deepEqual(changed, { ...second, active: false, values: [{ ...whole, ...values[0] }] })
      assert.deepEqual(await ask(`GET ${at}/${second.id}`), changed)
      assert.deepEqual(await ask(`DELETE ${at}/${second.id}`), { message: 'Deleted' })
      assert.deepEqual(await ask(`GET ${at}`), [tasmota])
      const gone = await world.request(`GET ${at}/${second.id}`, { as: user })
      assert.equal(gone.status, 404)
    })
  }

  test('an installation and an organization do not see the mappings of others', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const other = await world.site(every)
    const own = `/api/v2/mapping/${installation.id}`
    const made = await world.request(`POST ${own}`, { as: user, body: declared })
    const { id } = made.json as Mapping
    const status = async (line: string, as: { token: string }, body?: object) =>
      (await world.request(line, { as, body })).status
    const foreign = `/api/v2/mapping/${other.installation.id}/${id}`
    assert.equal(await status(`GET ${foreign}`, other.user), 404)
    assert.equal(await status(`PUT ${foreign}`, other.user, { name: 'x' }), 404)
    assert.equal(await status(`DELETE ${foreign}`, other.user), 404)
    assert.equal(await status(`GET ${own}`, other.user), 403)
    assert.equal(await status(`POST ${own}/try`, other.user, { topic: 'x', payload: '' }), 403)
    const organization = `/api/v2/mapping/organization/${installation.organization_id}`
    assert.equal(await status(`GET ${organization}`, other.user), 403)
    assert.equal(await status(`GET ${organization}/${id}`, user), 404)
  })

  const wrong: [name: string, body: unknown, message: RegExp][] = [
    ['nothing', {}, /^filter must be given, or make$/],
    ['an unknown make', { make: 'nokia' }, /make/],
    ['values beside a make', { make: 'ttn', values: [power] }, /^values must be empty/],
    ['a filter without values', { filter: 'dev/#' }, /^values must have at least one/],
    ['a wrong filter', { ...declared, filter: 'a#' }, /^filter must be an MQTT topic filter/],
    ['a filter with a line break', { ...declared, filter: 'a\n/#' }, /^filter must be an MQTT/],
    ['a filter with U+FFFF', { ...declared, filter: '\uffff/#' }, /^filter must be an MQTT/],
    ['a filter of values', { ...declared, filter: 'obj/#' }, /^filter must not begin with obj/],
    ['a value without a topic', { ...declared, values: [{ path: 'a' }] }, /topic/],
    [
      'a topic of no value',
      { ...declared, values: [{ topic: 'x' }] },
      /^values\/0\/topic must begin/
    ],
    [
      'a wrong path',
      { ...declared, values: [power, { ...power, path: 'a..b' }] },
      /^values\/1\/path/
    ],
    ['101 values', { ...declared, values: Array(101).fill(power) }, /values/],
    ['a table of 101 words', { ...declared, values: [{ ...power, table: words(101) }] }, /table/],
    [
      'a word that is no number',
      { ...declared, values: [{ ...power, table: { ON: '1' } }] },
      /table/
    ],
    ['a wrong time', { ...declared, values: [{ ...power, timestamp: { format: 'h' } }] }, /format/],
    [
      'too many characters',
      { ...declared, values: Array(100).fill(long) },
      /at most 32768 characters/
    ],
    ['an unknown field', { ...declared, values: [{ ...power, paht: 'x' }] }, /paht/]
  ]
  for (const [name, body, message] of wrong) {
    scenario(`POST a mapping with ${name}`, {
      given: (world) => world.site(every),
      as: ({ user }) => user,
      request: ({ installation }) => `POST /api/v2/mapping/${installation.id}`,
      body,
      expect: { status: 400 },
      and: ({ json }) => assert.match((json as { message: string }).message, message)
    })
  }

  test('an installation has at most 200 mappings', slow, async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const post = () =>
      world.request(`POST /api/v2/mapping/${installation.id}`, { as: user, body: { make: 'ttn' } })
    for (let i = 0; i < 200; i++) assert.equal((await post()).status, 200)
    const { status, json } = await post()
    assert.deepEqual([status, json], [400, { message: 'an installation has at most 200 mappings' }])
  })

  test('the mappings of an installation have at most 128 KiB together', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(every)
    const at = `/api/v2/mapping/${installation.id}`
    const body = { ...declared, values: Array(40).fill(long) }
    const post = () => world.request(`POST ${at}`, { as: user, body })
    for (let i = 0; i < 4; i++) assert.equal((await post()).status, 200)
    const full = await post()
    assert.equal(full.status, 400)
    assert.match(full.text, /have at most 131072 characters as JSON/)
    const small = await world.request(`POST ${at}`, { as: user, body: declared })
    const { id } = small.json as Mapping
    assert.equal((await world.request(`PUT ${at}/${id}`, { as: user, body })).status, 400)
    const put = await world.request(`PUT ${at}/${id}`, { as: user, body: { name: 'x' } })
    assert.equal(put.status, 200, put.text)
  })

  test('POST try says what the mappings of the installation and of its organizations make of a message', async () => {
    const { world, deps } = platform()
    const above = await world.organization()
    const organization_id = await world.organization(above)
    const installation = await world.installation({ organization_id, timezone: 'Europe/Stockholm' })
    const user = await world.user({ grants: every, organizations: [above] })
    const post = async (at: string, body: object) =>
      (await world.request(`POST /api/v2/mapping/${at}`, { as: user, body })).json as Mapping
    const of = (value: object) => ({ filter: 'dev/#', values: [value] })
    const top = await post(`organization/${above}`, of({ path: 'a', topic: 'obj/top' }))
    const near = await post(`organization/${organization_id}`, of({ path: 'b', topic: 'obj/near' }))
    const timestamp = { path: 't', format: 'iso' }
    const own = await post(`${installation.id}`, of({ path: 'a', topic: 'obj/own', timestamp }))
    await post(`${installation.id}`, { ...of({ path: 'a', topic: 'obj/off' }), active: false })
    const attempt = async (body: object) => {
      const line = `POST /api/v2/mapping/${installation.id}/try`
      const { json, status, text } = await world.request(line, { as: user, body })
      assert.equal(status, 200, text)
      return json as Trial
    }
    const payload = '{"a": 1, "b": "x", "t": "2026-01-01T12:00:00"}'
    const found = await attempt({ topic: 'dev/x', payload })
    assert.deepEqual(
      found.values.map(({ topic, value, mapping_id }) => [topic, value, mapping_id]),
      [
        ['obj/own', 1, own.id],
        ['obj/top', 1, top.id]
      ]
    )
    assert.equal(found.values[0]?.timestamp, Date.parse('2026-01-01T11:00:00Z') / 1000)
    assert.deepEqual(found.refused, [
      { mapping_id: near.id, path: 'b', reason: 'no numeric value' }
    ])
    const draft = of({ path: 't', topic: 'obj/{2}', table: { x: 1 } })
    assert.deepEqual((await attempt({ topic: 'dev/x', payload, mapping: draft })).refused, [
      { mapping_id: 0, path: 't', reason: 'a word that the table does not have' }
    ])
    assert.deepEqual(await attempt({ topic: 'set/x', payload }), { values: [], refused: [] })
    // A new zone counts at once, and so does a move to another organization.
    await world.request(`PUT /api/v2/installation/${installation.id}`, {
      as: world.admin,
      body: { timezone: 'UTC', organization_id: above }
    })
    const moved = await attempt({ topic: 'dev/x', payload })
    assert.equal(moved.values[0]?.timestamp, Date.parse('2026-01-01T12:00:00Z') / 1000)
    assert.deepEqual(
      moved.values.map(({ mapping_id }) => mapping_id),
      [own.id, top.id]
    )
    assert.deepEqual(moved.refused, [])
    assert.equal((await deps.latest.open(installation.id)).size, 0, 'nothing is stored')
  })

  scenario('POST try with a wrong mapping', {
    given: (world) => world.site(every),
    as: ({ user }) => user,
    request: ({ installation }) => `POST /api/v2/mapping/${installation.id}/try`,
    body: { topic: 'dev/x', payload: '1', mapping: { ...declared, filter: '' } },
    expect: { status: 400, body: { message: 'mapping/filter must be given, or make' } }
  })

  scenario('POST try with a topic that nobody can publish', {
    given: (world) => world.site(every),
    as: ({ user }) => user,
    request: ({ installation }) => `POST /api/v2/mapping/${installation.id}/try`,
    body: { topic: 'dev/+', payload: '1' },
    expect: { status: 400, body: { message: 'topic must be an MQTT topic without wildcards' } }
  })

  scenario('POST try with the right to list only', {
    given: (world) => world.site(['mapping/list/all']),
    as: ({ user }) => user,
    request: ({ installation }) => `POST /api/v2/mapping/${installation.id}/try`,
    body: { topic: 'dev/x', payload: '1' },
    expect: { status: 200, body: { values: [], refused: [] } }
  })

  scenario('POST a mapping with the right to list only', {
    given: (world) => world.site(['mapping/list/all']),
    as: ({ user }) => user,
    request: ({ installation }) => `POST /api/v2/mapping/${installation.id}`,
    body: declared,
    expect: { status: 403, body: { message: 'Forbidden' } }
  })

  test('the trace tells who changed a mapping', async () => {
    const { world } = platform()
    const { installation, user } = await world.site([...every, 'trace/list'])
    const { json } = await world.request(`POST /api/v2/mapping/${installation.id}`, {
      as: user,
      body: { make: 'shelly' }
    })
    const { id } = json as Mapping
    await world.request(`DELETE /api/v2/mapping/${installation.id}/${id}`, { as: user })
    await eventually(async () => {
      const query = `object_type=mapping&object_id=${id}`
      const found = await world.request(`GET /api/v2/trace?${query}`, { as: user })
      const texts = (found.json as { data: { description: string }[] }).data.map(
        (one) => one.description
      )
      assert.deepEqual(texts.sort(), [`created mapping ${id}`, `deleted mapping ${id}`])
    })
  })

  test('mappings go with their owner', async () => {
    const { world, deps } = platform()
    const { installation } = await world.site([])
    const { id, organization_id } = installation
    const as = world.admin
    for (const at of [`${id}`, `organization/${organization_id}`]) {
      await world.request(`POST /api/v2/mapping/${at}`, { as, body: { make: 'ttn' } })
    }
    await world.request(`DELETE /api/v2/installation/${id}`, { as })
    const gone = await world.request(`DELETE /api/v2/organization/${organization_id}?force=true`, {
      as
    })
    assert.equal(gone.status, 200, gone.text)
    const left = await deps.registry
      .selectFrom('mappings')
      .select('id')
      .where((eb) =>
        eb.or([eb('installation_id', '=', id), eb('organization_id', '=', organization_id)])
      )
      .execute()
    assert.deepEqual(left, [])
  })
})
