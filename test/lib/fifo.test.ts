import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fifo } from '../../src/lib/fifo.ts'

test('a Fifo keeps the order at every length', () => {
  const fifo = new Fifo<number>()
  let [last, next] = [0, 0]
  assert.deepEqual([fifo.shift(), fifo.first, fifo.size], [undefined, undefined, 0])
  for (const [more, fewer] of [
    [3000, 1500],
    [10, 1500],
    [5000, 5010]
  ] as const) {
    for (let i = 0; i < more; i++) fifo.push(last++)
    assert.deepEqual(
      [...fifo],
      Array.from({ length: last - next }, (_, i) => next + i)
    )
    for (let i = 0; i < fewer; i++) {
      assert.equal(fifo.first, next)
      assert.equal(fifo.shift(), next++)
    }
    assert.equal(fifo.size, last - next)
  }
  assert.deepEqual([fifo.shift(), fifo.first, fifo.size], [undefined, undefined, 0])
})
