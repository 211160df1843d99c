import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fastify from 'fastify'
import { sql } from 'kysely'
import { openSearcher } from '../../src/features/search/open.ts'
import { wantedBy } from '../../src/features/search/query.ts'
import type { Question } from '../../src/features/search/search.ts'
import { handleError } from '../../src/http/error-handler.ts'
import { Directory } from '../../src/permission/directory.ts'
import { recordChange } from '../../src/registry/changes.ts'
import { openClaims, openRegistry } from '../../src/registry/open.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { endConnections } from '../support/postgres.ts'
import { onPostgres } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'

const CONNECTIONS = 5

onPostgres('connections that no longer answer', ({ url }) => {
  /** A proxy to the server that can stop passing data on. */
  const route = async (t: { after(close: () => unknown): void }, limit?: number) => {
    const straight = await url()
    const proxy = new TcpProxy(Number(new URL(straight).port))
    await proxy.listen()
    t.after(() => proxy.close())
    const through = new URL(straight)
    through.port = String(proxy.port)
    if (limit) through.searchParams.set('query_timeout', String(limit))
    return { straight, through: through.href, proxy }
  }
  const open = async (t: { after(close: () => unknown): void }, at: string): Promise<Registry> => {
    const registry = await openRegistry({ url: at, dataDir: '' })
    t.after(() => registry.destroy())
    return registry
  }
  const useMany = (registry: Registry) =>
    Promise.all(
      Array.from({ length: CONNECTIONS }, () => sql`select pg_sleep(0.2)`.execute(registry))
    )

  test('a connection that was just used fails one query, and the idle ones are closed with it', async (t) => {
    const { through, proxy } = await route(t, 1500)
    const registry = await open(t, through)
    await useMany(registry)
    proxy.forget()
    const outcomes: string[] = []
    for (let i = 0; i < CONNECTIONS + 3; i++) {
      const asked = sql`select 1`.execute(registry)
      outcomes.push(await asked.then(() => 'answered', String))
    }
    assert.deepEqual(new Set(outcomes.slice(1)), new Set(['answered']))
  })

  test('a transaction on such a connection does not wait again to roll back', async (t) => {
    const { through, proxy } = await route(t, 1500)
    const registry = await open(t, through)
    const start = performance.now()
    await assert.rejects(
      registry.transaction().execute(async (registry) => {
        proxy.forget()
        await sql`select 1`.execute(registry)
      })
    )
    assert(performance.now() - start < 2900)
  })

  test('an idle connection is tested before it is used', async (t) => {
    const { through, proxy } = await route(t, 1500)
    const registry = await open(t, through)
    await useMany(registry)
    await wait(1100)
    proxy.forget()
    const start = performance.now()
    for (let i = 0; i < CONNECTIONS + 3; i++) await sql`select 1`.execute(registry)
    assert(performance.now() - start < 6000, 'all are given up with the first')
  })

  test('an idle connection that has ended is replaced without an error', async (t) => {
    const { straight, through } = await route(t)
    const registry = await open(t, through)
    await useMany(registry)
    await wait(1100)
    await endConnections(straight)
    await useMany(registry)
  })

  test('callers get 503, and the next request works', async (t) => {
    const { through, proxy } = await route(t, 1500)
    const platform = await startTestPlatform({ registryUrl: through })
    t.after(() => platform.stop())
    const { world } = platform
    const { id } = await world.installation()
    const body = { type: 'switch', meta: { name: 'lamp' } }
    const ask = (i: number) =>
      i % 2
        ? world.request(`GET /api/v2/functionx/${id}`, { as: world.admin })
        : world.request(`POST /api/v2/functionx/${id}`, { as: world.admin, body })
    const round = () => Promise.all(Array.from({ length: 12 }, (_, i) => ask(i)))
    await round()
    proxy.forget()
    const during = await round()
    for (const { status, json } of during) {
      if (status !== 200)
        assert.deepEqual([status, json], [503, { message: 'Service Unavailable' }])
    }
    for (const { status } of await round()) assert.equal(status, 200)
    await eventually(async () => {
      assert.equal((await world.request('GET /health/ready')).status, 200)
    })
  })

  test('a connection that ends between two statements also gives 503', async (t) => {
    const { straight, through } = await route(t)
    const registry = await open(t, through)
    const app = fastify()
    app.setErrorHandler(handleError)
    app.get('/', () =>
      registry.transaction().execute(async (registry) => {
        await sql`select 1`.execute(registry)
        await endConnections(straight)
        await wait(100)
        await sql`select 1`.execute(registry)
      })
    )
    const { statusCode, body } = await app.inject('/')
    assert.deepEqual([statusCode, body], [503, '{"message":"Service Unavailable"}'])
  })

  test('a search ends soon after its own time limit, not at the general one', slow, async (t) => {
    const { through, proxy } = await route(t)
    const registry = await open(t, through)
    const searcher = await openSearcher(registry, { url: through, dataDir: '', timeoutMs: 500 })
    t.after(() => searcher.close())
    const question: Question = {
      query: { wanted: wantedBy('lamp'), filters: [], limit: 10, offset: 0 },
      reach: { device: { visible: 'everything', types: new Map(), seesProtected: 'everything' } }
    }
    const search = () => searcher.search(question, new AbortController().signal)
    await search()
    proxy.forget()
    const start = performance.now()
    await search().catch(() => {})
    assert(performance.now() - start < 15_000)
    await search()
  })

  test('claims are lost within seconds, and taken again later', slow, async (t) => {
    const { through, proxy } = await route(t)
    const claims = await openClaims(through, false)
    t.after(() => claims.close())
    assert.equal(await claims.take('scheduler'), true)
    proxy.forget()
    await eventually(() => assert.notEqual(claims.failure, undefined), 10_000)
    await eventually(async () => assert.equal(await claims.take('scheduler'), true))
  })

  test('changes are read long before the hanging query is given up', slow, async (t) => {
    const { straight, through, proxy } = await route(t)
    const registry = await open(t, through)
    const directory = await Directory.open(registry)
    let changes = 0
    directory.onIdentityChange(() => changes++)
    await useMany(registry)
    proxy.forget()
    const elsewhere = await open(t, straight)
    await recordChange(elsewhere, 'user', 1, Date.now())
    const start = performance.now()
    await eventually(async () => {
      await directory.catchUp()
      assert.equal(changes, 1)
    })
    assert(performance.now() - start < 15_000)
  })
})
