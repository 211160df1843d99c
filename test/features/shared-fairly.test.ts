import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onRegistryMatrix } from '../support/registries.ts'
import { withPlatform } from '../support/scenario.ts'

/** Other tests fail to sign in from other addresses. */
const origin = { address: '198.51.100.77', agent: 'test' }

onRegistryMatrix('what callers share', (engine) => {
  const { platform } = withPlatform(engine)

  test('a change of one user does not clear the cache of others', async () => {
    const { world, deps } = platform()
    const [one, other] = [await world.user(), await world.user()]
    const principal = async () => {
      const found = await deps.identity.byNameAndPassword(other.email, other.password, origin)
      assert('principal' in found)
      return found.principal
    }
    const first = await principal()
    const note = await world.request('PUT /api/v2/user/me', { as: one, body: { note: 'x' } })
    assert.equal(note.status, 200)
    assert.equal(await principal(), first, 'it is remembered')
    const own = await world.request('PUT /api/v2/user/me', { as: other, body: { note: 'x' } })
    assert.equal(own.status, 200)
    assert.notEqual(await principal(), first, 'what changed is asked for again')
  })

  test('a password is hashed only if everything else is right, and two at once per account', async () => {
    const { world } = platform()
    const [user, other] = [await world.user(), await world.user()]
    const put = (body: object) => world.request('PUT /api/v2/user/me', { as: user, body })
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        put({ email: other.email, password: `a long enough password ${i}` })
      )
    )
    for (const { status, json } of taken) {
      assert.deepEqual([status, json], [400, { message: 'email is taken' }])
    }
    const changed = await Promise.all(
      Array.from({ length: 8 }, (_, i) => put({ password: `another password ${i}` }))
    )
    const statuses = changed.map(({ status }) => status)
    assert(statuses.includes(200), String(statuses))
    const refused = changed.find(({ status }) => status === 429)
    assert.deepEqual(refused?.json, { message: 'Too many password checks at once' })
    assert.equal(refused?.headers.get('retry-after'), '1')
  })
})
