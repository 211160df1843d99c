import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ExternalBus } from '../../src/bus/external.ts'
import { Latest } from '../../src/history/latest.ts'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { decodeSamples, encodeSample, type Sample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { openClaims } from '../../src/registry/claims.ts'
import { MAX_UNTOLD_BYTES, Peers } from '../../src/workers/peers.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { statusText } from '../support/samples.ts'

const OWN = '$caracal/a1b2c3d4'

/** A node with a spool and a history of its own, and a client that hears what it tells the others. */
async function startNode(t: TestContext) {
  const { deps, world, stop } = await startTestPlatform()
  t.after(stop)
  const broker = await startMosquitto(t)
  const { id: installation_id, client_id } = await world.installation()
  const dataDir = temporaryDirectory()
  const spool = await Spool.open(dataDir)
  const { history } = await openHistory({ url: '', dataDir, cluster: '', quorum: 0 })
  const claims = await openClaims('', true)
  const bus = new ExternalBus({
    url: `mqtt://127.0.0.1:${broker.port}`,
    ...{ platformId: 'a1b2c3d4', slots: 1, claims, sessionDays: 7, log: deps.log },
    onMessage: () => Promise.resolve()
  })
  const parts = {
    ...{ bus, latest: new Latest(systemClock), history, spool, directory: deps.directory, claims },
    ...{ log: deps.log, node: 'one' }
  }
  const peers = new Peers(parts)
  t.after(async () => {
    await peers.stop()
    await bus.close()
    await spool.close()
    await history.close()
  })
  const client = await mqttClient(t, broker.port)
  await client.subscribe(`${OWN}/#`)
  const heard = (topic: string) =>
    client.messages.filter((message) => message.topic === `${OWN}/${topic}`)
  const sample = (id: number, topic: string): Sample => {
    const at = { id, installation_id, client_id, topic: `${client_id}/obj/${topic}` }
    return { ...at, timestamp: unixMs(1_700_000_000_000 + id), value: id, msg: 'x'.repeat(200) }
  }
  const start = async () => {
    await peers.start()
    await bus.start()
  }
  return { parts, peers, broker, client, heard, sample, start, installation_id }
}

describe('what nodes tell each other', { skip: withoutMosquitto }, () => {
  test('however many ask, they are told the newest of each topic, one answer at a time', async (t) => {
    const { parts, client, heard, sample, start } = await startNode(t)
    const rows = 20_000
    for (let id = 1; id <= rows; id++) {
      const stored = parts.spool.append(encodeSample(sample(id, `t${id % 3}`)), id)
      if (id === rows) await stored
    }
    await start()
    await eventually(() => assert.equal(heard('samples').length, 1))
    client.messages.length = 0
    const names = Array.from({ length: 30 }, (_, i) => `asker ${i}`)
    for (const name of names) await client.publish(`${OWN}/hello`, name, { qos: 1 })
    await eventually(() => {
      for (const name of names) assert.ok(heard(`told/${name}`).length >= 1, name)
    }, 30_000)
    const answers = heard('samples').map(({ payload }) => Buffer.from(payload))
    assert.ok(answers.length < 15, `${answers.length} answers to 30 who asked at once`)
    for (const answer of answers) {
      const values = [...decodeSamples(answer)].map(({ value }) => value)
      assert.deepEqual(values.sort(), [rows - 2, rows - 1, rows])
    }
    // Who asks when nothing is under way is answered anew.
    client.messages.length = 0
    await client.publish(`${OWN}/hello`, 'late', { qos: 1 })
    await eventually(() => assert.equal(heard('told/late').length, 1))
    assert.equal(heard('samples').length, 1)
  })

  test('values that nobody can be told are kept within a bound, and the others look for the rest', async (t) => {
    const { parts, peers, heard, sample } = await startNode(t)
    await peers.start()
    const long = 'x'.repeat(60 * 1024)
    for (let id = 1; id <= 500; id++) parts.latest.put({ ...sample(id, `t${id}`), msg: long })
    // Of a topic that is kept the newest one is.
    parts.latest.put({ ...sample(501, 't1'), msg: 'newest' })
    await wait(100)
    assert(peers.untoldBytes > MAX_UNTOLD_BYTES / 2)
    assert(peers.untoldBytes <= MAX_UNTOLD_BYTES, `${peers.untoldBytes} bytes`)
    await parts.bus.start()
    await eventually(() =>
      assert.deepEqual(
        heard('behind').map(({ payload }) => payload),
        ['one']
      )
    )
    const told = heard('samples').flatMap(({ payload }) => [...decodeSamples(Buffer.from(payload))])
    assert(told.length > 200 && told.length < 300, `${told.length} told`)
    assert.equal(told.find(({ topic }) => topic.endsWith('/t1'))?.msg, 'newest')
    assert.equal(peers.untoldBytes, 0)
  })

  test('a node that hears that another had more to tell asks and reads history again', async (t) => {
    const { client, heard, start } = await startNode(t)
    await start()
    await eventually(() => assert.equal(heard('hello').length, 1))
    await client.publish(`${OWN}/behind`, 'another', { qos: 1 })
    await eventually(() => assert.equal(heard('hello').length, 2))
  })

  test('while history is away it alone is tried again; nobody is asked once more', async (t) => {
    const { parts, heard, sample, start, installation_id } = await startNode(t)
    const there = temporaryDirectory()
    const place = { url: '', dataDir: there, cluster: '', quorum: 0 }
    const { history } = await openHistory(place)
    await history.append(Buffer.from(encodeSample(sample(7, 'a'))), 'before')
    t.after(() => history.close())
    await parts.history.close()
    await start()
    await eventually(() => assert.equal(heard('hello').length, 1))
    await wait(6000)
    assert.equal(heard('hello').length, 1)
    parts.history = history
    await eventually(async () =>
      assert.match(await statusText(parts, installation_id), /"value":7,/)
    )
    assert.equal(heard('hello').length, 1)
  })
})
