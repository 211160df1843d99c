import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ExternalBus } from '../../src/bus/external/external.ts'
import { Latest } from '../../src/history/latest/latest.ts'
import { openHistory } from '../../src/history/open.ts'
import { Spool } from '../../src/history/spool/spool.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { decodeSamples, encodeSample, type Sample } from '../../src/lib/sample.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { openClaims } from '../../src/registry/open.ts'
import { MAX_UNTOLD_BYTES, Peers } from '../../src/samples/peers.ts'
import type { RemovalTask } from '../../src/samples/removals.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { statusText } from '../support/samples.ts'

const PLATFORM_TOPIC = '$caracal/a1b2c3d4'

/** A node with its own spool and history, and a client that receives what the node sends to others. */
async function startNode(t: TestContext) {
  const { deps, world, stop } = await startTestPlatform()
  t.after(stop)
  const broker = await startMosquitto(t)
  const { id: installation_id, client_id } = await world.installation()
  const dataDir = temporaryDirectory()
  const spool = await Spool.open(dataDir)
  const history = await openHistory({ url: '', dataDir, cluster: '', quorum: 0 })
  const claims = await openClaims('', true)
  const bus = new ExternalBus({
    url: `mqtt://127.0.0.1:${broker.port}`,
    ...{ platformId: 'a1b2c3d4', slots: 1, claims, sessionDays: 7, log: deps.log },
    onMessage: () => Promise.resolve()
  })
  const tasks: RemovalTask[] = []
  const parts = {
    ...{ bus, latest: new Latest(systemClock), history, spool, directory: deps.directory, claims },
    ...{ log: deps.log, node: 'one' },
    doTask: async (task: RemovalTask) => {
      tasks.push(task)
      if (task.installation_id === 0) throw new Error('history is away')
    }
  }
  const peers = new Peers(parts)
  t.after(async () => {
    await peers.stop()
    await bus.close()
    await spool.close()
    await history.close()
  })
  const client = await mqttClient(t, broker.port)
  await client.subscribe(`${PLATFORM_TOPIC}/#`)
  const heard = (topic: string) =>
    client.messages.filter((message) => message.topic === `${PLATFORM_TOPIC}/${topic}`)
  const sample = (id: number, topic: string): Sample => {
    const at = { id, installation_id, client_id, topic: `${client_id}/obj/${topic}` }
    return { ...at, timestamp: unixMs(1_700_000_000_000 + id), value: id, msg: 'x'.repeat(200) }
  }
  const start = async () => {
    await peers.start()
    await bus.start()
  }
  return { parts, peers, broker, client, heard, sample, start, installation_id, tasks }
}

