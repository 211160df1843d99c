import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { connect } from 'mqtt'
import { Settings } from '../../src/config.ts'
import { firstAddress } from '../../src/lib/host.ts'
import { eventually } from '../support/eventually.ts'
import { runCaracal, startCaracal, temporaryDirectory } from '../support/process.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { onPostgres } from '../support/registries.ts'

const login = { email: 'boss@example.org', password: 'correct horse battery' }
const admin = { CARACAL_ADMIN_EMAIL: login.email, CARACAL_ADMIN_PASSWORD: login.password }

async function signIn(url: string, { email, password } = login): Promise<string> {
  const response = await fetch(`${url}/api/v2/auth`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` }
  })
  assert.equal(response.status, 200)
  return ((await response.json()) as { token: string }).token
}

/** Exactly one line on stderr and exit code 1. */
async function refuses(env: Record<string, string>, line: RegExp, run = runProgram) {
  const { code, out, err } = await run(env)
  assert.equal(code, 1, err)
  assert.match(err, line)
  assert.equal(err.trimEnd().split('\n').length, 1, err)
  assert.equal(out, '')
}

/** One bad setting; test/lib/config.test.ts has the others. */
describe('the program refuses with one line', () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const bad: [what: string, env: Record<string, string>, line: RegExp][] = [
    ['an unknown setting', { CARACAL_HTPP_PORT: '1' }, /CARACAL_HTPP_PORT is not a setting/],
    [
      'a directory it cannot write',
      { CARACAL_DATA_DIR: '/dev/null/data' },
      /caracal: CARACAL_DATA_DIR .* cannot be written/
    ],
    [
      'a certificate that is none',
      { CARACAL_TLS_CERT_PATH: '/dev/null', CARACAL_TLS_KEY_PATH: '/dev/null' },
      /CARACAL_TLS_CERT_PATH: cannot be used/
    ],
    [
      'a directory of files it cannot write',
      { CARACAL_DATA_DIR: temporaryDirectory(), ...admin, CARACAL_FILES_DIR: '/dev/null/files' },
      /caracal: CARACAL_FILES_DIR \/dev\/null\/files cannot be written/
    ],
    [
      'PostgreSQL out of reach',
      { CARACAL_REGISTRY_URL: 'postgres://u:p@127.0.0.1:1/x' },
      /^caracal: CARACAL_REGISTRY_URL: 127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1\n$/
    ],
    [
      'PostgreSQL out of reach by a name with several addresses',
      { CARACAL_REGISTRY_URL: 'postgres://u:p@localhost:1/x' },
      /^caracal: CARACAL_REGISTRY_URL: localhost:1: .*ECONNREFUSED.*\n$/
    ],
    [
      'ClickHouse out of reach',
      { ...admin, CARACAL_HISTORY_URL: 'http://u:p@127.0.0.1:1/x' },
      /caracal: CARACAL_HISTORY_URL: 127\.0\.0\.1:1: ClickHouse cannot be reached \(ECONNREFUSED\)/
    ]
  ]
  for (const [what, env, line] of bad) {
    test(what, () => refuses({ CARACAL_DATA_DIR, ...env }, line))
  }

  test('an unknown option', () =>
    refuses({ CARACAL_DATA_DIR }, /unknown option --dmeo/, (env) => runCaracal(env, ['--dmeo'])))

  test('a port that is in use, and nothing is lost', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = String((server.address() as AddressInfo).port)
    for (const setting of ['CARACAL_HTTP_PORT', 'CARACAL_MQTT_PORT']) {
      await refuses(
        { CARACAL_DATA_DIR, ...admin, [setting]: port },
        new RegExp(`caracal: ${setting} ${port} on 127.0.0.1 is already in use`)
      )
    }
    server.close()
    const caracal = await startProgram({ CARACAL_DATA_DIR })
    await signIn(caracal.url)
    await caracal.stop()
  })

  test('a port that is in use at the very first start, and still prints the password', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = String((server.address() as AddressInfo).port)
    const { code, out } = await runCaracal({ CARACAL_DATA_DIR, CARACAL_HTTP_PORT: port })
    server.close()
    assert.equal(code, 1)
    const [, password = ''] = /admin@localhost (\S+)/.exec(out) ?? []
    const caracal = await startProgram({ CARACAL_DATA_DIR })
    await signIn(caracal.url, { email: 'admin@localhost', password })
    await caracal.stop()
  })

  test('a second process on the same data, and the first one continues', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const first = await startCaracal({ CARACAL_DATA_DIR, ...admin })
    await refuses(
      { CARACAL_DATA_DIR },
      new RegExp(
        `caracal: CARACAL_DATA_DIR .* is in use by another Caracal \\(process ${first.child.pid}\\)`
      )
    )
    await signIn(first.url)
    await first.kill('SIGKILL')
    const second = await startProgram({ CARACAL_DATA_DIR })
    await signIn(second.url)
    await second.stop()
  })

  test('history of chDB, and changes nothing for the version that can read it', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const chdb = join(CARACAL_DATA_DIR, 'history/chdb')
    mkdirSync(chdb, { recursive: true })
    writeFileSync(join(chdb, 'part'), '')
    const line =
      /^caracal: \/.*\/history\/chdb holds history of chDB, which only Caracal 0\.1\.0 reads: .*GET \/api\/v3beta\/log\/\{installation_id\}\/export .*POST .*\/api\/v3beta\/log\/\{installation_id\}\/import\n$/
    const server = 'http://127.0.0.1:1/x'
    await refuses({ CARACAL_DATA_DIR }, line, runCaracal)
    await refuses({ CARACAL_DATA_DIR, CARACAL_HISTORY_URL: server }, line, runCaracal)
    await refuses({ CARACAL_DATA_DIR }, line, (env) =>
      runCaracal(env, ['migrate-to', '--history', server])
    )
    assert.deepEqual(readdirSync(CARACAL_DATA_DIR).sort(), ['history', 'lock', 'pid'])
    assert.deepEqual(readdirSync(join(CARACAL_DATA_DIR, 'history')), ['chdb'])
    rmSync(join(chdb, 'part'))
    const caracal = await startProgram({ CARACAL_DATA_DIR, ...admin })
    await caracal.stop()
  })

  test('a registry of a newer program, and does not change it', async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const caracal = await startProgram({ CARACAL_DATA_DIR, ...admin })
    await caracal.stop()
    const db = new DatabaseSync(join(CARACAL_DATA_DIR, 'registry.sqlite'))
    db.exec(
      "insert into schema_migrations (number, name, applied) values (999, 'from the future', 0)"
    )
    await refuses(
      { CARACAL_DATA_DIR },
      /has schema 999, but this program knows only \d+: start a newer Caracal/
    )
    db.exec('delete from schema_migrations where number = 999')
    db.close()
    const again = await startProgram({ CARACAL_DATA_DIR })
    await signIn(again.url)
    await again.stop()
  })
})

onPostgres('the program', (engine) => {
  test('says in one line which PostgreSQL refuses it and why, without the password', async () => {
    const at = new URL(await engine.url())
    at.password = 'hunter2'
    at.pathname = '/nowhere'
    const { code, err } = await runProgram({
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_REGISTRY_URL: at.href
    })
    assert.equal(code, 1)
    assert.equal(
      err,
      `caracal: CARACAL_REGISTRY_URL: ${at.host}: database "nowhere" does not exist\n`
    )
  })

  test('says which engines it uses, without user and password, and only their kind in public', async () => {
    const at = new URL(await engine.url())
    at.password = 'hunter2'
    const caracal = await startProgram({
      ...admin,
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_REGISTRY_URL: at.href
    })
    assert.match(
      caracal.printed(),
      new RegExp(`^  Registry     postgresql ${at.host}${at.pathname}$`, 'm')
    )
    assert.match(caracal.printed(), /^ {2}History {6}sqlite$/m)
    assert(!caracal.printed().includes('hunter2'))
    assert(!caracal.printed().includes(`${at.username}@`))
    const { engines } = (await (await fetch(`${caracal.url}/health/ready`)).json()) as {
      engines: { registry: object }
    }
    assert.deepEqual(engines.registry, { ok: true, detail: 'postgresql' })
    await caracal.stop()
  })
})

test('--help lists every setting', async () => {
  const { code, out } = await runCaracal({}, ['--help'])
  assert.equal(code, 0)
  for (const name of Object.keys(Settings.properties))
    assert.match(out, new RegExp(`CARACAL_${name} `))
})

test('the first start makes an administrator and prints the password once; each password is different', async () => {
  const passwords: string[] = []
  for (const CARACAL_DATA_DIR of [temporaryDirectory(), temporaryDirectory()]) {
    const first = await startProgram({ CARACAL_DATA_DIR })
    const [, password = ''] =
      /admin@localhost\s+(\S+)\s+\(shown this once\)/.exec(first.printed()) ?? []
    const token = await signIn(first.url, { email: 'admin@localhost', password })
    assert.match(first.printed(), /^ {2}Registry {5}sqlite\n {2}History {6}sqlite$/m)
    const me = await fetch(`${first.url}/api/v2/user/me`, { headers: { 'x-api-key': token } })
    const { id, role, organisations } = (await me.json()) as Record<string, unknown>
    assert.deepEqual({ id, role, organisations }, { id: 1, role: 1, organisations: [1] })
    assert.equal(await first.stop(), 0)
    const second = await startProgram({ CARACAL_DATA_DIR })
    assert(!second.printed().includes(password))
    await second.stop()
    passwords.push(password)
    assert.equal(statSync(join(CARACAL_DATA_DIR, 'registry.sqlite')).mode & 0o077, 0)
  }
  assert.notEqual(passwords[0], passwords[1])
})

test('with HOST 0.0.0.0 the banner has a real address, and the log warns once that mails use a guess', async () => {
  const caracal = await startProgram({
    ...admin,
    CARACAL_DATA_DIR: temporaryDirectory(),
    CARACAL_HOST: '0.0.0.0'
  })
  const own = firstAddress('0.0.0.0', networkInterfaces())
  const { hostname, port } = new URL(caracal.url)
  assert.equal(hostname, own)
  await signIn(caracal.url)
  const printed = caracal.printed()
  assert(
    printed.includes(`  MQTT         mqtt://${own}:${caracal.mqttPort}   ws://${own}:${port}/mqtt`)
  )
  assert.match(printed, /^ {2}Listening {4}on every address of this machine/m)
  assert.doesNotMatch(printed, /0\.0\.0\.0:|:0\//)
  assert.equal(printed.split('set CARACAL_PUBLIC_URL').length, 2)
  assert.equal(await caracal.stop(), 0)
})

