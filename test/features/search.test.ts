import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createApp } from '../../src/app.ts'
import type { Searcher } from '../../src/features/search/searcher.ts'
import { deleteInstallations } from '../../src/registry/installations.ts'
import {
  changeModelx,
  insertModelx,
  type ModelxRef,
  removeModelx,
  removeSomeModelx
} from '../../src/registry/modelx.ts'
import type { ModelxKind } from '../../src/registry/tables.ts'
import { inTransaction } from '../../src/registry/transaction.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const grants = ['installation/list/all', 'functionx/list/all', 'devicex/list/all']
const forbidden = { status: 403, body: { message: 'Forbidden' } }

type Result = {
  type: string
  id: number
  name: string
  metaMatches: Record<string, string> | null
  allMetadata: Record<string, string>
}
type Page = { total: number; limit: number; offset: number; results: Result[] }
type Meta = Record<string, string>

onRegistryMatrix('search', (engine) => {
  const { platform, scenario } = withPlatform(engine)
  const as = ({ user }: { user: Account }) => user

  async function create(
    kind: ModelxKind,
    installation_id: number,
    { type = 'zwave', meta = {}, secret = {} }: { type?: string; meta?: Meta; secret?: Meta } = {}
  ): Promise<ModelxRef> {
    const fields = { type, meta: JSON.stringify(meta), protected_meta: JSON.stringify(secret) }
    const { registry, clock } = platform().deps
    const row = await insertModelx(registry, kind, installation_id, fields, clock())
    assert(row)
    return { kind, installation_id, id: row.id }
  }

  async function find(who: { token: string }, query: string): Promise<Page> {
    const answer = await platform().world.request(`GET /api/v3beta/search?${query}`, { as: who })
    assert.equal(answer.status, 200, answer.text)
    return answer.json as Page
  }
  const found = async (who: { token: string }, query: string) =>
    (await find(who, query)).results.map(({ type, id }) => `${type} ${id}`)
  const names = (refs: readonly { kind: string; id: number }[]) =>
    refs.map(({ kind, id }) => `${kind} ${id}`)

  /** Waits until nothing is marked any more. */
  const indexed = () =>
    eventually(async () => {
      const { registry } = platform().deps
      assert.deepEqual(await registry.selectFrom('search_marks').selectAll().execute(), [])
    })

  /** Two installations, one with a lamp, a meter and a pump. */
  async function houses(world: World, granted: readonly string[] = grants) {
    const { installation, user } = await world.site(granted)
    const { organization_id } = installation
    const cellar = await world.installation({
      ...{ organization_id, name: 'Cellar', notes: 'under the house' },
      ...{ meta: { City: 'Örebro' }, protected_meta: { code: 'simsala' } }
    })
    const lamp = await create('function', installation.id, {
      meta: { name: 'Hall Lamp', room: 'Hall', floor: '1', 'app.id': '7' },
      secret: { pin: 'hemlig' }
    })
    const meter = await create('device', installation.id, { type: 'meter', meta: { room: 'hall' } })
    const pump = await create('function', cellar.id, {
      ...{ type: 'pump', meta: { room: 'Boiler', floor: '0', note: 'noisy', description: 'Hot' } }
    })
    return { installation, cellar, user, lamp, meter, pump }
  }

  scenario('GET search without a token', {
    request: 'GET /api/v3beta/search?q=*',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('GET search without any grant', {
    given: (world) => world.site(['status/read/all']),
    as,
    request: 'GET /api/v3beta/search?q=*',
    expect: forbidden
  })

  scenario('GET search for a type without its grant', {
    given: (world) => world.site(['functionx/list/all']),
    as,
    request: 'GET /api/v3beta/search?q=*&types=function,device',
    expect: forbidden
  })

  for (const [query, error] of [
    ['', 'q is required'],
    ['q=', 'q is required'],
    [`q=${'x'.repeat(256)}`, 'q must be text of at most 255 characters'],
    ['q=*&limit=-1', 'limit must be a whole number from 0 to 10000'],
    ['q=*&limit=10001', 'limit must be a whole number from 0 to 10000'],
    ['q=*&limit=ten', 'limit must be a whole number'],
    ['q=*&offset=-1', 'offset must be a whole number of at least 0'],
    ['q=*&offset=1.5', 'offset must be a whole number'],
    ['q=*&types=gateway', 'types.0 must be installation or device or function'],
    ['q=*&metadata.=x', 'metadata. must be followed by a key'],
    [
      'q=*&Metadata.room=x&type=function',
      'unknown parameters Metadata.room, type; this route knows q, types, limit, offset, metadata.<key>'
    ],
    [`q=*&metadata.a=${'x'.repeat(256)}`, 'a: a filter has at most 255 characters'],
    [`q=*${'&metadata.a=1'.repeat(51)}`, 'at most 50 values in filters'],
    ['q=%00', 'the URL must not contain NUL characters']
  ]) {
    scenario(`GET search?${query?.slice(0, 40)}`, {
      given: (world) => world.site(grants),
      as,
      request: `GET /api/v3beta/search?${query}`,
      expect: { status: 400, body: { error } }
    })
  }

  test('a page has every field, null where it does not apply', async () => {
    const { world } = platform()
    const { user, cellar, pump } = await houses(world)
    const page = await find(user, 'q=boiler')
    const [row] = page.results
    assert.deepEqual(page, {
      ...{ total: 1, limit: 10_000, offset: 0 },
      results: [
        {
          ...{ type: 'function', id: pump.id, name: `pump ${pump.id}`, description: 'Hot' },
          ...{ notes: 'noisy', clientID: null, installationID: cellar.id, organizationID: null },
          created: (row as unknown as { created: number }).created,
          updated: (row as unknown as { updated: number }).updated,
          metaMatches: { room: 'Boiler' },
          allMetadata: { room: 'Boiler', floor: '0', note: 'noisy', description: 'Hot' }
        }
      ]
    })
    assert(Number.isInteger((row as unknown as { created: number }).created))
    const [house] = (await find(user, 'q=cell*')).results
    assert.deepEqual(house, {
      ...{ type: 'installation', id: cellar.id, name: 'Cellar', description: null },
      ...{ notes: 'under the house', updated: null, installationID: null, metaMatches: null },
      created: Math.floor(cellar.created / 1000),
      clientID: String(cellar.client_id),
      organizationID: cellar.organization_id,
      allMetadata: { City: 'Örebro' }
    })
  })

  test('q and filters work before and after indexing', async () => {
    const { world } = platform()
    const { user, installation, cellar, lamp, meter, pump } = await houses(world)
    const home = { kind: 'installation', id: installation.id }
    const below = { kind: 'installation', id: cellar.id }
    const all = names([meter, lamp, pump, home, below])
    const rows: [query: string, want: string[]][] = [
      ['q=*', all],
      ['q=***', all],
      ['q=*&types=function', names([lamp, pump])],
      ['q=*&types=installation,device', names([meter, home, below])],
      ['q=hall', names([meter, lamp])],
      ['q=HALL', names([meter, lamp])],
      ['q=hall*', names([meter, lamp])],
      ['q=*lamp', names([lamp])],
      ['q=lam*', []],
      ['q=h*l*p', names([lamp])],
      ['q=me', names([meter])],
      ['q=noisy', names([pump])],
      ['q=under%20the', names([below])],
      ['q=%C3%96REB', names([below])],
      [`q=${cellar.client_id}*`, names([below])],
      [`q=${lamp.id}`, names([lamp, ...[home, below].filter(({ id }) => id === lamp.id)])],
      [`q=${lamp.id}&types=device`, []],
      [`q=${lamp.id}&metadata.room=boiler`, []],
      [`q=0${pump.id}&types=function&metadata.room=boiler`, names([pump])],
      ['q=99999999999999999999', []],
      ['q=*&metadata.room=hall', names([meter, lamp])],
      ['q=*&metadata.ROOM=HALL&metadata.floor=1', names([lamp])],
      ['q=*&metadata.room=hall&metadata.Room=boiler', names([meter, lamp, pump])],
      ['q=*&metadata.room=b*r', names([pump])],
      ['q=*&metadata.room=*', names([meter, lamp, pump])],
      ['q=*&metadata.room=', all],
      ['q=*&metadata.app.id=7', names([lamp])],
      ['q=lamp&metadata.floor=1', names([lamp])],
      ['q=lamp&metadata.floor=0', []],
      ['q=*&metadata.city=*rebro', names([below])],
      ['q=hemlig', []],
      ['q=simsala', []],
      ['q=*&metadata.pin=hemlig', []]
    ]
    const check = async () => {
      for (const [query, want] of rows) {
        assert.deepEqual(await found(user, query), want, query)
        assert.equal((await find(user, `${query}&limit=1`)).total, want.length, query)
        // The administrator sees so many objects that the index is used.
        const inAll = await found(world.admin, query)
        if (want.length > 0)
          assert.deepEqual(
            inAll.filter((name) => all.includes(name)),
            want,
            query
          )
      }
    }
    await check()
    await indexed()
    await check()
  })

  test('hostile input finds nothing and breaks nothing', async () => {
    const { world } = platform()
    const { user } = await houses(world)
    const texts = [
      `'"; drop table modelx; --`,
      '"a" OR "b"',
      'NEAR(a b, 2)',
      'tokens:abc',
      'abc AND',
      '(((((',
      '100%',
      '___',
      '\\\\\\',
      'x'.repeat(255),
      `a${'*'.repeat(253)}b`,
      'q*'.repeat(127),
      'ﬁ İ ẞ ς Σ',
      '😀😀',
      '\ud800',
      '^abc$',
      '[a-z]{3}',
      '{"a":1}',
      '$(7*7)'
    ]
    for (const text of texts) {
      const q = encodeURIComponent(text.toWellFormed())
      assert.deepEqual(await found(user, `q=${q}`), [], text.slice(0, 40))
      assert.deepEqual(await found(user, `q=*&metadata.room=${q}&metadata.__proto__=x`), [])
    }
  })

  test('text of every kind is found', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const values = ['100%', 'a_b', 'C:\\dir', `it's "so"`, '😀 lamp', 'ÅNGA é', 'x,y;z', '{"a":1}']
    const made: ModelxRef[] = []
    for (const value of values) {
      made.push(await create('function', installation.id, { meta: { value } }))
    }
    for (const check of [async () => {}, indexed]) {
      await check()
      for (const [i, value] of values.entries()) {
        const q = encodeURIComponent(value)
        const want = names(made.slice(i, i + 1))
        assert.deepEqual(await found(user, `q=${q}`), want, value)
        assert.deepEqual(await found(user, `q=${encodeURIComponent(value.toUpperCase())}`), want)
        assert.deepEqual(await found(user, `q=*&metadata.value=${q}`), want)
        assert.deepEqual(await found(user, `q=${q}*`), want)
      }
    }
  })

  test('pages are complete and stable and have the total', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(grants)
    const made: ModelxRef[] = []
    for (let i = 0; i < 25; i++) {
      const kind = i % 3 === 0 ? 'device' : 'function'
      made.push(await create(kind, installation.id, { meta: { name: `Sensor ${i}` } }))
    }
    const devices = made.filter(({ kind }) => kind === 'device')
    const functions = made.filter(({ kind }) => kind === 'function')
    const objects = names([...devices, ...functions])
    const all = [...objects, `installation ${installation.id}`]
    for (const [query, want] of [
      ['q=*', all],
      ['q=sensor', objects],
      ['q=se', objects],
      ['q=*&metadata.name=sens*', objects]
    ] as const) {
      const seen: string[] = []
      for (let offset = 0; offset < 30; offset += 7) {
        const page = await find(user, `${query}&limit=7&offset=${offset}`)
        assert.deepEqual([page.total, page.limit, page.offset], [want.length, 7, offset])
        seen.push(...page.results.map(({ type, id }) => `${type} ${id}`))
      }
      assert.deepEqual(seen, want, query)
      const beyond = { total: want.length, limit: 5, offset: 1e9, results: [] }
      assert.deepEqual(await find(user, `${query}&limit=5&offset=${1e9}`), beyond)
    }
    assert.equal((await find(user, 'q=*&limit=0')).limit, 10_000)
    assert.equal((await find(user, 'q=*&limit=')).limit, 10_000)
  })

  test('a write is found at once, and also after it is indexed', async () => {
    const { world, deps } = platform()
    const { registry, clock } = deps
    const { installation, user } = await world.site([...grants, 'installation/#'])
    const lamp = await create('device', installation.id, { meta: { name: 'before' } })
    const other = await create('device', installation.id, { meta: { name: 'unchanged' } })
    assert.deepEqual(await found(user, 'q=before'), names([lamp]))
    await indexed()
    assert.deepEqual(await found(user, 'q=before'), names([lamp]))

    await changeModelx(registry, lamp, () => ({ meta: '{"name":"after"}' }), clock())
    for (const settle of [async () => {}, indexed]) {
      await settle()
      assert.deepEqual(await found(user, 'q=before'), [])
      assert.deepEqual(await found(user, 'q=after'), names([lamp]))
    }

    await removeModelx(registry, lamp, () => {}, 0)
    for (const settle of [async () => {}, indexed]) {
      await settle()
      assert.deepEqual(await found(user, 'q=after'), [])
      assert.deepEqual(await found(user, `q=${lamp.id}&types=device`), [])
      assert.deepEqual(await found(user, 'q=*&types=device'), names([other]))
    }

    const path = `/api/v2/installation/${installation.id}`
    await world.request(`PUT ${path}`, { as: user, body: { name: 'Renamed place' } })
    for (const settle of [async () => {}, indexed]) {
      await settle()
      assert.deepEqual(await found(user, 'q=renamed'), [`installation ${installation.id}`])
      assert.deepEqual(await found(user, `q=${installation.name}`), [])
    }
  })

  test('every write over HTTP is found at once', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['installation/#', 'functionx/#'])
    const { id } = installation
    const word = world.unique('word')
    const write = async (line: string, body?: object) => {
      const answer = await world.request(line, { as: user, body })
      assert.equal(answer.status, 200, answer.text)
      return answer.json as { id: number }
    }
    const meta = { name: `${word} one` }
    const lamp = await write(`POST /api/v2/functionx/${id}`, { type: 'zwave', meta })
    const path = `/api/v2/functionx/${id}/${lamp.id}`
    assert.deepEqual(await found(user, `q=${word}%20one`), [`function ${lamp.id}`])
    await indexed()
    await write(`PUT ${path}/meta/name`, { value: `${word} two` })
    assert.deepEqual(await found(user, `q=${word}%20one`), [])
    assert.deepEqual(await found(user, `q=${word}%20two`), [`function ${lamp.id}`])
    await write(`POST /api/v2/installation/${id}/meta/place`, { value: `${word} three` })
    assert.deepEqual(await found(world.admin, `q=${word}%20three`), [`installation ${id}`])
    await write(`DELETE ${path}`)
    await write(`DELETE /api/v2/installation/${id}/meta/place`)
    for (const who of [user, world.admin]) assert.deepEqual(await found(who, `q=${word}`), [])
  })

  test('the objects of a deleted installation are not found any more', async () => {
    const { world, deps } = platform()
    const { registry, clock } = deps
    const { user, installation, cellar, meter, lamp, pump } = await houses(world)
    const objectsOf = (id: number) =>
      registry.selectFrom('modelx').select('id').where('installation_id', '=', id).execute()
    assert.equal((await objectsOf(cellar.id)).length, 1)
    await inTransaction(registry, (registry) => deleteInstallations(registry, [cellar.id], clock()))
    const left = names([meter, lamp, { kind: 'installation', id: installation.id }])
    const check = async () => {
      for (const who of [user, world.admin]) {
        for (const query of ['q=noisy', 'q=no', 'q=*', `q=${pump.id}`]) {
          assert(!(await found(who, query)).includes(`function ${pump.id}`), query)
        }
        const houses = await found(who, 'q=under%20the%20house')
        assert(!houses.includes(`installation ${cellar.id}`))
      }
      assert.deepEqual(await found(user, 'q=*'), left)
      const { total, results } = await find(user, 'q=*&types=function')
      assert.equal(results.length, total)
    }
    await check()
    await deps.directory.catchUp()
    await check()
    await removeSomeModelx(registry, cellar.id, 10)
    await indexed()
    await check()
    assert.deepEqual(await objectsOf(cellar.id), [])
  })

  test('protected metadata is found, counted and shown only if the caller may see it', async () => {
    const { world } = platform()
    const { installation, cellar, user, lamp } = await houses(world)
    const organizations = [installation.organization_id]
    const who = (...more: string[]) => world.user({ grants: [...grants, ...more], organizations })
    const seesFunctions = await who('functionx/view/protected_meta/all')
    const seesHouses = await who('installation/view/protected_meta/all')
    const seesHere = await who(`${installation.id}/functionx/view/protected_meta/#`)
    const seesElsewhere = await who(`${cellar.id}/functionx/view/protected_meta/#`)
    for (const settle of [async () => {}, indexed]) {
      await settle()
      for (const query of ['q=hemlig', 'q=hem*', 'q=*&metadata.pin=hemlig', 'q=*&metadata.pin=*']) {
        for (const blind of [user, seesHouses, seesElsewhere]) {
          assert.deepEqual(await find(blind, query), { ...nothing })
        }
        for (const seeing of [seesFunctions, seesHere]) {
          const { total, results } = await find(seeing, query)
          assert.deepEqual([total, results[0]?.id], [1, lamp.id])
          assert.deepEqual(results[0]?.metaMatches, { pin: 'hemlig' })
        }
      }
      const shown = async (seer: Account) =>
        (await find(seer, 'q=hall%20lamp')).results[0]?.allMetadata['pin']
      assert.equal(await shown(user), undefined)
      assert.equal(await shown(seesHere), 'hemlig')
      assert.equal(await shown(seesElsewhere), undefined)
      assert.deepEqual(await found(seesHouses, 'q=simsala'), [`installation ${cellar.id}`])
      assert.deepEqual(await found(seesFunctions, 'q=simsala'), [])
    }
  })
  const nothing = { total: 0, limit: 10_000, offset: 0, results: [] }

  test('grants decide what is found: by scope, assignment, type and installation', async () => {
    const { world } = platform()
    const { installation, cellar, lamp, meter, pump } = await houses(world)
    const { organization_id } = installation
    const home = { kind: 'installation', id: installation.id }
    const below = { kind: 'installation', id: cellar.id }
    const rows: [grants: string[], want: { kind: string; id: number }[], assigned?: number[]][] = [
      [grants, [meter, lamp, pump, home, below]],
      [['installation/list/all'], [home, below]],
      [['functionx/list/all'], [lamp, pump]],
      [['functionx/list/assigned'], []],
      [['functionx/list/assigned', 'devicex/list/assigned'], [pump], [cellar.id]],
      [[`${cellar.id}/functionx/list/all`], [pump]],
      [[`${installation.id}/#`], [meter, lamp, home]],
      [
        ['installation/list/all', 'functionx/pump/view'],
        [pump, home, below]
      ],
      [['installation/list/assigned', 'functionx/+/view'], [pump, below], [cellar.id]],
      [['installation/list/assigned', 'device/meter/view'], []],
      [[`${installation.id}/device/meter/view`], [meter]],
      [['functionx/pump/view'], []]
    ]
    for (const [granted, want, assigned = []] of rows) {
      const user = await world.user({ grants: granted, organizations: [organization_id], assigned })
      assert.deepEqual(await found(user, 'q=*'), names(want), granted.join())
      assert.equal((await find(user, 'q=*&limit=1')).total, want.length)
    }
    const outside = await world.user({ grants, organizations: [await world.organization()] })
    assert.deepEqual(await find(outside, 'q=*'), nothing)
    assert.deepEqual(await find(outside, `q=${lamp.id}`), nothing)
    const typed = await world.user({
      grants: ['installation/list/all', 'functionx/pump/view'],
      organizations: [organization_id]
    })
    const answer = await world.request('GET /api/v3beta/search?q=*&types=device', { as: typed })
    assert.deepEqual([answer.status, answer.json], [403, { message: 'Forbidden' }])
  })

  test('a restricted key finds only what its list allows', async () => {
    const { world } = platform()
    const { user, lamp, pump, cellar } = await houses(world)
    const key = async (permissions: string[]) => {
      const body = { name: 'narrow', permissions }
      const made = await world.request('POST /api/v2/user/me/security/token', { as: user, body })
      return made.json as { token: string }
    }
    assert.deepEqual(await found(await key(['functionx/list/all']), 'q=*'), names([lamp, pump]))
    const one = await key([`${cellar.id}/functionx/list/all`])
    assert.deepEqual(await found(one, 'q=*'), names([pump]))
    assert.deepEqual(await found(one, 'q=hall'), [])
  })

  /** The same routes with other dependencies. */
  const appWith = (parts: { searcher?: Searcher; searchTimeoutMs?: number }) =>
    createApp({ ...platform().deps, ...parts })

  test('GET search whose page would be too large is 400', slow, async () => {
    const { installation, user } = await platform().world.site(grants)
    const text = 'large '.repeat(10_000)
    const meta = JSON.stringify({ a: text, b: text, c: text, d: text })
    const fields = { type: 't', meta, protected_meta: '{}' }
    for (let i = 0; i < 290; i++) {
      await insertModelx(platform().deps.registry, 'device', installation.id, fields, 1)
    }
    const path = 'GET /api/v3beta/search?q=large'
    const refused = await platform().world.request(path, { as: user })
    assert.deepEqual(
      [refused.status, refused.json],
      [400, { error: 'limit must be smaller: the results take more than 67108864 bytes' }]
    )
    assert.equal((await find(user, 'q=large&limit=2')).total, 290)
  })

  test('GET search that takes too long is 503', async () => {
    const { searcher } = platform().deps
    // The real searcher, started after the time limit, because a small registry would be too fast.
    const late: Searcher = {
      search: async (question, signal) => {
        if (!signal.aborted) await once(signal, 'abort')
        return searcher.search(question, signal)
      },
      close: async () => {}
    }
    const app = await appWith({ searcher: late, searchTimeoutMs: 1 })
    const { token } = platform().world.admin
    const headers = { 'x-api-key': token }
    const answer = await app.inject({ url: '/api/v3beta/search?q=*', headers })
    assert.deepEqual([answer.statusCode, answer.json()], [503, { error: 'Timed out' }])
    await app.close()
  })

  test('GET search whose caller hangs up is stopped and logged as 499', async () => {
    const { world, logged } = platform()
    const { promise: searching, resolve } = Promise.withResolvers<AbortSignal>()
    const searcher: Searcher = {
      search: (_question, signal) => {
        resolve(signal)
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      },
      close: async () => {}
    }
    const app = await appWith({ searcher })
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/api/v3beta/search?q=*`
    const request = get(url, { headers: { 'x-api-key': world.admin.token } })
    request.on('error', () => {})
    const signal = await searching
    request.destroy()
    await eventually(() => assert(signal.aborted))
    await eventually(() => assert(logged.some(({ status }) => status === 499)))
    await app.close()
  })

  if (engine.name === 'PostgreSQL') {
    test('a search that is aborted also ends on the server', async () => {
      const { world, deps } = platform()
      await houses(world)
      await indexed()
      await deps.registry.transaction().execute(async (registry) => {
        await sql`lock table modelx in access exclusive mode`.execute(registry)
        const waiting = async () => {
          const { rows } = await sql`select query from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(registry)
          return rows.length
        }
        const headers = { 'x-api-key': world.admin.token }
        // The index alone cannot answer, because the lamp is shown.
        const request = get(`${world.url}/api/v3beta/search?q=lamp`, { headers })
        request.on('error', () => {})
        await eventually(async () => assert.equal(await waiting(), 1))
        request.destroy()
        await eventually(async () => assert.equal(await waiting(), 0))
      })
      assert.deepEqual(await found(world.admin, 'q=no%20such%20thing'), [])
    })
  }
})
