import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import { unixMs } from '../../src/lib/unix-time.ts'
import { startAskingBroker } from '../support/asking-broker.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { freePort } from '../support/port.ts'
import {
  type Caracal,
  createInstallation,
  runCaracal,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { rounds, slow } from '../support/rounds.ts'

const ADMIN = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}
const MESSAGES_PER_ROUND = 200
/** All of them with CI=true. */
const KILLS = rounds(3, 1)

/** Publishes growing numbers all the time. */
class Device {
  readonly acknowledged = new Set<number>()
  readonly #topic: string
  #client: MqttClient | undefined
  #next = 0

  constructor(topic: string) {
    this.#topic = topic
  }

  get topic(): string {
    return this.#topic
  }

  get sent(): number {
    return this.#next
  }

  start(port: number): void {
    this.#client = connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 })
    this.#client.on('error', () => {})
    for (let i = 0; i < 50; i++) this.#send(this.#client)
  }

  stop(): void {
    this.#client?.end(true)
    this.#client = undefined
  }

  #send(client: MqttClient): void {
    if (client !== this.#client) return
    const value = this.#next++
    // A message with a timestamp that comes twice is one sample.
    const payload = JSON.stringify({ value, timestamp: 1_700_000_000 + value })
    client.publish(this.#topic, payload, { qos: 1 }, (error) => {
      if (!error) this.acknowledged.add(value)
      setTimeout(() => this.#send(client), 10)
    })
  }
}

async function storedValues(
  { url }: Caracal,
  { token, id }: { token: string; id: number },
  topic: string
): Promise<number[]> {
  const query = `from=1700000000&to=1800000000&limit=100000&order=asc&topics=${topic}`
  const answer = await fetch(`${url}/api/v3beta/log/${id}?${query}`, {
    headers: { 'x-api-key': token }
  })
  assert.equal(answer.status, 200)
  const { data } = (await answer.json()) as { data: { value: number }[] }
  return data.map(({ value }) => value)
}

