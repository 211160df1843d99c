import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { insertTrace, type NewTrace } from '../../src/features/trace/entries.ts'
import { sweepTrace } from '../../src/features/trace/sweep.ts'
import { DAY, unixMs } from '../../src/lib/unix-time.ts'
import { VERSION } from '../../src/lib/version.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const unauthorized = { status: 401, body: { message: 'Unauthorized' } }
const forbidden = { status: 403, body: { message: 'Forbidden' } }
const base = '/api/v2/trace'

type Entry = {
  id: string
  path: string
  method: string
  timestamp: number
  user_id: number
  action: string
  object_type: string
  object_id: number
  description: string
  address?: string
}
type Page = { total: number; last: number; count: number; data: Entry[] }

const basic = (name: string, password: string) => ({
  authorization: `Basic ${btoa(`${name}:${password}`)}`
})

onRegistryMatrix('trace', (engine) => {
  let ahead = 0
  const { platform, scenario } = withPlatform(engine, {
    clock: () => unixMs(Date.now() + ahead)
  })
  /** Forgets the refusals so far. */
  const forgive = () => {
    ahead += 11 * 60_000
  }
  const read = async (as: { token: string }, query = ''): Promise<Page> => {
    const { status, json, text } = await platform().world.request(`GET ${base}${query}`, { as })
    assert.equal(status, 200, text)
    return json as Page
  }
  const about = (as: { token: string }, type: string, id: number) =>
    read(as, `?object_type=${type}&object_id=${id}&order=asc`)
  const short = ({ data }: Page) =>
    data.map(({ method, action, user_id, description }) => [method, action, user_id, description])
  const ask = async (line: string, as: { token: string }, body?: unknown) => {
    const { status, json, text } = await platform().world.request(line, { as, body })
    assert.equal(status, 200, text)
    return json as { id: number; token: string }
  }

  describe('a write', () => {
    test('leaves an entry, with exactly the names that clients know', async () => {
      const { world } = platform()
      const { installation, user } = await world.site([
        'functionx/#',
        'trace/list',
        'installation/#'
      ])
      const path = `/api/v2/functionx/${installation.id}`
      const before = Date.now() + ahead
      const { id } = await ask(`POST ${path}?silent=true`, user, { type: 't', meta: { k: 'v' } })
      const page = await about(user, 'function', id)
      const [entry] = page.data
      assert(entry)
      const { id: entryId, timestamp, ...rest } = entry
      assert.match(entryId, /^\d+$/)
      assert(timestamp * 1000 >= before && timestamp * 1000 <= Date.now() + ahead)
      assert.deepEqual(rest, {
        path,
        method: 'POST',
        user_id: user.id,
        action: 'create',
        object_type: 'function',
        object_id: id,
        description: `created function ${id}`,
        address: '127.0.0.1'
      })
      assert.deepEqual({ ...page, data: [] }, { total: 1, last: timestamp, count: 1, data: [] })
      await ask(`PUT ${path}/${id}`, user, { type: 't' })
      await ask(`POST ${path}/${id}/meta/secret`, user, { value: 'x' })
      await ask(`DELETE ${path}/${id}/meta/secret`, user)
      await ask(`DELETE ${path}/${id}`, user)
      assert.deepEqual(short(await about(user, 'function', id)).slice(1), [
        ['PUT', 'update', user.id, `updated function ${id}`],
        ['POST', 'update', user.id, `changed metadata of function ${id}`],
        ['DELETE', 'update', user.id, `changed metadata of function ${id}`],
        ['DELETE', 'delete', user.id, `deleted function ${id}`]
      ])
      const one = await read(user, `?id=${entryId}`)
      assert.deepEqual(one.data, [entry])
    })
    test('of every room leaves an entry about the right object', async () => {
      const { world } = platform()
      const admin = world.admin
      const f = async (type: string, id: number, ...want: string[]) => {
        const { data } = await about(admin, type, id)
        assert.deepEqual(
          data.map(({ action, description }) => `${action}: ${description}`),
          want
        )
      }
      const organization = (await ask('POST /api/v2/organization', admin, { name: 'x', parent: 1 }))
        .id
      await ask(`PUT /api/v2/organization/${organization}`, admin, { notes: 'x' })
      const installation = (
        await ask('POST /api/v2/installation', admin, { name: 'x', organization_id: organization })
      ).id
      await ask(`PUT /api/v2/installation/${installation}`, admin, { notes: 'x' })
      await world.request(`POST /api/v2/schedule/${installation}`, {
        as: admin,
        body: { topic: 'x', value: 1, active: false }
      })
      const list = await world.request(`GET /api/v2/schedule/${installation}`, { as: admin })
      const [schedule = { id: 0 }] = list.json as { id: number }[]
      await f('schedule', schedule.id, `create: created schedule ${schedule.id}`)
      const role = (await ask('POST /api/v2/role', admin, { name: world.unique('r'), priority: 1 }))
        .id
      await ask(`DELETE /api/v2/role/${role}`, admin)
      await f('role', role, `create: created role ${role}`, `delete: deleted role ${role}`)
      await ask(`POST /api/v2/gateway/credentials/${installation}`, admin)
      await f('gateway', installation, `update: made a credential of gateway ${installation}`)
      const app = (
        await ask('POST /api/v2/edge/app', admin, { name: 'x', publisher: { id: organization } })
      ).id
      await ask('PUT /api/v2/edge/app', admin, { id: app })
      await ask(`PUT /api/v2/edge/app/${app}`, admin, {})
      await f(
        'edge_app',
        app,
        `create: created edge app ${app}`,
        `update: updated edge app ${app}`,
        `update: updated edge app ${app}`
      )
      const imported = await world.request(`POST /api/v3beta/log/${installation}/import`, {
        as: admin,
        body: '1,obj/x,1,\n'
      })
      assert.equal(imported.status, 200)
      const uploaded = await world.request(`POST /api/v2/file/installation/${installation}`, {
        as: admin,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: `${['a', 'b'].map((name) => `--x\r\ncontent-disposition: form-data; filename="${name}"\r\n\r\n\r\n`).join('')}--x--`
      })
      for (const { id } of uploaded.json as { id: number }[]) {
        await f('file', id, `create: created file ${id}`)
      }
      await ask(`DELETE /api/v2/installation/${installation}`, admin)
      await f(
        'installation',
        installation,
        `create: created installation ${installation}`,
        `update: updated installation ${installation}`,
        `execute: imported samples into installation ${installation}`,
        `delete: deleted installation ${installation}`
      )
    })
    test('that reads, fails or changes nothing leaves no entry', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const total = async () => (await read(user)).total
      const before = await total()
      await ask(`POST /api/v2/status/${installation.id}`, user, [])
      await ask(`POST /api/v3beta/log/${installation.id}`, user, [])
      await ask('POST /api/v2/mobile', user, { device_id: '' })
      const missing = `DELETE /api/v2/functionx/${installation.id}/999999`
      assert.equal((await world.request(missing, { as: user })).status, 404)
      const bad = `POST /api/v2/functionx/${installation.id}`
      assert.equal((await world.request(bad, { as: user, body: {} })).status, 400)
      assert.equal(await total(), before)
    })
    test('of a gateway has no user, and names the gateway', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const made = await ask(`POST /api/v2/gateway/credentials/${installation.id}`, user)
      const { mqtt_username, mqtt_password } = made as unknown as Record<string, string>
      const headers = basic(String(mqtt_username), String(mqtt_password))
      const line = `POST /api/v2/functionx/${installation.id}`
      const { json } = await world.request(line, { headers, body: { type: 't' } })
      const { id } = json as { id: number }
      const verify = `POST /api/v2/gateway/verify/${installation.id}`
      assert.equal((await world.request(verify, { headers })).status, 204)
      const by = `by gateway ${installation.id}`
      assert.deepEqual(short(await about(user, 'function', id)), [
        ['POST', 'create', 0, `created function ${id}, ${by}`]
      ])
      assert.deepEqual(short(await about(user, 'gateway', installation.id)).slice(1), [
        ['POST', 'auth', 0, `verified gateway ${installation.id}, ${by}`]
      ])
    })
    test('under /lynx leaves an entry too', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const path = `/lynx/api/v2/schedule/${installation.id}`
      const { id } = await ask(`POST ${path}`, user, { topic: 'x', value: 1, active: false })
      const { data } = await about(user, 'schedule', id)
      assert.equal(data[0]?.path, path)
    })
    test('at the same time as many others leaves an entry', slow, async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const path = `/api/v2/devicex/${installation.id}`
      const made = await Promise.all(
        Array.from({ length: 120 }, () => ask(`POST ${path}?silent=true`, user, { type: 't' }))
      )
      const { data } = await read(user, '?action=create')
      const traced = new Set(data.filter((one) => one.path === path).map((one) => one.object_id))
      assert.deepEqual(
        made.filter(({ id }) => !traced.has(id)),
        []
      )
    })
    test('stays when it cannot be traced, and the log has an error', async () => {
      const { world, deps, logged } = platform()
      const { installation, user } = await world.site(['#'])
      const rename = (from: string, to: string) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(deps.registry)
      await rename('trace', 'elsewhere')
      try {
        await ask(`POST /api/v2/functionx/${installation.id}`, user, { type: 't' })
      } finally {
        await rename('elsewhere', 'trace')
      }
      assert(logged.some(({ msg }) => msg === 'a write could not be traced'))
      const { id } = await ask(`POST /api/v2/functionx/${installation.id}`, user, { type: 't' })
      assert.equal((await about(user, 'function', id)).total, 1)
    })
  })

  test('has no secrets, metadata and queries in its entry', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['#'])
    const secret = 'hush-hush'
    const functionx = `/api/v2/functionx/${installation.id}`
    await world.request(`POST ${functionx}?x=${secret}`, { as: user, body: { type: 't' } })
    const { id } = await ask(`POST ${functionx}?silent=true`, user, {
      type: 't',
      protected_meta: { [`${secret}-key`]: `${secret}-value` }
    })
    await ask(`PUT ${functionx}/${id}/meta/${secret}-key?silent=${true}`, user, { value: secret })
    await world.request(`PUT ${functionx}/${secret}`, { headers: {}, body: {} })
    const { token } = await ask('POST /api/v2/user/me/security/token', user, { name: secret })
    const made = await ask(`POST /api/v2/gateway/credentials/${installation.id}`, user)
    const { mqtt_password = '' } = made as unknown as Record<string, string>
    const change = { current_password: user.password, new_password: `${secret} a long password` }
    await ask('PUT /api/v2/user/password', user, change)
    await world.request('POST /api/v2/auth', { headers: basic(user.email, `wrong ${secret}`) })
    await world.request('POST /api/v2/auth', { headers: basic(`${secret}@x.org`, 'wrong') })
    const signedIn = await world.request('POST /api/v2/auth', {
      headers: basic(user.email, change.new_password)
    })
    const session = (signedIn.json as { token: string }).token
    await eventually(async () => {
      const failed = await read(world.admin, '?action=failed')
      assert(failed.data.some(({ path }) => path === `${functionx}/{functionx_id}`))
    })
    const text = JSON.stringify(await read(world.admin))
    for (const hidden of [secret, token, mqtt_password, session, user.token, user.password]) {
      assert(hidden !== '' && !text.includes(hidden), hidden)
    }
  })

  describe('a sign-in', () => {
    test('and its end leave entries', async () => {
      const { world } = platform()
      const user = await world.user({ grants: ['trace/list'], organizations: [1] })
      const made = await world.request('POST /api/v2/auth', {
        headers: basic(user.email, user.password)
      })
      await world.request('DELETE /api/v2/auth', { as: made.json as { token: string } })
      assert.deepEqual(short(await about(user, 'user', user.id)), [
        ['POST', 'auth', user.id, `signed in with the password of user ${user.id}`],
        ['DELETE', 'auth', user.id, `signed out user ${user.id}`]
      ])
    })
    test('that failed leaves an entry, for known and unknown accounts', async () => {
      forgive()
      const { world } = platform()
      const user = await world.user({ grants: ['trace/list'], organizations: [1] })
      for (const name of [user.email, 'nobody@example.org']) {
        const headers = basic(name, 'wrong')
        assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 401)
      }
      const asked = { body: { email: user.email } }
      assert.equal((await world.request('POST /api/v2/auth/reset_password', asked)).status, 200)
      await eventually(async () =>
        assert.deepEqual(short(await about(user, 'user', user.id)), [
          ['POST', 'failed', 0, `refused (401): auth of user ${user.id}`],
          ['POST', 'execute', 0, `asked for a new password of user ${user.id}`]
        ])
      )
      await eventually(async () => {
        const { data } = await about(world.admin, 'user', 0)
        assert.equal(data.at(-1)?.description, 'refused (401): auth of user')
      })
    })
    test('that failed a hundred times leaves ten entries', slow, async () => {
      forgive()
      const { world, deps } = platform()
      const total = async () => (await read(world.admin, '?action=failed')).total
      const before = await total()
      const dropped = deps.trace.dropped
      for (let i = 0; i < 30; i++) {
        const headers = basic(`${i}@example.org`, 'wrong')
        await world.request('POST /api/v2/auth', { headers })
      }
      await eventually(async () => assert.equal((await total()) - before, 10))
      assert.equal(deps.trace.dropped - dropped, 20)
    })
  })

  test('a refused write leaves an entry that the owner sees', async () => {
    forgive()
    const { world } = platform()
    const { installation, user } = await world.site(['trace/list', 'installation/list/all'])
    const { user: stranger } = await world.site(['functionx/#', 'trace/list'])
    const path = `/api/v2/functionx/${installation.id}/7`
    assert.equal((await world.request(`DELETE ${path}`, { as: stranger })).status, 403)
    assert.equal((await world.request(`DELETE ${path}`)).status, 401)
    await eventually(async () => {
      const { data } = await read(user)
      const mine = data.filter((entry) => entry.path === path)
      assert.deepEqual(short({ data: mine.reverse() } as Page), [
        ['DELETE', 'failed', stranger.id, 'refused (403): delete of function 7'],
        ['DELETE', 'failed', 0, 'refused (401): delete of function 7']
      ])
    })
    assert.equal((await read(stranger)).total, 1, 'its own')
  })

  describe('what a caller sees', () => {
    /** The descriptions that the caller sees, of entries that others made here. */
    async function seen(as: { token: string }, since: number): Promise<string[]> {
      const { data } = await read(as, `?from=${since}&order=asc`)
      return data.map(({ description }) => description)
    }
    const now = () => (Date.now() + ahead) / 1000

    test('is about visible installations, also after they are deleted', async () => {
      const { world } = platform()
      const own = await world.organization()
      const since = now()
      const installation = await world.installation({ organization_id: own })
      const other = await world.installation({ organization_id: own })
      const user = (grants: string[], more: object) =>
        world.user({ grants: ['trace/list', ...grants], ...more })
      const all = await user(['installation/list/all'], { organizations: [own] })
      const assigned = await user(['installation/list/assigned'], {
        organizations: [own],
        assigned: [installation.id]
      })
      const none = await user([], { organizations: [own] })
      const below = await user(['#'], { organizations: [await world.organization(own)] })
      const named = await user([`${other.id}/installation/list/all`], {})
      await world.setGrants(below.id, ['trace/list', 'installation/list/all'])
      for (const { id } of [installation, other]) {
        await ask(`PUT /api/v2/installation/${id}?silent=true`, world.admin, { notes: 'x' })
      }
      const [first, second] = [
        `updated installation ${installation.id}`,
        `updated installation ${other.id}`
      ]
      assert.deepEqual(await seen(all, since), [first, second])
      assert.deepEqual(await seen(assigned, since), [first])
      assert.deepEqual(await seen(none, since), [])
      assert.deepEqual(await seen(below, since), [])
      assert.deepEqual(await seen(named, since), [second])
      for (const { id } of [installation, other]) {
        await ask(`DELETE /api/v2/installation/${id}?silent=true`, world.admin)
      }
      const gone = [`deleted installation ${installation.id}`, `deleted installation ${other.id}`]
      assert.deepEqual(await seen(all, since), [first, second, ...gone])
      for (const user of [assigned, none, below, named])
        assert.deepEqual(await seen(user, since), [])
    })
    test('is about its organizations and below, also after these are deleted', async () => {
      const { world, deps } = platform()
      const parent = await world.organization()
      const child = await world.organization(parent)
      const grandchild = await world.organization(child)
      await deps.directory.catchUp()
      const since = now()
      const grants = ['trace/list', 'installation/list/all', 'organization/list']
      const f = (organization: number) => world.user({ grants, organizations: [organization] })
      const [above, beside] = [await f(parent), await f(await world.organization())]
      await ask(`PUT /api/v2/organization/${grandchild}`, world.admin, { notes: 'x' })
      const { id } = await ask('POST /api/v2/installation?silent=true', world.admin, {
        name: 'x',
        organization_id: grandchild
      })
      await ask(`DELETE /api/v2/organization/${child}?force=true`, world.admin)
      assert.deepEqual(await seen(above, since), [
        `updated organization ${grandchild}`,
        `created installation ${id}`,
        `deleted organization ${child}`
      ])
      assert.deepEqual(await seen(beside, since), [])
    })
    test('is about visible users, also after they are deleted', async () => {
      const { world } = platform()
      const own = await world.organization()
      const [one, two] = [
        await world.user({ organizations: [own] }),
        await world.user({ organizations: [own], grants: ['trace/list'] })
      ]
      const lister = await world.user({ grants: ['trace/list', 'user/list'], organizations: [own] })
      const other = await world.user({
        grants: ['trace/list', 'user/list'],
        organizations: [await world.organization()]
      })
      const since = now()
      for (const { id } of [one, two])
        await ask(`PUT /api/v2/user/${id}`, world.admin, { note: 'x' })
      await ask(`DELETE /api/v2/user/${one.id}`, world.admin)
      assert.deepEqual(await seen(lister, since), [
        `updated user ${one.id}`,
        `updated user ${two.id}`,
        `deleted user ${one.id}`
      ])
      assert.deepEqual(await seen(two, since), [`updated user ${two.id}`])
      assert.deepEqual(await seen(other, since), [])
    })
    type Made = {
      object: string
      url: string
      /** In the organization. */
      create: (place: { own: number; client_id: number }) => object
      update: object
      /** A caller with this grant sees the entry there. */
      listed: string
    }
    const email = () => `${platform().world.unique('u')}@example.org`
    const policy = {
      object: 'user registration policy',
      url: '/api/v2/user/registration/policy',
      update: { role_id: 3 },
      listed: 'registration/policy/list'
    }
    const kinds: Record<string, Made> = {
      installations: {
        object: 'installation',
        url: '/api/v2/installation',
        create: ({ own }) => ({ name: 'x', organization_id: own }),
        update: { notes: 'x' },
        listed: 'installation/list/all'
      },
      organizations: {
        object: 'organization',
        url: '/api/v2/organization',
        create: ({ own }) => ({ name: 'x', parent: own }),
        update: { notes: 'x' },
        listed: 'organization/list'
      },
      users: {
        object: 'user',
        url: '/api/v2/user',
        create: ({ own }) => ({
          ...{ email: email(), first_name: 'x', last_name: 'x', role: 3, organisations: [own] },
          address: { address: '', city: '', country: '', zip: '' }
        }),
        update: { note: 'x' },
        listed: 'user/list'
      },
      executors: {
        object: 'output executor',
        url: '/api/v2/admin/notification/executor',
        create: ({ own }) => ({
          ...{ name: 'x', organization_id: own, config: { url: 'https://example.org/x' } }
        }),
        update: { name: 'y' },
        listed: 'notification/executor/manage'
      },
      'executors, for who sends with them,': {
        object: 'output executor',
        url: '/api/v2/admin/notification/executor',
        create: ({ own }) => ({
          ...{ name: 'x', organization_id: own, config: { url: 'https://example.org/x' } }
        }),
        update: { name: 'y' },
        listed: 'notification/executor/list/all'
      },
      policies: {
        ...policy,
        create: ({ own }) => ({
          email_pattern: `*@${platform().world.unique('p')}.org`,
          organization_id: own
        })
      },
      'policies of new organizations': {
        ...policy,
        create: ({ own }) => ({
          email_pattern: `*@${platform().world.unique('p')}.org`,
          parent_organization: own
        })
      },
      'blacklist entries': {
        object: 'mqtt',
        url: '/api/v2/blacklist/topic',
        create: ({ client_id }) => ({ topic: `${client_id}/obj/#` }),
        update: { reason: 'x' },
        listed: 'mqtt/blacklist/topic/manage'
      }
    }
    for (const [name, { object, url, create, update, listed }] of Object.entries(kinds)) {
      test(`is about ${name} that it may list, from the first write to the last`, async () => {
        forgive()
        const { world } = platform()
        const own = await world.organization()
        const { client_id } = await world.installation({ organization_id: own })
        const someone = (grants: string[], organization: number) =>
          world.user({ grants, organizations: [organization], priority: 1000 })
        const lister = await someone(['trace/list', listed], own)
        const beside = await someone(['trace/list', listed], await world.organization())
        const below = await someone(['trace/list', listed], await world.organization(own))
        const others = Object.values(kinds).map((kind) => kind.listed)
        // A caller who sees the installation sees what is in it; a caller who sees executors sees them anyway.
        const isOther = (grant: string) =>
          grant !== listed && !(object === 'output executor' && /executor/.test(grant))
        const without = await someone(['trace/list', ...others.filter(isOther)], own)
        const stranger = await someone(['#'], await world.organization())
        const since = now()
        const { id } = await ask(`POST ${url}`, world.admin, create({ own, client_id }))
        await ask(`PUT ${url}/${id}`, world.admin, update)
        for (const line of [`PUT ${url}/${id}`, `DELETE ${url}/${id}`]) {
          const { status } = await world.request(line, { as: stranger, body: update })
          assert.equal(status, 403)
        }
        const failed = [
          `refused (403): update of ${object} ${id}`,
          `refused (403): delete of ${object} ${id}`
        ]
        const soFar = [`created ${object} ${id}`, `updated ${object} ${id}`, ...failed]
        await eventually(async () => assert.deepEqual(await seen(lister, since), soFar))
        assert.deepEqual(await seen(without, since), [])
        await ask(`DELETE ${url}/${id}`, world.admin)
        assert.deepEqual(await seen(lister, since), [...soFar, `deleted ${object} ${id}`])
        assert.deepEqual(await seen(stranger, since), failed)
        for (const user of [beside, below, without]) assert.deepEqual(await seen(user, since), [])
      })
    }
    test('is about files of its organizations and their apps that it may list', async () => {
      forgive()
      const { world } = platform()
      const own = await world.organization()
      const someone = (...grants: string[]) =>
        world.user({ grants: ['trace/list', ...grants], organizations: [own] })
      const [none, lister, member, editor, apps] = [
        await someone(),
        await someone('file/list/all'),
        await someone('file/list/assigned'),
        await someone('file/update/organization'),
        await someone('edge/app/list')
      ]
      const above = await world.user({
        grants: ['trace/list', 'file/list/assigned'],
        organizations: [1]
      })
      const stranger = await world.user({
        grants: ['edge/app/update'],
        organizations: [await world.organization()]
      })
      const since = now()
      const url = `/api/v2/file/organization/${own}`
      const uploaded = await world.request(`POST ${url}`, {
        as: world.admin,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x\r\ncontent-disposition: form-data; filename="a"\r\n\r\n\r\n--x--'
      })
      const [file = { id: 0 }] = uploaded.json as { id: number }[]
      await ask(`DELETE ${url}/${file.id}`, world.admin)
      const app = await ask('POST /api/v2/edge/app', world.admin, {
        name: 'x',
        publisher: { id: own }
      })
      // The id of the app is in the body of one and in the path of the other.
      for (const line of ['PUT /api/v2/edge/app', `PUT /api/v2/edge/app/${app.id}`]) {
        const { status } = await world.request(line, { as: stranger, body: { id: app.id } })
        assert.equal(status, 403)
      }
      const files = [`created file ${file.id}`, `deleted file ${file.id}`]
      for (const user of [lister, member, editor]) assert.deepEqual(await seen(user, since), files)
      await eventually(async () =>
        assert.deepEqual(await seen(apps, since), [
          `created edge app ${app.id}`,
          `refused (403): update of edge app ${app.id}`,
          `refused (403): update of edge app ${app.id}`
        ])
      )
      for (const user of [none, above]) assert.deepEqual(await seen(user, since), [])
    })
    test('is about a blacklist entry as long as the caller may list the entry', async () => {
      const { world } = platform()
      const [one, two] = [await world.organization(), await world.organization()]
      const { id, client_id } = await world.installation({ organization_id: one })
      const other = await world.installation({ organization_id: two })
      const grants = ['trace/list', 'mqtt/blacklist/topic/manage']
      const [first, second, top] = [
        await world.user({ grants, organizations: [one] }),
        await world.user({ grants, organizations: [two] }),
        await world.user({ grants, organizations: [1] })
      ]
      const url = '/api/v2/blacklist/topic'
      const entry = await ask(`POST ${url}`, first, { topic: `${client_id}/obj/#` })
      const made = `created mqtt ${entry.id}`
      const f = async (user: { token: string }, want: string[]) => {
        const list = await world.request(`GET ${url}`, { as: user })
        const isListed = (list.json as { id: number }[]).some((one) => one.id === entry.id)
        assert.equal(isListed, want.length > 0)
        const { data } = await about(user, 'mqtt', entry.id)
        assert.deepEqual(
          data.map(({ description }) => description),
          want
        )
      }
      await f(first, [made])
      await f(second, [])
      const move = (organization_id: number) =>
        ask(`PUT /api/v2/installation/${id}`, world.admin, { organization_id })
      await move(two)
      await f(second, [made])
      await f(top, [made])
      // Callers still see what they did themselves; entries of others follow the installation.
      const { data } = await about(first, 'mqtt', entry.id)
      assert.deepEqual(
        data.map(({ user_id }) => user_id),
        [first.id]
      )
      await move(one)
      const topic = `${other.client_id}/obj/#`
      await ask(`PUT ${url}/${entry.id}`, world.admin, { topic })
      const moved = [['PUT', 'update', world.admin.id, `updated mqtt ${entry.id}`]]
      assert.deepEqual(short(await about(second, 'mqtt', entry.id)), moved)
      await ask(`DELETE /api/v2/installation/${other.id}`, world.admin)
      assert.deepEqual(short(await about(second, 'mqtt', entry.id)), moved)
      assert.equal((await about(first, 'mqtt', entry.id)).total, 1, 'its own')
    })
    test('is about a blacklist entry for everybody, if the caller reaches the platform', async () => {
      const { world } = platform()
      const grants = ['trace/list', 'mqtt/blacklist/topic/manage', 'installation/#']
      const top = await world.user({ grants, organizations: [1] })
      const tenant = await world.user({ grants, organizations: [await world.organization()] })
      const without = await world.user({
        grants: ['trace/list', 'installation/#'],
        organizations: [1]
      })
      const url = '/api/v2/blacklist/topic'
      for (const topic of ['+/obj/noise/#', '#', '999999999/obj/#']) {
        const since = now()
        const { id } = await ask(`POST ${url}`, world.admin, { topic })
        await ask(`PUT ${url}/${id}`, world.admin, { reason: 'x' })
        await ask(`DELETE ${url}/${id}`, world.admin)
        assert.deepEqual(
          await seen(top, since),
          ['created', 'updated', 'deleted'].map((verb) => `${verb} mqtt ${id}`)
        )
        for (const user of [tenant, without]) assert.deepEqual(await seen(user, since), [])
      }
    })
    test('is everything that the caller did', async () => {
      const { world } = platform()
      const { user, installation } = await world.site(['trace/list', 'schedule/#'])
      const since = now()
      const body = { topic: 'x', value: 1, active: false }
      await world.request(`POST /api/v2/schedule/${installation.id}`, { as: user, body })
      assert.equal((await seen(user, since)).length, 1)
      const member = await world.user({
        grants: ['trace/list'],
        organizations: [installation.organization_id]
      })
      assert.deepEqual(await seen(member, since), [])
    })
    test('is everything with trace/list/system, and without it nothing that belongs to no organization', async () => {
      const { world } = platform()
      const since = now()
      const top = await world.user({ grants: ['trace/list', 'installation/#'], organizations: [1] })
      const system = await world.user({ grants: ['trace/list/system'], organizations: [1] })
      const organizations = [await world.organization()]
      const tenant = await world.user({ grants: ['#'], organizations, priority: 1000 })
      const role = { name: world.unique('role'), priority: 1 }
      const { id } = await ask('POST /api/v2/role', world.admin, role)
      assert.deepEqual(await seen(system, since), [`created role ${id}`])
      assert.deepEqual(await seen(top, since), [])
      assert.deepEqual(await seen(tenant, since), [], 'an administrator of one organization')
      const key = await ask('POST /api/v2/user/me/security/token', world.admin, {
        name: 'x',
        permissions: ['trace/list']
      })
      // A restricted key reaches only its owner and what the owner did.
      assert((await seen(key, since)).every((text) => !text.includes('installation')))
    })
    scenario('nothing without a token', { request: `GET ${base}`, expect: unauthorized })
    scenario('nothing without the grant', {
      given: (world) => world.site(['installation/#', 'trace/view']),
      as: ({ user }: { user: Account }) => user,
      request: `GET ${base}`,
      expect: forbidden
    })
  })

  describe('the address of a caller', () => {
    const from = '203.0.113.7'
    const addresses = ({ data }: Page) => data.map(({ address }) => address)

    test('is for the caller and for those who see everything, not for others in the organization', async () => {
      const { world } = platform()
      const grants = ['installation/#', 'trace/list']
      const { installation, user } = await world.site(grants)
      const colleague = await world.user({ grants, organizations: [installation.organization_id] })
      await ask(`PUT /api/v2/installation/${installation.id}`, user, { notes: 'x' })
      const seenBy = async (as: { token: string }) =>
        addresses(await about(as, 'installation', installation.id))
      assert.deepEqual(await seenBy(user), ['127.0.0.1'])
      assert.deepEqual(await seenBy(world.admin), ['127.0.0.1'])
      assert.deepEqual(await seenBy(colleague), [undefined])
    })

    test(
      'of a failed sign-in is for the owner of the account, also through a trusted proxy',
      slow,
      async (t) => {
        forgive()
        const behind = await startTestPlatform({
          registryUrl: await engine.url(),
          settings: { CARACAL_TRUSTED_PROXIES: 'loopback' }
        })
        t.after(() => behind.stop())
        const { world } = behind
        const user = await world.user({ grants: ['trace/list'] })
        const headers = { ...basic(user.email, 'wrong'), 'x-forwarded-for': from }
        assert.equal((await world.request('POST /api/v2/auth', { headers })).status, 401)
        await eventually(async () => {
          const query = `GET ${base}?object_type=user&object_id=${user.id}&action=failed`
          const { json } = await world.request(query, { as: user })
          assert.deepEqual(addresses(json as Page), [from])
        })
      }
    )
  })

  test('a start leaves an entry with the version, for those who see everything', async () => {
    const { world } = platform()
    const { data } = await about(world.admin, 'platform', 0)
    assert.deepEqual(
      data.map(({ action, user_id, description }) => ({ action, user_id, description })),
      [{ action: 'execute', user_id: 0, description: `started Caracal ${VERSION}` }]
    )
    const user = await world.user({ grants: ['#'], organizations: [await world.organization()] })
    assert.equal((await about(user, 'platform', 0)).total, 0)
  })

  describe('a page', () => {
    /** Far in the past, where there are no other entries. */
    const day = 1_000_000_000_000
    async function fill(world: World, entries: number) {
      const { registry } = platform().deps
      const [mine, others] = [await world.installation(), await world.installation()]
      const user = await world.user({
        grants: ['trace/list', 'installation/list/all'],
        organizations: [mine.organization_id]
      })
      const rows = Array.from({ length: entries }, (_, i): NewTrace => {
        const { id, organization_id } = i % 3 === 0 ? mine : others
        return {
          // Some have the same time.
          timestamp: day + Math.floor(i / 4) * 10,
          user_id: 1,
          method: 'PUT',
          path: `/${i}`,
          action: i % 2 === 0 ? 'update' : 'create',
          object_type: 'installation',
          object_id: id,
          installation_id: id,
          organization_id,
          description: '',
          address: ''
        }
      })
      await insertTrace(registry, rows)
      return { user, mine, all: rows.map(({ path }) => path) }
    }

    test('is the right part in any length and order, and has the total', async () => {
      const { world, deps } = platform()
      const entries = 12_345
      const { user, mine, all } = await fill(world, entries)
      const seen = all.filter((_, i) => i % 3 === 0)
      const window = `?from=${day / 1000}&to=${day / 1000 + 100_000}`
      const f = async (as: { token: string }, query: string, want: string[], total: number) => {
        const page = await read(as, `${window}${query}`)
        assert.deepEqual([page.total, page.count], [total, want.length], query)
        assert.deepEqual(
          page.data.map(({ path }) => path),
          want,
          query
        )
        const oldest = Math.min(...page.data.map(({ timestamp }) => timestamp))
        assert.equal(page.last, page.count === 0 ? 0 : oldest)
      }
      await f(world.admin, '', all.toReversed().slice(0, 10_000), entries)
      await f(world.admin, '&limit=0&order=asc', all.slice(0, 10_000), entries)
      await f(world.admin, '&limit=7&offset=4997&order=asc', all.slice(4997, 5004), entries)
      await f(world.admin, '&limit=7&offset=4997', all.toReversed().slice(4997, 5004), entries)
      await f(world.admin, '&offset=12340&limit=10', all.slice(0, 5).toReversed(), entries)
      await f(world.admin, '&offset=99999', [], entries)
      await f(user, '&order=asc', seen, seen.length)
      await f(user, '&limit=9&offset=1660', seen.toReversed().slice(1660, 1669), seen.length)
      const created = seen.filter((path) => Number(path.slice(1)) % 2 === 1)
      await f(user, '&action=create&order=asc', created, created.length)
      await f(user, '&action=create,update&order=asc&limit=3', seen.slice(0, 3), seen.length)
      await f(user, '&action=delete', [], 0)
      const object = `&object_type=installation&object_id=${mine.id}`
      await f(world.admin, `${object}&order=asc&limit=5`, seen.slice(0, 5), seen.length)
      await f(user, `&object_type=installation&object_id=${mine.id + 1}`, [], 0)
      // Within the day, including both ends.
      const edge = `?from=${day / 1000}&to=${day / 1000 + 0.01}&order=asc`
      assert.equal((await read(world.admin, edge)).total, 8)
      const page = await read(world.admin, `${window}&limit=1&order=asc`)
      const id = page.data[0]?.id
      const withoutAddress = page.data.map(({ address, ...entry }) => entry)
      assert.deepEqual((await read(user, `?id=${id}`)).data, withoutAddress)
      assert.equal((await read(user, `?id=${Number(id) + 1}`)).total, 0, 'it is in the others’')

      // Old entries are deleted in parts.
      await sweepTrace(deps.registry, day + 1000 * 10)
      await f(world.admin, '&limit=1&order=asc', ['/4000'], entries - 4000)
      await sweepTrace(deps.registry, day + DAY)
      await f(world.admin, '', [], 0)
    })
    test('has the last day, unless it is about one object', async () => {
      const { world } = platform()
      const { user, installation } = await world.site(['#'])
      await ask(`PUT /api/v2/installation/${installation.id}`, user, { notes: 'x' })
      assert.equal((await about(user, 'installation', installation.id)).total, 1)
      assert.equal((await read(user)).data.at(0)?.object_id, installation.id)
      ahead += 2 * DAY
      assert.equal((await read(user)).total, 0)
      assert.equal((await about(user, 'installation', installation.id)).total, 1)
      // One client sends this for a missing value.
      const zero = '?from=-62135596800&to=-62135596800&limit=0&offset=0&order=&id='
      assert.equal((await read(user, zero)).total, 0)
    })
    test('has only one installation, one user or one kind, of what the caller sees', async () => {
      const { world } = platform()
      const { installation, user } = await world.site(['#'])
      const { organization_id, id } = installation
      const other = await world.installation({ organization_id })
      const colleague = await world.user({ grants: ['#'], organizations: [organization_id] })
      const stranger = (await world.site(['#'])).user
      await ask(`PUT /api/v2/installation/${id}`, user, { notes: 'x' })
      const body = { type: 'x', installation_id: id, meta: {} }
      const made = await ask(`POST /api/v2/functionx/${id}`, colleague, body)
      await ask(`PUT /api/v2/installation/${other.id}`, user, { notes: 'x' })
      const ids = async (query: string, as = user) =>
        (await read(as, `?order=asc&${query}`)).data.map((one) => [one.object_type, one.object_id])
      const [updated, created] = [
        ['installation', id],
        ['function', made.id]
      ]
      assert.deepEqual(await ids(`installation_id=${id}`), [updated, created])
      assert.deepEqual(await ids(`installation_id=${id}&user_id=${user.id}`), [updated])
      assert.deepEqual(await ids(`installation_id=${id}&object_type=function`), [created])
      assert.deepEqual(await ids(`user_id=${colleague.id}`), [created])
      assert.deepEqual(await ids(`installation_id=${id}`, stranger), [])
      assert.deepEqual(await ids(`user_id=${user.id}`, stranger), [])
      assert.equal((await read(user, `?installation_id=${id}&limit=1`)).total, 2)
    })
    const refused: [string, string][] = [
      ['from=2&to=1', 'from must not be later than to'],
      ['limit=10001', 'limit must be a whole number from 0 to 10000'],
      ['limit=-1', 'limit must be a whole number from 0 to 10000'],
      ['offset=-1', 'offset must be a whole number of at least 0'],
      ['order=up', 'order must be desc or asc'],
      ['object_type=user', 'object_type and object_id must be used together'],
      ['object_id=1', 'object_type and object_id must be used together'],
      ['object_id=1&installation_id=1', 'object_type and object_id must be used together'],
      ['id=x', 'id must be a whole number'],
      ['installation_id=0', 'installation_id must be a whole number of at least 1'],
      ['user_id=-1', 'user_id must be a whole number of at least 0'],
      ['from=x', 'from must be a number']
    ]
    for (const [query, message] of refused) {
      scenario(`with ${query} is refused`, {
        as: () => platform().world.admin,
        request: `GET ${base}?${query}`,
        expect: { status: 400, body: { message } }
      })
    }
    for (const query of ['object_type=x&object_id=1', "action=update,'--", 'action=x']) {
      scenario(`with ${query} is refused`, {
        as: () => platform().world.admin,
        request: `GET ${base}?${query}`,
        expect: { status: 400 }
      })
    }
  })
})
