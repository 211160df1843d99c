import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Registry } from '../../src/registry/tables.ts'
import { onEveryRegistry } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

const SITES = 3000
const OBJECTS_PER_SITE = 15
const ROUNDS = 10

onEveryRegistry('plans', (engine) => {
  if (engine.name !== 'PostgreSQL') return
  const { platform } = withPlatform(engine)

  test('frequent queries do not read a whole table', async () => {
    const { world, deps } = platform()
    await fill(deps.registry)
    // These ids were inserted directly, without being reserved.
    await deps.lineage.note()
    await deps.lineage.ahead()
    const installation = await world.installation()
    const user = await world.user({
      grants: ['#'],
      organizations: [installation.organization_id],
      assigned: [installation.id]
    })
    const base = `/api/v2/functionx/${installation.id}`
    const body = { type: 'switch', meta: { name: 'lamp' } }
    const made = await world.request(`POST ${base}`, { as: user, body })
    const { id } = made.json as { id: number }
    await sql`analyze`.execute(deps.registry)

    const iid = installation.id
    const lines = [
      'GET /api/v2/user/me',
      'GET /api/v2/permission',
      'GET /api/v2/installationinfo',
      `GET /api/v2/installationinfo/${installation.client_id}`,
      `GET /api/v2/installation/${iid}`,
      `GET ${base}`,
      `GET ${base}?type=switch&name=lamp`,
      `GET ${base}/${id}`,
      `PUT ${base}/${id}`,
      `POST ${base}`,
      `PUT ${base}/${id}/meta/name`,
      `GET ${base}/${id}/meta/name`,
      `GET /api/v2/devicex/${iid}`,
      `GET /api/v2/schedule/${iid}`,
      `GET /api/v2/edge/app/configured/${iid}`,
      `GET /api/v2/status/${iid}`,
      `GET /api/v3beta/log/${iid}`,
      `GET /api/v2/log/${iid}`,
      `GET /api/v3beta/search?q=${iid}`
    ]
    for (let round = 0; round < ROUNDS; round++) {
      for (const line of lines) {
        const given = line.includes('/meta/') ? { value: 'x' } : body
        const sent = line.startsWith('GET') ? {} : { body: given }
        const { status } = await world.request(line, { as: user, ...sent })
        assert.equal(status, 200, line)
      }
      const headers = { authorization: `Basic ${btoa(`${user.email}:${user.password}`)}` }
      assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 200)
      await world.publish(user, `${installation.client_id}/obj/lamp`, { value: round })
    }
    // A cache reads once or twice at its start.
    const scanned = (await rowsReadThrough(deps.registry)).filter(
      ({ seq_tup_read }) => seq_tup_read >= ROUNDS * SITES
    )
    assert.deepEqual(scanned, [])
  })
})

/** So many rows that PostgreSQL avoids a scan. */
async function fill(registry: Registry): Promise<void> {
  const statements = [
    sql`insert into organizations (parent_id, name, address, email, phone, notes, force_sms_login, created, updated)
        select 1, 'o' || i, '', '', '', '', 0, 0, 0 from generate_series(1, ${SITES}::int) i`,
    sql`insert into installations (client_id, organization_id, name, notes, timezone, capabilities, created, updated)
        select 500000 + i, 1 + i, 'i' || i, '', '', '[]', 0, 0 from generate_series(1, ${SITES}::int) i`,
    sql`insert into users (role_id, email, email_folded, password_hash, first_name, last_name, mobile, note, address, sms_login, expire_at, created, updated)
        select 3, 'x' || i || '@y', 'x' || i || '@y', '', '', '', '', '', '', 0, 0, 0, 0 from generate_series(1, ${SITES}::int) i`,
    sql`insert into user_organizations (user_id, organization_id)
        select u.id, u.id from users u where u.email like 'x%' and u.id <= ${SITES}::int`,
    sql`insert into user_installations (user_id, installation_id)
        select u.id, i.id from users u join installations i on i.client_id = 500000 + u.id`,
    sql`insert into tokens (user_id, hash, purpose, created, expires, last_used, session_timeout, name, agent, address, permissions, code_hash, tries)
        select u.id, md5(u.email), 'session', 0, 0, 0, 0, '', '', '', null, '', 0 from users u where u.email like 'x%'`,
    sql`insert into modelx (kind, installation_id, type, type_folded, meta, protected_meta, created, updated)
        select 'function', i.id, 't', 't', '{"name":"n"}', '{}', 0, 0
        from installations i, generate_series(1, ${OBJECTS_PER_SITE}::int)`,
    sql`insert into schedules (installation_id, active, topic, value, minute, hour, day_of_month, day_of_week, month, executor, created, updated, next_run, zone, runs)
        select i.id, 1, 'set/x', 1, '*', '*', '*', '*', '*', 'server', 0, 0, 4000000000000, 'UTC', 0 from installations i`
  ]
  for (const statement of statements) await statement.execute(registry)
}

/** Scans by table, since the start of the database. A connection reports them seconds later, or when it ends. */
const rowsReadThrough = (registry: Registry) =>
  registry.connection().execute(async (own) => {
    await sql`select pg_stat_force_next_flush()`.execute(own)
    await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and pid <> pg_backend_pid()`.execute(own)
    const { rows } = await sql<{ relname: string; seq_tup_read: number }>`
      select relname, seq_tup_read from pg_stat_user_tables`.execute(own)
    return rows
  })
