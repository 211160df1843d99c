import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { freePort } from '../support/port.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'
import { Publisher } from '../support/publisher.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(5, 1)

test(`what is acknowledged below a mount survives ${ROUNDS} times kill -9, and wills are sent there`, async (t) => {
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
  let caracal = await start()
  const { token, id, client_id } = await createInstallation(caracal, 'Mounted')
  const made = await fetch(`${caracal.url}/api/v2/user/me/security/token`, {
    method: 'POST',
    headers: { 'x-api-key': token },
    body: JSON.stringify({ name: 'device', mount: { installation_id: id } })
  })
  const { token: key } = (await made.json()) as { token: string }
  const sleeping = { username: 'x', clientId: 'sleeper', clean: false }
  for (const [password, filter] of [
    [key, '#'],
    [token, `${client_id}/#`]
  ] as const) {
    const sleeper = await mqttClient(t, port, { ...sleeping, password })
    await sleeper.subscribe(filter, 2)
    await sleeper.mqtt.endAsync()
  }
  const publishers = ([1, 2] as const).map((qos) => {
    const topic = `tele/qos_${qos}`
    return new Publisher({ clientId: topic, password: key, topic, qos, inFlight: 20 })
  })
  t.after(() => {
    for (const publisher of publishers) publisher.end()
  })
  const connectAll = () => Promise.all(publishers.map((publisher) => publisher.connect(port)))
  await connectAll()
  for (let round = 0; round < ROUNDS; round++) {
    const will = { topic: 'LWT', payload: Buffer.from(`round ${round}`), qos: 1 as const }
    await mqttClient(t, port, {
      ...{ username: 'x', password: key, clientId: `dying-${round}` },
      will: { ...will, retain: false }
    })
    for (const publisher of publishers) publisher.start()
    const before = publishers.map(({ acknowledged }) => acknowledged.size)
    await eventually(() => {
      for (const [i, { acknowledged }] of publishers.entries()) {
        assert(acknowledged.size > (before[i] ?? 0) + 50)
      }
    }, 60_000)
    await caracal.kill('SIGKILL')
    for (const publisher of publishers) publisher.stop()
    caracal = await start()
    await connectAll()
  }
  await eventually(() => assert(publishers.every(({ isIdle }) => isIdle)), 30_000)

  const wills = Array.from({ length: ROUNDS }, (_, round) => `round ${round}`)
  for (const [password, base] of [
    [key, ''],
    [token, `${client_id}/dev/`]
  ] as const) {
    const woken = await mqttClient(t, port, { ...sleeping, password })
    assert.equal(woken.sessionPresent, true)
    const of = (topic: string) =>
      woken.messages.filter((one) => one.topic === base + topic).map(({ payload }) => payload)
    for (const { topic, sent, acknowledged } of publishers) {
      await eventually(() => assert.equal(of(topic).at(-1), String(sent - 1)), 60_000)
      const received = new Set(of(topic).map(Number))
      assert.deepEqual(
        [...acknowledged].filter((number) => !received.has(number)),
        [],
        `${base}${topic} lost what was acknowledged`
      )
    }
    await eventually(() => assert.deepEqual([...new Set(of('LWT'))].sort(), wills))
    assert(woken.messages.every(({ topic }) => topic.startsWith(base)))
  }
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
