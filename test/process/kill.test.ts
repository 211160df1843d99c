import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import { type Caracal, startCaracal, temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(20, 2)
const CLIENTS = 6
const IN_FLIGHT = 50

type Page = { total: number; data: { value: number; timestamp: number; topic: string }[] }

/** Publishes growing values with timestamps, and sends again what is not acknowledged. */
class Device {
  readonly topic: string
  readonly acknowledged = new Set<number>()
  readonly #unsure = new Set<number>()
  #next = 1
  #client: MqttClient | undefined

  constructor(topic: string) {
    this.topic = topic
  }

  async run(port: number, password: string): Promise<void> {
    const client = connect(`mqtt://127.0.0.1:${port}`, {
      username: 'device',
      password,
      reconnectPeriod: 0
    })
    this.#client = client
    client.on('error', () => {})
    await once(client as never, 'connect')
    for (const value of this.#unsure) this.#send(value)
    for (let i = this.#unsure.size; i < IN_FLIGHT; i++) this.#send(this.#next++)
  }

  #send(value: number): void {
    const client = this.#client
    this.#unsure.add(value)
    const reading = JSON.stringify({ value, timestamp: 1_700_000_000 + value / 1000 })
    client?.publish(this.topic, reading, { qos: 1 }, (error) => {
      if (error) return
      this.#unsure.delete(value)
      this.acknowledged.add(value)
      if (client.connected) this.#send(this.#next++)
    })
  }

  /** The newest value that was sent. Nothing greater may be found. */
  get sent(): number {
    return this.#next - 1
  }

  end(): void {
    this.#client?.end(true)
  }
}

test(`every acknowledged sample is stored exactly once after ${ROUNDS} times kill -9 under load`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal: Caracal = await start()
  const auth = await fetch(`${caracal.url}/api/v2/auth`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('boss@example.org:correct horse battery')}` }
  })
  const { token } = (await auth.json()) as { token: string }
  const created = await fetch(`${caracal.url}/api/v2/installation`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: '{"name":"Under fire"}'
  })
  const { id, client_id } = (await created.json()) as { id: number; client_id: number }
  const devices = Array.from({ length: CLIENTS }, (_, i) => new Device(`${client_id}/obj/d${i}`))

  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(devices.map((device) => device.run(caracal.mqttPort, token)))
    await wait(50 + Math.random() * 500)
    await caracal.kill('SIGKILL')
    for (const device of devices) device.end()
    caracal = await start()
  }

  const acknowledged = devices.reduce((sum, device) => sum + device.acknowledged.size, 0)
  assert(acknowledged > ROUNDS * CLIENTS, `only ${acknowledged} were acknowledged`)
  const read = async (query: string): Promise<Page> => {
    const url = `${caracal.url}/api/v3beta/log/${id}?from=0&order=asc&${query}`
    return (await (await fetch(url, { headers: { 'x-api-key': token } })).json()) as Page
  }
  for (const device of devices) {
    await eventually(async () => {
      const found = await readAll(read, device.topic)
      const values = new Set(found)
      assert.equal(values.size, found.length, 'no value is there twice')
      for (const value of device.acknowledged) {
        assert(values.has(value), `${device.topic} lost ${value}, which was acknowledged`)
      }
      for (const value of found) assert(value <= device.sent)
    }, 15_000)
  }
  const status = await fetch(`${caracal.url}/api/v2/status/${id}`, {
    headers: { 'x-api-key': token }
  })
  for (const { topic, value } of (await status.json()) as { topic: string; value: number }[]) {
    const device = devices.find((one) => one.topic === topic)
    assert(device && value >= Math.max(...device.acknowledged), `${topic} shows an old value`)
  }
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

async function readAll(read: (query: string) => Promise<Page>, topic: string): Promise<number[]> {
  const values: number[] = []
  for (;;) {
    const page = await read(`topics=${topic}&limit=100000&offset=${values.length}`)
    values.push(...page.data.map(({ value }) => value))
    if (page.data.length === 0 || values.length >= page.total) return values
  }
}