describe('what nodes tell each other', { skip: withoutMosquitto }, () => {
  test('all nodes that ask get the newest sample of each topic, with one answer at a time', async (t) => {
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
    for (const name of names) await client.publish(`${PLATFORM_TOPIC}/hello`, name, { qos: 1 })
    await eventually(() => {
      for (const name of names) assert.ok(heard(`told/${name}`).length >= 1, name)
    }, 30_000)
    const answers = heard('samples').map(({ payload }) => Buffer.from(payload))
    assert.ok(answers.length < 15, `${answers.length} answers to 30 who asked at once`)
    for (const answer of answers) {
      const values = [...decodeSamples(answer)].map(({ value }) => value)
      assert.deepEqual(values.sort(), [rows - 2, rows - 1, rows])
    }
    // A node that asks after the answer has ended gets a new answer.
    client.messages.length = 0
    await client.publish(`${PLATFORM_TOPIC}/hello`, 'late', { qos: 1 })
    await eventually(() => assert.equal(heard('told/late').length, 1))
    assert.equal(heard('samples').length, 1)
  })

  test('a node tells others a long spool in parts, and in the end the newest value of each topic', async (t) => {
    const { parts, client, heard, sample, start } = await startNode(t)
    const long = 'x'.repeat(60 * 1024)
    // Each topic comes twice, with 9 MB in between.
    for (let id = 1; id <= 300; id++) {
      await parts.spool.append(encodeSample({ ...sample(id, `t${id % 150}`), msg: long }), id)
    }
    await start()
    await eventually(() => assert.ok(heard('samples').length > 0))
    client.messages.length = 0
    await client.publish(`${PLATFORM_TOPIC}/hello`, 'asker', { qos: 1 })
    await eventually(() => assert.equal(heard('told/asker').length, 1), 30_000)
    const told = heard('samples').flatMap(({ payload }) => [...decodeSamples(Buffer.from(payload))])
    assert.ok(told.length > 150, 'not all of them were gathered before the first were told')
    const last = new Map(told.map(({ topic, value }) => [topic, value]))
    assert.equal(last.size, 150)
    for (const value of last.values()) assert.ok(value > 150, `${value} is not the newest`)
  })

  test('values that cannot be sent are kept up to a limit, and the other nodes read the rest from history', async (t) => {
    const { parts, peers, heard, sample } = await startNode(t)
    await peers.start()
    const long = 'x'.repeat(60 * 1024)
    for (let id = 1; id <= 500; id++) parts.latest.put({ ...sample(id, `t${id}`), msg: long })
    // For a kept topic the newest value is kept.
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

  test('a node does what another asks for a removal, and says so when it is done', async (t) => {
    const { client, heard, start, tasks } = await startNode(t)
    await start()
    const task = { step: 'mark', removal: 'r', installation_id: 7, from: 1, to: 2 }
    const ask = (question: object) =>
      client.publish(`${PLATFORM_TOPIC}/ask`, JSON.stringify(question), { qos: 1 })
    await client.publish(`${PLATFORM_TOPIC}/ask`, 'no question', { qos: 1 })
    await ask({ asker: 'one', number: 1, task })
    await ask({ asker: 'two', number: 2, task: { ...task, installation_id: 0 } })
    await ask({ asker: 'two', number: 3, task })
    await eventually(() =>
      assert.deepEqual(
        heard('done/two').map(({ payload }) => payload),
        ['3 one']
      )
    )
    assert.deepEqual(
      tasks.map(({ installation_id }) => installation_id),
      [0, 7],
      'not its own question'
    )
  })

  test('a question is answered when all other nodes have done it, or not at all', async (t) => {
    const { parts, peers, client, heard, start } = await startNode(t)
    await start()
    const task: RemovalTask = {
      ...{ step: 'settle', removal: 'r', installation_id: 7, from: unixMs(1), to: unixMs(2) }
    }
    assert.equal(await peers.askAll(task), true, 'there is no other node')
    assert.deepEqual(heard('ask'), [])
    parts.claims.nodes = async () => 3
    const answer = peers.askAll(task)
    const question = await eventually(() => {
      const [one] = heard('ask')
      assert(one)
      return JSON.parse(one.payload)
    })
    assert.deepEqual(question.task, task)
    const done = (node: string) =>
      client.publish(`${PLATFORM_TOPIC}/done/one`, `${question.number} ${node}`, { qos: 1 })
    await done('two')
    await done('two')
    assert.equal(await Promise.race([answer, wait(200, 'waits')]), 'waits')
    await done('three')
    assert.equal(await answer, true)
    assert.equal(await peers.askAll(task), false, 'nobody answers')
  })

  test('a node that learns that another had more values asks again and reads history', async (t) => {
    const { client, heard, start } = await startNode(t)
    await start()
    await eventually(() => assert.equal(heard('hello').length, 1))
    await client.publish(`${PLATFORM_TOPIC}/behind`, 'another', { qos: 1 })
    await eventually(() => assert.equal(heard('hello').length, 2))
  })

  test('while history is away only history is tried again; other nodes are not asked again', async (t) => {
    const { parts, heard, sample, start, installation_id } = await startNode(t)
    const there = temporaryDirectory()
    const place = { url: '', dataDir: there, cluster: '', quorum: 0 }
    const history = await openHistory(place)
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
