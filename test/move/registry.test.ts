import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { readConfig } from '../../src/config.ts'
import { countBits, readBits } from '../../src/features/search/segment.ts'
import { readRows } from '../../src/move/copy-rows.ts'
import { type CopiedTable, tablesToCopy } from '../../src/move/copy-tables.ts'
import { migrateTo } from '../../src/move/migrate-to.ts'
import { moveRegistry } from '../../src/move/registry.ts'
import { deleteInstallations } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import type { Registry } from '../../src/registry/tables.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onPostgres, waitersFor } from '../support/registries.ts'

const now = 1_800_000_000_000
const objects = 700

/** Rows in every table, made through the API if it has a way to make them. */
async function live({ world, deps: { registry } }: TestPlatform): Promise<{ token: string }> {
  const { installation, user } = await world.site(['#'])
  const at = installation.id
  const post = async (path: string, body: unknown) => {
    const answer = await world.request(`POST ${path}`, { as: world.admin, body })
    assert.equal(answer.status, 200, answer.text)
  }
  for (let i = 0; i < objects; i++) {
    await post(`/api/v2/functionx/${at}?silent=true`, {
      type: 'temp',
      meta: { name: `Hall ${i} å😀"\\u0000`, value: '1e3' },
      protected_meta: { key: '\t\n' }
    })
  }
  await post(`/api/v2/devicex/${at}`, { type: 'zwave', meta: { name: 'Gone' } })
  await post(`/api/v2/installation/${at}/meta/Room`, { value: 'Ärla', protected: true })
  await post(`/api/v2/schedule/${at}`, { topic: 'set/lamp', value: 0.1 + 0.2, minute: '5' })
  const body = { topics: 5, files: 0 }
  await world.request(`PUT /api/v2/installation/${at}/quota`, { as: world.admin, body })
  const use = { day: 20_000, day_bytes: 5, bytes: 2 ** 40, messages: 9, updated: now }
  await registry
    .insertInto('usage')
    .values({ kind: 'installation', id: at, ...use })
    .execute()
  await registry
    .insertInto('usage_months')
    .values({ installation_id: at, month: '2025-11', bytes: 2 ** 40 })
    .execute()
  await post('/api/v2/mobile', { device_id: 'phone', firebase_token: 'token' })
  // A parent that was created after its child.
  const [child, parent] = [await world.organization(), await world.organization()]
  await registry
    .updateTable('organizations')
    .set({ parent_id: parent })
    .where('id', '=', child)
    .execute()
  await registry.insertInto('sms_log').values({ user_id: user.id, created: now }).execute()
  await registry.insertInto('sms_log').values({ user_id: user.id, created: now }).execute()
  await registry.updateTable('gateway_policy').set({ allow_unregistered: 1 }).execute()
  await nextId(registry)
  const extra = await world.installation()
  await deleteInstallations(registry, [extra.id], now)
  await sql`delete from modelx where kind = 'device'`.execute(registry)
  return user
}