/** A platform on an external broker, an installation, and a device at the broker. */
async function withDevice(t: TestContext) {
  const broker = await startMosquitto(t)
  const { world, stop } = await startTestPlatform({
    settings: { CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}` }
  })
  t.after(stop)
  const device = await mqttClient(t, broker.port)
  const get = async (path: string) => (await world.request(`GET ${path}`, { as: world.admin })).json
  return { ...(await world.installation()), device, get }
}

async function engineOf({ url }: Caracal, name: string) {
  const answer = await fetch(`${url}/health/ready`)
  const { engines } = (await answer.json()) as { engines: Record<string, { ok: boolean }> }
  return { status: answer.status, ok: engines[name]?.ok }
}

describe('the program on an external broker', { skip: withoutMosquitto }, () => {
  test('after kill -9 of the program and SIGTERM of the broker under load, what was acknowledged is stored once', async (t) => {
    const broker = await startMosquitto(t)
    const settings = {
      ...ADMIN,
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}`,
      // The devices send as fast as they can, for longer on a slow machine.
      CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1000000',
      CARACAL_QUOTA_ORGANIZATION: 'messages_per_second=1000000'
    }
    let caracal = await startCaracal(settings)
    assert.match(
      caracal.printed(),
      new RegExp(`MQTT +mqtt://127.0.0.1:${broker.port}   \\(CARACAL_BUS_URL`)
    )
    const installation = await createInstallation(caracal, 'Shared')
    const { client_id } = installation
    await eventually(async () => {
      assert.deepEqual(await engineOf(caracal, 'bus'), { status: 200, ok: true })
    })
    const devices = [1, 2, 3].map((n) => new Device(`${client_id}/obj/d${n}`))
    const start = () => devices.map((device) => device.start(broker.port))
    const stop = () => devices.map((device) => device.stop())
    t.after(stop)
    const acknowledged = () => devices.reduce((sum, { acknowledged: { size } }) => sum + size, 0)
    const goOn = async () => {
      const before = acknowledged()
      await eventually(() => assert.ok(acknowledged() > before + MESSAGES_PER_ROUND), 20_000)
    }
    start()
    for (let round = 0; round < KILLS; round++) {
      await goOn()
      await caracal.kill('SIGKILL')
      await goOn()
      caracal = await startCaracal(settings)
    }
    await goOn()
    await broker.stop('SIGTERM')
    stop()
    await eventually(async () => {
      assert.deepEqual(await engineOf(caracal, 'bus'), { status: 503, ok: false })
    })
    // The API works without a broker.
    const answer = await fetch(`${caracal.url}/api/v2/functionx/${installation.id}`, {
      method: 'POST',
      headers: { 'x-api-key': installation.token },
      body: JSON.stringify({ type: 'lamp', meta: {} })
    })
    assert.equal(answer.status, 200)
    await broker.start()
    // Mosquitto forgets shared subscriptions when it restarts.
    await eventually(async () => {
      assert.deepEqual(await engineOf(caracal, 'bus'), { status: 200, ok: true })
    })
    start()
    await goOn()
    stop()
    assert.ok(acknowledged() > (2 * KILLS + 2) * MESSAGES_PER_ROUND)
    for (const { topic, acknowledged, sent } of devices) {
      await eventually(async () => {
        const stored = await storedValues(caracal, installation, topic)
        const once = new Set(stored)
        assert.equal(once.size, stored.length)
        const missing = [...acknowledged].filter((value) => !once.has(value))
        assert.equal(missing.length, 0, caracal.printed())
        assert.ok(Math.max(...stored) < sent)
      }, 30_000)
    }
    assert.equal(await caracal.kill('SIGTERM'), 0)
  })

  test(
    'a schedule is stored once though its message comes back, changes are published, and no MQTT port is open',
    slow,
    async (t) => {
      const broker = await startMosquitto(t)
      const mqttPort = await freePort()
      let ahead = 0
      const { url, world, stop } = await startTestPlatform({
        clock: () => unixMs(Date.now() + ahead),
        settings: {
          CARACAL_MQTT_PORT: String(mqttPort),
          CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}`
        }
      })
      t.after(stop)
      const { id, client_id } = await world.installation()
      await assert.rejects(mqttClient(t, mqttPort))
      await assert.rejects(mqttClient(t, `${url.replace('http', 'ws')}/mqtt`))
      const listener = await mqttClient(t, broker.port)
      await listener.subscribe('#')
      const headers = { 'x-api-key': world.admin.token }
      const credentials = await fetch(`${url}/api/v2/gateway/credentials/${id}`, {
        method: 'POST',
        headers
      })
      const { mqtt_broker } = (await credentials.json()) as { mqtt_broker: string }
      assert.equal(mqtt_broker, `127.0.0.1:${broker.port}`)

      // The next minute begins soon.
      ahead = 58_000 - (Date.now() % 60_000)
      await fetch(`${url}/api/v2/schedule/${id}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ topic: 'obj/lamp', value: 1, executor: 'server', active: true })
      })
      const heard = (topic: string) => listener.messages.filter((each) => each.topic === topic)
      await eventually(() => assert.equal(heard(`${client_id}/evt/schedule/updated`).length, 1))
      await eventually(() => assert.equal(heard(`${client_id}/obj/lamp`).length, 1), 20_000)
      const { value, timestamp } = JSON.parse(heard(`${client_id}/obj/lamp`)[0]?.payload ?? '{}')
      const received = async () => {
        const answer = await fetch(`${url}/metrics`, { headers })
        return Number(/^caracal_mqtt_received_total (\d+)$/m.exec(await answer.text())?.[1])
      }
      await eventually(async () => assert.equal(await received(), 1))
      const read = async (path: string) => {
        type Rows = { value: number; timestamp: number }[]
        const answer = (await (await fetch(url + path, { headers })).json()) as
          | Rows
          | { data: Rows }
        const rows = 'data' in answer ? answer.data : answer
        return rows.map((row) => [row.value, row.timestamp])
      }
      const log = `/api/v3beta/log/${id}?from=${timestamp - 1}&to=${timestamp + 1}`
      await eventually(async () => assert.deepEqual(await read(log), [[value, timestamp]]))
      assert.deepEqual(await read(`/api/v2/status/${id}`), [[value, timestamp]])
    }
  )

  test(
    'a schedule that is due while the broker is away is sent when it is back, or fails and is not stored',
    slow,
    async (t) => {
      const broker = await startMosquitto(t)
      let ahead = 0
      const { url, world, stop } = await startTestPlatform({
        clock: () => unixMs(Date.now() + ahead),
        settings: { CARACAL_BUS_URL: `mqtt://127.0.0.1:${broker.port}` }
      })
      t.after(stop)
      const { id, client_id } = await world.installation()
      const base = `/api/v2/schedule/${id}`
      const headers = { 'x-api-key': world.admin.token }
      const read = async (path: string) => (await fetch(url + path, { headers })).json()
      ahead = 58_000 - (Date.now() % 60_000)
      const body = JSON.stringify({ topic: 'obj/lamp', value: 1, executor: 'server', active: true })
      await fetch(url + base, { method: 'POST', headers, body })
      const [schedule] = (await read(base)) as { id: number }[]
      const due = Math.ceil((Date.now() + ahead) / 60_000) * 60
      type Runs = { planned: number; outcome: string }[]
      const outcomeOf = async (planned: number) => {
        const runs = (await read(`${base}/${schedule?.id}/runs`)) as Runs
        return runs.find((run) => run.planned === planned)?.outcome
      }
      type Log = { data: { timestamp: number }[] }
      const stored = async () => {
        const { data } = (await read(`/api/v3beta/log/${id}?from=${due - 1}&limit=100`)) as Log
        return data.map(({ timestamp }) => timestamp)
      }

      await broker.stop('SIGTERM')
      await eventually(async () => assert.equal(await outcomeOf(due), 'taken'))
      await wait(2500)
      assert.equal(await outcomeOf(due), 'taken')
      assert.deepEqual(await stored(), [])
      await broker.start()
      const listener = await mqttClient(t, broker.port)
      await listener.subscribe('#')
      await eventually(async () => assert.equal(await outcomeOf(due), 'published'))
      await eventually(async () => assert.deepEqual(await stored(), [due]))
      const heard = () => listener.messages.filter(({ topic }) => topic === `${client_id}/obj/lamp`)
      assert.deepEqual(
        heard().map(({ payload }) => JSON.parse(payload).timestamp),
        [due]
      )

      // For the next run the broker is away for more than a minute.
      await broker.stop('SIGTERM')
      await wait(1500)
      ahead += (due + 60) * 1000 - (Date.now() + ahead)
      await eventually(async () => assert.equal(await outcomeOf(due + 60), 'taken'))
      ahead += 75_000
      await eventually(async () => assert.equal(await outcomeOf(due + 60), 'failed'))
      assert.deepEqual(await stored(), [due])
    }
  )

  test('a message that is too large to store is written to the ledger', async (t) => {
    const { id, client_id, device, get } = await withDevice(t)
    const read = async (path: string) => (await get(path)) as Record<string, unknown>[]
    const message = (bytes: number) => {
      const [start, end] = ['{"value":1', '}']
      return start + ' '.repeat(bytes - start.length - end.length) + end
    }
    await device.publish(`${client_id}/obj/huge`, message(1_500_000), { qos: 1 })
    await device.publish(`${client_id}/obj/over`, message(2 ** 20 + 1), { qos: 1 })
    const long = JSON.stringify({ value: 1, msg: 'x'.repeat(2 ** 16 + 1) })
    await device.publish(`${client_id}/obj/long`, long, { qos: 1 })
    await device.publish(`${client_id}/obj/large`, message(2 ** 20), { qos: 1 })
    await eventually(async () => {
      const topics = (await read(`/api/v2/status/${id}`)).map(({ topic }) => topic)
      assert.deepEqual(topics, [`${client_id}/obj/large`])
    })
    const refused = (await read('/api/v2/ledger')).map(({ topic, reason }) => [topic, reason])
    assert.deepEqual(refused, [
      [`${client_id}/obj/long`, 'msg too long'],
      [`${client_id}/obj/over`, 'too large'],
      [`${client_id}/obj/huge`, 'too large']
    ])
  })

  test('without timestamps the last message of a topic is its latest value, and the log keeps the order', async (t) => {
    const { id, client_id, device, get } = await withDevice(t)
    const read = async (path: string) => {
      type Rows = { value: number }[]
      const answer = (await get(path)) as Rows | { data: Rows }
      return ('data' in answer ? answer.data : answer).map(({ value }) => value)
    }
    for (const count of [9, 20, 500]) {
      const sent = Array.from({ length: count }, (_, i) => i + 1)
      const topic = `obj/${count}`
      await Promise.all(
        sent.map((value) =>
          device.publish(`${client_id}/${topic}`, JSON.stringify({ value }), { qos: 1 })
        )
      )
      const log = `/api/v3beta/log/${id}?from=0&limit=1000&order=asc&topics=${topic}`
      await eventually(async () => assert.deepEqual(await read(log), sent))
      assert.deepEqual(await read(`/api/v2/status/${id}?topics=${topic}`), [count])
    }
  })

  test('a broker that does not answer stops the start with one clear line', async () => {
    const port = await freePort()
    const { code, err } = await runCaracal({
      ...ADMIN,
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_LOG_LEVEL: 'silent',
      CARACAL_BUS_URL: `mqtt://anna:secret@127.0.0.1:${port}`
    })
    assert.equal(code, 1)
    assert.match(
      err,
      /^caracal: CARACAL_BUS_URL: no connection to 127.0.0.1:\d+ \(.*ECONNREFUSED.*\)\n$/
    )
    assert.ok(!err.includes('secret'))
  })

  test(
    'a broker that asks the program about every client, including the program itself, loses nothing at a restart',
    slow,
    async (t) => {
      const mosquitto = await startMosquitto(t)
      const [apiPort, key] = [await freePort(), 'a_broker-key_of_32_characters_00']
      const asking = await startAskingBroker(t, { brokerPort: mosquitto.port, apiPort, key })
      const caracal = await startCaracal({
        ...ADMIN,
        CARACAL_DATA_DIR: temporaryDirectory(),
        CARACAL_HTTP_PORT: String(apiPort),
        CARACAL_BUS_URL: `mqtt://caracal:secret@127.0.0.1:${asking.port}`,
        CARACAL_BROKER_KEY: key
      })
      await eventually(async () => {
        assert.deepEqual(await engineOf(caracal, 'bus'), { status: 200, ok: true })
      })
      const installation = await createInstallation(caracal, 'Asked')
      const topic = `${installation.client_id}/obj/d`
      const password = installation.token
      await assert.rejects(mqttClient(t, asking.port, { username: 'x', password: 'wrong' }))

      // Like a device, it connects again and again, and sends at once.
      const acknowledged = new Set<number>()
      let [next, isOver] = [0, false]
      const device = async () => {
        while (!isOver) {
          const client = await mqttClient(t, asking.port, { username: 'x', password }).catch(
            () => {}
          )
          const closed = new Promise<void>((resolve) => client?.mqtt.once('close', () => resolve()))
          while (client?.mqtt.connected && !isOver) {
            const value = next++
            const payload = JSON.stringify({ value, timestamp: 1_700_000_000 + value })
            const sent = client.publish(topic, payload, { qos: 1 }).then(
              () => acknowledged.add(value),
              () => {}
            )
            await Promise.race([sent, closed])
          }
          await client?.mqtt.endAsync(true)
          await wait(10)
        }
      }
      const sending = Promise.all([device(), device(), device()])
      for (let round = 0; round < 3; round++) {
        const before = acknowledged.size
        await eventually(() => assert.ok(acknowledged.size > before + MESSAGES_PER_ROUND), 20_000)
        await mosquitto.stop('SIGTERM')
        await mosquitto.start()
      }
      const before = acknowledged.size
      await eventually(() => assert.ok(acknowledged.size > before + MESSAGES_PER_ROUND), 20_000)
      isOver = true
      await sending
      assert.ok(asking.answers.includes(503), 'nobody was held up')
      await eventually(async () => {
        const stored = new Set(await storedValues(caracal, installation, topic))
        const missing = [...acknowledged].filter((value) => !stored.has(value))
        assert.deepEqual(missing, [])
      }, 30_000)
      assert.equal(await caracal.kill('SIGTERM'), 0)
    }
  )

  test('a broker over TLS with a trusted certificate works', slow, async (t) => {
    const directory = temporaryDirectory()
    const file = (name: string) => join(directory, name)
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file('key.pem')]
    execFileSync('openssl', ['req', '-x509', ...key, '-out', file('cert.pem'), ...subject], {
      stdio: 'ignore'
    })
    const broker = await startMosquitto(
      t,
      ['allow_anonymous true'],
      [`certfile ${file('cert.pem')}`, `keyfile ${file('key.pem')}`]
    )
    const settings = {
      ...ADMIN,
      CARACAL_DATA_DIR: file('data'),
      CARACAL_LOG_LEVEL: 'silent',
      CARACAL_BUS_URL: `mqtts://127.0.0.1:${broker.port}`
    }
    const untrusted = await runCaracal(settings)
    assert.equal(untrusted.code, 1)
    assert.match(untrusted.err, /^caracal: CARACAL_BUS_URL: no connection.*self-signed certificate/)
    const missing = await runCaracal({ ...settings, CARACAL_BUS_CA_PATH: file('none.pem') })
    assert.match(missing.err, /^caracal: CARACAL_BUS_CA_PATH: cannot be used/)
    const caracal = await startCaracal({ ...settings, CARACAL_BUS_CA_PATH: file('cert.pem') })
    await eventually(async () => {
      assert.deepEqual(await engineOf(caracal, 'bus'), { status: 200, ok: true })
    })
    assert.equal(await caracal.kill('SIGTERM'), 0)
  })
})
