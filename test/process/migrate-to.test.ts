import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { onPostgres } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'

const root = new URL('../..', import.meta.url).pathname
const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

test('migrate-to refuses with one line', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR }
  const f = async (args: string[], line: RegExp, more: Record<string, string> = {}) => {
    const { code, out, err } = await runCaracal({ ...env, ...more }, ['migrate-to', ...args])
    assert.equal(code, 1, err)
    assert.match(err, line)
    assert.equal(err.trimEnd().split('\n').length, 1, err)
    assert.equal(out, '')
  }
  const registry = 'postgres://u:secret@127.0.0.1:1/x'
  await f([], /caracal: nothing to move to: migrate-to \[--registry/)
  await f(['--regsitry', registry], /Unknown option '--regsitry': migrate-to/)
  await f(['extra'], /Unexpected argument 'extra'/)
  await f(['--registry'], /--registry <value>' argument missing/)
  await f(['--registry', 'mysql://x'], /--registry: must be a URL that begins with postgres:/)
  await f(['--registry', 'postgres://['], /--registry: must be a URL/)
  await f(['--history', 'clickhouse:9000'], /--history: must be a URL that begins with http:/)
  await f(['--history', 'http://127.0.0.1:1/'], /--history: must end with \/database/)
  await f(['--registry', registry, '--history-cluster', 'c'], /--history-cluster: must be the name/)
  await f(
    ['--history', 'http://127.0.0.1:1/x', '--history-cluster', '`'],
    /--history-cluster: must/
  )
  await f(['--history-file', '/nowhere'], /--history-file: cannot read \/nowhere/)
  const file = join(CARACAL_DATA_DIR, 'url')
  writeFileSync(file, `${registry}\n`)
  await f(['--registry', registry, '--registry-file', file], /--registry is given twice/)
  await f(['--registry-file', file], /caracal: CARACAL_DATA_DIR .* holds nothing to move/)
  await f(['--registry', registry], /CARACAL_REGISTRY_URL names a server/, {
    CARACAL_REGISTRY_URL: registry
  })
  await f(['--history', 'http://127.0.0.1:1/x'], /CARACAL_HISTORY_URL names a server/, {
    CARACAL_HISTORY_URL: 'https://127.0.0.1:1/x'
  })
  assert(!existsSync(join(CARACAL_DATA_DIR, 'lock')), 'nothing was made there')
})

onPostgres('migrate-to', (engine) => {
  test('moves a stopped data directory, also after several kills', slow, async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, ...admin }
    const caracal = await startCaracal(env)
    const { token, id } = await createInstallation(caracal, 'Cabin')
    for (let i = 0; i < 200; i++) {
      const meta = { name: `Lamp ${i}` }
      await fetch(`${caracal.url}/api/v2/functionx/${id}?silent=true`, {
        method: 'POST',
        headers: { 'x-api-key': token },
        body: JSON.stringify({ type: 'lamp', meta })
      })
    }
    const url = await engine.url()
    const args = ['migrate-to', '--registry', url]
    const refused = await runCaracal(env, args)
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /caracal: CARACAL_DATA_DIR .* is in use by another Caracal \(process \d+\)/
    )
    await caracal.kill('SIGKILL')
    for (const [at, why] of [
      ['127.0.0.1:1', 'connect ECONNREFUSED 127.0.0.1:1'],
      [new URL(url).host, 'database "nowhere" does not exist']
    ]) {
      const target = `postgres://caracal:hunter2@${at}/nowhere`
      const { code, err } = await runCaracal(env, ['migrate-to', '--registry', target])
      assert.deepEqual([code, err], [1, `caracal: --registry: ${at}: ${why}\n`])
    }

    for (const ms of [700, 1000, 1300]) {
      const child = spawn(process.execPath, ['caracal.js', ...args], { cwd: root, env })
      const exited = once(child, 'exit')
      await wait(ms)
      child.kill('SIGKILL')
      await exited
    }
    const { code, out, err } = await runCaracal(env, args)
    assert.equal(code, 0, err)
    assert.match(out, /Registry: \d+ rows, the same on both sides/)
    assert.match(out, /CARACAL_REGISTRY_URL=postgres:\/\/127/)
    assert.match(out, /mqtt\.sqlite/)
    assert(!out.includes('caracal@'), 'no credentials')

    const forgotten = await runCaracal(env)
    assert.equal(forgotten.code, 1)
    assert.match(
      forgotten.err,
      /^caracal: CARACAL_REGISTRY_URL is not set, but .* postgres:\/\/127/
    )
    const again = await runCaracal(env, args)
    assert.equal(again.code, 0, again.err)

    const moved = await startCaracal({ CARACAL_DATA_DIR, CARACAL_REGISTRY_URL: url })
    const found = await fetch(`${moved.url}/api/v3beta/search?q=Lamp*`, {
      headers: { 'x-api-key': token }
    })
    assert.equal(((await found.json()) as { total: number }).total, 200)
    assert.equal(await moved.kill('SIGTERM'), 0)

    const elsewhere = await runCaracal({
      ...{ CARACAL_DATA_DIR: temporaryDirectory(), CARACAL_REGISTRY_URL: url }
    })
    assert.match(elsewhere.err, /has had a history, but the history .* knows nothing of it/)
    rmSync(join(CARACAL_DATA_DIR, 'registry.moved'))
    const back = await startCaracal(env)
    assert.equal(await back.kill('SIGTERM'), 0)
  })
})
