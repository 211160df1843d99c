import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Seldom } from '../../src/lib/seldom.ts'

test('the same key is due once in the time, another one beside it', () => {
  const seldom = new Seldom(1000)
  const asked = [
    seldom.isDue('a', 5000),
    seldom.isDue('a', 5999),
    seldom.isDue('b', 5999),
    seldom.isDue('a', 6000),
    seldom.isDue('a', 6001)
  ]
  assert.deepEqual(asked, [true, false, true, true, false])
})

test('any number of keys takes bounded memory', () => {
  const seldom = new Seldom(1000)
  for (let i = 0; i < 10_000; i++) assert.equal(seldom.isDue(`key ${i}`, 0), true)
  assert.equal(seldom.isDue('key 9999', 1), false)
  // One too many: all are forgotten.
  assert.equal(seldom.isDue('one more', 1), true)
  assert.equal(seldom.isDue('key 9999', 1), true)
})
