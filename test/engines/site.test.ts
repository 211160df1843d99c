import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { exported, fillSite, imported, siteAsShown } from '../support/site.ts'

test('a site moves from history in files to ClickHouse and back', {
  skip: withoutClickhouse
}, async () => {
  const files = await startTestPlatform()
  const settings = { CARACAL_HISTORY_URL: await newDatabase() }
  const server = await startTestPlatform({ settings })
  try {
    const organization_id = await files.world.organization()
    const { id } = await fillSite(files, { organization_id, rows: 500, objects: 3 })
    const before = (await siteAsShown(files, id)) as Record<string, unknown>
    const directory = temporaryDirectory()
    await exported({ CARACAL_DATA_DIR: files.dataDir }, id, join(directory, 'there'))
    const env = { CARACAL_DATA_DIR: server.dataDir, ...settings }
    const made = await imported(env, join(directory, 'there'))
    // There is no executor of this name.
    const without = { ...before, outputs: [], instances: [] }
    const there = (await siteAsShown(server, made.id)) as Record<string, unknown>
    assert.deepEqual({ ...there, instances: [] }, without)
    assert.deepEqual(
      made.left_behind.map(({ what, names }) => [what, ...names]),
      [
        ['notification outputs', 'out (executor SMS)'],
        ['quotas', 'topics']
      ]
    )
    await exported(env, made.id, join(directory, 'back'))
    const back = await imported({ CARACAL_DATA_DIR: files.dataDir }, join(directory, 'back'))
    const shown = (await siteAsShown(files, back.id)) as Record<string, unknown>
    assert.deepEqual({ ...shown, instances: [] }, without)
  } finally {
    await server.stop()
    await files.stop()
  }
})
