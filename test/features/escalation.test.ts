import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
const atOnce = <T>(times: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, i) => work(i)))
const address = { address: '', city: '', country: '', zip: '' }

onRegistryMatrix('nobody gets more rights', (engine) => {
  let ahead = 0
  const { platform } = withPlatform(engine, {
    clock: () => unixMs(Date.now() + ahead),
    settings: { CARACAL_SYSTEM_ACCOUNTS: 'push:right' }
  })
  const status = async (line: string, as: Account | { token: string }, body?: unknown) =>
    (await platform().world.request(line, { as, body })).status
  const lettersTo = (to: string) => countLetters(join(platform().dataDir, 'outbox'), to)

  test('by a grant on an installation that the caller does not reach', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/#'])
    const sub = await world.user({
      grants: ['#'],
      organizations: [await world.organization()],
      priority: 1000
    })
    for (const pattern of [`${installation.id}/#`, `${installation.id}/status/read/all`]) {
      const body = { name: world.unique('r'), priority: 1, permissions: { [pattern]: true } }
      assert.equal(await status('POST /api/v2/role', sub, body), 403, pattern)
    }
    await world.request(`DELETE /api/v2/user/${sub.id}`, { as: world.admin })
    assert.equal(await status(`GET /api/v2/status/${installation.id}`, user), 200)
  })

  test('by managing a user who also belongs to another organization', async () => {
    const { world } = platform()
    const [home, x] = [await world.organization(), await world.organization()]
    const manager = await world.user({ grants: ['user/#'], organizations: [x], priority: 500 })
    const shared = await world.user({ organizations: [home, x], priority: 500 })
    const at = `/api/v2/user/${shared.id}`
    for (const [line, body] of [
      [`POST ${at}/security/token`, { name: 'k' }],
      [`GET ${at}/security/token`, undefined],
      [`PUT ${at}/password`, { new_password: 'a brand new secret' }],
      [`PUT ${at}`, { email: 'mine@example.org' }],
      [`PUT ${at}`, { mobile: '+1 2' }],
      [`PUT ${at}`, { expire_at: 5 }],
      [`DELETE ${at}`, undefined]
    ] as const) {
      assert.equal(await status(line, manager, body), 403, `${line} ${JSON.stringify(body)}`)
    }
    assert.equal(await status(`PUT ${at}`, manager, { note: 'seen' }), 200)
    assert.equal(
      await status(`PUT ${at}`, manager, { organisations: [home] }),
      200,
      'but may let go of it'
    )
  })

  test('by a restricted key that changes how its owner signs in', async () => {
    const { world } = platform()
    const owner = await world.user({ grants: ['user/#'] })
    const body = { name: 'narrow', permissions: ['user/update'] }
    const made = await world.request('POST /api/v2/user/me/security/token', { as: owner, body })
    const key = made.json as { token: string }
    for (const change of [
      { password: 'a brand new secret' },
      { email: 'other@example.org' },
      { mobile: '+1 2' }
    ]) {
      assert.equal(await status('PUT /api/v2/user/me', key, change), 403, JSON.stringify(change))
    }
    assert.equal(await status('PUT /api/v2/user/me', key, { note: 'fine' }), 200)
  })

  test('by moving an installation to another organization, or by unassigning a user whom the caller cannot see', async () => {
    const { world } = platform()
    const installation = await world.installation()
    const hidden = await world.user({ assigned: [installation.id] })
    const guest = await world.user({
      grants: ['installation/#'],
      organizations: [await world.organization()],
      assigned: [installation.id]
    })
    const at = `/api/v2/installation/${installation.id}`
    const { json } = await world.request('GET /api/v2/user/me', { as: guest })
    const [own] = (json as { organisations: number[] }).organisations
    assert.equal(await status(`PUT ${at}`, guest, { organization_id: own }), 403)
    const back = await world.request(`GET ${at}`, { as: guest })
    assert.equal(await status(`PUT ${at}`, guest, back.json), 200, 'as it came')
    const emptied = await world.request(`PUT ${at}`, { as: guest, body: { users: [] } })
    assert.deepEqual((emptied.json as { users: number[] }).users, [hidden.id])
  })

  test('by using an account after its end', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['status/#', 'mqtt/#'])
    const soon = Math.floor((Date.now() + ahead) / 1000) + 60
    const made = await world.request('POST /api/v2/user/me/security/token', {
      as: user,
      body: { name: 'short', expire: soon }
    })
    const key = made.json as { token: string }
    const connection = await world.mqtt(key)
    const path = `GET /api/v2/status/${installation.id}`
    assert.equal(await status(path, key), 200)
    await world.request(`PUT /api/v2/user/${user.id}`, {
      as: world.admin,
      body: { expire_at: soon + 60 }
    })
    assert.equal(await status(path, user), 200)
    ahead += 61 * SECOND
    assert.equal(await status(path, key), 401)
    await eventually(() => assert.equal(connection.mqtt.connected, false), 15_000)
    ahead += 60 * SECOND
    assert.equal(await status(path, user), 401, 'the account, though its session is remembered')
  })

  test('by requesting many codes or mails at once', async () => {
    const { world } = platform()
    const mobile = `+1 ${engine.name === 'SQLite' ? 1 : 2}`
    const user = await world.user({ sms_login: true, mobile })
    const headers = basic(user.email, user.password)
    const tries = await atOnce(25, () => world.request('POST /api/v2/auth', { headers }))
    assert.equal(tries.filter((one) => one.status === 200).length, 10)
    await atOnce(25, () =>
      world.request('POST /api/v2/auth/reset_password', { body: { email: user.email } })
    )
    await eventually(() => assert.equal(lettersTo(user.email), 5))
    assert.equal(lettersTo(mobile), 10)
  })

  test('by guessing the password of a system account', slow, async () => {
    const { world } = platform()
    const ask = async (password: string) =>
      (await world.request('GET /api/v2/mobile/1', { headers: basic('push', password) })).status
    for (let i = 0; i < 10; i++) assert.equal(await ask(`wrong ${i}`), 401)
    assert.equal(await ask('right'), 429)
    ahead += 301 * SECOND
    assert.equal(await ask('right'), 200)
  })

  test('by guessing passwords between the sign-ins of a system account', slow, async () => {
    const { world } = platform()
    const ask = async (name: string, password: string) =>
      (await world.request('GET /api/v2/mobile/1', { headers: basic(name, password) })).status
    for (let i = 0; i < 99; i++) {
      assert.equal(await ask(`${world.unique('victim')}@example.org`, 'a guess'), 401)
      assert.equal(await ask('push', 'right'), 200)
    }
    assert.equal(await ask('one more@example.org', 'a guess'), 401)
    assert.equal(await ask('another@example.org', 'a guess'), 429)
    ahead += 301 * SECOND
  })

  test('and nobody removes the last administrator', async () => {
    const { world } = platform()
    const person = { first_name: '', last_name: '', role: 1, address, organisations: [1] }
    const made = await world.request('POST /api/v2/user', {
      as: world.admin,
      body: {
        ...person,
        email: `${world.unique('second')}@example.org`,
        password: 'correct horse battery'
      }
    })
    const second = made.json as { id: number; email: string }
    const headers = basic(second.email, 'correct horse battery')
    const [one, two] = await Promise.all([
      world.request(`DELETE /api/v2/user/${second.id}`, { as: world.admin }),
      world.request(`DELETE /api/v2/user/${world.admin.id}`, { headers })
    ])
    assert.equal([one, two].filter((answer) => answer.status === 200).length, 1)
    const left = one.status === 200 ? { 'x-api-key': world.admin.token } : headers
    const expire = await world.request('PUT /api/v2/user/me', {
      headers: left,
      body: { expire_at: 1 }
    })
    assert.deepEqual(
      [expire.status, expire.json],
      [400, { message: 'the last administrator cannot be removed' }]
    )
  })
})

