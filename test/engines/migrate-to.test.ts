import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { encodeSample } from '../../src/lib/sample.ts'
import { HOUR, unixMs } from '../../src/lib/unix-time.ts'
import { insertInstallation } from '../../src/registry/installations.ts'
import { openRegistry } from '../../src/registry/open.ts'
import { insertOrganization } from '../../src/registry/organizations.ts'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { runCaracal, startCaracal, temporaryDirectory } from '../support/process.ts'

const root = new URL('../..', import.meta.url).pathname
const MONTHS = 5
const ROWS = 2000

test('migrate-to copies samples to a server, also after kill -9', {
  skip: withoutClickhouse
}, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR }
  await fill(CARACAL_DATA_DIR)
  const target = await newDatabase()
  const args = ['migrate-to', '--history', target]
  const child = spawn(process.execPath, ['caracal.js', ...args], { cwd: root, env })
  const exited = once(child, 'exit')
  await eventually(() => assert(existsSync(join(CARACAL_DATA_DIR, 'move.json'))), 120_000)
  child.kill('SIGKILL')
  await exited

  const { code, out, err } = await runCaracal(env, args)
  assert.equal(code, 0, err)
  assert.match(
    out,
    new RegExp(`History: ${MONTHS * ROWS + 1} samples, 8 topics, the same on both sides`)
  )
  assert.match(out, /CARACAL_HISTORY_URL=http:\/\/127/)
  const { username, password } = new URL(target)
  assert(!out.includes(password) && !out.includes(`${username}:`), 'no credentials')

  const again = await runCaracal(env, args)
  assert.equal(again.code, 0, again.err)
  const moved = { CARACAL_DATA_DIR, CARACAL_HISTORY_URL: target }
  const left = await runCaracal(moved)
  assert.match(left.err, /holds history of SQLite/)
  const old = join(CARACAL_DATA_DIR, 'history')
  renameSync(old, `${old}.moved`)
  const caracal = await startCaracal(moved)
  assert.equal(await caracal.kill('SIGTERM'), 0)

  const history = await openHistory({ url: target, dataDir: temporaryDirectory() })
  const { platform, reached } = await history.lineage()
  assert.deepEqual([typeof platform, reached.installation], ['string', 7])
  await history.close()
})

/** Seven installations with samples, used by a platform before. One more sample waits in the spool. */
async function fill(dataDir: string): Promise<void> {
  const registry = await openRegistry({ url: '', dataDir })
  const organization_id = await insertOrganization(registry, { name: 'x', parent_id: null }, 0)
  for (let i = 0; i < 7; i++) await insertInstallation(registry, { name: 'x', organization_id }, 0)
  await registry.destroy()
  const history = await openHistory({ url: '', dataDir })
  const sampleAt = (i: number) => ({
    ...{ id: i + 1, installation_id: 1 + (i % 7), client_id: 1000, topic: '1000/obj/a' },
    ...{ timestamp: unixMs(Date.UTC(2025, 0) + i * HOUR * 0.36), value: i / 7, msg: `${i % 3}` }
  })
  const lines = Array.from({ length: MONTHS * ROWS }, (_, i) => encodeSample(sampleAt(i)))
  await history.append(Buffer.from(lines.join('')), 'all')
  await history.close()
  const caracal = await startCaracal({ CARACAL_DATA_DIR: dataDir })
  await caracal.kill('SIGTERM')
  const spool = await Spool.open(dataDir)
  const waiting = { ...sampleAt(MONTHS * ROWS), topic: '1000/obj/waiting' }
  await spool.append(encodeSample(waiting), waiting.id)
  await spool.close()
}
