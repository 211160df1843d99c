import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { withPlatform } from '../support/scenario.ts'
import { imported } from '../support/site.ts'
import { readWhole } from '../support/site-file.ts'

const forbidden = { status: 403, body: { message: 'Forbidden' } }

onRegistryMatrix('export of a site over HTTP', (engine) => {
  const dataDir = temporaryDirectory()
  const settings = { CARACAL_DATA_DIR: dataDir }
  const { platform, scenario } = withPlatform(engine, { settings })
  const left = () => readdirSync(join(dataDir, 'exports'))

  async function filled() {
    const { world } = platform()
    const { installation, user } = await world.site(['site/export/all', 'mqtt/#'])
    const { id, client_id } = installation
    const meta = { name: 'Hall', topic_read: 'obj/hall' }
    await world.request(`POST /api/v2/functionx/${id}`, {
      as: world.admin,
      body: { type: 'temperature', meta, protected_meta: { secret: 'of the site' } }
    })
    await world.publish(user, `${client_id}/obj/hall`, { value: 21.5, timestamp: 1.7e9 })
    return { world, id, user, path: `/api/v2/installation/${id}/export` }
  }

  const download = async (url: string, { token }: { token: string }, signal?: AbortSignal) =>
    fetch(url, { method: 'POST', headers: { 'x-api-key': token }, ...(signal && { signal }) })

  test('the file has everything, can be imported, and nothing of it stays', async () => {
    const { world, id, user, path } = await filled()
    const before = Date.now()
    const answers: Response[] = []
    const published = await world.published(async () => {
      answers.push(await download(platform().url + path, user))
    })
    assert.deepEqual(published, [])
    const [answer] = answers
    assert.equal(answer?.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/octet-stream')
    const disposition = answer.headers.get('content-disposition')
    assert.equal(disposition, `attachment; filename=installation-${id}.site`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.equal(Number(answer.headers.get('content-length')), bytes.length)
    const file = join(dataDir, `${id}.site`)
    writeFileSync(file, bytes)
    const parts = await readWhole(file)
    const samples = parts.flatMap((part) => (part.of === 'samples' ? part.samples : []))
    assert.deepEqual(
      samples.map(({ value }) => value),
      [21.5]
    )
    assert.match(JSON.stringify(parts), /"secret":"of the site"/)
    assert.deepEqual(left(), [])

    const { id: copy } = await imported(settings, file)
    const { json } = await world.request(`GET /api/v3beta/log/${copy}?from=0`, { as: world.admin })
    assert.deepEqual((json as { data: { value: number }[] }).data[0]?.value, 21.5)

    const trace = `GET /api/v2/trace?object_type=installation&object_id=${id}`
    const { json: traced } = await world.request(trace, { as: world.admin })
    type Entry = { user_id: number; description: string; timestamp: number }
    const [entry] = (traced as { data: Entry[] }).data
    assert.equal(entry?.user_id, user.id)
    assert.match(entry.description, /exported installation/)
    assert((entry?.timestamp ?? 0) >= Math.floor(before / 1000))
  })

  test('a caller who hangs up leaves nothing behind', async () => {
    const { user, path } = await filled()
    const stop = new AbortController()
    const asked = download(platform().url + path, user, stop.signal)
    await eventually(() => assert.notDeepEqual(left(), []))
    stop.abort()
    await assert.rejects(asked)
    await eventually(() => assert.deepEqual(left(), []))
  })

  scenario('without a sign-in', {
    request: 'POST /api/v2/installation/1/export',
    expect: { status: 401, body: { message: 'Unauthorized' } }
  })

  scenario('who reads all values may still not export', {
    given: (world) => world.site(['log/#', 'installation/#', 'functionx/#', 'file/#']),
    as: ({ user }) => user,
    request: ({ installation: { id } }) => `POST /api/v2/installation/${id}/export`,
    expect: forbidden
  })

  test('of another tenant', async () => {
    const { world, path } = await filled()
    const { user } = await world.site(['site/#'])
    const { status } = await world.request(`POST ${path}`, { as: user })
    assert.equal(status, 403)
  })

  test('an id that is no number is 400', async () => {
    const { world } = platform()
    const { status, json } = await world.request('POST /api/v2/installation/x/export', {
      as: world.admin
    })
    assert.equal(status, 400)
    assert.match((json as { message: string }).message, /installation_id/)
  })
})

test(
  'what a killed process left is removed at the start, and a full disk refuses the export',
  slow,
  async (t) => {
    const dataDir = temporaryDirectory()
    const stale = join(dataDir, 'exports', 'stale.partial')
    mkdirSync(join(dataDir, 'exports'), { recursive: true })
    writeFileSync(stale, 'half')
    const settings = { CARACAL_DATA_DIR: dataDir, CARACAL_DISK_RESERVE_MB: '1000000000' }
    const platform = await startTestPlatform({ settings })
    t.after(() => platform.stop())
    assert(!existsSync(stale))
    assert.equal(statSync(join(dataDir, 'exports')).mode & 0o777, 0o700)
    const { world } = platform
    const { id } = await world.installation()
    const { status, json } = await world.request(`POST /api/v2/installation/${id}/export`, {
      as: world.admin
    })
    assert.deepEqual([status, json], [507, { message: 'The disk is full up to its reserve' }])
    assert.deepEqual(readdirSync(join(dataDir, 'exports')), [])
  }
)
