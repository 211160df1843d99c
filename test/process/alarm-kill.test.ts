import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connectAsync, type MqttClient } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(20, 3)
const DEVICES = 4
/** Of each five values, one is below zero. */
const PERIOD = 5
/** Yesterday, because alarms are kept for a year. */
const FIRST = Math.floor(Date.now() / 1000) - 86_400

type Alarm = { topic: string; rule_id: number; raised_at: number; cleared_at: number | null }

/** Sends a value each second of its own time, one after another. What is not sure is sent again. */
class Device {
  readonly topic: string
  /** Values before this one are acknowledged. */
  next = 0
  #client: MqttClient | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(topic: string) {
    this.topic = topic
  }

  async run(port: number, password: string): Promise<void> {
    const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
      ...{ username: 'device', password, reconnectPeriod: 0 }
    })
    client.on('error', () => {})
    this.#client = client
    this.#sending = this.#send(client).catch(() => {})
  }

  async end(): Promise<void> {
    this.#client?.end(true)
    await this.#sending
  }

  async #send(client: MqttClient): Promise<void> {
    const gone = new Promise<never>((_, reject) => {
      client.once('close', () => reject(new Error('closed')))
    })
    gone.catch(() => {})
    for (;;) {
      const value = this.next % PERIOD === PERIOD - 1 ? -1 : 1
      const payload = JSON.stringify({ value, timestamp: FIRST + this.next })
      await Promise.race([client.publishAsync(this.topic, payload, { qos: 1 }), gone])
      this.next++
    }
  }
}

test(`after ${ROUNDS} times kill -9 there are exactly the alarms of the values`, async () => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal: Caracal = await start()
  const { token, id, client_id } = await createInstallation(caracal, 'Under fire')
  const headers = { 'x-api-key': token, 'content-type': 'application/json' }
  const makeRule = async (rule: object): Promise<number> => {
    const body = JSON.stringify({ name: 'above', on: { topics: ['obj/#'] }, ...rule })
    const url = `${caracal.url}/api/v2/rule/${id}`
    const answer = await fetch(url, { method: 'POST', headers, body })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as { id: number }).id
  }
  const atOnce = await makeRule({ when: { above: 0 } })
  const lasting = await makeRule({ when: { above: 0 }, for: '2s' })
  const devices = Array.from({ length: DEVICES }, (_, i) => new Device(`${client_id}/obj/d${i}`))
  const sent = () => devices.reduce((sum, { next }) => sum + next, 0)
  for (let round = 0; round < ROUNDS; round++) {
    const before = sent()
    for (const device of devices) await device.run(caracal.mqttPort, token)
    await eventually(() => assert(sent() > before + 20 * DEVICES), 60_000)
    await wait(Math.random() * 1500)
    await caracal.kill('SIGKILL')
    for (const device of devices) await device.end()
    caracal = await start()
  }
  const read = async (): Promise<Alarm[]> => {
    const all: Alarm[] = []
    for (;;) {
      const url = `${caracal.url}/api/v2/alarm/${id}?from=0&limit=1000&offset=${all.length}`
      const page = (await (await fetch(url, { headers })).json()) as Alarm[]
      all.push(...page)
      if (page.length === 0) return all
    }
  }
  // The value after the last acknowledged one may be stored: each device sends it again and goes on
  // until a value below.
  for (const device of devices) {
    const client = await connectAsync(`mqtt://127.0.0.1:${caracal.mqttPort}`, {
      ...{ username: 'device', password: token }
    })
    do {
      const value = device.next % PERIOD === PERIOD - 1 ? -1 : 1
      const payload = JSON.stringify({ value, timestamp: FIRST + device.next })
      await client.publishAsync(device.topic, payload, { qos: 1 })
      device.next++
    } while (device.next % PERIOD !== 0)
    await client.endAsync()
  }
  const expected = devices.flatMap(({ topic, next }) =>
    Array.from({ length: next / PERIOD }, (_, i) => FIRST + i * PERIOD).flatMap((begin) => {
      const cleared_at = begin + PERIOD - 1
      return [
        { topic, rule_id: atOnce, raised_at: begin, cleared_at },
        { topic, rule_id: lasting, raised_at: begin + 2, cleared_at }
      ]
    })
  )
  const order = (a: Alarm, b: Alarm) =>
    a.topic.localeCompare(b.topic) || a.raised_at - b.raised_at || a.rule_id - b.rule_id
  await eventually(async () => {
    const found = (await read())
      .filter(({ rule_id }) => rule_id !== null)
      .map(({ topic, rule_id, raised_at, cleared_at }) => ({
        topic,
        rule_id,
        raised_at,
        cleared_at
      }))
    assert.equal(found.length, expected.length)
    assert.deepEqual(found.sort(order), expected.sort(order))
  }, 30_000)
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
