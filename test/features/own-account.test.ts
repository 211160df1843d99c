import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { eventually } from '../support/eventually.ts'
import { lettersTo } from '../support/outbox.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

onRegistryMatrix('a change of the own password, e-mail or mobile', (engine) => {
  let ahead = 0
  const { platform } = withPlatform(engine, { clock: () => unixMs(Date.now() + ahead) })
  const status = async (line: string, as: { token: string }, body?: unknown) =>
    (await platform().world.request(line, { as, body })).status
  const told = (to: string) => lettersTo(platform(), to).map(({ subject, text }) => [subject, text])
  const notice = (what: string) =>
    [
      `The ${what} of your account was changed`,
      'by somebody who was signed in as you. The other sign-ins have ended;',
      'API keys still work.',
      '',
      'If it was not you, tell your administrator now.',
      '',
      platform().url,
      ''
    ].join('\n')

  async function person() {
    const { world } = platform()
    const { installation, user } = await world.site(['mqtt/#', 'status/#'])
    const signIn = async () => {
      const authorization = `Basic ${Buffer.from(`${user.email}:${user.password}`).toString('base64')}`
      const { json } = await world.request('POST /api/v2/auth', { headers: { authorization } })
      return json as { token: string }
    }
    const made = await world.request('POST /api/v2/user/me/security/token', {
      as: user,
      body: { name: 'key' }
    })
    return { user, installation, other: await signIn(), key: made.json as { token: string } }
  }

  const given = (current_password: string) => ({
    current_password,
    new_password: 'a brand new secret'
  })
  const cases: {
    what: string
    line: string
    body: (password: string) => Record<string, string>
  }[] = [
    {
      what: 'password',
      line: 'PUT /api/v2/user/me',
      body: () => ({ password: 'a brand new secret' })
    },
    { what: 'password', line: 'PUT /api/v2/user/password', body: given },
    { what: 'password', line: 'PUT /api/v2/user/me/password', body: given },
    {
      what: 'e-mail address',
      line: 'PUT /lynx/api/v2/user/me',
      body: () => ({ email: `${platform().world.unique('moved')}@example.org` })
    },
    {
      what: 'mobile number',
      line: 'PUT /api/v2/user/me',
      body: () => ({ mobile: '+46 70 000 00 00' })
    }
  ]
  for (const { what, line, body } of cases) {
    test(`${line}: the change of the ${what} is told by mail, and other sessions end`, async () => {
      const { world } = platform()
      const { user, other, key } = await person()
      const [own, others, byKey] = await Promise.all(
        [user, other, key].map((one) => world.mqtt(one))
      )
      assert(own && others && byKey)
      const sent = body(user.password)
      assert.equal(await status(line, user, sent), 200)
      await eventually(() =>
        assert.deepEqual(told(user.email), [['Your account was changed', notice(what)]])
      )
      for (const to of sent['email'] ? [sent['email']] : []) {
        await eventually(() =>
          assert.deepEqual(told(to), [['Your account was changed', notice(what)]])
        )
      }
      assert.equal(await status('GET /api/v2/user/me', user), 200, 'the one in use')
      assert.equal(await status('GET /api/v2/user/me', other), 401, 'the other one')
      assert.equal(await status('GET /api/v2/user/me', key), 200, 'API keys stay')
      await eventually(() => assert.equal(others.mqtt.connected, false))
      assert.deepEqual([own.mqtt.connected, byKey.mqtt.connected], [true, true])
      const { json } = await world.request(
        `GET /api/v2/trace?object_type=user&object_id=${user.id}`,
        {
          as: world.admin
        }
      )
      const texts = JSON.stringify(json)
      const verb = line.endsWith('password') ? 'set' : 'changed'
      assert.match(texts, new RegExp(`${verb} the ${what} of user ${user.id}`))
    })
  }

  test('an unchanged value, and a change by others, send no mail', async () => {
    const { world } = platform()
    const { user, other } = await person()
    const { json } = await world.request('GET /api/v2/user/me', { as: user })
    assert.equal(await status('PUT /api/v2/user/me', user, { ...(json as object), note: 'x' }), 200)
    assert.equal(await status('GET /api/v2/user/me', other), 200)
    const path = `PUT /api/v2/user/${user.id}`
    assert.equal(await status(path, world.admin, { mobile: '+46 70 000 00 01' }), 200)
    assert.equal(await status('GET /api/v2/user/me', other), 200)
    assert.deepEqual(told(user.email), [])
  })

  test('a refused change sends no mail', async () => {
    const { world } = platform()
    const { user, other } = await person()
    const taken = (await world.user()).email
    assert.equal(await status('PUT /api/v2/user/me', user, { email: taken }), 400)
    assert.equal(await status('GET /api/v2/user/me', other), 200)
    assert.deepEqual([told(user.email), told(taken)], [[], []])
  })

  test('ten changes per hour are allowed, then 429, and other users are not affected', async () => {
    const { world } = platform()
    const [user, neighbour] = [await world.user(), await world.user()]
    const change = async (as: { token: string }, i: number) =>
      world.request('PUT /api/v2/user/me', { as, body: { mobile: `+46 70 000 00 ${10 + i}` } })
    for (let i = 0; i < 10; i++) assert.equal((await change(user, i)).status, 200)
    const { status: answer, json, headers } = await change(user, 10)
    assert.deepEqual([answer, json], [429, { message: 'Too many account changes' }])
    assert(Number(headers.get('retry-after')) > 0)
    assert.equal(await status('PUT /api/v2/user/me', user, { note: 'still fine' }), 200)
    assert.equal((await change(neighbour, 1)).status, 200)
    ahead += HOUR
    assert.equal((await change(user, 11)).status, 200)
  })
})
