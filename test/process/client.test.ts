import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Caracal, CaracalError } from '../../tools/client/client.ts'
import { eventually } from '../support/eventually.ts'
import { lettersTo } from '../support/outbox.ts'
import { ADMIN } from '../support/platform.ts'
import { withPlatform } from '../support/scenario.ts'

const { platform } = withPlatform(undefined, {})
const example = fileURLToPath(new URL('../../tools/client/example.ts', import.meta.url))

test('the example signs in, lists, reads and writes', async () => {
  const { url, world } = platform()
  const house = await world.installation({ organization_id: 1, name: 'Town hall' })
  await world.publish(world.admin, `${house.client_id}/obj/temperature/hall`, { value: 21.5 })
  await eventually(async () => {
    const log = await world.request(`GET /api/v3beta/log/${house.id}`, { as: world.admin })
    assert.equal((log.json as { total: number }).total, 1)
  })
  const { stdout } = await promisify(execFile)(process.execPath, [example, url, ADMIN.email], {
    env: { ...process.env, CARACAL_PASSWORD: ADMIN.password }
  })
  const [first, second, value, ...rest] = stdout.trimEnd().split('\n')
  assert.deepEqual(
    [first, second],
    [`signed in as ${ADMIN.email}`, `installation ${house.id}: Town hall`]
  )
  assert.match(value ?? '', new RegExp(`^${house.client_id}/obj/temperature/hall 21\\.5 20\\d\\d-`))
  assert.deepEqual(rest, ['1 of 1 hours', 'found Example', '404 Not found'])
})

test('the client asks for the code of a second factor', async () => {
  const { url, world } = platform()
  const mobile = '+46701234567'
  const { id, email, password } = await world.user({ sms_login: true, mobile })
  const code = () =>
    eventually(() => lettersTo(platform(), mobile)[0]?.code ?? assert.fail('no message'))
  const caracal = await Caracal.signIn(url, { email, password, code })
  assert.equal((await caracal.get('/api/v2/user/me')).id, id)
  await assert.rejects(Caracal.signIn(url, { email, password }), { status: 401 })
})

test('the client sends metadata keys, lists, files and lines of values', async () => {
  const { url, world } = platform()
  const { id: installation_id } = await world.installation({ organization_id: 1 })
  const caracal = new Caracal(url, world.admin.token)
  const path = { installation_id }
  const meta_key = 'a key/with a slash'
  await caracal.post('/api/v2/installation/{installation_id}/meta/{meta_key}', {
    path: { ...path, meta_key },
    body: { value: 'yes', protected: false }
  })
  const { meta } = await caracal.get('/api/v2/installation/{installation_id}', { path })
  assert.deepEqual(meta, { [meta_key]: 'yes' })
  // The address would be the installation itself.
  await assert.rejects(
    caracal.delete('/api/v2/installation/{installation_id}/meta/{meta_key}', {
      path: { ...path, meta_key: '..' }
    }),
    TypeError
  )

  const { imported } = await caracal.post('/api/v3beta/log/{installation_id}/import', {
    path,
    body: '1767225600,obj/a,1,\n1767225601,obj/b,2,\n1767225602,obj/c,3,\n'
  })
  assert.equal(imported, 3)
  const { data } = await caracal.get('/api/v3beta/log/{installation_id}', {
    path,
    query: { from: 1_767_225_600, to: 1_767_225_700, topics: ['obj/a', 'obj/c'], order: 'asc' }
  })
  assert.deepEqual(
    data.map(({ value }) => value),
    [1, 3]
  )

  const form = new FormData()
  form.append('file', new Blob(['a plan'], { type: 'text/plain' }), 'plan.txt')
  const [file] = await caracal.post('/api/v2/file/installation/{installation_id}', {
    path,
    body: form
  })
  const { hash = '' } = file ?? {}
  const answer = await caracal.raw('GET', '/api/v2/file/download/{hash}', { path: { hash } })
  assert.equal(await answer.text(), 'a plan')
})

test('an error has a status, the message, and how long to wait', async () => {
  const { url, world } = platform()
  const caracal = new Caracal(url, world.admin.token)
  const path = { installation_id: 999_999 }
  await assert.rejects(caracal.get('/api/v2/status/{installation_id}', { path }), (error) => {
    assert(error instanceof CaracalError)
    assert.deepEqual([error.status, error.message, error.retryAfter], [403, 'Forbidden', undefined])
    return true
  })
  await assert.rejects(caracal.get('/api/v3beta/search', { query: { q: 'x', limit: -1 } }), {
    status: 400,
    message: /^limit must be/
  })
})

test('the types refuse what the API does not know', () => {
  // Only the type checker looks at this.
  const use = async (caracal: Caracal) => {
    // @ts-expect-error This path is not there.
    await caracal.get('/api/v2/nothing')
    // @ts-expect-error This path has no DELETE.
    await caracal.delete('/api/v2/status/{installation_id}', { path: { installation_id: 1 } })
    // @ts-expect-error The path needs an installation.
    await caracal.get('/api/v2/status/{installation_id}')
    // @ts-expect-error The search needs a text.
    await caracal.get('/api/v3beta/search', { query: {} })
    // @ts-expect-error There is no such parameter.
    await caracal.get('/api/v2/installationinfo', { query: { nothing: 1 } })
    // @ts-expect-error A user needs an e-mail address.
    await caracal.post('/api/v2/user', { body: { first_name: 'Anna' } })
    const me = await caracal.get('/api/v2/user/me')
    // @ts-expect-error There is no such field.
    return me.nothing
  }
  assert(use)
})
