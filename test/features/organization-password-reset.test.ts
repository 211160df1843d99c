import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { keyFor, lettersTo } from '../support/outbox.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})

/** Two organizations with users in both, and a user who may update them. */
async function company(world: World) {
  const elsewhere = await world.organization()
  const top = await world.organization()
  const below = await world.organization(top)
  const caller = await world.user({
    grants: ['organization/update', 'user/update'],
    organizations: [top],
    priority: 500
  })
  const worker = await world.user({ organizations: [top] })
  const lower = await world.user({ organizations: [below] })
  const boss = await world.user({ organizations: [top], priority: 501 })
  const shared = await world.user({ organizations: [top, elsewhere] })
  const stranger = await world.user({ organizations: [elsewhere] })
  return { elsewhere, top, below, caller, worker, lower, boss, shared, stranger }
}

onRegistryMatrix('force_password_reset', (engine) => {
  const { platform, scenario } = withPlatform(engine)

  const force = (id: number) => `POST /api/v2/organization/${id}/force_password_reset`
  const signIn = async ({ email, password }: Account) => {
    const { world } = platform()
    return (await world.request('POST /api/v2/auth', { headers: basic(email, password) })).status
  }
  const isIn = async ({ token }: { token: string }) =>
    (await platform().world.request('GET /api/v2/user/me', { as: { token } })).status

  test('ends the passwords and sessions of those below the caller, and mails them a key', async () => {
    const { world } = platform()
    const { top, caller, worker, lower, boss, shared, stranger } = await company(world)
    const made = await world.request('POST /api/v2/user/me/security/token', {
      as: worker,
      body: { name: 'robot' }
    })
    const key = made.json as { token: string }
    const byPassword = await world.mqtt(worker, {
      username: worker.email,
      password: worker.password
    })
    const byKey = await world.mqtt(key)

    const published = await world.published(async () => {
      const { status, json } = await world.request(force(top), { as: caller })
      assert.deepEqual([status, json], [200, { message: '2 users must set a new password' }])
    })
    assert.deepEqual(published, [])
    for (const user of [worker, lower]) {
      assert.deepEqual([await signIn(user), await isIn(user)], [401, 401], user.email)
    }
    for (const user of [caller, boss, shared, stranger]) {
      assert.deepEqual([await signIn(user), await isIn(user)], [200, 200], user.email)
      assert.deepEqual(lettersTo(platform(), user.email), [])
    }
    assert.equal(await isIn(key), 200, 'API keys stay')
    await eventually(() => assert.equal(byPassword.mqtt.connected, false))
    assert.equal(byKey.mqtt.connected, true)

    const reset = await world.request('PUT /api/v2/auth/reset_password', {
      as: { token: await keyFor(platform(), worker.email) },
      body: { password: 'a brand new secret' }
    })
    assert.equal(reset.status, 200)
    assert.equal(await signIn({ ...worker, password: 'a brand new secret' }), 200)
    await keyFor(platform(), lower.email)
  })

  test('a second time reaches only users with a password, and everybody can request another key', async () => {
    const { world } = platform()
    const { top, caller, worker, lower } = await company(world)
    await world.request(force(top), { as: caller })
    await keyFor(platform(), lower.email)
    const again = await world.request(force(top), { as: caller })
    assert.deepEqual(again.json, { message: '0 users must set a new password' })
    const body = { email: worker.email }
    await world.request('POST /api/v2/auth/reset_password', { body })
    await keyFor(platform(), worker.email, 2)
    await keyFor(platform(), lower.email)
  })

  test('of an organization below does not affect those above', async () => {
    const { world } = platform()
    const { below, caller, worker, lower } = await company(world)
    await world.request(force(below), { as: caller })
    assert.deepEqual([await signIn(worker), await signIn(lower)], [200, 401])
  })

  test('resets the password also if a mail fails', async () => {
    const { world, deps, logged } = platform()
    const { top, caller, worker, lower } = await company(world)
    const { mail } = deps
    deps.mail = {
      send: (letter) =>
        letter.to === worker.email ? Promise.reject(new Error('no route')) : mail.send(letter)
    }
    await world.request(force(top), { as: caller })
    await keyFor(platform(), lower.email)
    deps.mail = mail
    assert(logged.some(({ user }) => user === worker.id))
    assert.equal(await signIn(worker), 401)
  })

  for (const [what, organization] of [
    ['of a stranger', ({ elsewhere }: Awaited<ReturnType<typeof company>>) => elsewhere],
    ['that does not exist', () => 999_999],
    ['above', () => 1]
  ] as const) {
    scenario(`of an organization ${what}`, {
      given: company,
      as: ({ caller }) => caller,
      request: (given) => force(organization(given)),
      expect: { status: 403, body: { message: 'Forbidden' } },
      and: async (_, { stranger }) => assert.equal(await signIn(stranger), 200)
    })
  }
  for (const grant of ['organization/update', 'user/update']) {
    scenario(`with ${grant} alone`, {
      given: async (world) => {
        const given = await company(world)
        const organizations = [given.top]
        return {
          ...given,
          half: await world.user({ grants: [grant], organizations, priority: 500 })
        }
      },
      as: ({ half }) => half,
      request: ({ top }) => force(top),
      expect: { status: 403, body: { message: 'Forbidden' } },
      and: async (_, { worker }) => assert.equal(await signIn(worker), 200)
    })
  }
  scenario('without the grant', {
    given: company,
    as: ({ worker }) => worker,
    request: ({ top }) => force(top),
    expect: { status: 403, body: { message: 'Forbidden' } }
  })
  scenario('without a token', {
    request: force(1),
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })
  scenario('with an id that is none', {
    given: company,
    as: ({ caller }) => caller,
    request: 'POST /api/v2/organization/x/force_password_reset',
    expect: { status: 400 }
  })
})
