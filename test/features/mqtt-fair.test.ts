import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startBus } from '../support/bus.ts'
import { startCrowd } from '../support/crowd.ts'
import { eventually } from '../support/eventually.ts'
import { longestRound } from '../support/loop.ts'
import { mqttClient } from '../support/mqtt.ts'

/** Limit of processor time for the broker and the few clients that share its thread. */
const LONGEST_ROUND_MS = 20

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

for (const qos of [0, 1]) {
  test(`a message of another tenant is handled during a flood at QoS ${qos} of many users of one tenant`, async (t) => {
    let flooded = 0
    const { port, bus, handled } = await startBus(t, {
      handle: async (_, sender) => {
        if (sender.endsWith('@flood')) flooded++
        // The messages are not kept, because this would make garbage in the test.
        handled.length = 0
      }
    })
    const usernames = numbers(100).map((n) => `user ${n}@flood`)
    const crowd = await startCrowd(t, { port, count: 100, usernames })
    const neighbour = await mqttClient(t, port, { username: 'bert' })
    const before: number[] = []
    let attempts = 0
    const longest = await longestRound(LONGEST_ROUND_MS, async (attempt) => {
      attempts = attempt
      await crowd.flood({ topic: '1/t', count: 200, qos })
      while (flooded < (attempt - 1) * 20_000 + 1000) await wait(2)
      for (const _ of numbers(5)) {
        const since = flooded
        await neighbour.publish('2/t', 'x', { qos: 1 })
        before.push(flooded - since)
      }
      while (flooded < attempt * 20_000) await wait(2)
    })
    // It takes some rounds of the event loop from the write to the acknowledgement.
    const [middle = 0] = before.sort((a, b) => a - b).slice(before.length / 2)
    assert.ok(middle < 1000, `behind ${before.join()} messages of the flood`)
    assert.ok(longest < LONGEST_ROUND_MS, `${longest} ms in one round`)
    if (qos === 1) {
      await eventually(async () => assert.equal(await crowd.acknowledged(), attempts * 20_000))
    }
    assert.equal(bus.counts.received, attempts * 20_005)
  })
}
