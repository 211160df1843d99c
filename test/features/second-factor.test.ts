import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MINUTE, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { type Letter, lettersTo } from '../support/outbox.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'
import type { Account, World } from '../support/world.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
})
type Operation = { description?: string; requestBody: { required?: boolean } }

onRegistryMatrix('second factor and reset', (engine) => {
  let ahead = 0
  const clock = () => unixMs(Date.now() + ahead)
  const { platform } = withPlatform(engine, { clock })

  const letters = (to: string): Letter[] => lettersTo(platform(), to)
  let phones = 0
  const withPhone = (world: World) =>
    world.user({
      sms_login: true,
      mobile: `+46 70 000 00 ${++phones + (engine.name === 'SQLite' ? 0 : 500)}`
    })
  const mobileOf = async (user: Account) => {
    const { json } = await platform().world.request('GET /api/v2/user/me', { as: user })
    return (json as { mobile: string }).mobile
  }
  const signIn = (user: Account) =>
    platform().world.request('POST /api/v2/auth', { headers: basic(user.email, user.password) })
  const codeOf = (to: string, n = 1) =>
    eventually(() => {
      const sent = letters(to)
      assert.equal(sent.length, n)
      const { text = '', code } = sent.at(-1) ?? {}
      assert.equal(/\b(\d{6})\b/.exec(text)?.[1], code)
      return code ?? assert.fail('no code')
    })
  const answer = (token: string, challenge: unknown) =>
    platform().world.request('PUT /api/v2/auth', {
      as: { token },
      body: challenge === undefined ? undefined : { challenge }
    })

  test('POST auth sends a code, and a token that works only for PUT auth', async () => {
    const { world, mqttPort } = platform()
    const user = await withPhone(world)
    const to = await mobileOf(user)
    const login = await signIn(user)
    assert.equal(login.status, 200)
    const { token, nextstep } = login.json as { token: string; nextstep: string }
    assert.equal(nextstep, 'smslogin')
    for (const line of ['GET /api/v2/user/me', 'DELETE /api/v2/auth', 'GET /api/v2/permission']) {
      assert.equal((await world.request(line, { as: { token } })).status, 401, line)
    }
    const { mqttClient } = await import('../support/mqtt.ts')
    const byMqtt = mqttClient({ after: () => {} }, mqttPort, { username: 'x', password: token })
    await assert.rejects(byMqtt, { code: 4 })

    const code = await codeOf(to)
    const done = await answer(token, code)
    assert.equal(done.status, 200)
    const { token: session } = done.json as { token: string }
    assert.notEqual(session, token)
    assert.equal(
      (await world.request('GET /api/v2/user/me', { as: { token: session } })).status,
      200
    )
    assert.equal((await answer(token, code)).status, 401, 'the code and its token are used up')
  })

  test('PUT auth accepts five guesses, then not even the right code', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const to = await mobileOf(user)
    const { token } = (await signIn(user)).json as { token: string }
    const code = await codeOf(to)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let i = 0; i < 5; i++) assert.equal((await answer(token, wrong)).status, 401)
    assert.equal((await answer(token, code)).status, 401)
  })

  test('PUT auth accepts only five guesses, also in parallel', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const to = await mobileOf(user)
    const { token } = (await signIn(user)).json as { token: string }
    const code = await codeOf(to)
    const guesses = [...Array.from({ length: 5 }, (_, i) => `x${i}`), code]
    await Promise.all(guesses.slice(0, 5).map((guess) => answer(token, guess)))
    assert.equal((await answer(token, code)).status, 401)
  })

  test('PUT auth without a challenge, with a session or without a token is 401', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const { token } = (await signIn(user)).json as { token: string }
    for (const challenge of [undefined, null, '']) {
      assert.equal((await answer(token, challenge)).status, 401)
    }
    assert.equal((await answer(user.token, '000000')).status, 401)
    assert.equal((await world.request('PUT /api/v2/auth', { body: {} })).status, 401)
    const bad = await world.request('PUT /api/v2/auth', { as: { token }, body: { challenge: 5 } })
    assert.equal(bad.status, 400)
  })

  test('PUT auth without a challenge is described, and does not use up a guess', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const { token } = (await signIn(user)).json as { token: string }
    for (let i = 0; i < 6; i++) assert.equal((await answer(token, undefined)).status, 401)
    assert.equal((await world.request('PUT /api/v2/auth', { as: { token } })).status, 401)
    const code = await codeOf(await mobileOf(user))
    assert.equal((await answer(token, code)).status, 200)

    const { json } = await world.request('GET /docs/openapi.json')
    const { put } =
      (json as { paths: Record<string, { put: Operation }> }).paths['/api/v2/auth'] ?? {}
    assert.match(put?.description ?? '', /without a challenge.*401/i)
    assert.notEqual(put?.requestBody.required, true)
  })

  test('a code of one sign-in does not work for another', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const to = await mobileOf(user)
    await signIn(user)
    const first = await codeOf(to)
    const { token } = (await signIn(user)).json as { token: string }
    const second = await codeOf(to, 2)
    if (first !== second) assert.equal((await answer(token, first)).status, 401)
    assert.equal((await answer(token, second)).status, 200)
  })

  test('a code is valid for five minutes', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    const to = await mobileOf(user)
    const { token } = (await signIn(user)).json as { token: string }
    const code = await codeOf(to)
    ahead += 5 * MINUTE
    assert.equal((await answer(token, code)).status, 401)
  })

  test('an account without a number says so only after the right password', async () => {
    const { world } = platform()
    for (const mobile of ['', 'call me']) {
      const user = await world.user({ sms_login: true, mobile })
      const right = await signIn(user)
      assert.equal(right.status, 401)
      assert.match((right.json as { message: string }).message, /no mobile number/)
      const wrong = await signIn({ ...user, password: 'something else' })
      assert.deepEqual(wrong.json, { message: 'Unauthorized' })
    }
  })

  test('ten SMS per hour, then 429 with the time to wait', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    for (let i = 0; i < 10; i++) assert.equal((await signIn(user)).status, 200)
    const refused = await signIn(user)
    assert.equal(refused.status, 429)
    assert(Number(refused.headers.get('retry-after')) > 3000)
    ahead += HOUR
    assert.equal((await signIn(user)).status, 200)
  })

  test('force_sms_login of an organization above asks its members for the code', async () => {
    const { world } = platform()
    const above = await world.organization()
    const below = await world.organization(above)
    const user = await world.user({ organizations: [below], mobile: '+1 555 0100' })
    assert.equal(((await signIn(user)).json as { nextstep?: string }).nextstep, undefined)
    const body = { force_sms_login: true }
    await world.request(`PUT /api/v2/organization/${above}`, { as: world.admin, body })
    assert.equal(((await signIn(user)).json as { nextstep?: string }).nextstep, 'smslogin')
  })

  test('a session ends after 30 days without use and after a year in any case', async () => {
    const { world } = platform()
    const user = await world.user()
    const me = () => world.request('GET /api/v2/user/me', { as: user })
    const { token } = (await signIn(user)).json as { token: string }
    const idle = { as: { token } }
    for (let month = 0; month < 12; month++) {
      assert.equal((await me()).status, 200, `month ${month}`)
      ahead += 29 * DAY
    }
    assert.equal((await world.request('GET /api/v2/user/me', idle)).status, 401)
    assert.equal((await me()).status, 200)
    ahead += 18 * DAY
    assert.equal((await me()).status, 401)
  })

  const resetKey = (to: string, n = 1) =>
    eventually(() => {
      const sent = letters(to)
      assert.equal(sent.length, n)
      const lines = (sent.at(-1)?.text ?? '').split('\n')
      return lines.find((line) => /^[\w-]{43}$/.test(line)) ?? assert.fail('no key on its own line')
    })
  const ask = (email: unknown) =>
    platform().world.request('POST /api/v2/auth/reset_password', { body: { email } })
  const reset = (key: string, password: unknown) =>
    platform().world.request('PUT /api/v2/auth/reset_password', {
      as: { token: key },
      body: { password }
    })

  test('a forgotten password can be replaced once with the key from the mail', async () => {
    const { world } = platform()
    const user = await world.user()
    const asked = await ask(user.email.toUpperCase())
    assert.deepEqual([asked.status, asked.text], [200, ''])
    const key = await resetKey(user.email)
    assert.equal((await world.request('GET /api/v2/user/me', { as: { token: key } })).status, 401)

    const weak = await reset(key, 'password')
    assert.deepEqual([weak.status, weak.text], [400, ''], 'a weak one leaves the key good')
    const done = await reset(key, 'a brand new secret')
    assert.deepEqual([done.status, done.text], [200, ''])
    assert.equal((await reset(key, 'another new secret')).status, 400)
    assert.equal((await signIn(user)).status, 401)
    assert.equal((await signIn({ ...user, password: 'a brand new secret' })).status, 200)
    const session = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(session.status, 401, 'the sessions of before are over')
  })

  test('a request for an unknown account looks the same', async () => {
    const asked = await ask('nobody@nowhere.example')
    assert.deepEqual([asked.status, asked.text], [200, ''])
    assert.deepEqual(letters('nobody@nowhere.example'), [])
    assert.equal((await ask(undefined)).status, 400)
    assert.equal((await ask(5)).status, 400)
  })

  test('the key from the mail is valid for 30 minutes', async () => {
    const { world } = platform()
    const user = await world.user()
    await ask(user.email)
    const key = await resetKey(user.email)
    ahead += 30 * MINUTE
    const late = await reset(key, 'a brand new secret')
    assert.deepEqual([late.status, late.text], [400, ''])
    for (const bad of ['', 'x'.repeat(43), user.token]) {
      assert.equal((await reset(bad, 'a brand new secret')).status, 400)
    }
    assert.equal((await reset(key, undefined)).status, 400)
  })

  test('a reset never skips the second factor', async () => {
    const { world } = platform()
    const user = await withPhone(world)
    await ask(user.email)
    await reset(await resetKey(user.email), 'a brand new secret')
    const login = await signIn({ ...user, password: 'a brand new secret' })
    assert.equal((login.json as { nextstep: string }).nextstep, 'smslogin')
  })

  test('five mails per hour, whoever requests them', async () => {
    const { world } = platform()
    const user = await world.user()
    for (let i = 0; i < 8; i++) assert.equal((await ask(user.email)).status, 200)
    await resetKey(user.email, 5)
  })
})
