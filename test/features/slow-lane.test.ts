import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Message } from '../../src/bus/bus.ts'
import { Flow, InFlight } from '../../src/bus/embedded/in-flight.ts'
import { SlowLane } from '../../src/bus/embedded/slow-lane.ts'
import { startBus } from '../support/bus.ts'
import { startCrowd } from '../support/crowd.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { startTestPlatform } from '../support/platform.ts'
import { slow } from '../support/rounds.ts'

const limits = { inFlightBytes: 1e6, inFlightBytesPerTenant: 1e6 }
const noPace = () => Number.POSITIVE_INFINITY

test('senders in the slow lane take turns, and go on when they have no place any more', async () => {
  const gone: string[] = []
  const lane = new SlowLane<string, string>((sender) => gone.push(sender))
  const began = performance.now()
  for (let i = 0; i < 100; i++) lane.add('tenant', 'many')
  lane.add('tenant', 'few')
  lane.add('tenant', 'few')
  await eventually(() => assert.equal(gone.length, 2))
  assert.deepEqual(gone, ['few', 'many'])
  assert(performance.now() - began > 45, 'eleven ticks of ten')
})

test('a sender that is removed does not go on and costs nobody a turn', async () => {
  const gone: string[] = []
  const lane = new SlowLane<string, string>((sender) => gone.push(sender))
  for (let i = 0; i < 10_000; i++) lane.add('tenant', 'ended')
  lane.add('tenant', 'open')
  lane.remove('tenant', 'ended')
  await eventually(() => assert.deepEqual(gone, ['open']))
  lane.remove('tenant', 'never there')
})

test('tenants in the slow lane take turns, however many senders one of them has', async () => {
  const gone: string[] = []
  const lane = new SlowLane<string, string>((sender) => gone.push(sender))
  for (let i = 0; i < 1000; i++) lane.add('crowd', `sender ${i}`)
  for (let i = 0; i < 20; i++) lane.add('neighbour', 'alone')
  await eventually(() => assert(gone.includes('alone')))
  const before = gone.indexOf('alone')
  assert(before <= 20, `${before} senders of the crowd went on before`)
  for (let i = 0; i < 1000; i++) lane.remove('crowd', `sender ${i}`)
})

test('a connection whose messages come too fast waits, and the others of its tenant do not', async () => {
  const inFlight = new InFlight(limits, noPace)
  let resumed = 0
  const flood = new Flow(inFlight, 'a', () => resumed++)
  const honest = new Flow(inFlight, 'a', () => {})
  for (let i = 0; i < 20; i++) flood.slowDown()
  assert(!flood.take(10))
  assert(honest.take(10))
  await eventually(() => assert.equal(resumed, 1))
  assert(flood.take(10))
  flood.end()
  honest.end()
  // A message that is refused after its connection has ended takes no place.
  for (let i = 0; i < 20; i++) flood.slowDown()
  await wait(50)
  assert.equal(resumed, 1)
  assert.equal(inFlight.bytes, 0)
})

test('connections that end while they wait for room get none, and the next one does', async () => {
  const inFlight = new InFlight({ ...limits, inFlightBytesPerTenant: 3000 }, noPace)
  const resumed: number[] = []
  const flows = Array.from(
    { length: 5 },
    (_, n) => new Flow(inFlight, 'a', () => resumed.push(n))
  ) as [Flow, Flow, Flow, Flow, Flow]
  assert.deepEqual(
    flows.map((flow) => flow.take(1000)),
    [true, false, false, false, false]
  )
  flows[1].end()
  flows[2].end()
  flows[0].release()
  assert.deepEqual(resumed, [3])
  for (const flow of flows) flow.end()
  assert.equal(inFlight.bytes, 0)
})

test('connections that end while they wait for room are not kept until there is room', () => {
  const inFlight = new InFlight({ ...limits, inFlightBytesPerTenant: 3000 }, noPace)
  const holding = new Flow(inFlight, 'a', () => {})
  const waiting = new Flow(inFlight, 'a', () => {})
  assert(holding.take(1000))
  assert(!waiting.take(1000))
  for (let i = 0; i < 1000; i++) {
    const flow = new Flow(inFlight, 'a', () => {})
    assert(!flow.take(1000))
    flow.end()
  }
  assert.equal(inFlight.waiting, 1)
  waiting.end()
  holding.end()
  assert.equal(inFlight.waiting, 0)
})

test(
  'a flood that is refused is read at 2 000 messages a second, and the rest stays with its senders',
  slow,
  async (t) => {
    let most = 0
    const handle = async (message: Message) => {
      most = Math.max(most, bus.inFlightBytes)
      message.isTooFast = message.topic === 'flood'
    }
    const { port, bus } = await startBus(t, { handle })
    const crowd = await startCrowd(t, { port, count: 10, usernames: ['ann@house'] })
    const neighbour = await mqttClient(t, port, { username: 'bert@house' })
    const began = performance.now()
    await crowd.flood({ topic: 'flood', count: 200, qos: 1 })
    await eventually(() => assert(bus.counts.received > 0))
    await neighbour.publish('calm', '1', { qos: 1 })
    assert((await crowd.acknowledged()) < 2000, 'the neighbour does not wait for the flood')
    await eventually(async () => assert.equal(await crowd.acknowledged(), 2000))
    assert(performance.now() - began > 990)
    // Ten of each connection, and what the neighbour sent.
    assert(most < 110 * 1100, `${most} bytes of messages were in flight`)
    assert.equal(bus.inFlightBytes, 0)
  }
)

test('messages beyond the quota of an installation wait in the slow lane', async (t) => {
  const settings = { CARACAL_QUOTA_INSTALLATION: 'messages_per_second=1' }
  const platform = await startTestPlatform({ settings })
  t.after(() => platform.stop())
  const { world } = platform
  const { installation, user } = await world.site(['mqtt/publish/all'])
  const client = await world.mqtt(user)
  const topic = `${installation.client_id}/obj/one`
  const began = performance.now()
  await Promise.all(
    Array.from({ length: 560 }, () => client.publish(topic, '{"value":1}', { qos: 1 }))
  )
  const took = performance.now() - began
  // Sixty are allowed at once. The last one waits for nobody behind it.
  assert(took > 245, `500 messages beyond the quota were acknowledged within ${took} ms`)
})
