import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connect } from 'mqtt'
import { migrations } from '../../src/registry/migrate.ts'
import { admin, content, lampTopic, member, type Value, values } from '../fixtures/contents.ts'
import { eventually } from '../support/eventually.ts'
import { type Caracal, runCaracal, startCaracal, temporaryDirectory } from '../support/process.ts'

const fixtures = new URL('../fixtures/', import.meta.url).pathname

function unpacked(name: string): string {
  const dataDir = temporaryDirectory()
  execFileSync('tar', ['-xzf', join(fixtures, name), '-C', dataDir])
  return dataDir
}

async function signIn(url: string, { email, password }: typeof admin): Promise<string> {
  const answer = await fetch(`${url}/api/v2/auth`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${email}:${password}`)}` }
  })
  assert.equal(answer.status, 200, email)
  return ((await answer.json()) as { token: string }).token
}

type Found = Record<string, unknown> & { id: number; meta: Record<string, string> }

/** Answers with what a client of the broker needs. */
async function assertWhole(
  { url }: Caracal,
  expected: readonly Value[]
): Promise<{ token: string; client_id: number }> {
  await signIn(url, member)
  const token = await signIn(url, admin)
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers: { 'x-api-key': token } })
    assert.equal(answer.status, 200, path)
    return answer
  }
  const list = async (path: string) => (await (await get(path)).json()) as Found[]
  const [installation] = await list('/api/v2/installation')
  const { id, client_id } = installation as Found & { client_id: number }
  assert.equal(installation?.['name'], 'Cabin')
  const [device] = await list(`/api/v2/devicex/${id}`)
  assert.deepEqual([device?.['type'], device?.meta['place']], ['gateway', 'attic'])
  const [kitchen] = await list(`/api/v2/functionx/${id}`)
  assert.deepEqual(
    [kitchen?.['type'], kitchen?.meta['topic_read'], kitchen?.meta['device_id']],
    ['temperature', 'obj/kitchen', String(device?.id)]
  )
  const [schedule] = await list(`/api/v2/schedule/${id}`)
  assert.deepEqual(
    [schedule?.['topic'], schedule?.['hour'], schedule?.['minute'], schedule?.['active']],
    ['set/lamp', '6', '30', false]
  )
  const [file] = await list(`/api/v2/file/installation/${id}`)
  const download = await get(`/api/v2/file/download/${file?.['hash']}`)
  assert.equal(await download.text(), content)
  const names = (await list('/api/v2/organization')).map(({ name }) => name)
  assert(names.includes('Island'), names.join())

  const page = await get(`/api/v3beta/log/${id}?from=0&limit=1000&order=asc`)
  const { data } = (await page.json()) as { data: (Value & { msg: string })[] }
  assert.deepEqual(
    data
      .filter(({ topic }) => topic.includes('/obj/'))
      .map(({ topic, value, msg, timestamp }) => ({ topic, value, msg, timestamp })),
    expected.map(({ topic, value, msg = '', timestamp }) => ({
      ...{ topic: `${client_id}/${topic}`, value, msg, timestamp }
    }))
  )
  const status = await list(`/api/v2/status/${id}`)
  for (const topic of ['obj/kitchen', 'obj/door']) {
    const latest = expected.findLast((one) => one.topic === topic)
    const shown = status.find((one) => one['topic'] === `${client_id}/${topic}`)
    assert.deepEqual(
      [shown?.['timestamp'], shown?.['value']],
      [latest?.timestamp, latest?.value],
      topic
    )
  }
  return { token, client_id }
}

/** The message that waited for the gateway, and the one that was retained. */
async function assertMessages(
  { mqttPort }: Caracal,
  { token, client_id }: { token: string; client_id: number }
): Promise<void> {
  const arrived: string[] = []
  const client = connect(`mqtt://127.0.0.1:${mqttPort}`, {
    ...{ username: 'key', password: token, clientId: 'fixture-gateway', clean: false },
    reconnectPeriod: 0
  })
  // What waited can come together with CONNACK.
  client.on('message', (topic) => void arrived.push(topic))
  await new Promise<void>((resolve, reject) =>
    client.on('connect', () => resolve()).on('error', reject)
  )
  await client.subscribeAsync(`${client_id}/obj/door`, { qos: 1 })
  await eventually(() =>
    assert.deepEqual(
      arrived.toSorted(),
      [`${client_id}/${lampTopic}`, `${client_id}/obj/door`].toSorted()
    )
  )
  await client.endAsync()
}

/** The copies of the registry before a migration. */
const copiesIn = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => name.includes('.schema-'))

const versions = readdirSync(fixtures)
  .map((name) => /^(.+)-stopped\.tar\.gz$/.exec(name)?.[1])
  .filter((version) => version !== undefined)
