import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import pg from 'pg'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

type Answer = { status: number | undefined; closes: boolean; text: string }

const DRAIN_SECONDS = 5

test('DRAIN_SECONDS has limits', async () => {
  const { code, err } = await runCaracal({ CARACAL_DRAIN_SECONDS: '61' })
  assert.equal(code, 1)
  assert.match(err, /CARACAL_DRAIN_SECONDS: must be a whole number from 0 to 60/)
})

describe('a node that drains', { skip: withoutClickhouse || withoutMosquitto }, () => {
  const files = temporaryDirectory()
  const closing: (() => unknown)[] = []
  let postgres: Postgres
  let mosquitto: Mosquitto
  let history: string

  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
    mosquitto = await startMosquitto({ after: (close) => void closing.push(close) })
    history = await newDatabase()
  })
  after(async () => {
    for (const close of closing) await close()
    await postgres?.stop()
  })

  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: history,
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      CARACAL_BUS_SLOTS: '4',
      CARACAL_DRAIN_SECONDS: String(DRAIN_SECONDS),
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_FILES_DIR: files,
      CARACAL_DISK_RESERVE_MB: '1'
    })

  /** How many of the claims whose names begin so are taken. */
  async function claimed(...names: string[]): Promise<number> {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from pg_locks where locktype = 'advisory'
       and objid = any (select hashtext(name)::bit(32)::bigint::oid from unnest($1::text[]) name)`,
      [names]
    )
    await client.end()
    return rows[0]?.count ?? 0
  }

  const slotsOf = async ({ url }: Caracal) => {
    const { engines } = JSON.parse(await (await fetch(`${url}/health/ready`)).text())
    return Number(/(\d+) sessions/.exec(engines.bus.detail)?.[1])
  }

  test('health says so first; others read and plan at once; requests are answered; then it ends with 0', async (t) => {
    const nodes = [await start(), await start()] as const
    t.after(() => nodes.map(({ child }) => child.kill('SIGKILL')))
    const [leaving, staying] = nodes
    const site = await createInstallation(leaving, 'Drained')
    for (const node of nodes) await eventually(async () => assert.equal(await slotsOf(node), 2))

    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.after(() => agent.destroy())
    const ask = async (path: string): Promise<Answer> => {
      const asked = request(leaving.url + path, { agent, headers: { 'x-api-key': site.token } })
      const [answer] = await once(asked.end(), 'response')
      let text = ''
      for await (const chunk of answer) text += chunk
      const closes = answer.headers.connection === 'close'
      return { status: answer.statusCode, closes, text }
    }
    const live = await ask('/health/live')
    assert.deepEqual([live.status, live.closes], [200, false])

    const ended = leaving.kill('SIGTERM')
    const began = performance.now()
    const draining = await eventually(async () => {
      const answer = await ask('/health/ready')
      assert.equal(answer.status, 503)
      return answer
    })
    assert.equal(JSON.parse(draining.text).status, 'draining')
    assert.equal(draining.closes, true)
    assert.deepEqual(
      [(await ask('/health/live')).status, (await ask('/api/v2/user/me')).status],
      [503, 200]
    )
    // The other node reads all sessions and runs the schedules while this one still answers.
    await eventually(async () => assert.equal(await slotsOf(staying), 4), DRAIN_SECONDS * 1000)
    const client = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`)
    await client.publishAsync(`${site.client_id}/obj/t`, '{"value":7}', { qos: 1 })
    await client.endAsync()
    await eventually(async () => {
      assert.match((await ask(`/api/v2/status/${site.id}`)).text, /"value":7/)
    })
    assert.equal(await claimed('scheduler'), 1)
    assert((await ask('/api/v2/user/me')).status === 200)

    assert.equal(await ended, 0)
    assert(performance.now() - began >= DRAIN_SECONDS * 1000 - 200)
    await assert.rejects(fetch(`${leaving.url}/health/live`))
    assert.equal((await fetch(`${staying.url}/health/ready`)).status, 200)
    assert.equal(await claimed('reader'), 1)
  })

  test('values that are acknowledged during the stop are in history and on the other node', async (t) => {
    const nodes = [await start(), await start()] as const
    t.after(() => nodes.map(({ child }) => child.kill('SIGKILL')))
    const [leaving, staying] = nodes
    const site = await createInstallation(leaving, 'Under load')
    for (const node of nodes) await eventually(async () => assert.equal(await slotsOf(node), 2))
    const client = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`)
    t.after(() => client.endAsync(true))
    let [sent, isOver] = [0, false]
    const sending = (async () => {
      while (!isOver) {
        const values = Array.from({ length: 20 }, () => sent++)
        await Promise.all(
          values.map((value) =>
            client.publishAsync(
              `${site.client_id}/obj/t${value % 50}`,
              JSON.stringify({ value, timestamp: 1_700_000_000 + value }),
              { qos: 1 }
            )
          )
        )
        await wait(5)
      }
    })()
    await wait(500)
    assert.equal(await leaving.kill('SIGTERM'), 0)
    isOver = true
    await sending
    const get = async (path: string) => {
      const answer = await fetch(staying.url + path, { headers: { 'x-api-key': site.token } })
      return JSON.parse(await answer.text())
    }
    await eventually(async () => {
      assert.equal((await get(`/api/v3beta/log/${site.id}?from=0&limit=1`)).total, sent)
    }, 60_000)
    const newest = Array.from({ length: 50 }, (_, i) => sent - 50 + i)
    await eventually(async () => {
      const latest = (await get(`/api/v2/status/${site.id}`)) as { value: number }[]
      const values = latest.map(({ value }) => value)
      assert.deepEqual(
        values.toSorted((a, b) => a - b),
        newest
      )
    })
  })
})
