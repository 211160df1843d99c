import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GiveBack, ownHeap } from '../../src/lib/give-back.ts'
import { slow } from '../support/rounds.ts'

const MIB = 2 ** 20

/** A heap that says what it is told to say. A collection leaves 40 MiB. */
function fakeHeap() {
  const state = { cpuMs: 900, bytes: 100 * MIB, asked: 0, collected: 0, collectionMs: 60 }
  const giveBack = new GiveBack({
    cpuMs: () => state.cpuMs,
    bytes: () => state.bytes,
    asked: () => state.asked,
    async collect() {
      state.collected++
      state.cpuMs += state.collectionMs
      state.bytes = 40 * MIB
    }
  })
  /** A look after five seconds in which the thread has used this much CPU. */
  const lookAfter = async (cpuMs: number) => {
    state.cpuMs += cpuMs
    await giveBack.look()
    return state.collected
  }
  return { state, lookAfter }
}

test('a thread collects when it rests after its start, and then only if it has grown', async () => {
  const { state, lookAfter } = fakeHeap()
  assert.equal(await lookAfter(700), 0, 'it still starts')
  assert.equal(await lookAfter(50), 1)
  for (let look = 0; look < 200; look++) assert.equal(await lookAfter(50), 1)
  state.bytes = 47 * MIB
  assert.equal(await lookAfter(50), 1, 'seven megabytes are not worth it')
  state.bytes = 200 * MIB
  assert.equal(await lookAfter(251), 1, 'more than five percent of a core is no rest')
  assert.equal(await lookAfter(250), 2)
})

test('a thread that others ask all the time does not let them wait, though it has little to do', async () => {
  const { state, lookAfter } = fakeHeap()
  for (let look = 0; look < 200; look++) {
    state.asked += 6
    assert.equal(await lookAfter(50), 0)
  }
  state.asked += 5
  assert.equal(await lookAfter(50), 1, 'a probe each second may wait')
})

test('a thread that grows again and again collects once in ten minutes', async () => {
  const { state, lookAfter } = fakeHeap()
  let collected = 0
  for (let look = 0; look < 12 * 60; look++) {
    state.bytes = 100 * MIB
    collected = await lookAfter(20)
  }
  assert.equal(collected, 6)
})

test('a large heap, whose collection takes a second, is collected once in three hours', async () => {
  const { state, lookAfter } = fakeHeap()
  state.collectionMs = 1000
  let collected = 0
  for (let look = 0; look < 12 * 60 * 6; look++) {
    state.bytes = 100 * MIB
    collected = await lookAfter(20)
  }
  assert.equal(collected, 3)
})

test(
  'a collection gives the memory of a heap that was large back to the system',
  slow,
  async () => {
    let numbers: object[] | undefined = Array.from({ length: 1_000_000 }, (_, n) => ({ n }))
    assert.equal(numbers.length, 1_000_000)
    const [heap, resident] = [ownHeap.bytes(), process.memoryUsage.rss()]
    numbers = undefined
    await ownHeap.collect()
    assert.ok(ownHeap.bytes() < heap - 30 * MIB)
    assert.ok(process.memoryUsage.rss() < resident - 20 * MIB)
  }
)

test('the time of the CPU is that of the thread', () => {
  const before = ownHeap.cpuMs()
  const end = performance.now() + 50
  while (performance.now() < end);
  const used = ownHeap.cpuMs() - before
  assert.ok(used > 0 && used <= 51, `${used}`)
})
