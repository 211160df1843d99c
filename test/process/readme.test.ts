import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { freePort } from '../support/port.ts'
import { createInstallation, temporaryDirectory } from '../support/process.ts'
import { type Program, startProgram } from '../support/program.ts'

const root = new URL('../..', import.meta.url).pathname
const admin = { email: 'boss@example.org', password: 'correct horse battery' }

/** The code blocks of a page, without those that install or start the program. */
const blocksOf = (page: string, kind = 'sh'): string[] =>
  [
    ...readFileSync(join(root, page), 'utf8').matchAll(
      new RegExp(`^\`\`\`${kind}\n(.*?)^\`\`\``, 'gms')
    )
  ]
    .map(([, block = '']) => block)
    .filter((block) => !/^(npm|cd) /m.test(block))

type Place = { caracal: Program; dataDir: string; executorPort: number }

async function start(): Promise<Place> {
  const dataDir = temporaryDirectory()
  const caracal = await startProgram({
    CARACAL_DATA_DIR: dataDir,
    CARACAL_ADMIN_EMAIL: admin.email,
    CARACAL_ADMIN_PASSWORD: admin.password,
    CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1'
  })
  return { caracal, dataDir, executorPort: await freePort() }
}

/** Runs the blocks in one shell. A request that is refused ends the script. */
async function paste(
  { caracal, dataDir, executorPort }: Place,
  blocks: string[],
  { cwd = root, before = '', password = 'NEW PASSWORD' } = {}
): Promise<string> {
  const script = blocks
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', caracal.url)
    .replaceAll('1883', String(caracal.mqttPort))
    .replaceAll('9000', String(executorPort))
    .replaceAll('data/outbox', join(dataDir, 'outbox'))
    .replaceAll('admin@localhost', admin.email)
    .replaceAll(':PASSWORD', `:${password}`)
  const setUp =
    'set -eo pipefail; curl() { command curl --fail-with-body "$@"; }; trap \'kill $(jobs -p) 2>/dev/null || true\' EXIT'
  const shell = spawn('bash', ['-c', [setUp, before, script].join('\n')], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` }
  })
  let said = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk
    })
  }
  const [code] = await once(shell, 'close')
  assert.equal(code, 0, `${script}\n${said}`)
  return said
}

function skipWithoutShell(t: TestContext): boolean {
  const missing = ['bash', 'curl'].filter((name) => spawnSync(name, ['--version']).error)
  if (missing.length === 0) return false
  assert.notEqual(process.env['CI'], 'true', `CI must have ${missing}`)
  t.skip(`${missing} not installed`)
  return true
}

describe('the examples of the pages work when they are pasted', () => {
  test('README.md', async (t) => {
    if (skipWithoutShell(t)) return
    const place = await start()
    const said = await paste(place, blocksOf('README.md'))
    for (const answer of [
      /"client_id":1001/,
      /"value":21\.5,.*"topic":"1001\/obj\/hall\/temperature"/,
      /"count":1,/,
      /"metaMatches":\{.*°C/,
      /"mqtt_username":"1001"/
    ]) {
      assert.match(said, answer)
    }
    assert.equal(await place.caracal.stop(), 0)
  })

  test('docs/apps', async (t) => {
    if (skipWithoutShell(t)) return
    const place = await start()
    const { token } = await createInstallation(place.caracal, 'Cabin')
    const header = { 'x-api-key': token }
    const said = await paste(place, blocksOf('docs/apps/sign-in.md'), { password: admin.password })
    assert.match(said, /"email":"boss@example\.org"/)
    assert.match(said, /"name":"Wall display"/)
    const before = `TOKEN=${token}`
    const imported = { method: 'POST', headers: { ...header, 'content-type': 'text/csv' } }
    const body = `topic,timestamp,value\n1001/obj/hall/temperature,${Date.now() / 1000},21.5\n`
    await fetch(`${place.caracal.url}/api/v3beta/log/1/import`, { ...imported, body })
    const live = await paste(place, blocksOf('docs/apps/live-values.md'), { before })
    assert.equal(live.match(/"topic":"1001\/obj\/hall\/temperature"/g)?.length, 2)
    const cwd = temporaryDirectory()
    const log = await paste(place, blocksOf('docs/apps/log.md'), { before, cwd })
    assert.equal(log.match(/"value":21\.5/g)?.length, 4, log)
    assert.match(log, /\{"imported":1,"rejected":0/)
    assert.match(readFileSync(join(cwd, 'values.csv'), 'utf8'), /obj\/hall\/temperature/)
    assert.equal(await place.caracal.stop(), 0)
  })

  test('docs/notifications.md and docs/edge-apps.md', async (t) => {
    if (skipWithoutShell(t)) return
    const place = await start()
    const { token } = await createInstallation(place.caracal, 'Cabin')
    const before = `TOKEN=${token}`
    const sent = await paste(place, blocksOf('docs/notifications.md'), { before })
    assert.match(sent, /\{"message":"Sent"\}/)
    assert.match(sent, /"message":"Cabin reports 31\.5 °C"/)

    const cwd = temporaryDirectory()
    const [description = ''] = blocksOf('docs/edge-apps.md', 'json')
    writeFileSync(join(cwd, 'app.json'), description)
    writeFileSync(join(cwd, 'app.lua'), 'function onStart() end\n')
    // The page shows one refusal; the script must continue after it.
    const [steps = '', ...more] = blocksOf('docs/edge-apps.md')
    const blocks = [steps.replace('"limit": 99}}\'', '$&  || true'), ...more]
    const apps = await paste(place, blocks, { cwd, before })
    assert.match(apps, /\{"message":"config\.limit must be at most 60"\}/)
    assert.match(apps, /"config":\{"sensor":7,"limit":26,"siren":255\}/)
    assert.equal(await place.caracal.stop(), 0)
  })
})
