import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Flow, InFlight } from '../../src/bus/embedded/in-flight.ts'
import { startBus } from '../support/bus.ts'
import { startCrowd } from '../support/crowd.ts'
import { eventually } from '../support/eventually.ts'
import { mqttClient } from '../support/mqtt.ts'
import { slow } from '../support/rounds.ts'

const MIB = 1024 * 1024
const limits = { inFlightBytes: 64 * MIB, inFlightBytesPerTenant: 8 * MIB }
/** Of 2 000 a second and the margin, what comes at once. */
const AT_ONCE = 25

/** Messages until the flow has to wait, at most 1 000. */
function takeAll(flow: Flow): number {
  let taken = 0
  while (taken < 1000 && flow.take(10)) taken++
  return taken
}

test('a tenant that is connected alone has no pace', () => {
  const inFlight = new InFlight(limits, () => 2000)
  const flow = new Flow(inFlight, 'a', () => {})
  assert.equal(takeAll(flow), 1000)
  flow.end()
})

test('beside another tenant a few messages are read at once, and the others a little later', async () => {
  const inFlight = new InFlight(limits, () => 2000)
  let resumed = 0
  const flood = new Flow(inFlight, 'a', () => {
    resumed++
  })
  const other = new Flow(inFlight, 'b', () => {})
  assert.equal(takeAll(flood), AT_ONCE)
  assert.equal(resumed, 0)
  assert.ok(other.take(10), 'the other one goes on')
  await eventually(() => assert.equal(resumed, 1))
  assert.ok(takeAll(flood) > 0)
  flood.end()
  other.end()
  assert.equal(inFlight.bytes, 0)
})

test('connections of one tenant share its pace, and all of them go on', async () => {
  const inFlight = new InFlight(limits, () => 2000)
  const neighbour = new Flow(inFlight, 'b', () => {})
  const resumed = new Set<number>()
  const flows = Array.from({ length: 40 }, (_, n) => {
    const flow: Flow = new Flow(inFlight, 'a', () => resumed.add(n))
    return flow
  })
  const atOnce = flows.filter((flow) => flow.take(10)).length
  assert.equal(atOnce, AT_ONCE)
  await eventually(() => assert.equal(resumed.size, 40 - AT_ONCE))
  for (const flow of [neighbour, ...flows]) flow.end()
})

test('who has no quota is not slowed down', () => {
  const inFlight = new InFlight(limits, () => Number.POSITIVE_INFINITY)
  const flow = new Flow(inFlight, 'a', () => {})
  const other = new Flow(inFlight, 'b', () => {})
  assert.equal(takeAll(flow), 1000)
  flow.end()
  other.end()
})

test('when the others have left, those that waited go on without a pace', async () => {
  const inFlight = new InFlight(limits, () => 2000)
  let resumed = 0
  const flood = new Flow(inFlight, 'a', () => {
    resumed++
  })
  const other = new Flow(inFlight, 'b', () => {})
  takeAll(flood)
  other.end()
  await eventually(() => assert.equal(resumed, 1))
  assert.equal(takeAll(flood), 1000)
  flood.end()
})

test(
  'a flood beside another tenant is read at its pace, and all of it is acknowledged',
  slow,
  async (t) => {
    const { port, bus } = await startBus(t, { rate: 100 })
    const usernames = ['ann@flood', 'bert@flood']
    const crowd = await startCrowd(t, { port, count: 2, usernames })
    await mqttClient(t, port, { username: 'cleo' })
    const start = performance.now()
    await crowd.flood({ topic: '1/t', count: 1000, qos: 1 })
    await eventually(async () => assert.equal(await crowd.acknowledged(), 2000))
    // 2 000 a second, however low the quota is.
    assert.ok(performance.now() - start >= ((2000 - AT_ONCE) / 2000) * 1000)
    assert.equal(bus.counts.received, 2000)
    assert.equal(bus.inFlightBytes, 0)
  }
)
