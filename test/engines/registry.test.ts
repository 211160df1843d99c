import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { noIds } from '../../src/lib/lineage.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { Directory } from '../../src/permission/directory.ts'
import { recordChange } from '../../src/registry/changes.ts'
import { hasTable, isOneOf } from '../../src/registry/dialect.ts'
import {
  askForIds,
  confirmIds,
  IDS_PER_STEP,
  raiseIds,
  reachedIds
} from '../../src/registry/id-reserves.ts'
import {
  deleteInstallations,
  findInstallation,
  insertInstallation,
  pendingErasures,
  updateInstallation
} from '../../src/registry/installations.ts'
import { migrate, migrations } from '../../src/registry/migrate.ts'
import { findModelx, insertModelxWithin, type ModelxRef } from '../../src/registry/modelx.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization, organizationsBelow } from '../../src/registry/organizations.ts'
import { readRegistryLineage } from '../../src/registry/platform.ts'
import { postgresDialect } from '../../src/registry/postgres/postgres.ts'
import { deleteRole, findRole, insertRole, listRoles } from '../../src/registry/roles.ts'
import { sqliteDialect } from '../../src/registry/sqlite/sqlite.ts'
import type { Registry, Tables } from '../../src/registry/tables.ts'
import { insertUser, readUser } from '../../src/registry/users.ts'
import { eventually } from '../support/eventually.ts'
import { onEveryRegistry, waitersFor } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

const now = 1_800_000_000_000

