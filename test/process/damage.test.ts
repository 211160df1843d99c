import assert from 'node:assert/strict'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectAsync } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import {
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

function overwrite(file: string, { from, bytes }: { from: number; bytes: number }): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0x5a), 0, bytes, from)
  closeSync(fd)
}

for (const [name, lost] of [
  ['registry.sqlite', /users, installations and all else in it are lost/],
  ['spool.sqlite', /acknowledged and is not yet in history is lost/],
  ['mqtt.sqlite', /MQTT sessions, queued and retained messages are lost/],
  ['history/sqlite/history.sqlite', /all values up to now are lost/]
] as const) {
  test(`a damaged ${name} stops the start with one line that names it and the way out`, async () => {
    const CARACAL_DATA_DIR = temporaryDirectory()
    const env = { CARACAL_DATA_DIR, ...admin }
    const caracal = await startCaracal(env)
    await caracal.kill('SIGTERM')
    overwrite(join(CARACAL_DATA_DIR, name), { from: 0, bytes: 4096 })
    const { code, out, err } = await runCaracal(env)
    assert.deepEqual([code, out], [1, ''], err)
    assert.match(err, /is damaged \(.*\): restore the whole backup/)
    assert(err.includes(join(CARACAL_DATA_DIR, name)), err)
    assert.match(err, lost)
    assert.equal(err.trimEnd().split('\n').length, 1, err)
  })
}

test('health is not ready while a part of history cannot be read, and names the file', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, ...admin }
  const first = await startCaracal(env)
  const { token, id, client_id } = await createInstallation(first, 'Cabin')
  const client = await connectAsync(`mqtt://127.0.0.1:${first.mqttPort}`, {
    ...{ username: 'key', password: token }
  })
  const now = Date.now() / 1000
  const sent = Array.from({ length: 3000 }, (_, i) =>
    client.publishAsync(
      `${client_id}/obj/${i % 10}`,
      JSON.stringify({ value: i, timestamp: now - i }),
      { qos: 1 }
    )
  )
  await Promise.all(sent)
  await client.endAsync()
  assert.equal(await first.kill('SIGTERM'), 0)
  // The pages behind the first ones, which hold the schema and the topics.
  const file = join(CARACAL_DATA_DIR, 'history/sqlite/history.sqlite')
  const { size } = statSync(file)
  const from = Math.ceil(size / 2 / 4096) * 4096
  overwrite(file, { from, bytes: size - from })

  const caracal = await startCaracal(env)
  const read = async (path: string) =>
    fetch(caracal.url + path, { headers: { 'x-api-key': token } })
  assert.equal((await read(`/api/v3beta/log/${id}`)).status, 500)
  const health = await read('/health/ready')
  assert.equal(health.status, 503)
  const { engines } = (await health.json()) as { engines: { history: { detail: string } } }
  assert.match(engines.history.detail, /history\.sqlite is damaged/)
  assert.equal((await read('/api/v2/user/me')).status, 200)
  await caracal.kill('SIGTERM')
})

test('nobody else reads what is in the data directory, also where it was open before', async () => {
  const CARACAL_DATA_DIR = join(temporaryDirectory(), 'data')
  mkdirSync(CARACAL_DATA_DIR, { mode: 0o755 })
  const env = { CARACAL_DATA_DIR, ...admin }
  const open = () =>
    [
      CARACAL_DATA_DIR,
      ...readdirSync(CARACAL_DATA_DIR, { recursive: true }).map((name) =>
        join(CARACAL_DATA_DIR, String(name))
      )
    ].filter((path) => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
  const first = await startCaracal(env)
  const { token } = await createInstallation(first, 'Cabin')
  // A mail lies in the outbox then.
  await fetch(`${first.url}/api/v2/auth/reset_password`, {
    method: 'POST',
    body: JSON.stringify({ email: 'boss@example.org' })
  })
  await eventually(() => assert.equal(readdirSync(join(CARACAL_DATA_DIR, 'outbox')).length, 1))
  assert.deepEqual(open(), [])
  const answer = await fetch(`${first.url}/api/v2/user/me`, { headers: { 'x-api-key': token } })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  await first.kill('SIGTERM')
  for (const name of ['registry.sqlite', 'spool.sqlite', 'outbox', 'history', '.']) {
    chmodSync(join(CARACAL_DATA_DIR, name), 0o755)
  }
  const second = await startCaracal(env)
  assert.deepEqual(open(), [])
  assert.equal(await second.kill('SIGTERM'), 0)
})
