import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readLast } from '../../src/backup/last.ts'
import { readManifest } from '../../src/backup/manifest.ts'
import { admin, countOf, type Env, makeBackup, startFor } from '../support/backups.ts'
import { command } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { fillPlatform, PACKED_VALUES as VALUES } from '../support/filled-platform.ts'
import { createInstallation, temporaryDirectory } from '../support/process.ts'
import type { Program } from '../support/program.ts'

const packsIn = (directory: string) => {
  const packs = join(directory, 'history/sqlite/packs')
  return new Map(
    readdirSync(packs).map((name) => {
      const { ino, nlink } = statSync(join(packs, name))
      return [name, { ino, nlink }]
    })
  )
}

describe('a backup of a running platform', () => {
  test('becomes a platform that is as it was, and shares unchanged files with the one before', async (t) => {
    const directory = temporaryDirectory()
    const env: Env = { CARACAL_DATA_DIR: join(directory, 'data'), ...admin }
    const backups = join(directory, 'backups')
    const caracal = await startFor(t, env)
    const site = await fillPlatform(caracal)
    const first = await makeBackup(env, backups)
    assert.deepEqual(first.missing, [])
    assert(first.samples >= VALUES + 100)
    const second = await makeBackup(env, backups)
    const folder = join(backups, second.name)
    const [live, one, two] = [join(directory, 'data'), join(backups, first.name), folder].map(
      packsIn
    )
    assert(one && two && one.size > 0)
    for (const [name, { ino }] of two) {
      assert.equal(ino, one.get(name)?.ino, 'the same file')
      assert.equal(ino, live?.get(name)?.ino, 'on one disk it is that of the platform')
    }
    assert(second.new_bytes < second.bytes)
    const manifest = readManifest(folder)
    assert.equal(manifest.samples.installations[site.id], VALUES + 100)
    assert.equal(manifest.samples.months['2023-11'], VALUES + 100)
    assert.equal(manifest.rows.registry['installations'], 1)
    assert.deepEqual(readdirSync(folder).sort(), [
      ...['files', 'files.ndjson', 'history', 'manifest.json'],
      ...['mqtt.sqlite', 'registry.sqlite', 'spool.sqlite']
    ])
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    for (const name of readdirSync(folder))
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0)
    assert(!existsSync(join(directory, 'data/backup.staging')))

    const status = JSON.parse((await command(env, 'status', '--json')).out)
    assert.equal(status.backup.made.place, folder)
    const health = await (await fetch(`${caracal.url}/health/ready`)).json()
    const { backup } = health as { backup: { ok: boolean; made: number } }
    assert.equal(backup.ok, true)
    assert.equal(backup.made, status.backup.made.ended)
    await caracal.stop()

    const to = join(directory, 'restored')
    const restored = await command({}, 'restore', backups, '--to', to)
    assert.equal(restored.code, 0, restored.out + restored.err)
    assert(restored.out.includes(second.name), 'the newest one, and it says so')
    const again = await startFor(t, { CARACAL_DATA_DIR: to })
    assert.equal(await countOf(again, site), VALUES + 100)
    const headers = { 'x-api-key': site.token }
    const files = await fetch(`${again.url}/api/v2/file/installation/${site.id}`, { headers })
    const [file] = (await files.json()) as { hash: string }[]
    const content = await fetch(`${again.url}/api/v2/file/download/${file?.hash}`, { headers })
    assert.equal(await content.text(), 'a manual')
    await again.stop()
    const refused = await command({}, 'restore', backups, '--to', to)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /is not empty: restore into a new directory/)
    const verified = await command({ CARACAL_DATA_DIR: to }, 'verify', to)
    assert.equal(verified.code, 0, verified.out)
  })

  test('on another disk copies what is new, and links the rest from the one before', async (t) => {
    if (!existsSync('/dev/shm')) return t.skip('there is no second file system')
    const backups = mkdtempSync('/dev/shm/caracal-')
    after(() => rmSync(backups, { recursive: true, force: true }))
    const env: Env = { CARACAL_DATA_DIR: temporaryDirectory(), ...admin }
    const caracal = await startFor(t, env)
    await fillPlatform(caracal)
    const names = [await makeBackup(env, backups), await makeBackup(env, backups)].map(
      ({ name }) => name
    )
    const [one, two] = names.map((name) => packsIn(join(backups, name)))
    assert(one && two && one.size > 0)
    for (const [name, { ino, nlink }] of two) {
      assert.equal(ino, one.get(name)?.ino)
      assert.equal(nlink, 2)
    }
    for (const name of names)
      assert.equal((await command({}, 'verify', join(backups, name))).code, 0)
    await caracal.stop()
  })

  test('keeps so many, and refuses places that cannot work', async (t) => {
    const directory = temporaryDirectory()
    const env: Env = { CARACAL_DATA_DIR: join(directory, 'data'), ...admin }
    const backups = join(directory, 'backups')
    const caracal = await startFor(t, env)
    mkdirSync(join(backups, '.partial-2020-01-01T000000Z'), { recursive: true })
    mkdirSync(join(backups, 'notes'))
    const names: string[] = []
    for (let i = 0; i < 4; i++) names.push((await makeBackup(env, backups, '--keep', '2')).name)
    const left = readdirSync(backups).filter((name) => name !== '.lock')
    assert.deepEqual(left.sort(), [...names.slice(2), 'notes'].sort())

    const refusals = async (place: string) => (await command(env, 'backup', place)).err
    assert.match(await refusals(join(directory, 'data/backups')), /is inside of CARACAL_DATA_DIR/)
    writeFileSync(join(directory, 'a file'), '')
    assert.match(await refusals(join(directory, 'a file')), /cannot be written/)
    const usage = await command(env, 'backup', backups, '--keep', 'all')
    assert.equal(usage.code, 2)
    const [one, two] = await Promise.all([
      command(env, 'backup', backups),
      command(env, 'backup', backups)
    ])
    assert.deepEqual([one.code, two.code].sort(), [0, 1])
    assert.match(one.err + two.err, /a backup is being made already/)
    const failed = await command(env, 'status')
    assert.equal(failed.code, 0, 'the last one worked')
    await caracal.stop()

    const { name } = await makeBackup(env, backups)
    assert.equal((await command({}, 'verify', join(backups, name))).code, 0, 'a stopped platform')
    assert.match((await command(env, 'status')).out, new RegExp(`Backup.*${name}`))
  })
})

