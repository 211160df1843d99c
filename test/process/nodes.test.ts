import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { command } from '../support/command.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { type Mosquitto, startMosquitto } from '../support/mosquitto.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

type Site = { token: string; id: number; client_id: number }

/** Two nodes of the real program on one PostgreSQL, one Mosquitto and one ClickHouse. */
describe('two nodes', { skip: withoutClickhouse }, () => {
  const files = temporaryDirectory()
  const directories = [temporaryDirectory(), temporaryDirectory()] as const
  let postgres: Postgres
  let mosquitto: Mosquitto
  let history: string
  const closing: (() => unknown)[] = []
  let nodes: [Caracal, Caracal]
  let site: Site

  const settings = (directory: string) => ({
    CARACAL_DATA_DIR: directory,
    CARACAL_REGISTRY_URL: postgres.url,
    CARACAL_HISTORY_URL: history,
    CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
    CARACAL_BUS_SLOTS: '8',
    CARACAL_ADMIN_EMAIL: 'boss@example.org',
    CARACAL_ADMIN_PASSWORD: 'correct horse battery',
    CARACAL_FILES_DIR: files,
    CARACAL_DISK_RESERVE_MB: '1'
  })
  const start = (index: 0 | 1) => startCaracal(settings(directories[index]))

  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
    mosquitto = await startMosquitto({ after: (close) => void closing.push(close) })
    history = await newDatabase()
    nodes = [await start(0), await start(1)]
    site = await createInstallation(nodes[0], 'Shared')
  })
  after(async () => {
    for (const { child } of nodes ?? []) child.kill('SIGKILL')
    for (const close of closing) await close()
    await postgres?.stop()
  })

  const get = async (node: Caracal, path: string, token = site.token) => {
    const answer = await fetch(node.url + path, { headers: { 'x-api-key': token } })
    return { status: answer.status, json: (await answer.json()) as unknown }
  }
  const statusOf = async (node: Caracal) =>
    (await get(node, `/api/v2/status/${site.id}`)).json as { topic: string; value: number }[]
  const totalOf = async (node: Caracal, topic: string) => {
    const path = `/api/v3beta/log/${site.id}?from=0&limit=1&topics=${encodeURIComponent(topic)}`
    return ((await get(node, path)).json as { total: number }).total
  }
  const publisher = () => connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, { reconnectPeriod: 0 })

  test('a change on one node is visible on the other', async () => {
    const [one, two] = nodes
    await eventually(async () => {
      assert.equal((await get(two, `/api/v2/status/${site.id}`)).status, 200)
    })
    const { token } = await createInstallation(two, 'Another')
    assert.equal((await get(one, '/api/v2/user/me', token)).status, 200)
    const ended = await fetch(`${two.url}/api/v2/auth`, {
      method: 'DELETE',
      headers: { 'x-api-key': token }
    })
    assert.equal(ended.status, 200)
    await eventually(async () => {
      assert.equal((await get(one, '/api/v2/user/me', token)).status, 401)
    })
  })

  test('both read from the broker, and both have the same values and the same log', async () => {
    const client = await publisher()
    const sent = Array.from({ length: 200 }, (_, i) => i)
    await Promise.all(
      sent.map((i) => {
        const payload = JSON.stringify({ value: i, timestamp: 1_700_000_000 + i })
        return client.publishAsync(`${site.client_id}/obj/both/${i % 20}`, payload, { qos: 1 })
      })
    )
    await client.endAsync()
    const newest = Array.from({ length: 20 }, (_, i) => 180 + i).sort()
    for (const node of nodes) {
      await eventually(async () => {
        const values = (await statusOf(node)).map(({ value }) => value)
        assert.deepEqual(values.sort(), newest)
      }, 30_000)
      await eventually(async () => assert.equal(await totalOf(node, 'obj/both/#'), 200), 60_000)
    }
    for (const node of nodes) {
      const { json } = await get(node, '/health/ready')
      assert.match(JSON.stringify(json), /"bus":\{"ok":true/)
    }
  })

  for (const [dying, staying] of [
    [0, 1],
    [1, 0]
  ] as const) {
    test(`the other node continues after node ${dying} is killed under load, and nothing is lost`, async () => {
      const other = nodes[staying]
      await eventually(async () => assert.equal(await holders('scheduler'), 1))
      const client = await publisher()
      const topic = `obj/kill/${dying}`
      let [sent, isSending] = [0, true]
      const sending = (async () => {
        while (isSending) {
          const batch = Array.from({ length: 20 }, () => {
            const payload = JSON.stringify({ value: sent, timestamp: 1_700_000_000 + sent++ })
            return client.publishAsync(`${site.client_id}/${topic}`, payload, { qos: 1 })
          })
          await Promise.all(batch)
          assert.equal((await get(other, `/api/v2/installation/${site.id}`)).status, 200)
          await wait(10)
        }
      })()
      await wait(1000)
      await nodes[dying].kill('SIGKILL')
      await wait(1500)
      isSending = false
      await sending
      await client.endAsync()
      const isLast = async (node: Caracal) => {
        const last = (await statusOf(node)).find((one) => one.topic.endsWith(topic))
        assert.equal(last?.value, sent - 1)
      }
      await eventually(() => isLast(other), 30_000)
      await eventually(async () => assert.equal(await holders('scheduler'), 1), 10_000)
      nodes[dying] = await start(dying)
      for (const node of nodes) {
        await eventually(() => isLast(node), 30_000)
        await eventually(async () => assert.equal(await totalOf(node, topic), sent), 60_000)
      }
    })
  }

  test('wrong passwords on one node are counted on the other', async () => {
    const tryAt = async (node: Caracal) => {
      const answer = await fetch(`${node.url}/api/v2/auth`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('nobody@example.org:wrong')}` }
      })
      return answer.status
    }
    for (let i = 0; i < 5; i++) for (const node of nodes) assert.equal(await tryAt(node), 401)
    for (const node of nodes) assert.equal(await tryAt(node), 429)
  })

  test('the commands of operators work on every node, and what they change is seen on both', async () => {
    const run = async (index: 0 | 1, ...args: string[]) => {
      const ran = await command(settings(directories[index]), ...args, '--json')
      assert.equal(ran.code, 0, ran.out + ran.err)
      return JSON.parse(ran.out)
    }
    for (const index of [0, 1] as const) {
      const { running, problems, engines } = await run(index, 'status')
      assert.deepEqual({ running, problems }, { running: true, problems: [] })
      assert.deepEqual(Object.keys(engines).sort(), ['bus', 'history', 'registry'])
    }
    const { token: key } = await run(0, 'key', 'add', 'boss@example.org', '--name', 'nodes')
    await eventually(async () => {
      assert.equal((await get(nodes[1], '/api/v2/user/me', key)).status, 200)
    })
    const backups = temporaryDirectory()
    for (const index of [0, 1] as const) {
      const folder = join(backups, String(index))
      await run(index, 'backup', folder)
      assert.deepEqual((await run(index, 'verify', folder)).notes, [
        `the queue is not in this backup but in the broker 127.0.0.1:${mosquitto.port}, and was not checked`
      ])
    }
    const file = join(backups, 'site')
    await run(0, 'export', String(site.id), file)
    const moved = await run(1, 'import', file, '--name', 'Moved')
    const samplesOf = async (node: Caracal, id: number) =>
      (await get(node, `/api/v3beta/log/${id}?from=0&limit=1`, key)).json as { total: number }
    const { total } = await samplesOf(nodes[0], site.id)
    assert(total > 0)
    for (const node of nodes)
      await eventually(async () => {
        assert.equal((await samplesOf(node, moved.id)).total, total)
      }, 30_000)
  })

  test('a node that keeps its own history or broker is refused beside them', async () => {
    const { code, err } = await runCaracal({
      ...settings(temporaryDirectory()),
      CARACAL_HISTORY_URL: '',
      CARACAL_BUS_URL: ''
    })
    assert.equal(code, 1)
    assert.match(err, /another Caracal uses this registry/)
  })

  test('a copy of a data directory is refused beside its original', async () => {
    const copy = temporaryDirectory()
    cpSync(directories[0], copy, { recursive: true })
    const { code, err } = await runCaracal(settings(copy))
    assert.equal(code, 1)
    assert.match(err, /is a copy of a directory that another node uses/)
  })

  test('both nodes stop cleanly', async () => {
    for (const node of nodes) assert.equal(await node.kill('SIGTERM'), 0)
    assert.equal(await holders('scheduler'), 0)
  })

  /** The number of connections that have the claim. */
  async function holders(claim: string): Promise<number> {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from pg_locks
       where locktype = 'advisory' and objid = hashtext($1)::bit(32)::bigint::oid`,
      [claim]
    )
    await client.end()
    return rows[0]?.count ?? 0
  }
})
