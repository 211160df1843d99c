import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, type TestContext, test } from 'node:test'
import { connectAsync, type MqttClient } from 'mqtt'
import { type Front, startFront, withoutClickhouse } from '../support/clickhouse.ts'
import { eventually } from '../support/eventually.ts'
import { type Mosquitto, startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'

type Site = Awaited<ReturnType<typeof createInstallation>>

const MESSAGES_PER_PHASE = 400
const FIRST_TIMESTAMP = 1_700_000_000
const TIMEOUT_MS = 60_000

/** Publishes growing numbers all the time. */
class Load {
  readonly #client: MqttClient
  readonly #topic: string
  #sending: Promise<void> | undefined
  #isOver = false
  /** Messages that the broker has taken. */
  taken = 0

  constructor(client: MqttClient, topic: string) {
    this.#client = client
    this.#topic = topic
  }

  start(): void {
    this.#sending = this.#send()
  }

  /** Resolves when the broker has taken some more. */
  async goOn(): Promise<void> {
    const before = this.taken
    await eventually(() => assert(this.taken > before + MESSAGES_PER_PHASE), TIMEOUT_MS)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#sending
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const values = Array.from({ length: 20 }, (_, i) => this.taken + i)
      await Promise.all(values.map((value) => this.#publish(value)))
      this.taken += values.length
    }
  }

  #publish(value: number) {
    const payload = JSON.stringify({ value, timestamp: FIRST_TIMESTAMP + value })
    return this.#client.publishAsync(this.#topic, payload, { qos: 1 })
  }
}

describe('nodes that are lost', { skip: withoutClickhouse || withoutMosquitto }, () => {
  const files = temporaryDirectory()
  const closing: (() => unknown)[] = []
  let postgres: Postgres
  let mosquitto: Mosquitto
  let front: Front

  before(async () => {
    const started = await startPostgres()
    assert(started, 'PostgreSQL is not installed')
    postgres = started
    mosquitto = await startMosquitto({ after: (close) => void closing.push(close) })
    front = await startFront()
  })
  after(async () => {
    for (const close of closing) await close()
    await front?.stop()
    await postgres?.stop()
  })

  const start = (ack: string, directory: string) =>
    startCaracal({
      CARACAL_ACK: ack,
      CARACAL_DATA_DIR: directory,
      CARACAL_REGISTRY_URL: postgres.url,
      CARACAL_HISTORY_URL: front.url('caracal'),
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${mosquitto.port}`,
      CARACAL_BUS_SLOTS: '4',
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery',
      CARACAL_FILES_DIR: files,
      CARACAL_DISK_RESERVE_MB: '1'
    })
  const newLoad = async (t: TestContext, topic: string) => {
    const client = await connectAsync(`mqtt://127.0.0.1:${mosquitto.port}`)
    const load = new Load(client, topic)
    t.after(async () => {
      await load.stop()
      await client.endAsync(true)
    })
    return load
  }
  const read = async ({ url }: Caracal, { token }: Site, path: string) => {
    const answer = await fetch(url + path, { headers: { 'x-api-key': token } })
    assert.equal(answer.status, 200)
    return (await answer.json()) as { total: number; data: { value: number }[] }
  }
  /** Every value once: as many rows as values, and no value twice. */
  const areAllStored = (node: Caracal, site: Site, count: number) =>
    eventually(async () => {
      const path = `/api/v3beta/log/${site.id}?from=0&limit=100000`
      const { total, data } = await read(node, site, path)
      assert.equal(new Set(data.map(({ value }) => value)).size, count)
      assert.equal(total, count)
    }, TIMEOUT_MS)

  for (const ack of ['history', 'spool'] as const) {
    const fate = ack === 'history' ? 'with its disk' : 'and comes back with its disk'
    test(`ACK=${ack}: a node is killed under load ${fate}, nothing is lost and nothing is there twice`, async (t) => {
      const directories = [temporaryDirectory(), temporaryDirectory()] as const
      const nodes = [await start(ack, directories[0]), await start(ack, directories[1])] as const
      t.after(() => nodes.map(({ child }) => child.kill('SIGKILL')))
      const site = await createInstallation(nodes[0], ack)
      const load = await newLoad(t, `${site.client_id}/obj/t`)
      load.start()
      await load.goOn()
      await nodes[0].kill('SIGKILL')
      if (ack === 'history') rmSync(directories[0], { recursive: true })
      await load.goOn()
      const back = await start(ack, directories[0])
      t.after(() => back.child.kill('SIGKILL'))
      await load.goOn()
      await load.stop()
      for (const node of [nodes[1], back]) {
        await areAllStored(node, site, load.taken)
        const [latest] = (await read(node, site, `/api/v2/status/${site.id}`)) as unknown as [
          { value: number }
        ]
        assert.equal(latest.value, load.taken - 1)
      }
      for (const node of [nodes[1], back]) assert.equal(await node.kill('SIGTERM'), 0)
    })
  }

  test('while the history server is away the broker keeps everything, also when the node is lost with its disk', async (t) => {
    const directory = temporaryDirectory()
    let node = await start('history', directory)
    t.after(() => node.child.kill('SIGKILL'))
    const site = await createInstallation(node, 'away')
    const load = await newLoad(t, `${site.client_id}/obj/t`)
    load.start()
    await load.goOn()
    await front.kill()
    await load.goOn()
    await eventually(async () => {
      assert.equal((await fetch(`${node.url}/health/ready`)).status, 503)
    })
    await node.kill('SIGKILL')
    rmSync(directory, { recursive: true })
    await load.goOn()
    await load.stop()
    await front.restart()
    node = await start('history', temporaryDirectory())
    await areAllStored(node, site, load.taken)
    assert.equal(await node.kill('SIGTERM'), 0)
  })
})
