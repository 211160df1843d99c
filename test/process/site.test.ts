import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onEveryRegistry } from '../support/registries.ts'
import { exported, fillSite, imported, siteAsShown } from '../support/site.ts'

const envOf = ({ dataDir }: TestPlatform) => ({ CARACAL_DATA_DIR: dataDir })

/** The organization must have an executor of the same name before the import. */
async function organizationWithExecutor({ world }: TestPlatform): Promise<number> {
  const organization_id = await world.organization()
  await world.request('POST /api/v2/admin/notification/executor', {
    as: world.admin,
    body: { organization_id, name: 'SMS', type: 'http', config: { url: 'https://example.org/' } }
  })
  return organization_id
}

onEveryRegistry('a site that moves', (engine) => {
  const opened: TestPlatform[] = []
  const open = async () => {
    const platform = await startTestPlatform({ registryUrl: await engine.url() })
    opened.push(platform)
    return platform
  }
  after(async () => {
    for (const platform of opened) await platform.stop()
  })

  test('is the same on another platform, object by object and value by value', async () => {
    const [from, to] = [await open(), await open()]
    const organization_id = await from.world.organization()
    const { id, client_id } = await fillSite(from, { organization_id })
    const user = await from.world.user({ organizations: [organization_id], assigned: [id] })
    const file = join(temporaryDirectory(), 'site')
    const before = await siteAsShown(from, id)
    const written = await exported(envOf(from), id, file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert(!existsSync(`${file}.partial`))
    assert.deepEqual(written.executors, ['SMS'])
    const left = written.left_behind.map(({ what, names }) => [what, ...names])
    assert.deepEqual(left[0], ['assigned users', user.email])
    assert(left.some(([what]) => what === 'trace entries'))

    // Ids on the other platform differ.
    await to.world.installation()
    const organization = await organizationWithExecutor(to)
    let made: Awaited<ReturnType<typeof imported>> | undefined
    const news = await to.world.published(async () => {
      made = await imported(envOf(to), file, ['--organization', String(organization)])
    })
    assert(made)
    assert.notEqual(made.client_id, client_id)
    assert.deepEqual(
      news.sort(),
      ['devicex', 'edge_app', 'functionx', 'installation', 'schedule'].map(
        (kind) => `${made?.client_id}/evt/${kind}/updated`
      )
    )
    assert.deepEqual(await siteAsShown(to, made.id), before)
    assert.deepEqual(made.outside, {
      count: 1,
      names: [made.outside.names.find((name) => name.endsWith('topic 999999/set/obj/elsewhere'))]
    })
    assert.deepEqual(
      made.left_behind.map(({ what, names }) => [what, ...names]),
      [['quotas', 'topics']]
    )
    const { json: quota } = await to.world.request(`GET /api/v2/installation/${made.id}/quota`, {
      as: to.world.admin
    })
    const { overrides } = quota as { overrides: object }
    assert.deepEqual(overrides, { history_days: 9000 })
    const { json: trace } = await to.world.request('GET /api/v2/trace?limit=10', {
      as: to.world.admin
    })
    assert.match(JSON.stringify(trace), /imported installation \d+, by a command/)
    await eventually(async () => {
      const as = to.world.admin
      const found = await to.world.request('GET /api/v3beta/search?q=sensor&types=device', { as })
      assert.match(found.text, /"total":1\b/)
    })

    // New values go on, and the newest one is shown.
    await to.world.publish(to.world.admin, `${made.client_id}/obj/live`, { value: 43 })
    const { text } = await to.world.request(`GET /api/v2/status/${made.id}?topics=obj/live`, {
      as: to.world.admin
    })
    assert.match(text, /"value":43/)
    // What was imported is charged.
    const { bytes } = await to.deps.registry
      .selectFrom('usage')
      .select('bytes')
      .where('kind', '=', 'installation')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow()
    assert(bytes > 2000 * 16)
  })

  test('comes a second time to another organization of the same platform', async () => {
    const platform = await open()
    const { id } = await fillSite(platform, {
      organization_id: await platform.world.organization(),
      rows: 200,
      objects: 3
    })
    const file = join(temporaryDirectory(), 'site')
    const before = (await siteAsShown(platform, id)) as { installation: object }
    await exported(envOf(platform), id, file)
    const organization = await organizationWithExecutor(platform)
    const options = ['--organization', String(organization), '--name', 'copy', '--with-quotas']
    const made = await imported(envOf(platform), file, options)
    assert.equal(made.organization_id, organization)
    assert.deepEqual(await siteAsShown(platform, made.id), {
      ...before,
      installation: { ...before.installation, name: 'copy' }
    })
    assert.deepEqual(made.left_behind, [])
    // The one that was there is as it was.
    assert.deepEqual(await siteAsShown(platform, id), before)
  })
})
