import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { fresh } from '../../src/features/search/candidates.ts'
import { foldInTransaction, foldMarks } from '../../src/features/search/fold.ts'
import { openSearcher } from '../../src/features/search/open.ts'
import type { KindReach, Reach } from '../../src/features/search/query.ts'
import { wantedBy } from '../../src/features/search/query.ts'
import { sealOne } from '../../src/features/search/sealer.ts'
import { type Question, search } from '../../src/features/search/search.ts'
import { beginOnServer } from '../../src/features/search/server-searches.ts'
import { SetCache, setCacheBytes } from '../../src/features/search/sets.ts'
import {
  deleteInstallations,
  insertInstallation,
  updateInstallation
} from '../../src/registry/installations.ts'
import {
  changeModelx,
  insertModelx,
  removeModelx,
  removeSomeModelx
} from '../../src/registry/modelx.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import type { ModelxKind, Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'
import { rounds } from '../support/rounds.ts'
import { expected, type Model } from '../support/search-model.ts'

const now = 1_800_000_000_000
const RUNS = rounds(60, 10)

const text = fc.oneof(
  fc.constantFrom('Hall', 'hallway', 'Temp 21', 'ÄRM', '100%', 'a_b', '"or"', '\\', '😀 lamp', ''),
  fc.string({ unit: fc.constantFrom('a', 'B', 'b', '1', ' '), maxLength: 5 })
)
const meta = fc.dictionary(fc.constantFrom('name', 'room', 'Room', 'note', 'app.id'), text, {
  maxKeys: 4,
  noNullPrototype: true
})
const type = fc.constantFrom('zwave', 'Lora', 'switch')
const kind = fc.constantFrom<ModelxKind>('device', 'function')
const nat = fc.nat({ max: 1000 })

