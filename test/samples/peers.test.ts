import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { ExternalBus } from '../../src/bus/external/external.ts'
import { openClaims } from '../../src/registry/open.ts'
import { Peers } from '../../src/samples/peers.ts'
import { eventually } from '../support/eventually.ts'
import { startMosquitto, withoutMosquitto } from '../support/mosquitto.ts'
import { mqttClient } from '../support/mqtt.ts'

const PLATFORM_TOPIC = '$caracal/a1b2c3d4'

/** A node, and a client that hears what the node sends to others. */
async function startNode(t: TestContext) {
  const broker = await startMosquitto(t)
  const claims = await openClaims('', true)
  const log = pino({ level: 'silent' })
  const bus = new ExternalBus({
    url: `mqtt://127.0.0.1:${broker.port}`,
    ...{ platformId: 'a1b2c3d4', slots: 1, claims, sessionDays: 7, log },
    onMessage: () => Promise.resolve()
  })
  const state = { asked: 0, isAway: false }
  const settle = async () => {
    state.asked++
    if (state.isAway) throw new Error('history is away')
  }
  const peers = new Peers({ bus, claims, log, node: 'one', settle })
  t.after(async () => {
    peers.stop()
    await bus.close()
  })
  const client = await mqttClient(t, broker.port)
  await client.subscribe(`${PLATFORM_TOPIC}/#`)
  peers.start()
  await bus.start()
  const heard = (topic: string) =>
    client.messages
      .filter((message) => message.topic === `${PLATFORM_TOPIC}/${topic}`)
      .map(({ payload }) => payload)
  return { peers, claims, client, heard, state }
}

describe('what nodes ask each other', { skip: withoutMosquitto }, () => {
  test('a node settles when another asks, and says so when it is done', async (t) => {
    const { client, heard, state } = await startNode(t)
    const ask = (asker: string, number: number) =>
      client.publish(`${PLATFORM_TOPIC}/ask`, JSON.stringify({ asker, number }), { qos: 1 })
    // The node hears questions in their order, as soon as it has subscribed.
    let number = 0
    const answered = () =>
      eventually(async () => {
        const own = ++number
        await ask('two', own)
        await wait(100)
        assert(heard('done/two').includes(`${own} one`))
      })
    await answered()
    const { asked } = state
    state.isAway = true
    await ask('two', 1000)
    await eventually(() => assert(state.asked > asked))
    state.isAway = false
    await ask('one', 1001)
    await client.publish(`${PLATFORM_TOPIC}/ask`, 'no question', { qos: 1 })
    await answered()
    assert(!heard('done/two').includes('1000 one'), 'it could not settle')
    assert.deepEqual(heard('done/one'), [], 'a node does not answer itself')
  })

  test('all others have settled, or the answer is no', async (t) => {
    const { peers, claims, client, heard } = await startNode(t)
    assert.equal(await peers.settleAll(), true, 'there is no other node')
    assert.deepEqual(heard('ask'), [])
    claims.nodes = async () => 3
    const answer = peers.settleAll()
    const question = await eventually(() => {
      const [one] = heard('ask')
      assert(one)
      return JSON.parse(one)
    })
    const done = (node: string) =>
      client.publish(`${PLATFORM_TOPIC}/done/one`, `${question.number} ${node}`, { qos: 1 })
    await done('two')
    await done('two')
    assert.equal(await Promise.race([answer, wait(200, 'waits')]), 'waits')
    await done('three')
    assert.equal(await answer, true)
    assert.equal(await peers.settleAll(), false, 'nobody answers')
  })
})
