import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account } from '../support/world.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
const someone = { given: (world: { user(): Promise<Account> }) => world.user() }

onRegistryMatrix('auth', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  scenario('POST auth with e-mail and password', {
    ...someone,
    request: 'POST /api/v2/auth',
    headers: (user) => basic(user.email, user.password),
    expect: { status: 200 },
    and: async ({ json }, user, world) => {
      assert.deepEqual(Object.keys(json as object), ['token'])
      const { token } = json as { token: string }
      assert.match(token, /^[A-Za-z0-9_-]{43}$/)
      const me = await world.request('GET /api/v2/user/me', { as: { token } })
      assert.equal((me.json as { id: number }).id, user.id)
    }
  })

  scenario('POST auth, e-mail in another case', {
    ...someone,
    request: 'POST /api/v2/auth',
    headers: (user) => basic(user.email.toUpperCase(), user.password),
    expect: { status: 200 }
  })

  scenario('POST auth, wrong password', {
    ...someone,
    request: 'POST /api/v2/auth',
    headers: (user) => basic(user.email, `${user.password}!`),
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('POST auth, unknown account looks like a wrong password', {
    request: 'POST /api/v2/auth',
    headers: basic('nobody@example.org', 'whatever it is'),
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('POST auth without credentials', {
    request: 'POST /api/v2/auth',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('POST auth, Basic without a colon', {
    request: 'POST /api/v2/auth',
    headers: { authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` },
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('POST auth with a token instead of the password', {
    ...someone,
    request: 'POST /api/v2/auth',
    headers: (user) => basic(user.email, user.token),
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('DELETE auth ends the token at once', {
    ...someone,
    as: (user) => user,
    request: 'DELETE /api/v2/auth',
    expect: { status: 200 },
    and: async ({ text }, user, world) => {
      assert.equal(text, '')
      const again = await world.request('GET /api/v2/user/me', { as: user })
      assert.equal(again.status, 401)
    }
  })

  scenario('DELETE auth without a token', {
    request: 'DELETE /api/v2/auth',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  test('DELETE auth closes the open MQTT connections of that token and no others', async () => {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#'])
    const login = await world.request('POST /api/v2/auth', {
      headers: basic(user.email, user.password)
    })
    const ended = await world.mqtt(login.json as { token: string })
    const other = await world.mqtt(user)
    await world.request('DELETE /api/v2/auth', { as: login.json as { token: string } })
    await eventually(() => assert.equal(ended.mqtt.connected, false))
    await other.publish(`${installation.client_id}/cmd/x`, '1', { qos: 1 })
    assert.equal(other.mqtt.connected, true)
  })

  test('every authentication scheme works on an ordinary endpoint', async () => {
    const { world } = platform()
    const user = await world.user()
    const forms: Record<string, string>[] = [
      { 'x-api-key': user.token },
      { authorization: `Bearer ${user.token}` },
      { authorization: `bearer ${user.token}` },
      basic('token', user.token),
      basic('', user.token),
      basic(user.email, user.password)
    ]
    for (const headers of forms) {
      const { status, text } = await world.request('GET /api/v2/user/me', { headers })
      assert.equal(status, 200, JSON.stringify(headers))
      assert.equal(JSON.parse(text).email, user.email)
    }
  })

  test('a password may contain colons and letters of any script', async () => {
    const { world, deps } = platform()
    const { updateUser } = await import('../../src/registry/users.ts')
    const { hashPassword } = await import('../../src/identity/password.ts')
    const user = await world.user()
    const password = 'på:ss:ord ✓'
    const password_hash = await hashPassword(password, 'test')
    await updateUser(deps.registry, user.id, { password_hash }, Date.now())
    const { status } = await world.request('POST /api/v2/auth', {
      headers: basic(user.email, password)
    })
    assert.equal(status, 200)
  })

  test('an account is locked after ten wrong passwords from one address, and the answer says for how long', async () => {
    const { world } = platform()
    const [user, other] = [await world.user(), await world.user()]
    const tryIn = (account: Account, password: string) =>
      world.request('POST /api/v2/auth', { headers: basic(account.email, password) })
    for (let i = 0; i < 10; i++) assert.equal((await tryIn(user, 'wrong one')).status, 401)
    const refused = await tryIn(user, user.password)
    assert.equal(refused.status, 429)
    assert.deepEqual(refused.json, { message: 'Too many sign-in tries' })
    const wait = Number(refused.headers.get('retry-after'))
    assert(wait > 0 && wait <= 300)
    assert.equal(
      (await tryIn(other, other.password)).status,
      200,
      'another account is not affected'
    )
    const byToken = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(byToken.status, 200, 'tokens of the account go on working')
  })

  test('parallel wrong passwords count like sequential ones, and one client with many requests counts once', async () => {
    const { world } = platform()
    const [user, busy] = [await world.user(), await world.user()]
    const tries = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        world.request('GET /api/v2/user/me', { headers: basic(user.email, `guess number ${i}`) })
      )
    )
    const heard = tries.filter(({ status }) => status === 401).length
    assert.equal(heard, 10)
    const many = await Promise.all(
      Array.from({ length: 40 }, () =>
        world.request('GET /api/v2/user/me', { headers: basic(busy.email, busy.password) })
      )
    )
    assert(many.every(({ status }) => status === 200))
  })

  test('a user who needs a second factor is not let in by password alone', async () => {
    const { world, deps } = platform()
    const user = await world.user()
    await deps.registry
      .updateTable('users')
      .set({ sms_login: 1 })
      .where('id', '=', user.id)
      .execute()
    for (const line of ['POST /api/v2/auth', 'GET /api/v2/user/me']) {
      const { status } = await world.request(line, { headers: basic(user.email, user.password) })
      assert.equal(status, 401, line)
    }
  })

  test('an organization above that forces a second factor does so for its members', async () => {
    const { world, deps } = platform()
    const above = await world.organization()
    const below = await world.organization(above)
    const user = await world.user({ organizations: [below] })
    await deps.registry
      .updateTable('organizations')
      .set({ force_sms_login: 1 })
      .where('id', '=', above)
      .execute()
    const { status } = await world.request('POST /api/v2/auth', {
      headers: basic(user.email, user.password)
    })
    assert.equal(status, 401)
  })
})