const nextId = async (registry: Registry): Promise<number> => {
  const { id } = await registry
    .insertInto('organizations')
    .values({
      ...{ parent_id: null, name: '', address: '', email: '', phone: '', notes: '' },
      ...{ force_sms_login: 0, created: now, updated: now }
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await registry.deleteFrom('organizations').where('id', '=', id).execute()
  return id
}

const rowsOf = async (registry: Registry, table: CopiedTable): Promise<string[]> => {
  const texts: string[] = []
  for await (const rows of readRows(registry, table)) {
    for (const row of rows) texts.push(JSON.stringify(Object.entries(row)))
  }
  return texts.sort()
}

onPostgres('moving the registry', (engine) => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const settings = { CARACAL_DATA_DIR }
  const labels: string[] = []
  const show = (label: string) => {
    labels.push(label)
    return () => {}
  }
  const move = async (url: string) => {
    const from = await openRegistry({ url: '', dataDir: CARACAL_DATA_DIR })
    const to = await openRegistry({ url, dataDir: CARACAL_DATA_DIR })
    try {
      return await moveRegistry({ from, to, name: 'there', show })
    } finally {
      await from.destroy()
      await to.destroy()
    }
  }
  let url: string
  let user: { token: string }

  test('every table is copied, except those that are made again', async () => {
    const platform = await startTestPlatform({ settings })
    user = await live(platform)
    url = await engine.url()
    await platform.stop()
    await move(url)
    const from = await openRegistry({ url: '', dataDir: CARACAL_DATA_DIR })
    const to = await openRegistry({ url, dataDir: CARACAL_DATA_DIR })
    const tables = await tablesToCopy(from)
    const { rows } = await sql<{ name: string }>`select table_name as name
      from information_schema.tables where table_schema = 'public'`.execute(to)
    const left = new Set(rows.map(({ name }) => name))
    for (const table of tables) {
      assert(left.delete(table.name))
      assert.deepEqual(await rowsOf(to, table), await rowsOf(from, table))
    }
    assert.deepEqual([...left].sort(), [
      ...['schema_migrations', 'search_chunks', 'search_index', 'search_marks', 'search_postings']
    ])
    assert.deepEqual(await to.selectFrom('search_marks').selectAll().execute(), [])
    const chunks = await to.selectFrom('search_chunks').select('docs').execute()
    const indexed = chunks.reduce((sum, { docs }) => sum + countBits(readBits(docs)), 0)
    assert.equal(indexed, objects + 1)
    assert.equal(
      await nextId(to),
      await nextId(from),
      'ids whose rows are gone are not given again'
    )
    await from.destroy()
    await to.destroy()
    assert.deepEqual(labels, [
      'Copying the registry',
      'Indexing for search',
      'Comparing the registry'
    ])
  })

  test('a second run only compares', async () => {
    const { rows } = await move(url)
    assert(rows > objects)
  })

  test('the platform continues on the new registry', async () => {
    const platform = await startTestPlatform({ registryUrl: url, settings })
    try {
      const { world } = platform
      const found = await world.request('GET /api/v3beta/search?q=Hall*', { as: user })
      assert.equal(found.status, 200, found.text)
      assert.equal((found.json as { total: number }).total, objects)
      const { status } = await world.request('POST /api/v2/installation', {
        as: world.admin,
        body: { name: 'New' }
      })
      assert.equal(status, 200)
    } finally {
      await platform.stop()
    }
  })

  test('a target with other data is refused and not changed', async () => {
    await assert.rejects(
      move(url),
      /^Error: there already holds data \(.* rows in the source and .* in the target\)/
    )
    const other = await engine.url()
    const platform = await startTestPlatform({ registryUrl: other })
    await platform.stop()
    await assert.rejects(move(other), /there already holds data/)
    const to = await openRegistry({ url: other, dataDir: '' })
    assert.equal((await to.selectFrom('users').select('id').execute()).length, 1)
    await to.destroy()
  })

  test('a move that fails half-way leaves nothing behind', async () => {
    const other = await engine.url()
    const to = await openRegistry({ url: other, dataDir: '' })
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no more'; end $$`.execute(to)
    await sql`create trigger refuse before insert on user_organizations
      execute function refuse()`.execute(to)
    await assert.rejects(move(other), /no more/)
    const { count } = await to
      .selectFrom('organizations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    assert.equal(count, 0)
    await sql`drop trigger refuse on user_organizations`.execute(to)
    await to.destroy()
    await move(other)
  })

  test('long statements are not interrupted', async () => {
    const other = await engine.url()
    await (await openRegistry({ url: other, dataDir: '' })).destroy()
    const writer = new pg.Client({ connectionString: other })
    await writer.connect()
    await writer.query('begin; lock table organizations in exclusive mode')
    const targets = { registry: `${other}?query_timeout=400`, history: undefined, cluster: '' }
    const silent = { log: pino({ level: 'silent' }), out: { write: () => true } }
    const moving = migrateTo(readConfig({ CARACAL_DATA_DIR }), targets, silent)
    moving.catch(() => {})
    await eventually(async () => assert.equal(await waitersFor(writer), 1))
    await wait(1000)
    await writer.query('commit')
    await writer.end()
    await moving
  })
})