test('a backup whose command is ended, or whose platform stops, leaves nothing behind', async (t) => {
  const directory = temporaryDirectory()
  const dataDir = join(directory, 'data')
  const backups = join(directory, 'backups')
  const caracal = await startFor(t, { CARACAL_DATA_DIR: dataDir, ...admin })
  await fillPlatform(caracal)
  const ask = (signal?: AbortSignal) => {
    const body = JSON.stringify({ directory: backups })
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const socketPath = join(dataDir, 'control.sock')
    const asked = request({
      ...{ socketPath, path: '/backup', method: 'POST', headers, agent: false },
      ...(signal && { signal })
    })
    asked.on('error', () => {})
    asked.end(body)
  }
  const entries = () =>
    existsSync(backups) ? readdirSync(backups).filter((name) => name !== '.lock') : []
  const isUnfinished = (name: string) => name.startsWith('.')
  const nothing = () =>
    eventually(() => {
      assert.deepEqual(entries().filter(isUnfinished), [])
      assert(!existsSync(join(dataDir, 'backup.staging')))
    }, 15_000)
  const hangUp = new AbortController()
  ask(hangUp.signal)
  await eventually(() => assert(entries().some(isUnfinished)))
  hangUp.abort()
  await nothing()
  assert.deepEqual(entries(), [])
  // The one before may still be ending.
  await eventually(() => {
    ask()
    assert(entries().length > 0)
  })
  assert.equal(await caracal.stop(), 0)
  await nothing()
  for (const name of entries()) {
    assert.equal((await command({}, 'verify', join(backups, name))).code, 0)
  }
  const { failed } = readLast(dataDir)
  assert(!failed?.error.includes('stopped'), 'a stop is no failure')
})

test('a platform with CARACAL_BACKUP_DIR makes backups by itself, and says when one fails', async (t) => {
  const directory = temporaryDirectory()
  const backups = join(directory, 'backups')
  const env: Env = {
    ...{ CARACAL_DATA_DIR: join(directory, 'data'), ...admin },
    ...{ CARACAL_BACKUP_DIR: backups, CARACAL_BACKUP_EVERY: '15m', CARACAL_BACKUP_KEEP: '2' }
  }
  const caracal = await startFor(t, env)
  const { token } = await createInstallation(caracal, 'Cabin')
  const metric = async ({ url }: Program, name: string) => {
    const answer = await fetch(`${url}/metrics`, { headers: { 'x-api-key': token } })
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1])
  }
  await eventually(() => assert(existsSync(join(directory, 'data/backup.json'))), 20_000)
  const [name = ''] = readdirSync(backups).filter((entry) => !entry.startsWith('.'))
  assert.equal((await command({}, 'verify', join(backups, name))).code, 0)
  const at = await metric(caracal, 'caracal_backup_last_success_timestamp_seconds')
  assert(Math.abs(at - Date.now() / 1000) < 60)
  assert((await metric(caracal, 'caracal_backup_last_size_bytes')) > 1000)
  assert.equal(await metric(caracal, 'caracal_backup_failures_total'), 0)
  await caracal.stop()

  rmSync(join(directory, 'data/backup.json'))
  const again = await startFor(t, env)
  await eventually(async () =>
    assert.equal(await metric(again, 'caracal_backup_last_success_timestamp_seconds'), at)
  )
  assert.equal(readdirSync(backups).filter((entry) => !entry.startsWith('.')).length, 1, 'not due')
  await again.stop()

  writeFileSync(join(directory, 'file'), '')
  const wrong = await startFor(t, { ...env, CARACAL_BACKUP_DIR: join(directory, 'file') })
  await eventually(async () =>
    assert.equal(await metric(wrong, 'caracal_backup_failures_total'), 1)
  )
  const answer = await fetch(`${wrong.url}/health/ready`)
  assert.equal(answer.status, 200, 'a failed backup does not take the platform away')
  const health = (await answer.json()) as { backup: { ok: boolean } }
  assert.equal(health.backup.ok, false)
  const status = await command(env, 'status')
  assert.equal(status.code, 1)
  assert.match(status.out, /WRONG +the last backup failed: .*cannot be written/)
  await wrong.stop()
})
