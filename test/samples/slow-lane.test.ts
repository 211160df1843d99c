import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SlowLane } from '../../src/samples/slow-lane.ts'

test('waiting messages are released a few at a time, in order', async () => {
  const lane = new SlowLane()
  const order: number[] = []
  const began = performance.now()
  const wait = (i: number) => lane.wait().then(() => void order.push(i))
  await Promise.all(Array.from({ length: 100 }, (_, i) => wait(i)))
  assert(performance.now() - began > 40, 'five ticks of twenty')
  assert.deepEqual(
    order,
    Array.from({ length: 100 }, (_, i) => i)
  )
})

test('a closed lane releases everybody', async () => {
  const lane = new SlowLane()
  const waiting = Array.from({ length: 10_000 }, () => lane.wait())
  lane.close()
  await Promise.all([...waiting, lane.wait()])
})
