import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, SECOND } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }

const day = { title: 'Heating', topics: ['obj/in', 'obj/out'], span: 86_400, compare: true }
const storm = { title: 'The storm', topics: ['obj/wind'], from: 1_700_000_000, to: 1_700_086_400.5 }
type Board = { installation_id: number; plots: object[]; updated: number }

onRegistryMatrix('board', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const site = (grants: readonly string[]) => platform().world.site([...grants])
  const rights = ['installation/list/all', 'installation/update/all']

  test('an installation begins without plots, and keeps those that are written', async () => {
    const { world } = platform()
    const { installation, user } = await site(rights)
    const at = `/api/v2/board/${installation.id}`
    const read = async () => (await world.request(`GET ${at}`, { as: user })).json as Board
    const empty = { installation_id: installation.id, plots: [], updated: 0 }
    assert.deepEqual(await read(), empty)
    const plots = [day, storm]
    const written = await world.request(`PUT ${at}`, { as: user, body: { plots } })
    assert.equal(written.status, 200, written.text)
    const board = await read()
    assert.deepEqual(board, written.json)
    assert.deepEqual(board.plots, plots)
    assert(Math.abs(board.updated * SECOND - Date.now()) < HOUR)
    await world.request(`PUT ${at}`, { as: user, body: { plots: [] } })
    assert.deepEqual((await read()).plots, [])
  })

  test('a write over a state that the caller has not seen is refused and changes nothing', async () => {
    const { world } = platform()
    const { installation, user } = await site(rights)
    const at = `/api/v2/board/${installation.id}`
    const put = (plots: object[], updated?: number | null) =>
      world.request(`PUT ${at}`, { as: user, body: { plots, updated } })
    const first = (await put([day], 0)).json as Board
    const late = await put([storm], 0)
    assert.deepEqual(
      [late.status, late.json],
      [409, { message: 'somebody else changed the board since it was read' }]
    )
    const second = await put([storm], first.updated)
    assert.equal(second.status, 200, second.text)
    const { updated } = second.json as Board
    assert(updated > first.updated)
    const both = await Promise.all([put([day], updated), put([day, storm], updated)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    assert.equal((await put([], null)).status, 200)
  })

  test('the trace tells who changed the board', async () => {
    const { world } = platform()
    const { installation, user } = await site([...rights, 'trace/list'])
    const at = `/api/v2/board/${installation.id}`
    await world.request(`PUT ${at}`, { as: user, body: { plots: [day] } })
    const query = `object_type=installation&object_id=${installation.id}`
    await eventually(async () => {
      const found = await world.request(`GET /api/v2/trace?${query}`, { as: world.admin })
      assert.match(found.text, /changed the board of/)
    })
  })

  const wrong: [name: string, plots: unknown, message: RegExp][] = [
    ['without topics', [{ ...day, topics: [] }], /topics/],
    ['with 21 topics', [{ ...day, topics: Array(21).fill('obj/a') }], /topics/],
    ['with 25 plots', Array(25).fill(day), /plots/],
    ['without a title', [{ ...day, title: '' }], /title/],
    ['with a title of 101 characters', [{ ...day, title: 'x'.repeat(101) }], /title/],
    ['with a wildcard', [{ ...day, topics: ['obj/#'] }], /^plots\/0\/topics\/0 must be an MQTT/],
    ['with a topic of 65 levels', [{ ...day, topics: ['a/'.repeat(64)] }], /^plots\/0\/topics\/0/],
    ['with span and from', [day, { ...day, from: 1 }], /^plots\/1 must have span, or from/],
    ['with an end before its begin', [{ ...storm, to: 1 }], /^plots\/0 must have span, or from/],
    ['without a time', [{ title: 'x', topics: ['obj/a'] }], /^plots\/0 must have span/],
    ['with a field that is none', [{ ...day, hidden: 'x'.repeat(100) }], /hidden/],
    ['that are no list', day, /plots/]
  ]
  for (const [name, plots, message] of wrong) {
    test(`PUT of plots ${name}`, async () => {
      const { world } = platform()
      const { installation, user } = await site(rights)
      const at = `/api/v2/board/${installation.id}`
      const { status, json } = await world.request(`PUT ${at}`, { as: user, body: { plots } })
      assert.equal(status, 400)
      assert.match((json as { message: string }).message, message)
      const { updated } = (await world.request(`GET ${at}`, { as: user })).json as Board
      assert.equal(updated, 0)
    })
  }

  for (const [line, body] of [
    ['GET', undefined],
    ['PUT', { plots: [] }]
  ] as const) {
    scenario(`${line} without a token`, {
      request: `${line} /api/v2/board/1`,
      body,
      expect: unauthorized
    })
    scenario(`${line} in an installation of others`, {
      given: async (world) => ({
        user: (await world.site(rights)).user,
        other: await world.installation()
      }),
      as: ({ user }) => user,
      request: ({ other }) => `${line} /api/v2/board/${other.id}`,
      body,
      expect: forbidden
    })
  }
  scenario('PUT by a caller who may only look', {
    given: (world) => world.site(['installation/list/all']),
    as: ({ user }) => user,
    request: ({ installation }) => `PUT /api/v2/board/${installation.id}`,
    body: { plots: [day] },
    expect: forbidden
  })
})