/** `at` picks one of the existing objects. */
const create = fc.record({
  do: fc.constant('create' as const),
  ...{ kind, type, meta, protected_meta: meta, at: nat }
})
const step = fc.oneof(
  { arbitrary: create, weight: 6 },
  fc.record({ do: fc.constant('change' as const), type, meta, at: nat }),
  fc.record({ do: fc.constant('remove' as const), at: nat }),
  fc.record({
    do: fc.constant('install' as const),
    name: text,
    meta,
    protected_meta: meta,
    at: nat
  }),
  fc.record({ do: fc.constant('rename' as const), name: text, notes: text, at: nat }),
  fc.record({ do: fc.constant('demolish' as const), erased: fc.nat({ max: 2 }), at: nat }),
  fc.record({
    do: fc.constant('fold' as const),
    limit: fc.integer({ min: 1, max: 9 }),
    tokens: fc.nat({ max: 100 })
  }),
  fc.record({ do: fc.constant('move' as const), at: nat, to: nat }),
  // What happens meanwhile, and after how many steps the process ends.
  {
    arbitrary: fc.record({ do: fc.constant('seal' as const), end: nat, at: nat, type, meta }),
    weight: 2
  },
  {
    arbitrary: fc.record({ do: fc.constant('skip ids' as const), by: fc.nat({ max: 20_000 }) }),
    weight: 2
  }
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const q = fc.oneof(
  fc.constantFrom('*', '**', 'hall', 'HALL*', '*1*', 'zwave', 'zw*e', 'ärm', '100%', '😀', '"or"'),
  text.filter((q) => q !== ''),
  nat.map(String)
)
const reach = fc.record({
  everything: fc.boolean(),
  organizations: fc.subarray([0, 1, 2]),
  assigned: fc.array(nat, { maxLength: 2 }),
  within: fc.boolean()
})
const asked = fc.record({
  q,
  filters: fc.dictionary(
    fc.constantFrom('room', 'name', 'app.id'),
    fc.array(
      text.filter((q) => q !== ''),
      { minLength: 1, maxLength: 2 }
    ),
    { maxKeys: 2 }
  ),
  kinds: fc.subarray(['device', 'function', 'installation'] as const, { minLength: 1 }),
  visible: reach,
  seesProtected: reach,
  little: fc.constantFrom(0, 5, 2000),
  few: fc.constantFrom(-1, 1, 100),
  cache: fc.constantFrom<'none' | 'small' | 'large'>('none', 'small', 'large'),
  types: fc.dictionary(nat.map(String), fc.oneof(fc.constant('all' as const), type), {
    maxKeys: 2
  }),
  limit: fc.constantFrom(1, 2, 5, 10_000),
  offset: fc.oneof(fc.constant(0), fc.nat({ max: 60 }))
})
/** Answered from counts. */
const pageOfEverything = asked.map((asked) => ({ ...asked, q: '*', filters: {}, types: {} }))
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never

onEveryRegistry('search', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const model: Model = { entities: [], organizationOf: new Map() }
  /** They live as long as those of a node: segments come and go meanwhile. */
  const caches = {
    none: new SetCache(() => 0),
    small: new SetCache(() => 3000),
    large: new SetCache(setCacheBytes)
  }
  let url: string
  let registry: Registry
  const organizations: number[] = []
  before(async () => {
    url = await engine.url()
    registry = await openRegistry({ url, dataDir })
    for (const name of ['a', 'b', 'c']) {
      organizations.push(await insertOrganization(registry, { name, parent_id: null }, now))
    }
    await apply({ do: 'install', name: 'Home', meta: {}, protected_meta: {}, at: 0 })
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % list.length]
  const objects = () => model.entities.filter(({ kind }) => kind !== 'installation')
  const installations = () => model.entities.filter(({ kind }) => kind === 'installation')

  async function apply(step: Step): Promise<void> {
    switch (step.do) {
      case 'create': {
        const home = pick(installations(), step.at)
        const { kind, type, meta } = step
        const protected_meta = without(step.protected_meta, meta)
        const row = await insertModelx(
          registry,
          kind,
          home?.id ?? 0,
          { type, meta: JSON.stringify(meta), protected_meta: JSON.stringify(protected_meta) },
          now
        )
        if (!row) return
        const { id, installation_id } = row
        const texts = { name: '', notes: '' }
        model.entities.push({ kind, id, installation_id, type, meta, protected_meta, ...texts })
        return
      }
      case 'change': {
        const object = pick(objects(), step.at)
        if (!object || object.kind === 'installation') return
        const fields = { type: step.type, meta: without(step.meta, object.protected_meta) }
        const written = { ...fields, meta: JSON.stringify(fields.meta) }
        await changeModelx(registry, { ...object, kind: object.kind }, () => written, now)
        Object.assign(object, fields)
        return
      }
      case 'remove': {
        const object = pick(objects(), step.at)
        if (!object || object.kind === 'installation') return
        await removeModelx(registry, { ...object, kind: object.kind }, () => {}, 0)
        model.entities = model.entities.filter((entity) => entity !== object)
        return
      }
      case 'install': {
        const organization_id = pick(organizations, step.at) ?? 0
        const { name, meta } = step
        const protected_meta = without(step.protected_meta, meta)
        const id = await registry
          .transaction()
          .execute((registry) =>
            insertInstallation(registry, { name, meta, protected_meta, organization_id }, now)
          )
        model.organizationOf.set(id, organization_id)
        model.entities.push({
          ...{ kind: 'installation', id, installation_id: id, type: '' },
          ...{ name, notes: '', meta, protected_meta }
        })
        return
      }
      case 'rename': {
        const home = pick(installations(), step.at)
        const { name, notes } = step
        if (!home) return
        await registry
          .transaction()
          .execute((registry) => updateInstallation(registry, home.id, { name, notes }, now))
        Object.assign(home, { name, notes })
        return
      }
      case 'demolish': {
        const home = pick(installations(), step.at)
        if (!home || installations().length < 3) return
        await registry
          .transaction()
          .execute((registry) => deleteInstallations(registry, [home.id], now))
        if (step.erased > 0) await removeSomeModelx(registry, home.id, step.erased)
        model.organizationOf.delete(home.id)
        model.entities = model.entities.filter(({ installation_id }) => installation_id !== home.id)
        return
      }
      case 'fold':
        await foldMarks(registry, step.limit, { tokens: step.tokens, ms: 1000 })
        return
      case 'move': {
        const home = pick(installations(), step.at)
        const organization_id = pick(organizations, step.to) ?? 0
        if (!home) return
        await registry
          .transaction()
          .execute((registry) => updateInstallation(registry, home.id, { organization_id }, now))
        model.organizationOf.set(home.id, organization_id)
        return
      }
      case 'seal': {
        const ended = new Error('ended')
        let left = step.end
        const rest = async () => {
          left--
          if (left === 70) await apply({ ...step, do: 'change' })
          if (left === 69) await foldMarks(registry, 1000)
          if (left === 0) throw ended
        }
        try {
          while (await sealOne(registry, rest, { inChunk: 0, all: 0 }));
        } catch (error) {
          assert.equal(error, ended)
        }
        return
      }
      case 'skip ids': {
        const last = Math.max(0, ...objects().map(({ id }) => id)) + step.by
        await (url === ''
          ? sql`update sqlite_sequence set seq = max(seq, ${last}) where name = 'modelx'`
          : sql`select setval(pg_get_serial_sequence('modelx', 'id'),
              greatest(${last}, nextval(pg_get_serial_sequence('modelx', 'id'))))`
        ).execute(registry)
      }
    }
  }

  function questionOf(asked: Asked): Question {
    const some = ({
      everything,
      organizations: chosen,
      assigned,
      within
    }: Asked['visible']): Reach => {
      const scope = {
        organizationIds: chosen.map((place) => organizations[place] ?? 0),
        installationIds: assigned.map((at) => pick(installations(), at)?.id ?? 0)
      }
      if (everything) return 'everything'
      return within ? { organizationIds: organizations, installationIds: [], within: scope } : scope
    }
    const own: KindReach = {
      visible: some(asked.visible),
      types: new Map(
        Object.entries(asked.types).map(([at, type]) => [
          pick(installations(), Number(at))?.id ?? 0,
          type === 'all' ? type : new Set([type])
        ])
      ),
      seesProtected: some(asked.seesProtected)
    }
    const filters = Object.entries(asked.filters).map(([key, patterns]) => ({ key, patterns }))
    const { limit, offset } = asked
    // With a grant by type only objects are seen.
    const reachOf = (kind: string) => (kind === 'installation' ? { ...own, types: new Map() } : own)
    return {
      query: { wanted: wantedBy(asked.q), filters, limit, offset },
      reach: Object.fromEntries(asked.kinds.map((kind) => [kind, reachOf(kind)]))
    }
  }

  test('search finds the same as a comparison with every object, before and after indexing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.array(fc.oneof(asked, pageOfEverything), { minLength: 2, maxLength: 8 }),
        async (steps, questions) => {
          for (const step of steps) await apply(step)
          for (const asked of questions) {
            const question = questionOf(asked)
            const { total, results } = JSON.parse(
              await search(registry, question, async () => {}, {
                little: asked.little,
                few: asked.few,
                cache: caches[asked.cache]
              })
            )
            assert.deepEqual(
              {
                total,
                results: results.map(({ type, id, allMetadata }: Record<string, unknown>) => ({
                  type,
                  id,
                  allMetadata
                }))
              },
              expected(model, question)
            )
          }
        }
      ),
      { numRuns: RUNS, endOnFailure: true }
    )
  })

  test('fresh documents are listed once and in order, whatever the size of a step', async () => {
    for (const kind of ['device', 'function', 'installation'] as const) {
      const listed = async (limit: number) => {
        const ids: number[] = []
        for await (const some of fresh(registry, kind, undefined, limit)) ids.push(...some)
        return ids
      }
      const ids = await listed(10_000)
      assert.deepEqual(
        ids,
        [...new Set(ids)].sort((a, b) => a - b)
      )
      for (const limit of [1, 2, 3]) assert.deepEqual(await listed(limit), ids)
    }
  })

  test('objects that are marked at a crash are found, and indexed after the next start', async () => {
    await apply({
      ...{ do: 'create', kind: 'device', type: 'zwave', at: 0 },
      ...{ meta: { name: 'survivor' }, protected_meta: {} }
    })
    const killed = registry.transaction().execute(async (registry) => {
      await foldInTransaction(registry, 1000)
      throw new Error('killed')
    })
    await assert.rejects(killed, /killed/)
    const again = await openRegistry({ url, dataDir })
    const marks = () => again.selectFrom('search_marks').select('id').execute()
    const question: Question = {
      query: { wanted: wantedBy('surviv'), filters: [], limit: 10, offset: 0 },
      reach: { device: { visible: 'everything', types: new Map(), seesProtected: 'everything' } }
    }
    const total = async () => JSON.parse(await search(again, question, async () => {})).total
    assert((await marks()).length > 0)
    assert.equal(await total(), 1)
    while (await foldMarks(again, 1000));
    assert.deepEqual(await marks(), [])
    assert.equal(await total(), 1)
    await again.destroy()
  })

  if (engine.name === 'PostgreSQL') {
    test('the server compiles no query of a search, and asks the disk for many pages at once', async () => {
      const settings = async (registry: Registry) => {
        const { rows } = await sql<{
          jit: string
          pages: number
        }>`select current_setting('jit') as jit,
          current_setting('effective_io_concurrency')::int as pages`.execute(registry)
        return rows[0]
      }
      const usual = await settings(registry)
      assert.equal(usual?.jit, 'on')
      await registry.transaction().execute(async (snapshot) => {
        assert.ok((await beginOnServer(snapshot)) > 0)
        assert.deepEqual(await settings(snapshot), { jit: 'off', pages: 64 })
      })
      assert.deepEqual(await settings(registry), usual)
    })

    test('a broken connection fails only the search that used it', async () => {
      const broken = registry.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
          transaction
        )
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(registry)
        await new Promise((later) => setTimeout(later, 50))
        await sql`select 1`.execute(transaction)
      })
      await assert.rejects(broken)
      assert.equal((await sql`select 1`.execute(registry)).rows.length, 1)
    })
  }

  test('a search that is aborted stops at once, and the next one works', async () => {
    const searcher = openSearcher({ url, dataDir, timeoutMs: 60_000 })
    const question: Question = {
      query: { wanted: wantedBy('zz'), filters: [], limit: 10, offset: 0 },
      reach: { device: { visible: 'everything', types: new Map(), seesProtected: 'everything' } }
    }
    const controller = new AbortController()
    const given = searcher.search(question, controller.signal)
    controller.abort()
    await assert.rejects(given, { name: 'AbortError' })
    await assert.rejects(searcher.search(question, AbortSignal.abort()), { name: 'AbortError' })
    const text = await searcher.search(question, new AbortController().signal)
    assert.equal(JSON.parse(new TextDecoder().decode(text)).limit, 10)
    await searcher.close()
  })
})

/** A key is in only one of the two maps. */
const without = (map: Record<string, string>, other: Record<string, string>) =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !Object.hasOwn(other, key)))
