import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startExecutor } from '../support/executor.ts'
import { type Mosquitto, startMosquitto } from '../support/mosquitto.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

type Site = { token: string; id: number; client_id: number }
type Alarm = { raised_at: number; cleared_at: number | null; topic: string }

/** Yesterday, because alarms are kept for a year. */
const FIRST = Math.floor(Date.now() / 1000) - 86_400
/** Of each four values, one is below zero. */
const PERIOD = 4
const INSTALLATIONS = 4

/** Two nodes of the real program. All values come to the one that has the session at the broker. */
describe('alarms of two nodes', { skip: withoutClickhouse }, () => {
  const files = temporaryDirectory()
  const directories = [temporaryDirectory(), temporaryDirectory()] as const
  const closing: (() => unknown)[] = []
  let postgres: Postgres
  let mosquitto: Mosquitto
  let history: string
  let sites: Site[]
  let client: MqttClient
  const running: (Caracal | undefined)[] = []
  /** Values that were sent to each installation. */
  let sent = 0

  const start = async (index: 0 | 1) => {
    const node = await startCaracal({
      CARACAL_DATA_DIR: directories[index],
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: history,
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      CARACAL_BUS_SLOTS: '1',
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_FILES_DIR: files,
      CARACAL_DISK_RESERVE_MB: '1',
      CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1'
    })
    running[index] = node
    return node
  }

  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
    mosquitto = await startMosquitto({ after: (close) => void closing.push(close) })
    history = await newDatabase()
    const node = await start(0)
    sites = []
    for (let i = 0; i < INSTALLATIONS; i++) sites.push(await createInstallation(node, `Site ${i}`))
    client = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`)
    closing.unshift(() => client.endAsync(true))
    for (const { id, token } of sites) {
      const answer = await fetch(`${node.url}/api/v2/rule/${id}`, {
        method: 'POST',
        headers: { 'x-api-key': token, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ name: 'above', on: { topics: ['obj/t'] }, when: { above: 0 }, for: '1s' }
        })
      })
      assert.equal(answer.status, 200)
    }
  })
  after(async () => {
    for (const node of running) node?.child.kill('SIGKILL')
    for (const close of closing) await close()
    await postgres?.stop()
  })

  /** Whole periods, one value after another. */
  const send = async (periods: number) => {
    for (let i = 0; i < periods * PERIOD; i++, sent++) {
      const value = sent % PERIOD === PERIOD - 1 ? -1 : 1
      const payload = JSON.stringify({ value, timestamp: FIRST + sent })
      for (const { client_id } of sites) {
        await client.publishAsync(`${client_id}/obj/t`, payload, { qos: 1 })
      }
    }
  }
  const alarmsOf = async (node: Caracal, { id, token }: Site): Promise<Alarm[]> => {
    const url = `${node.url}/api/v2/alarm/${id}?from=0&limit=1000`
    const answer = await fetch(url, { headers: { 'x-api-key': token } })
    assert.equal(answer.status, 200)
    return (await answer.json()) as Alarm[]
  }
  const isComplete = async (node: Caracal) => {
    const expected = Array.from({ length: sent / PERIOD }, (_, i) => [
      ...[FIRST + i * PERIOD + 1, FIRST + i * PERIOD + PERIOD - 1]
    ])
    for (const site of sites) {
      const found = (await alarmsOf(node, site)).map((one) => [one.raised_at, one.cleared_at])
      assert.deepEqual(found.toReversed(), expected)
    }
  }
  const metricOf = async (node: Caracal, name: string): Promise<number> => {
    const headers = { 'x-api-key': sites[0]?.token ?? '' }
    const text = await (await fetch(`${node.url}/metrics`, { headers })).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }

  test('each alarm is raised once, whichever node watches and whichever dies', async () => {
    let [one] = running as [Caracal]
    await send(5)
    await eventually(() => isComplete(one), 30_000)
    const two = await start(1)
    await wait(3000)
    await send(5)
    await eventually(() => isComplete(two), 30_000)

    await one.kill('SIGKILL')
    await send(5)
    await eventually(() => isComplete(two), 60_000)

    // The second node keeps the session at the broker. It hands values to the first one.
    one = await start(0)
    await eventually(
      async () => assert((await metricOf(two, 'caracal_alarm_watches')) === 0),
      30_000
    )
    await send(5)
    await eventually(() => isComplete(one), 30_000)
    assert((await metricOf(one, 'caracal_alarm_samples_total')) > 0)

    // The node that watches dies while it is handed values.
    const sending = send(10)
    await wait(300)
    await one.kill('SIGKILL')
    await sending
    await eventually(() => isComplete(two), 60_000)
    one = await start(0)
    await send(2)
    await eventually(() => isComplete(one), 60_000)
  })

  test('every alarm is told, also when the node that tells dies', async (t) => {
    const hook = await startExecutor()
    t.after(() => hook.stop())
    const [{ id, token, client_id }] = sites as [Site]
    const ask = async (line: string, body: object) => {
      const [method, path] = line.split(' ')
      const [node] = running as [Caracal]
      const answer = await fetch(`${node.url}/api/v2/${path}`, {
        ...{ method, headers: { 'x-api-key': token }, body: JSON.stringify(body) }
      })
      assert.equal(answer.status, 200, await answer.text())
    }
    const channels = { channels: ['webhook'], webhook: hook.url }
    await ask('PUT user/me/alarm', { severities: ['warning'], ...channels })
    const told = () =>
      hook.received.flatMap(({ body }) => (JSON.parse(body).alarms as Alarm[]).map((a) => a.topic))
    const topics: string[] = []
    for (const dies of [1, 0, 1, 0] as const) {
      const topic = `obj/told${topics.length}`
      // A rule of its own: what follows an alarm of the same rule is held.
      await ask(`POST rule/${id}`, { on: { topics: [topic] }, when: { above: 1 } })
      // The other node hears of it a moment later.
      await wait(3000)
      await client.publishAsync(`${client_id}/${topic}`, '2', { qos: 1 })
      topics.push(`${client_id}/${topic}`)
      await wait(Math.random() * 4000)
      await running[dies]?.kill('SIGKILL')
      await eventually(() => assert.deepEqual(new Set(told()), new Set(topics)), 60_000)
      await start(dies)
    }
    // Only a message that was under way when its node died may come again.
    assert(told().length <= 2 * topics.length, told().join(' '))
    for (const node of running) assert.equal(await node?.kill('SIGTERM'), 0)
  })
})
