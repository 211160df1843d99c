import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Kysely } from 'kysely'
import { migrate, migrations } from '../../src/registry/migrate.ts'
import { sqliteFile } from '../../src/registry/open.ts'
import { sqliteDialect } from '../../src/registry/sqlite/sqlite.ts'
import type { Tables } from '../../src/registry/tables.ts'
import { eventually } from '../support/eventually.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

function newDirectory(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'caracal-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const startOn = (dataDir: string) =>
  startTestPlatform({ settings: { CARACAL_DATA_DIR: dataDir, CARACAL_DISK_RESERVE_MB: '1' } })

const told = ({ logged }: TestPlatform, about: RegExp) =>
  logged
    .filter(({ msg }) => about.test(String(msg)))
    .map(({ msg, samples }) => (samples === undefined ? msg : `${msg}: ${samples}`))

test('an outage of history has a first and a last line', slow, async (t) => {
  const platform = await startTestPlatform()
  t.after(() => platform.stop())
  const { world, deps } = platform
  const { installation, user } = await world.site(['mqtt/publish/all'])
  const { append } = deps.history
  let tries = 0
  deps.history.append = () => {
    tries++
    return Promise.reject(new Error('history is away'))
  }
  await world.publish(user, `${installation.client_id}/obj/x`, { value: 1 })
  await eventually(() => assert(tries >= 3))
  assert.deepEqual(told(platform, /^history/), ['history does not take samples'])
  deps.history.append = append
  await eventually(() =>
    assert.deepEqual(told(platform, /^history/), [
      'history does not take samples',
      'history takes samples again'
    ])
  )
})

test(
  'samples that the last run left in the spool are told at the start and when they are in history',
  slow,
  async (t) => {
    const dataDir = newDirectory(t)
    const first = await startOn(dataDir)
    const { installation, user } = await first.world.site(['mqtt/publish/all'])
    first.deps.history.append = () => Promise.reject(new Error('history is away'))
    for (const value of [1, 2, 3]) {
      await first.world.publish(user, `${installation.client_id}/obj/x`, {
        value,
        timestamp: value
      })
    }
    await first.stop()
    const second = await startOn(dataDir)
    const about = /of the last run/
    await eventually(() =>
      assert.deepEqual(told(second, about), [
        'recovered 3 acknowledged values of the last run: they go to history now: 3',
        'the samples of the last run are in history: 3'
      ])
    )
    await second.stop()
    const third = await startOn(dataDir)
    t.after(() => third.stop())
    assert.deepEqual(told(third, about), [])
  }
)

test('the log names the schema that a start has found, and the new one', slow, async (t) => {
  const dataDir = newDirectory(t)
  const dialect = sqliteDialect(sqliteFile(dataDir))
  const old = new Kysely<Tables>({ dialect })
  await migrate(old, migrations.slice(0, -2))
  await old.destroy()
  const updated = await startOn(dataDir)
  const schema = /schema/
  const { length } = migrations
  assert.deepEqual(told(updated, schema), [`registry: schema ${length - 2} -> ${length}`])
  await updated.stop()
  const again = await startOn(dataDir)
  t.after(() => again.stop())
  assert.deepEqual(told(again, schema), [])
  const fresh = await startOn(newDirectory(t))
  t.after(() => fresh.stop())
  assert.deepEqual(told(fresh, schema), [], 'a new registry has nothing to bring up to date')
})