assert(versions.includes('0.1.0'))

for (const version of versions) {
  test(`a data directory of ${version} opens, with everything in it`, async () => {
    const dataDir = unpacked(`${version}-stopped.tar.gz`)
    const env = { CARACAL_DATA_DIR: dataDir }
    const caracal = await startCaracal(env)
    const [, from] = /registry: schema (\d+) -> \d+/.exec(caracal.printed()) ?? []
    assert(from, caracal.printed())
    assert.match(caracal.printed(), new RegExp(`schema ${from} -> ${migrations.length}`))
    const copy = join(dataDir, `registry.sqlite.schema-${from}`)
    const before = new DatabaseSync(copy, { readOnly: true })
    const row = before.prepare('select max(number) as number from schema_migrations').get()
    before.close()
    assert.equal(row?.['number'], Number(from))
    await assertMessages(caracal, await assertWhole(caracal, values('stopped')))
    assert.equal(await caracal.kill('SIGTERM'), 0)
    assert(existsSync(copy))
    // The next good start has no need for it.
    const second = await startCaracal(env)
    assert.deepEqual(copiesIn(dataDir), [])
    await eventually(() => assert.match(second.printed(), /history 2 months, 12\d samples/))
    assert.doesNotMatch(second.printed(), /schema \d+ ->/)
    assert.equal(await second.kill('SIGTERM'), 0)
  })

  test(`a data directory of ${version} that was killed opens, with every acknowledged value`, async () => {
    const dataDir = unpacked(`${version}-killed.tar.gz`)
    const caracal = await startCaracal({ CARACAL_DATA_DIR: dataDir })
    await eventually(() => assert.match(caracal.printed(), /recovered \d+ acknowledged values/))
    const expected = [...values('stopped'), ...values('killed')]
    // The message that waited comes once, so this is not repeated.
    await assertMessages(caracal, await eventually(() => assertWhole(caracal, expected)))
    assert.equal(await caracal.kill('SIGTERM'), 0)
  })
}

test('without space for the copy of the registry the start is refused, and nothing has changed', async () => {
  const dataDir = unpacked('0.1.0-stopped.tar.gz')
  const file = join(dataDir, 'registry.sqlite')
  // A file with holes that says in its header that it has 4 TB.
  const bytes = readFileSync(file)
  const pages = 2 ** 30
  bytes.writeUInt32BE(pages, 28)
  writeFileSync(file, bytes)
  truncateSync(file, pages * bytes.readUInt16BE(16))
  const { code, err } = await runCaracal({ CARACAL_DATA_DIR: dataDir })
  assert.equal(code, 1)
  assert.match(
    err.trimEnd().split('\n').at(-1) ?? '',
    /^caracal: the registry needs schema \d+ in place of \d+, .* MB free: make room and start again; nothing was changed$/
  )
  assert.deepEqual(copiesIn(dataDir), [])
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare('select max(number) as number from schema_migrations').get()
  db.close()
  assert(Number(row?.['number']) < migrations.length)
})

test('a part that a newer program has written stops the start with one line that names both versions', async () => {
  const dataDir = temporaryDirectory()
  const env = {
    ...{ CARACAL_DATA_DIR: dataDir, CARACAL_ADMIN_EMAIL: admin.email },
    CARACAL_ADMIN_PASSWORD: admin.password
  }
  const first = await startCaracal(env)
  assert.equal(await first.kill('SIGTERM'), 0)
  const raised = (file: string, sql: string, back: string) => async () => {
    const change = (text: string) => {
      const db = new DatabaseSync(join(dataDir, file))
      db.exec(text)
      db.close()
    }
    change(sql)
    const { code, err } = await runCaracal(env)
    change(back)
    return { code, line: err.trimEnd().split('\n').at(-1) ?? '' }
  }
  const version = (file: string) =>
    raised(file, 'pragma user_version = 99', 'pragma user_version = 1')
  for (const [name, start] of [
    ['spool.sqlite', version('spool.sqlite')],
    ['mqtt.sqlite', version('mqtt.sqlite')],
    ['history.sqlite', version('history/sqlite/history.sqlite')],
    [
      'the registry',
      raised(
        'registry.sqlite',
        "insert into schema_migrations (number, name, applied) values (99, 'newer', 0)",
        'delete from schema_migrations where number = 99'
      )
    ]
  ] as const) {
    const { code, line } = await start()
    assert.equal(code, 1, name)
    assert.match(
      line,
      /^caracal: .* has schema 99, but this program knows only \d+: start a newer Caracal$/
    )
    assert(line.includes(name), line)
  }
  const last = await startCaracal(env)
  assert.equal(await last.kill('SIGTERM'), 0)
})