onRegistryMatrix('load', (engine) => {
  const { platform } = withPlatform(engine)

  test('too many filters are 400', async () => {
    const { world } = platform()
    const user = await world.user()
    const many = (n: number) => Array.from({ length: n }, (_, i) => `k${i}=v`).join('&')
    for (const [query, want] of [
      [many(20), 200],
      [many(21), 400],
      [Array.from({ length: 51 }, () => 'k=v').join('&'), 400],
      [`k=${'a'.repeat(256)}`, 400]
    ] as const) {
      for (const room of ['user', 'installation']) {
        const { status } = await world.request(`GET /api/v2/${room}?${query}`, { as: user })
        assert.equal(status, want, `${room} ${query.slice(0, 40)}`)
      }
    }
    const body = { value: 'a'.repeat(70_000) }
    const long = await world.request('POST /api/v2/user/me/meta/k', { as: user, body })
    assert.equal(long.status, 400)
  })

  test('parallel writers of the same objects never get 500', slow, async () => {
    const { world } = platform()
    const fiveHundreds: string[] = []
    const send = async (line: string, body?: unknown, as: { token: string } = world.admin) => {
      const { status, text } = await world.request(line, { as, body })
      if (status >= 500) fiveHundreds.push(`${line} ${text}`)
      return status
    }
    const organization = await world.organization()
    const sites = await atOnce(8, () => world.installation({ organization_id: organization }))
    await Promise.all([
      send(`DELETE /api/v2/organization/${organization}?force=true`),
      ...sites.flatMap(({ id }) => [
        send(`PUT /api/v2/installation/${id}`, { name: 'a', meta: { a: '1' } }),
        send(`PUT /api/v2/installation/${id}`, { name: 'b', users: [world.admin.id] })
      ])
    ])
    const users = await atOnce(6, () =>
      world.user({ organizations: [1], grants: ['mobile/create'] })
    )
    const email = `${world.unique('wanted')}@example.org`
    const taken = await Promise.all(
      users.map(({ id }) => send(`PUT /api/v2/user/${id}`, { email }))
    )
    assert.equal(taken.filter((status) => status === 200).length, 1)
    const phone = { device_id: world.unique('d'), firebase_token: world.unique('t') }
    await Promise.all(users.map((user) => send('POST /api/v2/mobile', phone, user)))
    const long = { device_id: 'd'.repeat(1024), firebase_token: randomText(1024) }
    assert.equal(await send('POST /api/v2/mobile', long, users[0]), 200)
    const passwords = users.flatMap((user) => [
      send(`PUT /api/v2/user/${user.id}/password`, { new_password: 'a brand new secret' }),
      send('DELETE /api/v2/auth', undefined, user)
    ])
    await Promise.all(passwords)
    assert.deepEqual(fiveHundreds, [])
  })

  test('a permission that is revoked during a rename does not come back', async () => {
    const { world } = platform()
    for (let i = 0; i < 5; i++) {
      const role = { name: world.unique('r'), priority: 1, permissions: { 'log/read/all': true } }
      const { json } = await world.request('POST /api/v2/role', { as: world.admin, body: role })
      const at = `/api/v2/role/${(json as { id: number }).id}`
      await Promise.all([
        world.request(`PUT ${at}`, { as: world.admin, body: { permissions: {} } }),
        world.request(`PUT ${at}`, { as: world.admin, body: { name: world.unique('renamed') } })
      ])
      const after = await world.request(`GET ${at}`, { as: world.admin })
      assert.deepEqual((after.json as { permissions: object }).permissions, {})
    }
  })
})

const randomText = (length: number): string =>
  Array.from({ length }, () => Math.random().toString(36)[2] ?? 'x').join('')

function countLetters(outbox: string, to: string): number {
  return readdirSync(outbox)
    .filter((file) => file.endsWith('.json'))
    .filter((file) => JSON.parse(readFileSync(join(outbox, file), 'utf8')).to === to).length
}