test('with MQTT_PORT=off the banner has only MQTT over WebSocket, and --demo is refused', async () => {
  const env = {
    ...admin,
    CARACAL_DATA_DIR: temporaryDirectory(),
    CARACAL_MQTT_PORT: 'off'
  }
  await refuses(env, /--demo publishes over TCP: CARACAL_MQTT_PORT must not be off/, (env) =>
    runCaracal(env, ['--demo'])
  )
  const caracal = await startProgram(env)
  assert.match(caracal.printed(), /^ {2}MQTT {9}ws:\/\/127\.0\.0\.1:\d+\/mqtt$/m)
  assert.equal(await caracal.stop(), 0)
})

test('a secret may come from a file', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const file = join(temporaryDirectory(), 'password')
  writeFileSync(file, `${login.password}\n`)
  const caracal = await startProgram({
    CARACAL_DATA_DIR,
    CARACAL_ADMIN_EMAIL: login.email,
    CARACAL_ADMIN_PASSWORD_FILE: file
  })
  await signIn(caracal.url)
  await caracal.stop()
})

test('values, sign-ins and installations are the same after a restart, with SIGTERM and with SIGKILL', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  let caracal = await startCaracal({ CARACAL_DATA_DIR, ...admin })
  const token = await signIn(caracal.url)
  const get = async (path: string) => {
    const response = await fetch(caracal.url + path, { headers: { 'x-api-key': token } })
    assert.equal(response.status, 200, path)
    return response.json()
  }
  const created = await fetch(`${caracal.url}/api/v2/installation`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ name: 'Cabin', meta: { floor: '1' } })
  })
  const { id, client_id } = (await created.json()) as { id: number; client_id: number }
  const client = connect(`mqtt://127.0.0.1:${caracal.mqttPort}`, {
    username: 'x',
    password: token,
    reconnectPeriod: 0
  })
  await once(client as never, 'connect')
  for (let i = 0; i < 10; i++) {
    const reading = { value: i, timestamp: 1_700_000_000 + i, msg: `n${i}` }
    await client.publishAsync(`${client_id}/obj/t${i % 3}`, JSON.stringify(reading), { qos: 1 })
  }
  const status = await get(`/api/v2/status/${id}`)
  assert.equal((status as unknown[]).length, 3)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const code = await caracal.kill(signal)
    assert.equal(code, signal === 'SIGTERM' ? 0 : null)
    caracal = await startCaracal({ CARACAL_DATA_DIR })
    assert.deepEqual(await get(`/api/v2/status/${id}`), status, `latest values after ${signal}`)
    await eventually(async () => {
      const log = (await get(`/api/v3beta/log/${id}?from=0&order=asc`)) as { total: number }
      assert.equal(log.total, 10)
    })
    const installation = (await get(`/api/v2/installation/${id}`)) as { meta: unknown }
    assert.deepEqual(installation.meta, { floor: '1' })
  }
  client.end(true)
  await caracal.kill('SIGTERM')
})