onEveryRegistry('registry', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  let url: string
  let registry: Registry
  let organization: number
  before(async () => {
    url = await engine.url()
    registry = await openRegistry({ url, dataDir })
    organization = await insertOrganization(registry, { name: 'Home', parent_id: null }, now)
  })
  after(async () => {
    await registry.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('opening again changes nothing', async () => {
    const again = await openRegistry({ url, dataDir })
    assert(await hasTable(again, 'installations'))
    await again.destroy()
  })

  test('ids are given out up to the confirmed limit, and above raised counters', async () => {
    const make = (within = registry) =>
      insertOrganization(within, { name: 'x', parent_id: null }, now)
    const { organization: reached } = await reachedIds(registry)
    assert.equal(await make(), reached + 1)
    const asked = await askForIds(registry)
    assert.equal(asked.organization, (Math.ceil((reached + 1) / IDS_PER_STEP) + 1) * IDS_PER_STEP)
    assert.equal((await readRegistryLineage(registry)).hasHistory, false)
    await confirmIds(registry, { ...asked, organization: reached + 2 })
    assert.equal((await readRegistryLineage(registry)).hasHistory, true)
    assert.equal(await make(), reached + 2)
    const before = await registry.selectFrom('organizations').select('id').execute()
    await assert.rejects(registry.transaction().execute(make), Unavailable)
    assert.deepEqual(await registry.selectFrom('organizations').select('id').execute(), before)
    await confirmIds(registry, asked)
    await raiseIds(registry, { ...noIds, organization: 500, user: 600 })
    assert.equal(await make(), 501)
    assert.equal((await reachedIds(registry)).user, 600)
    await raiseIds(registry, { ...noIds, organization: 3 })
    assert.equal(await make(), 502)
  })

  test('a schema that is newer than the program is refused and not changed', async () => {
    await registry
      .insertInto('schema_migrations')
      .values({ number: 999, name: 'from the future', applied: 0 })
      .execute()
    await assert.rejects(openRegistry({ url, dataDir }), /has schema 999/)
    await registry.deleteFrom('schema_migrations').where('number', '=', 999).execute()
  })

  test('a newer schema is used as it is when all that is newer is additive', async () => {
    const rows = [1, 0].map((is_additive, i) => ({
      ...{ number: 998 + i, name: 'from the future', applied: 0, is_additive }
    }))
    await registry.insertInto('schema_migrations').values(rows).execute()
    const newer: number[] = []
    const open = () => openRegistry({ url, dataDir, onNewer: (schema) => void newer.push(schema) })
    await assert.rejects(open(), /has schema 999/)
    await registry.deleteFrom('schema_migrations').where('number', '=', 999).execute()
    await (await open()).destroy()
    assert.deepEqual(newer, [998])
    await registry.deleteFrom('schema_migrations').where('number', '=', 998).execute()
  })

  test('only an additive migration is applied while other nodes use the registry', async () => {
    const { number } = await registry
      .selectFrom('schema_migrations')
      .select((eb) => eb.fn.max('number').as('number'))
      .executeTakeFirstOrThrow()
    const before = Array.from({ length: number }, () => ({ name: 'old', up: async () => {} }))
    const next = { name: 'next', up: async () => {} }
    const additive = { ...next, isAdditive: true as const }
    const othersLimitMs = 600
    const shared = { isShared: async () => true, othersLimitMs }
    const done = [{ number: number + 1, name: 'next' }]
    await assert.rejects(
      migrate(registry, [...before, next], shared),
      /other nodes use it: schema \d+ of this program does not suit them, so stop them first/
    )
    assert.deepEqual(await migrate(registry, [...before, additive], shared), done)
    await registry
      .deleteFrom('schema_migrations')
      .where('number', '=', number + 1)
      .execute()
    let asked = 0
    const isShared = async () => ++asked === 1
    assert.deepEqual(await migrate(registry, [...before, next], { isShared }), done)
    await registry
      .deleteFrom('schema_migrations')
      .where('number', '=', number + 1)
      .execute()
  })

  if (engine.name === 'PostgreSQL') {
    test('a migration has no time limit, a query has one', async () => {
      const at = await engine.url()
      const other = new pg.Client({ connectionString: at })
      await other.connect()
      await other.query(`alter database "${other.database}" set statement_timeout = 400`)
      await other.query('select pg_advisory_lock(72616361)')
      const opening = openRegistry({ url: `${at}?query_timeout=400`, dataDir })
      opening.catch(() => {})
      await eventually(async () => assert.equal(await waitersFor(other), 1))
      await wait(1000)
      await other.end()
      const registry = await opening
      await assert.rejects(sql`select pg_sleep(5)`.execute(registry), /timeout/)
      await registry.destroy()
    })
  }

  test('roles from before they had organizations belong to the platform', async () => {
    const place = { url: await engine.url(), dataDir: mkdtempSync(join(tmpdir(), 'caracal-')) }
    const old = openOld(place)
    await migrate(old, migrations.slice(0, 14))
    await insertOrganization(old, { name: 'Home', parent_id: null }, now)
    for (const name of ['one', 'two', 'gone']) {
      await sql`insert into roles (name, priority, permissions) values (${name}, 7, '{"#":true}')`.execute(
        old
      )
    }
    await sql`delete from roles where name = 'gone'`.execute(old)
    const user = { email: 'a@example.org', role_id: 2, organisations: [1] }
    assert.equal(await insertUser(old, user, now), 1)
    await old.destroy()

    const registry = await openRegistry(place)
    const two = {
      id: 2,
      organization_id: null,
      name: 'two',
      priority: 7,
      permissions: { '#': true }
    }
    assert.deepEqual(await findRole(registry, 2), two)
    assert.equal((await readUser(registry, 1))?.role_id, 2)
    assert.equal(await deleteRole(registry, 2), false)
    await assert.rejects(registry.deleteFrom('roles').where('id', '=', 2).execute())
    const fields = { name: 'new', priority: 1, permissions: {} }
    assert.equal(await insertRole(registry, fields), 4, 'no id is given out twice')
    assert.equal(await insertRole(registry, fields), undefined)
    assert.equal(await insertRole(registry, { ...fields, organization_id: 1 }), undefined)
    await registry.destroy()
    rmSync(place.dataDir, { recursive: true })
  })

  test('the first roles of an older registry get the permissions that came later', async () => {
    const place = { url: await engine.url(), dataDir: mkdtempSync(join(tmpdir(), 'caracal-')) }
    const old = openOld(place)
    await migrate(old, migrations.slice(0, 17))
    for (const name of ['Administrator', 'Manager', 'User', 'Guest']) {
      await insertRole(old, { name, priority: 1, permissions: { 'status/read/all': true } })
    }
    await old.destroy()
    const registry = await openRegistry(place)
    const grants = (await listRoles(registry)).map(({ name, permissions }) => [
      name,
      Object.keys(permissions)
    ])
    assert.deepEqual(grants, [
      ['Administrator', ['status/read/all']],
      [
        'Manager',
        [
          ...['status/read/all', 'ledger/list/all'],
          ...['mapping/create_delete/all', 'mapping/list/all', 'mapping/update/all'],
          ...['sample/write/all', 'alarm/acknowledge/all', 'alarm/list/all'],
          ...['rule/create_delete/all', 'rule/list/all', 'rule/update/all'],
          'command/send/all',
          ...['certificate/issue/all', 'certificate/revoke/all']
        ]
      ],
      [
        'User',
        [
          ...['status/read/all', 'ledger/list/assigned', 'mapping/list/assigned'],
          ...['sample/write/assigned', 'alarm/acknowledge/assigned', 'alarm/list/assigned'],
          ...['rule/list/assigned', 'command/send/assigned']
        ]
      ],
      ['Guest', ['status/read/all']]
    ])
    await registry.destroy()
    rmSync(place.dataDir, { recursive: true })
  })

  test('no role or key of an older registry may delete values by a pattern, except all permissions', async () => {
    const place = { url: await engine.url(), dataDir: mkdtempSync(join(tmpdir(), 'caracal-')) }
    const old = openOld(place)
    await migrate(old, migrations.slice(0, 20))
    const patterns = ['log/#', 'log/+/all', '12/log/#', '12/log/+/+', 'log/read/all', '+/read/all']
    const permissions = Object.fromEntries([...patterns, 'catalog/#'].map((name) => [name, true]))
    await insertRole(old, { name: 'Reader', priority: 1, permissions })
    await insertRole(old, { name: 'Administrator', priority: 1, permissions: { '#': true } })
    const role_id = await insertRole(old, { name: 'Key', priority: 1, permissions: {} })
    const user = { email: 'k@example.org', password_hash: '', role_id: role_id ?? 0 }
    const user_id = await insertUser(old, user, 0)
    await old
      .insertInto('tokens')
      .values({
        ...{ user_id: user_id ?? 0, hash: 'h', purpose: 'session', created: 0, expires: 0 },
        ...{ last_used: 0, session_timeout: 0, name: 'key', agent: '', address: '' },
        ...{ permissions: JSON.stringify(patterns), code_hash: '', tries: 0 }
      })
      .execute()
    await old.destroy()
    const registry = await openRegistry(place)
    const roles = new Map(
      (await listRoles(registry)).map((role) => [role.name, Object.keys(role.permissions).sort()])
    )
    const readings = ['+/read/all', '12/log/read/#', '12/log/read/+', 'log/read/#', 'log/read/all']
    assert.deepEqual(roles.get('Reader'), [...readings, 'catalog/#'].sort())
    assert.deepEqual(roles.get('Administrator'), ['#'])
    const key = await registry.selectFrom('tokens').select('permissions').executeTakeFirst()
    assert.deepEqual([...new Set(JSON.parse(key?.permissions ?? ''))].sort(), readings)
    await registry.destroy()
    rmSync(place.dataDir, { recursive: true })
  })

  test('a migration that fails changes nothing', async () => {
    const broken = {
      name: 'broken',
      up: async (registry: Registry) => {
        await registry.schema.createTable('half_done').addColumn('id', 'integer').execute()
        throw new Error('in the middle')
      }
    }
    const { number } = await registry
      .selectFrom('schema_migrations')
      .select((eb) => eb.fn.max('number').as('number'))
      .executeTakeFirstOrThrow()
    const before = Array.from({ length: number }, () => ({ name: 'old', up: async () => {} }))
    await assert.rejects(migrate(registry, [...before, broken]), /in the middle/)
    assert.equal(await hasTable(registry, 'half_done'), false)
  })

  test('texts that were folded with two kinds of sigma are folded and indexed again', async () => {
    const place = { url: await engine.url(), dataDir: mkdtempSync(join(tmpdir(), 'caracal-')) }
    const old = openOld(place)
    await migrate(old, migrations.slice(0, 6))
    await sql`insert into organizations
      (name, address, email, phone, notes, force_sms_login, created, updated)
      values ('Home', '{}', '', '', '', 0, 0, 0)`.execute(old)
    await sql`insert into installations
      (client_id, organization_id, name, notes, timezone, capabilities, created, updated)
      values (7, 1, 'x', '', '', '[]', 0, 0)`.execute(old)
    await sql`insert into installation_meta
      (installation_id, key, value, protected, key_folded, value_folded)
      values (1, 'ΟΔΟΣ', 'ΤΕΛΟΣ', 0, 'οδος', 'τελος')`.execute(old)
    await sql`insert into objects
      (kind, installation_id, type, type_folded, meta, protected_meta, created, updated)
      values ('function', 1, 'ΤΕΛΟΣ', 'τελος', '{}', '{}', 0, 0)`.execute(old)
    await sql`delete from search_marks`.execute(old)
    await old.destroy()

    const registry = await openRegistry(place)
    const meta = await registry
      .selectFrom('installation_meta')
      .select(['key', 'key_folded', 'value_folded'])
      .executeTakeFirstOrThrow()
    assert.deepEqual({ ...meta }, { key: 'ΟΔΟΣ', key_folded: 'οδοσ', value_folded: 'τελοσ' })
    const model = await registry.selectFrom('modelx').selectAll().executeTakeFirstOrThrow()
    assert.equal(model.type_folded, 'τελοσ')
    const marks = await registry.selectFrom('search_marks').selectAll().orderBy('kind').execute()
    assert.deepEqual(
      marks.map((mark) => ({ ...mark })),
      [
        { kind: 'function', id: 1 },
        { kind: 'installation', id: 1 }
      ]
    )
    await registry.destroy()
    rmSync(place.dataDir, { recursive: true })
  })

  test('foreign keys are enforced', async () => {
    await assert.rejects(
      insertInstallation(registry, { name: 'x', organization_id: 999_999 }, now),
      /foreign key/i
    )
  })

  test('ids and client ids are never given out twice', async () => {
    const make = () =>
      insertInstallation(registry, { name: 'x', organization_id: organization }, now)
    const first = await make()
    await deleteInstallations(registry, [first], now)
    const second = await make()
    assert(second > first)
    assert.equal((await findInstallation(registry, second))?.client_id, second + 1000)
    const pending = await pendingErasures(registry)
    assert(pending.some(({ installation_id }) => installation_id === first))
  })

  test('concurrent writers lose nothing', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        registry
          .transaction()
          .execute((registry) =>
            insertInstallation(
              registry,
              { name: `n${i}`, organization_id: organization, meta: { i: String(i) } },
              now
            )
          )
      )
    )
    assert.equal(new Set(ids).size, 20)
    for (const [i, id] of ids.entries()) {
      assert.deepEqual({ ...(await findInstallation(registry, id))?.meta }, { i: String(i) })
    }
  })

  test('a failed transaction does not affect others', async () => {
    const id = await insertInstallation(
      registry,
      { name: 'before', organization_id: organization },
      now
    )
    const failing = registry.transaction().execute(async (registry) => {
      await updateInstallation(registry, id, { name: 'after', meta: { a: '1' } }, now)
      throw new Error('no')
    })
    await assert.rejects(failing, /no/)
    const found = await findInstallation(registry, id)
    assert.equal(found?.name, 'before')
    assert.deepEqual({ ...found?.meta }, {})
  })

  test('a hot query beside a transaction finds only what is committed', async () => {
    const installation = await insertInstallation(
      registry,
      { name: 'Hot', organization_id: organization },
      now
    )
    const fields = { type: 'lamp', meta: '{}', protected_meta: '{}' }
    for (const isRolledBack of [true, false]) {
      let asked: Promise<unknown> | undefined
      let ref: ModelxRef | undefined
      const work = registry.transaction().execute(async (within) => {
        const { id } = await insertModelxWithin(
          within,
          { kind: 'function', installation_id: installation },
          fields,
          now
        ).then((row) => row ?? assert.fail('no installation'))
        ref = { kind: 'function', installation_id: installation, id }
        assert.equal((await findModelx(within, ref))?.type, 'lamp', 'its own')
        asked = findModelx(registry, ref)
        // On PostgreSQL it is answered now, on SQLite it waits for the transaction.
        await wait(50)
        if (isRolledBack) throw new Error('rolled back')
      })
      if (isRolledBack) await assert.rejects(work, /rolled back/)
      else await work
      if (isRolledBack) assert.equal(await asked, undefined)
      assert.equal(
        ref && (await findModelx(registry, ref))?.type,
        isRolledBack ? undefined : 'lamp'
      )
    }
  })

  test('many hot queries in a row let other work run in between', slow, async () => {
    let rounds = 0
    let isOver = false
    const count = () => {
      rounds++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    for (let id = 1; id <= 4000; id++) {
      await findModelx(registry, { kind: 'function', installation_id: 1, id: 1e9 + id })
    }
    isOver = true
    assert(rounds >= 3, `${rounds} rounds of the event loop`)
  })

  test('links are deleted with the user and with the installation', async () => {
    const role_id = await insertRole(registry, { name: 'r', priority: 1, permissions: {} })
    assert(role_id)
    const user = (email: string) =>
      insertUser(registry, { email, role_id, organisations: [organization] }, now)
    const [kept, gone] = [await user('kept@x'), await user('gone@x')]
    assert(kept && gone)
    const fields = { name: 'x', organization_id: organization, users: [kept, gone] }
    const id = await insertInstallation(registry, fields, now)
    await registry.deleteFrom('users').where('id', '=', gone).execute()
    assert.deepEqual((await findInstallation(registry, id))?.users, [kept])
    await deleteInstallations(registry, [id], now)
    const links = await registry
      .selectFrom('user_installations')
      .selectAll()
      .where('installation_id', '=', id)
      .execute()
    assert.deepEqual(links, [])
    assert.equal(await user('KEPT@x'), undefined, 'an e-mail is unique whatever its case')
  })

  test('organizationsBelow is the whole subtree', async () => {
    const make = (parent_id: number) => insertOrganization(registry, { name: 'o', parent_id }, now)
    const a = await make(organization)
    const b = await make(a)
    const c = await make(b)
    const side = await make(organization)
    assert.deepEqual(await organizationsBelow(registry, [a]), [a, b, c])
    assert.deepEqual(await organizationsBelow(registry, [b, side]), [b, c, side])
    assert.deepEqual(await organizationsBelow(registry, []), [])
  })

  test('a list of ids of any length is passed as one parameter', async () => {
    const ids = Array.from({ length: 50_000 }, (_, i) => i + 1)
    const rows = await registry
      .selectFrom('organizations')
      .select('id')
      .where(isOneOf(registry, sql.ref('id'), ids))
      .execute()
    assert(rows.length > 0)
    const none = await registry
      .selectFrom('organizations')
      .select('id')
      .where(isOneOf(registry, sql.ref('id'), []))
      .execute()
    assert.deepEqual(none, [])
  })

  test('the directory of another node is current after its next look', async () => {
    const other = await Directory.open(registry)
    let changes = 0
    other.onIdentityChange(() => changes++)
    const id = await insertInstallation(registry, { name: 'x', organization_id: organization }, now)
    await other.catchUp()
    assert.equal(other.installationByClientId(id + 1000)?.id, id)
    await deleteInstallations(registry, [id], now)
    await other.catchUp()
    assert.equal(other.installation(id), undefined)
    await recordChange(registry, 'user', 1, now)
    await Promise.all([other.catchUp(), other.catchUp()])
    assert.equal(changes, 2)
  })
})

/** Without migrations. */
function openOld({ url, dataDir }: { url: string; dataDir: string }): Kysely<Tables> {
  const file = join(dataDir, 'registry.sqlite')
  return new Kysely<Tables>({
    dialect: url === '' ? sqliteDialect(file) : postgresDialect(url, {})
  })
}
