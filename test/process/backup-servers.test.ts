import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { readManifest } from '../../src/backup/manifest.ts'
import { admin, countOf, type Env, makeBackup, startFor } from '../support/backups.ts'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { command } from '../support/command.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { fillPlatform, PACKED_VALUES } from '../support/filled-platform.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import { temporaryDirectory } from '../support/process.ts'
import { onPostgres } from '../support/registries.ts'

const VALUES = PACKED_VALUES + 100

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statement)
  await client.end()
}

onPostgres('a backup', (engine) => {
  test('says that the registry is elsewhere, and verify compares its lineage and rows', async (t) => {
    const directory = temporaryDirectory()
    const backups = join(directory, 'backups')
    const CARACAL_REGISTRY_URL = await engine.url()
    const env: Env = { CARACAL_DATA_DIR: join(directory, 'data'), CARACAL_REGISTRY_URL, ...admin }
    const caracal = await startFor(t, env)
    const site = await fillPlatform(caracal)
    const { elsewhere, name } = await makeBackup(env, backups)
    assert.deepEqual(
      elsewhere.map(({ part }) => part),
      ['registry']
    )
    assert(!existsSync(join(backups, name, 'registry.sqlite')))
    assert(!readFileSync(join(backups, name, 'manifest.json'), 'utf8').includes('password'))
    const { registry } = readManifest(join(backups, name)).servers ?? {}
    assert.equal(registry?.['installations'], 1)
    assert.equal(registry?.['files'], 1)
    await caracal.stop()
    assert.match((await command({}, 'verify', backups)).out, /registry is not in this backup/)
    const verify = (url: string) => command({ CARACAL_REGISTRY_URL: url }, 'verify', backups)
    const compared = await verify(CARACAL_REGISTRY_URL)
    assert.equal(compared.code, 0, compared.out)
    assert.doesNotMatch(compared.out, /not in this backup|note/)

    const to = join(directory, 'restored')
    assert.equal((await command({}, 'restore', backups, '--to', to)).code, 0)
    const again = await startFor(t, { CARACAL_DATA_DIR: to, CARACAL_REGISTRY_URL })
    assert.equal(await countOf(again, site), VALUES)
    await again.stop()

    await onServer(CARACAL_REGISTRY_URL, 'delete from files')
    const incomplete = await verify(CARACAL_REGISTRY_URL)
    assert.equal(incomplete.code, 1)
    assert.match(incomplete.out, /CARACAL_REGISTRY_URL: it has fewer rows .*: files 0 instead of 1/)

    const other = await engine.url()
    const stranger = await startFor(t, {
      ...{ CARACAL_DATA_DIR: temporaryDirectory(), CARACAL_REGISTRY_URL: other, ...admin }
    })
    await stranger.stop()
    const wrong = await verify(other)
    assert.equal(wrong.code, 1)
    assert.match(wrong.out, /belongs to platform/)
  })
})

describe('a backup beside ClickHouse', { skip: withoutClickhouse }, () => {
  let postgres: Postgres
  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
  })
  after(() => postgres?.stop())

  test('holds the spool and the files; verify compares lineage and values of the server', async (t) => {
    const directory = temporaryDirectory()
    const backups = join(directory, 'backups')
    const servers = {
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: await newDatabase()
    }
    const env: Env = { CARACAL_DATA_DIR: join(directory, 'data'), ...servers, ...admin }
    const caracal = await startFor(t, env)
    const site = await fillPlatform(caracal)
    await eventually(async () => assert.equal(await countOf(caracal, site), VALUES))
    const { elsewhere, name } = await makeBackup(env, backups)
    assert.deepEqual(elsewhere.map(({ part }) => part).sort(), ['history', 'registry'])
    assert(!existsSync(join(backups, name, 'history')))
    const { history } = readManifest(join(backups, name)).servers ?? {}
    assert.deepEqual(history, {
      months: { '2023-11': VALUES },
      installations: { [site.id]: VALUES }
    })
    const verify = () => command(servers, 'verify', backups, '--json')
    const compared = await verify()
    assert.equal(compared.code, 0, compared.out)
    assert.deepEqual(JSON.parse(compared.out).notes, [])
    const without = await command({}, 'verify', backups)
    assert.equal(without.code, 0)
    assert.match(without.out, /the history is not in this backup/)

    const removed = await fetch(
      `${caracal.url}/api/v3beta/log/${site.id}?topics=${site.client_id}/obj/t100&from=0&to=2000000000`,
      { method: 'DELETE', headers: { 'x-api-key': site.token } }
    )
    assert.equal(removed.status, 200, await removed.text())
    await caracal.stop()
    const incomplete = await verify()
    assert.equal(incomplete.code, 1)
    const [finding] = JSON.parse(incomplete.out).findings as { file: string; fault: string }[]
    assert.deepEqual(finding, {
      file: 'CARACAL_HISTORY_URL',
      fault:
        'it has fewer values than when the backup was made, so they were deleted since then or are lost: 2023-11 25 000 instead of 25 100',
      lost: `values of the installations ${site.id}`
    })

    const to = join(directory, 'restored')
    assert.equal((await command({}, 'restore', backups, '--to', to)).code, 0)
    const again = await startFor(t, { CARACAL_DATA_DIR: to, ...servers })
    assert.equal(await countOf(again, site), PACKED_VALUES)
    await again.stop()
  })
})
