import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import { withoutClickhouse } from '../support/clickhouse.ts'
import { newDatabase } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

const DRAIN_SECONDS = 3
const skip = withoutClickhouse || withoutMosquitto

describe('commands with two nodes', { skip }, () => {
  const closing: (() => unknown)[] = []
  const t = { after: (close: () => unknown) => void closing.push(close) }
  let postgres: Postgres
  let mosquitto: Mosquitto
  let nodes: [Caracal, Caracal]
  let site: { token: string; id: number; client_id: number }
  let device: MqttClient
  /** Payloads of commands that the device has not answered. */
  let held: { payload: string; answer: () => void }[] = []

  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
    mosquitto = await startMosquitto(t)
    const settings = {
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: await newDatabase(),
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      CARACAL_BUS_SLOTS: '4',
      CARACAL_DRAIN_SECONDS: String(DRAIN_SECONDS),
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_FILES_DIR: temporaryDirectory(),
      CARACAL_DISK_RESERVE_MB: '1'
    }
    const start = () => startCaracal({ ...settings, CARACAL_DATA_DIR: temporaryDirectory() })
    nodes = [await start(), await start()]
    site = await createInstallation(nodes[0], 'Shared')
    device = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`, { protocolVersion: 5 })
    device.on('message', (_topic, payload, { properties = {} }) => {
      const { responseTopic = '', correlationData } = properties
      const text = payload.toString()
      const answer = () =>
        device.publish(responseTopic, text, {
          properties: correlationData ? { correlationData } : {}
        })
      if (text.startsWith('held')) held.push({ payload: text, answer })
      else answer()
    })
    await device.subscribeAsync(`${site.client_id}/set/#`, { qos: 1 })
  })
  after(async () => {
    await device?.endAsync(true)
    for (const { child } of nodes ?? []) child.kill('SIGKILL')
    for (const close of closing) await close()
    await postgres?.stop()
  })

  const send = async ({ url }: Caracal, payload: string, more = {}) => {
    const answer = await fetch(`${url}/api/v2/command/${site.id}`, {
      method: 'POST',
      headers: { 'x-api-key': site.token },
      body: JSON.stringify({ topic: 'set/x', payload, timeout: 20, ...more })
    })
    const body = (await answer.json()) as { payload?: string; message?: string }
    return `${answer.status} ${body.payload ?? body.message}`
  }

  test('each answer comes to the node that waits for it', async () => {
    await eventually(async () => assert.equal(await send(nodes[1], 'first'), '200 first'))
    const payloads = Array.from({ length: 15 }, (_, i) => `at once ${i}`)
    for (const more of [{}, { response_topic: 'state' }]) {
      const answers = await Promise.all(
        payloads.map((payload, i) => send(nodes[i % 2 === 0 ? 0 : 1], payload, more))
      )
      assert.deepEqual(
        answers,
        payloads.map((payload) => `200 ${payload}`)
      )
    }
  })

  test('while a node drains, its commands are answered; at the end they are 503; the other goes on', async () => {
    const [leaving, staying] = nodes
    held = []
    const asked = ['held a', 'held b'].map((payload) => send(leaving, payload))
    const other = send(staying, 'held c')
    await eventually(() => assert.equal(held.length, 3))
    const ended = leaving.kill('SIGTERM')
    await eventually(async () => {
      assert.equal((await fetch(`${leaving.url}/health/ready`)).status, 503)
    })
    held.find(({ payload }) => payload === 'held a')?.answer()
    assert.equal(await asked[0], '200 held a')
    assert.equal(await asked[1], '503 The server stops')
    assert.equal(await ended, 0)
    held.find(({ payload }) => payload === 'held c')?.answer()
    assert.equal(await other, '200 held c')
  })

  test('kill -9 ends the wait of the caller', async () => {
    const [, node] = nodes
    held = []
    const asked = send(node, 'held').catch(() => 'hung up')
    await eventually(() => assert.equal(held.length, 1))
    await node.kill('SIGKILL')
    assert.equal(await asked, 'hung up')
    held[0]?.answer()
  })
})
