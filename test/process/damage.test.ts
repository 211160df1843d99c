import assert from 'node:assert/strict'
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync
} from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { connectAsync } from 'mqtt'
import { openSqliteHistory } from '../../src/history/sqlite/history.ts'
import { damageFrame } from '../support/damaged-frame.ts'
import { eventually } from '../support/eventually.ts'
import { createInstallation, temporaryDirectory } from '../support/process.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { listedPacks } from '../support/whole-history.ts'

const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

function overwrite(file: string, { from, bytes }: { from: number; bytes: number }): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0x5a), 0, bytes, from)
  closeSync(fd)
}

/** The data of a platform that has stopped. */
const stopped = temporaryDirectory()
before(async () => {
  const caracal = await startProgram({ CARACAL_DATA_DIR: stopped, ...admin })
  await caracal.stop()
})

for (const [name, lost] of [
  ['registry.sqlite', /users, installations and everything else in it are lost/],
  ['spool.sqlite', /acknowledged samples that are not yet in history are lost/],
  ['mqtt.sqlite', /MQTT sessions, queued and retained messages are lost/],
  ['history/sqlite/history.sqlite', /all stored values are lost/]
] as const) {
  for (const [part, from, bytes] of [
    ['the first page', 0, 4096],
    ['all but the first page', 4096, Number.POSITIVE_INFINITY]
  ] as const)
    test(`damage in ${part} of ${name} stops the start with one line that names it and says what to do`, async () => {
      const CARACAL_DATA_DIR = temporaryDirectory()
      const env = { CARACAL_DATA_DIR, ...admin }
      cpSync(stopped, CARACAL_DATA_DIR, { recursive: true })
      const file = join(CARACAL_DATA_DIR, name)
      overwrite(file, { from, bytes: Math.min(bytes, statSync(file).size - from) })
      const { code, out, err } = await runProgram(env)
      assert.deepEqual([code, out], [1, ''], err)
      assert.match(err, /^caracal: .* is damaged \(.*\): restore the whole backup/)
      assert(err.includes(file), err)
      assert.match(err, lost)
      assert.equal(err.trimEnd().split('\n').length, 1, err)
    })
}

test('with the spool and the queue moved away, as the message says, the platform starts with the rest', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  cpSync(stopped, CARACAL_DATA_DIR, { recursive: true })
  for (const name of ['spool.sqlite', 'mqtt.sqlite'])
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(CARACAL_DATA_DIR, name + end), { force: true })
  const caracal = await startProgram({ CARACAL_DATA_DIR, ...admin })
  const { token } = await createInstallation(caracal, 'Cabin')
  const answer = await fetch(`${caracal.url}/health/ready`, { headers: { 'x-api-key': token } })
  assert.equal(answer.status, 200)
  assert.equal(await caracal.stop(), 0)
})

test('health is not ready while a part of history cannot be read, and names the file', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, ...admin }
  const first = await startProgram(env)
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
  assert.equal(await first.stop(), 0)
  // The pages after the first ones; the first pages have the schema and the topics.
  const file = join(CARACAL_DATA_DIR, 'history/sqlite/history.sqlite')
  const { size } = statSync(file)
  const from = Math.ceil(size / 2 / 4096) * 4096
  overwrite(file, { from, bytes: size - from })

  const caracal = await startProgram(env)
  const read = async (path: string) =>
    fetch(caracal.url + path, { headers: { 'x-api-key': token } })
  assert.equal((await read(`/api/v3beta/log/${id}`)).status, 500)
  const health = await read('/health/ready')
  assert.equal(health.status, 503)
  const { engines } = (await health.json()) as { engines: { history: { detail: string } } }
  assert.match(engines.history.detail, /history\.sqlite is damaged/)
  assert.equal((await read('/api/v2/user/me')).status, 200)
  await caracal.stop()
})

test('a damaged packed file is an error of the queries that need it, and health names it', async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const env = { CARACAL_DATA_DIR, ...admin }
  const first = await startProgram(env)
  const { token, id, client_id } = await createInstallation(first, 'Cabin')
  const client = await connectAsync(`mqtt://127.0.0.1:${first.mqttPort}`, {
    ...{ username: 'key', password: token }
  })
  const [september, october] = [Date.UTC(2026, 8, 5) / 1000, Date.UTC(2026, 9, 5) / 1000]
  for (const start of [september, october])
    for (let i = 0; i < 200; i++) {
      const sample = JSON.stringify({ value: i, timestamp: start + i })
      await client.publishAsync(`${client_id}/obj/a`, sample, { qos: 1 })
    }
  await client.endAsync()
  assert.equal(await first.stop(), 0)
  const directory = join(CARACAL_DATA_DIR, 'history/sqlite')
  const history = await openSqliteHistory(directory)
  await history.packAll()
  await history.close()
  const name = listedPacks(directory).find((one) => one.startsWith('2026-09')) ?? assert.fail()
  damageFrame(join(directory, 'packs', name), 'times')

  const caracal = await startProgram(env)
  const read = (path: string) => fetch(caracal.url + path, { headers: { 'x-api-key': token } })
  const log = (from: number) => read(`/api/v3beta/log/${id}?from=${from}&to=${from + 1000}`)
  assert.equal((await read('/health/ready')).status, 200)
  const refused = await log(september)
  assert.equal(refused.status, 500)
  assert.deepEqual(await refused.json(), {
    message: 'Stored data is damaged; the log of the platform names the file'
  })
  const answered = await log(october)
  assert.equal(answered.status, 200)
  assert.equal(((await answered.json()) as { total: number }).total, 200)
  const health = await read('/health/ready')
  assert.equal(health.status, 503)
  const { engines } = (await health.json()) as { engines: { history: { detail: string } } }
  assert(engines.history.detail.includes(name), engines.history.detail)
  assert.match(engines.history.detail, /is damaged: .*restore this file from a backup/)
  assert.equal(await caracal.stop(), 0)
})

test('only the owner can read the data directory, also files that others could read before', async () => {
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
  const first = await startProgram(env)
  const { token } = await createInstallation(first, 'Cabin')
  // This puts a mail into the outbox.
  await fetch(`${first.url}/api/v2/auth/reset_password`, {
    method: 'POST',
    body: JSON.stringify({ email: 'boss@example.org' })
  })
  await eventually(() => assert.equal(readdirSync(join(CARACAL_DATA_DIR, 'outbox')).length, 1))
  assert.deepEqual(open(), [])
  const answer = await fetch(`${first.url}/api/v2/user/me`, { headers: { 'x-api-key': token } })
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  await first.stop()
  for (const name of ['registry.sqlite', 'spool.sqlite', 'outbox', 'history', '.']) {
    chmodSync(join(CARACAL_DATA_DIR, name), 0o755)
  }
  const second = await startProgram(env)
  assert.deepEqual(open(), [])
  assert.equal(await second.stop(), 0)
})
