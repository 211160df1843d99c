import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type MqttClient } from 'mqtt'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/port.ts'
import {
  type Caracal,
  createInstallation,
  startCaracal,
  temporaryDirectory
} from '../support/process.ts'
import { Publisher } from '../support/publisher.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(10, 1)
const IN_FLIGHT = 20

/** The messages that arrived, by topic. */
function listen(client: MqttClient): Map<string, number[]> {
  const received = new Map<string, number[]>()
  client.on('message', (topic, payload) => {
    const numbers = received.get(topic) ?? []
    numbers.push(Number(payload.toString()))
    received.set(topic, numbers)
  })
  return received
}

function holdsFor({ topic, qos, acknowledged, sent }: Publisher, numbers: number[]): void {
  const distinct = [...new Set(numbers)]
  const lost = [...acknowledged].filter((number) => !distinct.includes(number))
  assert.deepEqual(lost, [], `${topic} lost what was acknowledged`)
  assert(Math.max(...numbers) < sent)
  if (qos === 2) assert.equal(numbers.length, distinct.length, `${topic} came twice`)
  // [MQTT 4.6.0] If a message comes twice, the first one counts.
  const rising = [...distinct].sort((a, b) => a - b)
  assert.deepEqual(distinct, rising, `${topic} is out of order`)
}

test(`every acknowledged message reaches an offline client after ${ROUNDS} times kill -9`, async (t) => {
  const CARACAL_DATA_DIR = temporaryDirectory()
  const port = await freePort()
  const start = () =>
    startCaracal({
      CARACAL_DATA_DIR,
      CARACAL_MQTT_PORT: String(port),
      CARACAL_MQTT_QUEUE_LIMIT: '100000',
      CARACAL_ADMIN_EMAIL: 'boss@example.org',
      CARACAL_ADMIN_PASSWORD: 'correct horse battery'
    })
  let caracal: Caracal = await start()
  const { token, client_id } = await createInstallation(caracal, 'Asleep')
  const open = async (clientId: string) => {
    const client = connect(`mqtt://127.0.0.1:${port}`, {
      clientId,
      clean: false,
      username: 'device',
      password: token,
      protocolVersion: 4,
      reconnectPeriod: 100
    })
    client.on('error', () => {})
    t.after(() => client.end(true))
    const received = listen(client)
    await once(client as never, 'connect')
    return { client, received }
  }
  const sleeper = await open('sleeper')
  await sleeper.client.subscribeAsync(`${client_id}/#`, { qos: 2 })
  await sleeper.client.endAsync()
  const awake = await open('awake')
  await awake.client.subscribeAsync(`${client_id}/#`, { qos: 2 })
  const publishers = ([1, 2] as const).flatMap((qos) =>
    ['cmd', 'obj'].map((tree) => {
      const topic = `${client_id}/${tree}/qos_${qos}`
      return new Publisher({ clientId: topic, password: token, topic, qos, inFlight: IN_FLIGHT })
    })
  )
  t.after(() => {
    for (const publisher of publishers) publisher.end()
  })
  const connectAll = () => Promise.all(publishers.map((publisher) => publisher.connect(port)))

  await connectAll()
  for (let round = 0; round < ROUNDS; round++) {
    for (const publisher of publishers) publisher.start()
    const before = publishers.map(({ acknowledged }) => acknowledged.size)
    await wait(100 + Math.random() * 400)
    await eventually(() => {
      for (const [i, { acknowledged, topic }] of publishers.entries())
        assert(acknowledged.size > (before[i] ?? 0) + 5, `${topic} is not acknowledged`)
    }, 60_000)
    await caracal.kill('SIGKILL')
    for (const publisher of publishers) publisher.stop()
    caracal = await start()
    await connectAll()
  }
  await eventually(() => assert(publishers.every(({ isIdle }) => isIdle)), 30_000)

  const woken = await open('sleeper')
  for (const { received } of [woken, awake]) {
    await eventually(() => {
      for (const { topic, sent } of publishers) {
        assert.equal(received.get(topic)?.at(-1), sent - 1, `${topic} has not ended`)
      }
    }, 60_000)
    for (const publisher of publishers) holdsFor(publisher, received.get(publisher.topic) ?? [])
  }
  await eventually(async () => {
    assert.match(await metrics(caracal, token), /^caracal_mqtt_queued 0$/m)
  })
  assert.equal(await caracal.kill('SIGTERM'), 0)
})

const metrics = async ({ url }: Caracal, token: string): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { 'x-api-key': token } })).text()