test('below the disk reserve nothing is acknowledged, sign-in works, and health says so', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const roomy = await startProgram({ CARACAL_DATA_DIR, ...admin })
  const token = await signIn(roomy.url)
  const created = await fetch(`${roomy.url}/api/v2/installation`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ name: 'Cabin' })
  })
  const { id, client_id } = (await created.json()) as { id: number; client_id: number }
  await roomy.stop()

  const full = await startProgram({ CARACAL_DATA_DIR, CARACAL_DISK_RESERVE_MB: '999999999' })
  await signIn(full.url)
  const ready = await fetch(`${full.url}/health/ready`)
  assert.equal(ready.status, 503)
  const { engines } = (await ready.json()) as { engines: { disk: { ok: boolean } } }
  assert.equal(engines.disk.ok, false)
  const open = async () => {
    const options = { username: 'x', password: token, reconnectPeriod: 0 }
    const client = connect(`mqtt://127.0.0.1:${full.mqttPort}`, options)
    await once(client as never, 'connect')
    return client
  }
  const [client, other] = [await open(), await open()]
  let isAcknowledged = false
  client.publish(
    `${client_id}/obj/held`,
    '{"value":1,"timestamp":1700000000}',
    { qos: 1 },
    (error) => {
      isAcknowledged = !error
    }
  )
  // A command is not a sample, so it passes, and so do the messages after it.
  for (let i = 0; i < 20; i++) await other.publishAsync(`${client_id}/cmd/x`, '1', { qos: 1 })
  const status = await fetch(`${full.url}/api/v2/status/${id}`, { headers: { 'x-api-key': token } })
  assert.deepEqual(await status.json(), [])
  assert.equal(isAcknowledged, false)
  for (const one of [client, other]) one.end(true)
  assert.equal(await full.stop(), 0)
})

test('an unknown file in the data directory does no harm', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  mkdirSync(join(CARACAL_DATA_DIR, 'lost+found'))
  const caracal = await startProgram({ CARACAL_DATA_DIR, ...admin })
  await caracal.stop()
  assert(readdirSync(CARACAL_DATA_DIR).includes('lost+found'))
})
