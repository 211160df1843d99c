import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../../src/bus/bus.ts'
import { Flow, InFlight } from '../../src/bus/embedded/in-flight.ts'
import { SlowLane } from '../../src/bus/embedded/slow-lane.ts'
import { startBus } from '../support/bus.ts'
import { startCrowd } from '../support/crowd.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'

const limits = { inFlightBytes: 1e6, inFlightBytesPerTenant: 1e6 }
const noPace = () => Number.POSITIVE_INFINITY

test('senders in the slow lane take turns, and go on when they have no place any more', async () => {
  const gone: string[] = []
  const lane = new SlowLane<string>((sender) => gone.push(sender))
  const began = performance.now()
  for (let i = 0; i < 100; i++) lane.add('many')
  lane.add('few')
  lane.add('few')
  await eventually(() => assert.equal(gone.length, 2))
  assert.deepEqual(gone, ['few', 'many'])
  assert(performance.now() - began > 45, 'eleven ticks of ten')
  assert(!lane.has('many'))
})

test('who is removed does not go on, and takes nobody a turn', async () => {
  const gone: string[] = []
  const lane = new SlowLane<string>((sender) => gone.push(sender))
  for (let i = 0; i < 10_000; i++) lane.add('ended')
  lane.add('open')
  lane.remove('ended')
  await eventually(() => assert.deepEqual(gone, ['open']))
  lane.remove('never there')
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
  flood.slowDown()
  assert(!inFlight.isSlow(flood))
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

test('a flood that is refused is read at 2 000 messages a second, and the rest stays with its senders', async (t) => {
  let waiting = 0
  let most = 0
  const handle = async (message: Message) => {
    most = Math.max(most, ++waiting)
    message.isTooFast = message.topic === 'flood'
    await Promise.resolve()
    waiting--
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
  assert(most < 100, `${most} messages were held in memory`)
  assert.equal(bus.inFlightBytes, 0)
})
