import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairSlots, TooBusy, TooManyAtOnce } from '../../src/lib/fair-slots.ts'

/** Work that the test can end, and a list of the work that has begun. */
function works() {
  const begun: string[] = []
  const open = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => () => {
    begun.push(name)
    const ended = Promise.withResolvers<void>()
    open.set(name, ended)
    return ended.promise
  }
  const end = async (name: string) => {
    open.get(name)?.resolve()
    await nextTurn()
  }
  const fail = async (name: string) => {
    open.get(name)?.reject(new Error(name))
    await nextTurn()
  }
  return { begun, work, end, fail }
}

test('callers take turns, however much each has asked for before', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 2 })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) =>
    slots.run({ caller: name.slice(0, 1), most: 10 }, work(name))
  )
  await nextTurn()
  assert.deepEqual(begun, ['a1', 'a2'])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'])
  await Promise.all(all)
})

test('a caller with too many requests is refused, and others are not', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 1 })
  const first = slots.run({ caller: 'a', most: 2 }, work('a1'))
  const second = slots.run({ caller: 'a', most: 2 }, work('a2'))
  await assert.rejects(slots.run({ caller: 'a', most: 2 }, work('a3')), TooManyAtOnce)
  const other = slots.run({ caller: 'b', most: 2 }, work('b1'))
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  await Promise.all([first, second, other])
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  const again = slots.run({ caller: 'a', most: 2 }, work('a4'))
  await nextTurn()
  await end('a4')
  await again
})

test('work that fails frees its slot', async () => {
  const { begun, work, end, fail } = works()
  const slots = new FairSlots({ atOnce: 1 })
  const failing = slots.run({ caller: 'a', most: 2 }, work('a1'))
  const next = slots.run({ caller: 'b', most: 2 }, work('b1'))
  await nextTurn()
  const failed = assert.rejects(failing, /a1/)
  await fail('a1')
  await failed
  await end('b1')
  await next
  assert.deepEqual(begun, ['a1', 'b1'])
})

test('one caller has a limited number of slots, even if more are free', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 4, each: 2 })
  const all = ['a1', 'a2', 'a3', 'b1'].map((name) =>
    slots.run({ caller: name.slice(0, 1), most: 3 }, work(name))
  )
  await nextTurn()
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  for (const name of ['a1', 'a2', 'a3', 'b1']) await end(name)
  await Promise.all(all)
})

test('some slots are kept for callers who may take them, in addition to their share', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 4, each: 2, kept: 1 })
  const ordinary = ['a1', 'a2', 'b1', 'c1'].map((name) =>
    slots.run({ caller: name.slice(0, 1), most: 3 }, work(name))
  )
  const kept = ['p1', 'p2'].map((name) =>
    slots.run({ caller: 'p', most: 5, mayTakeKept: true }, work(name))
  )
  await nextTurn()
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'p1'])
  for (const name of ['p1', 'p2', 'a1', 'a2', 'b1', 'c1']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'p1', 'p2', 'c1'])
  await Promise.all([...ordinary, ...kept])
})

test('a caller who hangs up while waiting leaves the queue', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 1 })
  const first = slots.run({ caller: 'a', most: 2 }, work('a1'))
  const leaving = new AbortController()
  const turn = { caller: 'a', most: 2 }
  const left = assert.rejects(slots.run({ ...turn, signal: leaving.signal }, work('a2')), /gone/)
  leaving.abort(new Error('gone'))
  await left
  const next = slots.run(turn, work('a3'))
  await end('a1')
  await end('a3')
  await Promise.all([first, next])
  assert.deepEqual(begun, ['a1', 'a3'])
})

test('a caller who waits too long is refused, and does not delay the next one', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots({ atOnce: 1, waitMs: 10 })
  const first = slots.run({ caller: 'a', most: 1 }, work('a1'))
  await assert.rejects(slots.run({ caller: 'b', most: 1 }, work('b1')), TooBusy)
  const next = slots.run({ caller: 'b', most: 1 }, work('b2'))
  await end('a1')
  await end('b2')
  await Promise.all([first, next])
  assert.deepEqual(begun, ['a1', 'b2'])
})

test('a slot that is freed twice is counted once', async () => {
  const slots = new FairSlots({ atOnce: 1, waitMs: 10 })
  const turn = { caller: 'a', most: 2 }
  const free = await slots.take(turn)
  free()
  free()
  await slots.take(turn)
  await assert.rejects(slots.take(turn), TooBusy)
})
