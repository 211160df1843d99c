import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FairSlots, TooManyAtOnce } from '../../src/lib/fair-slots.ts'

/** Work that ends when it is told to, and what has begun. */
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

test('callers take turns, whatever each has asked for before', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots(2)
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((name) =>
    slots.run(name.slice(0, 1), 10, work(name))
  )
  await nextTurn()
  assert.deepEqual(begun, ['a1', 'a2'])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'a4']) await end(name)
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4'])
  await Promise.all(all)
})

test('a caller with too much under way is refused, and others are not', async () => {
  const { begun, work, end } = works()
  const slots = new FairSlots(1)
  const first = slots.run('a', 2, work('a1'))
  const second = slots.run('a', 2, work('a2'))
  await assert.rejects(slots.run('a', 2, work('a3')), TooManyAtOnce)
  const other = slots.run('b', 2, work('b1'))
  for (const name of ['a1', 'a2', 'b1']) await end(name)
  await Promise.all([first, second, other])
  assert.deepEqual(begun, ['a1', 'a2', 'b1'])
  const again = slots.run('a', 2, work('a4'))
  await nextTurn()
  await end('a4')
  await again
})

test('work that fails frees its slot', async () => {
  const { begun, work, end, fail } = works()
  const slots = new FairSlots(1)
  const failing = slots.run('a', 2, work('a1'))
  const next = slots.run('b', 2, work('b1'))
  await nextTurn()
  const failed = assert.rejects(failing, /a1/)
  await fail('a1')
  await failed
  await end('b1')
  await next
  assert.deepEqual(begun, ['a1', 'b1'])
})
